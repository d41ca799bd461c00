"""Does `--memory` hold for long documents? Runs the command over random budgets, documents and formats.

    python benchmarks/memory_budgets.py [--rounds 200] [--seed 0] [--largest 100000000] [--folder FOLDER]

Every round writes documents of 10 KB to 100 MB in a random format, and runs `lookalike` with a random budget and random
shingles. Round n depends only on n: the rounds can be run in pieces, and a round that failed can be run again with
`--seed n --rounds 1`. The peak is measured from outside (VmHWM of the process and of its children). A round fails if

- an accepted run exceeds its budget;
- a budget is refused although it has the least that docs/internals.md promises to accept;
- a refusal needs more than the budget plus one document, or a second run with the same budget is not refused, or a run
  with a smaller budget is accepted, or one with the budget that the refusal asks for is refused.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

MIB = 1 << 20
LEAST, PER_BYTE, SMALL = 256 * MIB, 8, MIB
"""The promise in docs/internals.md: a budget of LEAST bytes and PER_BYTE bytes per byte of the largest document, if
that has more than SMALL bytes."""

MOST = 40_000_000
"""The size of all documents of a round in characters, unless two of the largest ones have more."""

FORMATS = ("jsonl", "lines", "csv", "parquet", "parquet", "jsonl.gz", "csv.gz")
SHINGLES = (None, None, None, None, None, None, None, "words:3", "words:3", "chars:9")
COMMANDS = ("pairs", "clusters", "dedupe")


@dataclass(frozen=True)
class Ended:
    """How a run ended: its exit status, its peak memory in bytes, and what it printed."""

    code: int
    peak: int
    said: str

    @property
    def least(self) -> int | None:
        """The budget in bytes that a refusal asks for."""
        found = re.search(r"--memory\s+to\s+at\s+least\s+([\d.]+)\s+(MiB|GiB)", self.said)
        return None if found is None else round(float(found[1]) * MIB * (1024 if found[2] == "GiB" else 1))


def run(arguments: list[str], budget: int) -> Ended:
    """Runs the command, and reads its peak memory from /proc until it ends."""
    command = [sys.executable, "-c", "from lookalike.cli import main; main()", *arguments, "--memory", str(budget)]
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said)
        peak = 0
        while process.poll() is None:
            peak = max(peak, sum(map(high_water, [process.pid, *children(process.pid)])))
            time.sleep(0.002)
        said.seek(0)
        return Ended(process.returncode, peak, said.read().decode(errors="replace"))


def children(process: int) -> list[int]:
    try:
        return [int(one) for one in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except (OSError, ValueError):
        return []


def high_water(process: int) -> int:
    """The peak memory of a process in bytes; 0 if it has ended."""
    try:
        found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
    except OSError:
        return 0
    return int(found[1]) * 1024 if found else 0


def documents(rng: random.Random, largest: int, total: int) -> list[str]:
    """Texts of 10 KB or more, up to about `total` bytes; some are near-copies of others. Some have very short words."""
    longest = rng.choice([1, 10, 10, 10])
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(1, longest))) for _ in range(5000)]
    rare = rng.choice(
        ["", "é", "語", "\U0001f600"]
    )  # a single character makes Python's strings two or four times as large
    texts: list[str] = []
    size = 0
    while not texts or (size < total and len(texts) < 4000):
        wanted = largest if not texts else int(10_000 * (largest / 10_000) ** rng.random())
        if texts and rng.random() < 0.3:
            text = rng.choice(texts)
            text = f"{text[: len(text) // 2]} {rng.choice(words)} {text[len(text) // 2 :]}"
        else:
            block = " ".join(rng.choices(words, k=min(20_000, wanted // 4 + 1)))
            shift = rng.randrange(len(block))
            text = " ".join([block[shift:], rare, block[:shift], *(rng.choice(words) for _ in range(50))])
            text = " ".join(f"{text} {i}" for i in range(wanted // len(text) + 1))[:wanted]
        texts.append(text)
        size += len(text)
    rng.shuffle(texts)
    return texts


def write(texts: list[str], folder: Path, format: str, rng: random.Random) -> tuple[Path, int]:
    """Writes the texts. Returns the file, and the size of the largest document, as it is stored."""
    path = folder / f"texts.{'txt' if format == 'lines' else format}"
    if format == "parquet":
        at_once = rng.choice([1, 10, 1024])  # Arrow's writer puts up to 1,024 texts into a page, whatever their size
        codec, with_dictionary = rng.choice(["snappy", "zstd", "none"]), rng.random() < 0.7
        schema = pa.schema([("text", pa.large_string())])
        with pq.ParquetWriter(path, schema, compression=codec, use_dictionary=with_dictionary) as writer:
            for first in range(0, len(texts), at_once):
                writer.write_table(pa.table({"text": pa.array(texts[first : first + at_once], pa.large_string())}))
        return path, max(len(text.encode()) for text in texts)
    largest = 0
    with gzip.open(path, "wb", 1) if format.endswith(".gz") else path.open("wb") as file:
        if format.startswith("csv"):
            file.write(b"text\n")
        for text in texts:
            if format.startswith("jsonl"):
                line = json.dumps({"text": text}, ensure_ascii=False)
            else:
                line = f'"{text}"' if format.startswith("csv") else text
            stored = line.encode() + b"\n"
            largest = max(largest, len(stored))
            file.write(stored)
    return path, largest


def check(rng: random.Random, folder: Path, most: int) -> tuple[str, list[str]]:
    """One round. Returns a description, and what is wrong."""
    format, command = rng.choice(FORMATS), rng.choice(COMMANDS)
    largest = int(10_000 * (most / 10_000) ** rng.random())
    texts = documents(rng, largest, min(rng.choice([2, 4, 20]) * max(largest, 4 * MIB), max(MOST, 2 * largest)))
    path, stored = write(texts, folder, format, rng)
    promised = LEAST + (PER_BYTE * stored if stored > SMALL else 0)
    budget = int(promised * rng.choice([0.6, 0.8, 0.95, 1.0, 1.0, 1.1, 1.5]))
    arguments = [command, str(path), "--out", str(folder / rng.choice(["out.jsonl", "out.parquet"])), "--force"]
    arguments += ["--format", "lines"] if format == "lines" else []
    arguments += ["--threads", str(rng.choice([1, 2, 4]))]
    if shingles := rng.choice(SHINGLES):
        arguments += ["--shingles", shingles]
    ended = run(arguments, budget)
    size = sum(map(len, texts))
    about = (
        f"{command} {format} {shingles or 'auto'}, {len(texts)} documents of up to {stored / MIB:.1f} MiB, "
        f"{size / MIB:.0f} MiB in all, "
        f"budget {budget / MIB:.0f} MiB: {'refused' if ended.code else 'accepted'}, peak {ended.peak / MIB:.0f} MiB"
    )
    wrong = []
    if ended.code == 0:
        if ended.peak > budget:
            wrong.append(f"exceeded by {(ended.peak - budget) / MIB:.0f} MiB")
        return about, wrong
    if ended.least is None:
        return about, [f"failed: {ended.said[-500:]}"]
    if budget >= promised:
        wrong.append(f"refused, although {promised / MIB:.0f} MiB are promised to be enough")
    if ended.peak > budget + stored:
        wrong.append("the refusal took more than the budget plus one document")
    again, below = run(arguments, budget), run(arguments, int(budget * rng.uniform(0.5, 1.0)))
    if again.code == 0 or again.least != ended.least:
        wrong.append("not refused the second time, or with another figure")
    if below.code == 0:
        wrong.append("a smaller budget was accepted")
    asked = ended.least
    while (ended := run(arguments, asked)).code != 0:  # it asks for more if a later document is larger
        if ended.least is None or ended.least <= asked or ended.peak > asked + stored:
            wrong.append(f"{asked / MIB:.0f} MiB, which it asked for: {ended.said[-200:]}")
            break
        asked = ended.least
    if ended.code == 0 and ended.peak > asked:
        wrong.append(f"{asked / MIB:.0f} MiB, which it asked for: exceeded by {(ended.peak - asked) / MIB:.0f} MiB")
    return about, wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--largest", type=int, default=100_000_000)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    revision = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    ).stdout
    print(f"commit {revision.strip()}", flush=True)
    failed: list[int] = []
    for number in range(given.seed, given.seed + given.rounds):
        folder, began = Path(tempfile.mkdtemp(dir=given.folder)), time.monotonic()
        try:
            about, wrong = check(random.Random(number), folder, given.largest)
        finally:
            shutil.rmtree(folder)
        failed += [number] * bool(wrong)
        seconds = time.monotonic() - began
        print(f"{number}: {about}, {seconds:.0f} s" + "".join(f"\n    {reason}" for reason in wrong), flush=True)
    print(f"{len(failed)} of {given.rounds} rounds failed: {failed}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
