"""Memory: how many bytes does a document take? Compares a formula derived from the code with measured peaks by stage.

    python benchmarks/memory.py [--sizes 10000 100000] [--kind zipf] [--file texts.parquet] [--goals pairs clusters]

docs/internals.md explains the formula ("What a document costs"). It counts bytes that are in use at the same time,
and freed bytes that the allocator keeps.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
from common import corpus, measure, text_kinds

from lookalike.engines.stages.memory import Allowance
from lookalike.io.formats import row_groups
from lookalike.storage.budget import Budget

# Measured. The memory of Python and its modules is measured by a run of 100 documents.
PARTS = 2  # parts of the first pass are freed one by one while they are joined, but the allocator keeps them

# From the code, in bytes per document; KEY is per band too.
HASHES, FLAGS, CHARACTERS, WINDOWS, SIZE = 32, 1, 8, 4, 8  # engines/stages/first_pass.py: columns of a part
KEY = 8
OFFSET = 8  # work/text_store.py: offset of a text that is kept
PER_WORKER = 4  # io/workers.py: a batch as it is stored, decompressed, decoded, and as the allocator keeps it
FIRST, DISTINCT = 8, 8  # engines/local/engine.py: first copies, and distinct rows
LEFT_OUT, BUCKETED = 1, 1
ENTRY = 2 * 16  # native/host/buckets.cpp: a key and its row, twice, to sort one band per thread
MEMBER = 4  # native/host/buckets.cpp: bucket members, per band
SHINGLE = 8  # engines/stages/arrows.py: shingles of candidates
LABELS = 4 * 8  # engines/stages/answer_builder.py, clusters: labels with and without copies, sizes, rows
MEMBERS = 5 * 8  # engines/stages/copies.py: copies by first copy, sizes, starts, and argsort's memory
PAIR = 80  # native/host/similar.h and engines/stages/copies.py: ten columns of 8 bytes; the result has three


@dataclass(frozen=True)
class Run:
    """Numbers that the formula depends on."""

    documents: int
    texts: int
    """Bytes of all texts."""
    row_group: int
    """Bytes of the texts in the largest row group."""
    bands: int
    threads: int
    candidates: int
    """Documents that share a bucket with another one, not counting exact copies."""
    shingles: int
    """Shingles of all candidates."""
    pairs: int


def formula(run: Run) -> dict[str, int]:
    """Bytes in use at the peak of each stage, in addition to Python itself."""
    keys = KEY * run.bands
    signed = PARTS * run.documents * (HASHES + FLAGS + CHARACTERS + WINDOWS + keys)
    kept, reading = kept_texts(run), in_work(run)
    first = run.documents * FIRST
    grouping = ENTRY * min(run.threads, run.bands) + MEMBER * run.bands  # per row that is put into buckets
    sets = run.candidates * (keys + DISTINCT) + SHINGLE * run.shingles
    loaded = signed + kept + reading + first + sets
    # The texts are freed by then, but the allocator rarely returns them: the last stages add to this.
    grouped = loaded + run.candidates * grouping
    return {
        "sign": signed + run.documents * SIZE + kept + reading,
        "propose": signed + kept + reading + first + run.documents * (LEFT_OUT + BUCKETED + ENTRY * run.threads),
        "read candidates": loaded,
        "verify": grouped + run.documents * MEMBERS + PAIR * run.pairs,
        "connect": grouped + run.documents * LABELS,
    }


def kept_texts(run: Run) -> int:
    """Bytes of texts kept for verification: all of them, up to a share of the default budget."""
    return min(run.texts + OFFSET * run.documents, Allowance.of(Budget.of(None), run.threads).texts)


def in_work(run: Run) -> int:
    """Bytes of texts that workers decode and sign."""
    return min(run.threads * PER_WORKER * min(run.row_group, row_groups.BATCH_BYTES), run.texts)


def observe(path: Path, goal: str, k: int) -> tuple[dict[str, float], Run]:
    """Peak MiB of each stage of a run, and the numbers for the formula."""
    command = [sys.executable, "-m", "common.stage_peaks", str(path.absolute()), goal, str(k)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=measure.HERE)
    seen = json.loads(done.stdout)
    return seen["peaks"], Run(row_group=largest_row_group(path), **seen["run"])


def largest_row_group(path: Path) -> int:
    """Bytes of the texts of the largest row group, decompressed."""
    metadata = pq.read_metadata(path)
    place = metadata.schema.names.index("text")
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    return max(int(group.column(place).total_uncompressed_size) for group in groups)


def show(goal: str, fixed: float, peaks: dict[str, float], run: Run) -> None:
    print(f"| {goal} | **{run.documents:,}** documents of {run.texts / max(1, run.documents):,.0f} bytes, ", end="")
    print(f"{run.candidates:,} candidates, {run.shingles:,} shingles, {run.pairs:,} pairs | | | |")
    expected = {stage: fixed + more / 2**20 for stage, more in formula(run).items() if stage in peaks}
    for stage, mib in expected.items():
        print(f"| | {stage} | {mib:,.0f} | {peaks[stage]:,.0f} | {peaks[stage] / mib:.2f} |")
    most, measured = max(expected.values()), max(peaks.values())
    print(f"| | **peak** | {most:,.0f} | {measured:,.0f} | {measured / most:.2f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000], help="numbers of documents")
    parser.add_argument("--kind", choices=text_kinds.KINDS, default="zipf", help="kind of generated text")
    parser.add_argument("--file", type=Path, help="Parquet file with a column `text`, instead of generated texts")
    parser.add_argument("--goals", choices=("pairs", "clusters"), nargs="+", default=["pairs", "clusters"])
    options = parser.parse_args()
    k = 5 if options.file else text_kinds.KINDS[options.kind].k
    paths = [options.file] if options.file else [corpus.write(options.kind, size) for size in sorted(options.sizes)]
    fixed = max(observe(corpus.write("zipf", 100), "pairs", 5)[0].values())
    print(f"{options.file or options.kind}, words:{k}; Python itself takes {fixed:,.0f} MiB; {measure.machine()}\n")
    print("| goal | stage | formula MiB | peak MiB | peak / formula |\n|---|---|---|---|---|")
    for goal in options.goals:
        for path in paths:
            show(goal, fixed, *observe(path, goal, k))
    print()


if __name__ == "__main__":
    main()
