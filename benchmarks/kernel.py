"""How fast are texts cut, hashed and signed, on one core, by each implementation that this machine has?

    python benchmarks/kernel.py [megabytes] [rounds]
    python benchmarks/kernel.py count

Texts of Zipf words, ASCII, of 100 B, 2 KB and 100 KB. "Hashing" is signing with one slot: cutting, hashing and the
fingerprint, and next to nothing else. "Signing" is the plan's default: 128 slots, 16 bands of 6. "Sets" are what
verification compares: sorted and distinct. CPU time of the best round, all contenders in turn in every round. The floor
is what memory gives: the sum over the same bytes. `count` has callgrind count instructions a byte, as the difference of
two runs, so that starting Python does not count; that takes minutes, and callgrind knows no AVX-512.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
from common import measure

from lookalike import kernel
from lookalike.families import Banded
from lookalike.flow import Chars, Documents, Shingling, Words

SHINGLINGS: tuple[Shingling, ...] = (Words(5), Chars(9))
SIZES = {"100 B": 100, "2 KB": 2_000, "100 KB": 100_000}
BANDS = {"hashing": (1, Banded(1, 1)), "signing": (128, Banded(16, 6))}


def texts(size: int, megabytes: float) -> Documents:
    """Texts of about `size` bytes each: the same for one size."""
    rng = np.random.default_rng(size)
    letters = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))
    words = np.array(["".join(rng.choice(letters, n)) for n in rng.integers(2, 11, 50_000)], object)
    frequency = np.cumsum(1 / np.arange(1, len(words) + 1))
    count = int(megabytes * 1e6 / 6.3)
    drawn = " ".join(words[np.searchsorted(frequency / frequency[-1], rng.random(count))])
    return Documents.from_texts([drawn[i : i + size] for i in range(0, len(drawn), size)])


def bytes_of(documents: Documents) -> int:
    return int(np.frombuffer(documents.texts.buffers()[1], np.int64)[len(documents.texts)])


def sign(documents: Documents, shingling: Shingling, what: str, path: str) -> None:
    kernel.force(path)
    hashes, banding = BANDS[what]
    kernel.sketch(documents, shingling, sketch="fast", hashes=hashes, seed=0, banding=banding)


def best(work: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Seconds of CPU time, the least of all rounds, contenders in turn."""
    seconds = dict.fromkeys(work, float("inf"))
    for _ in range(rounds):
        for name, each in work.items():
            began = time.process_time()
            each()
            seconds[name] = min(seconds[name], time.process_time() - began)
    return seconds


def instructions(path: str, kind: str, size: int) -> float:
    """Instructions a byte of signing: two megabytes more or less in a process under callgrind."""
    counts, sizes = [], []
    for megabytes in (0.5, 2.5):
        with tempfile.NamedTemporaryFile() as out:
            command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}", sys.executable, __file__]
            done = subprocess.run(
                [*command, "once", path, kind, str(size), str(megabytes)], check=True, capture_output=True, text=True
            )
            sizes.append(int(done.stdout.split()[-1]))
            (total,) = (line for line in Path(out.name).read_text().splitlines() if line.startswith("summary:"))
            counts.append(int(total.split()[1]))
    return (counts[1] - counts[0]) / (sizes[1] - sizes[0])


def once(path: str, kind: str, size: str, megabytes: str) -> None:
    """What callgrind watches. The corpus is the same in both runs; only how much of it is signed differs."""
    corpus = texts(int(size), 2.5)
    rows = int(len(corpus.texts) * float(megabytes) / 2.5)
    part = Documents(pa.concat_arrays([corpus.texts.slice(0, rows)]))
    sign(part, next(each for each in SHINGLINGS if each.kind == kind), "signing", path)
    print(bytes_of(part))


def sets(documents: Documents, shingling: Shingling, path: str) -> None:
    kernel.force(path)
    kernel.shingle(documents, shingling)


def main(megabytes: float, rounds: int) -> None:
    print(f"\n{measure.machine()}; {megabytes:g} MB a row, best of {rounds}\n")
    print("| texts | shingles | path | hashing MB/s | signing MB/s | signing ns/shingle | sets MB/s |")
    print("|---|---|---|---|---|---|---|")
    for name, size in SIZES.items():
        documents = texts(size, megabytes)
        total = bytes_of(documents)
        data = np.frombuffer(documents.texts.buffers()[2], np.uint8)[: total // 8 * 8].view(np.uint64)
        for shingling in SHINGLINGS:
            shingles = len(kernel.shingle(documents, shingling).values)
            work: dict[str, Callable[[], object]] = {"floor": data.sum}
            for path in kernel.paths():
                for what in BANDS:
                    work[f"{path} {what}"] = partial(sign, documents, shingling, what, path)
                work[f"{path} sets"] = partial(sets, documents, shingling, path)
            seconds = best(work, rounds)
            speed = {key: f"{total / 1e6 / value:.0f}" for key, value in seconds.items()}
            for path in kernel.paths():
                hashing, signing, sorting = (speed[f"{path} {what}"] for what in ("hashing", "signing", "sets"))
                each = seconds[f"{path} signing"] * 1e9 / shingles
                print(f"| {name} | {shingling} | {path} | {hashing} | {signing} | {each:.2f} | {sorting} |", flush=True)
        print(f"| {name} | floor: sum of the bytes | | {speed['floor']} | | | |")


def count() -> None:
    print("\n| 2 KB texts | path | instructions/byte |\n|---|---|---|")
    for shingling in SHINGLINGS:
        for path in kernel.paths():
            if path != "avx512":
                print(f"| {shingling} | {path} | {instructions(path, shingling.kind, 2_000):.1f} |", flush=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["once", *rest]:
            once(*rest)
        case ["count"]:
            count()
        case numbers:
            main(float(numbers[0]) if numbers else 20, int(numbers[1]) if len(numbers) > 1 else 7)
