"""Does `--memory` hold for long documents? Runs the command over random budgets, documents and formats.

    python benchmarks/memory_budgets.py [--rounds 200] [--seed 0] [--largest 100000000] [--folder FOLDER]

Every round writes documents of 10 KB to 100 MB in a random format, and runs `lookalike` with a random budget. The peak
is measured from outside (VmHWM of the process). A round fails if

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
that has more than SMALL bytes. In Parquet, every document has a row group of its own here."""

FORMATS = ("jsonl", "lines", "csv", "parquet", "jsonl.gz", "csv.gz")
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
            try:
                status = Path(f"/proc/{process.pid}/status").read_text()
            except OSError:
                continue
            if found := re.search(r"VmHWM:\s+(\d+) kB", status):
                peak = max(peak, int(found[1]) * 1024)
            time.sleep(0.002)
        said.seek(0)
        return Ended(process.returncode, peak, said.read().decode(errors="replace"))


def documents(rng: random.Random, largest: int, total: int) -> list[str]:
    """Texts of 10 KB or more, up to about `total` bytes; some are near-copies of others."""
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(1, 10))) for _ in range(5000)]
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


def write(texts: list[str], folder: Path, format: str) -> tuple[Path, int]:
    """Writes the texts. Returns the file, and the size of the largest document, as it is stored."""
    path = folder / f"texts.{'txt' if format == 'lines' else format}"
    if format == "parquet":
        with pq.ParquetWriter(path, pa.schema([("text", pa.large_string())])) as writer:
            for text in texts:
                writer.write_table(pa.table({"text": pa.array([text], pa.large_string())}))
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
    texts = documents(rng, largest, rng.choice([2, 4, 20]) * max(largest, 4 * MIB))
    path, stored = write(texts, folder, format)
    promised = LEAST + (PER_BYTE * stored if stored > SMALL else 0)
    budget = int(promised * rng.choice([0.6, 0.8, 0.95, 1.0, 1.0, 1.1, 1.5]))
    arguments = [command, str(path), "--out", str(folder / rng.choice(["out.jsonl", "out.parquet"])), "--force"]
    arguments += ["--format", "lines"] if format == "lines" else []
    arguments += ["--threads", str(rng.choice([1, 2, 4]))]
    ended = run(arguments, budget)
    size = sum(map(len, texts))
    about = (
        f"{command} {format}, {len(texts)} documents of up to {stored / MIB:.1f} MiB, {size / MIB:.0f} MiB in all, "
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
    failed = 0
    for number in range(given.seed, given.seed + given.rounds):
        folder = Path(tempfile.mkdtemp(dir=given.folder))
        try:
            about, wrong = check(random.Random(number), folder, given.largest)
        finally:
            shutil.rmtree(folder)
        failed += bool(wrong)
        print(f"{number}: {about}" + "".join(f"\n    {reason}" for reason in wrong), flush=True)
    print(f"{failed} of {given.rounds} rounds failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
