"""Kernel: how fast are texts shingled, hashed and signed on one core, by each code path that this machine supports?

    python benchmarks/kernel.py [megabytes] [rounds]
    python benchmarks/kernel.py count

The texts consist of ASCII words with Zipf frequencies and have 100 B, 2 KB or 100 KB. "Hashing" is signing with one
slot: shingling, hashing the shingles, words and bytes, and almost nothing else. "Signing" uses the default plan: 128
slots, 16 bands of 6 rows. "Sets" are the sorted, distinct shingles that verification compares. Each round runs every
path once; the least CPU time counts. Memory bandwidth is measured by summing an array that is larger than any cache.
`count` prints the instructions per byte of signing, counted by perf or, if perf has no counters (as on many virtual
machines), by callgrind, which does not support AVX-512.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from common import measure

from lookalike import kernel
from lookalike.families.amplify import Banded
from lookalike.flow import Chars, Documents, Shingling, Words
from lookalike.kernel import Cpu

SHINGLINGS: tuple[Words | Chars, ...] = (Words(5), Chars(9))
SIZES = {"100 B": 100, "2 KB": 2_000, "100 KB": 100_000}
BANDS = {"hashing": (1, Banded(1, 1)), "signing": (128, Banded(16, 6))}


def texts(size: int, megabytes: float) -> Documents:
    """Texts of about `size` bytes each, generated with a fixed seed."""
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
    Cpu().sketch(documents, shingling, sketch="fast", hashes=hashes, seed=0, banding=banding)


def perf(command: list[str]) -> int | None:
    """The number of instructions of a program, from hardware counters; None on a machine without them."""
    if shutil.which("perf") is None:
        return None
    counter = ["perf", "stat", "-x,", "-e", "instructions:u", *command]
    done = subprocess.run(counter, capture_output=True, text=True)
    number = done.stderr.split(",")[0]
    return int(number) if done.returncode == 0 and number.isdigit() else None


def callgrind(command: list[str]) -> int:
    """Instructions of a program within the kernel's `sketch`."""
    with tempfile.NamedTemporaryFile() as out:
        watcher = ["valgrind", "--tool=callgrind", "--toggle-collect=lookalike::sketch*"]
        subprocess.run([*watcher, f"--callgrind-out-file={out.name}", *command], check=True, capture_output=True)
        (total,) = (line for line in Path(out.name).read_text().splitlines() if line.startswith("summary:"))
    return int(total.split()[1])


def bandwidth() -> float:
    """Memory bandwidth for reading, in MB/s."""
    data = np.ones(1 << 25, np.uint64)
    return data.nbytes / 1e6 / measure.least_cpu({"memory": data.sum}, 5)["memory"]


def sets(documents: Documents, shingling: Shingling, path: str) -> None:
    kernel.force(path)
    Cpu().shingle(documents, shingling)


def main(megabytes: float, rounds: int) -> None:
    memory = bandwidth()
    print(f"\n{measure.machine()}; {megabytes:g} MB per row, best of {rounds}; memory bandwidth {memory:.0f} MB/s\n")
    print("| texts | shingles | path | hashing MB/s | signing MB/s | of memory | signing ns/shingle | sets MB/s |")
    print("|---|---|---|---|---|---|---|---|")
    for name, size in SIZES.items():
        documents = texts(size, megabytes)
        total = bytes_of(documents)
        for shingling in SHINGLINGS:
            shingles = len(Cpu().shingle(documents, shingling).values)
            work: dict[str, Callable[[], object]] = {}
            for path in kernel.paths():
                for what in BANDS:
                    work[f"{path} {what}"] = partial(sign, documents, shingling, what, path)
                work[f"{path} sets"] = partial(sets, documents, shingling, path)
            seconds = measure.least_cpu(work, rounds)
            for path in kernel.paths():
                hashing, signing, sorting = (
                    total / 1e6 / seconds[f"{path} {what}"] for what in ("hashing", "signing", "sets")
                )
                each = seconds[f"{path} signing"] * 1e9 / shingles
                speeds = f"{hashing:.0f} | {signing:.0f} | {signing / memory:.1%} | {each:.2f} | {sorting:.0f}"
                print(f"| {name} | {shingling} | {path} | {speeds} |", flush=True)


def count(megabytes: float = 1) -> None:
    program = measure.native_program("signing")
    print("\n| 2 KB texts | path | instructions/byte | counted by |\n|---|---|---|---|")
    with tempfile.NamedTemporaryFile() as file:
        documents = texts(2_000, megabytes)
        Path(file.name).write_bytes(documents.texts.buffers()[2].to_pybytes()[: bytes_of(documents)])
        for shingling in SHINGLINGS:
            for path in kernel.paths():
                command = [str(program), file.name, "2000", path, shingling.kind, str(shingling.k)]
                once, twice = perf([*command, "1"]), perf([*command, "2"])
                if once is not None and twice is not None:  # the difference excludes the start of the program
                    number, how = twice - once, "perf"
                elif path == "avx512":
                    continue
                else:
                    number, how = callgrind([*command, "1"]), "callgrind"
                print(f"| {shingling} | {path} | {number / bytes_of(documents):.1f} | {how} |", flush=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["count"]:
            count()
        case numbers:
            main(float(numbers[0]) if numbers else 20, int(numbers[1]) if len(numbers) > 1 else 7)
