"""Whole runs with an exact join and with bands: time, memory, missed pairs, and which of the two `auto` chooses.

    python benchmarks/exact.py [--documents 100000] [--kinds zipf boilerplate] [--thresholds 0.8] [--rounds 3]
    python benchmarks/exact.py --data FOLDER               # also the natural corpora of FOLDER/text and FOLDER/sets
    python benchmarks/exact.py --file a.parquet b.parquet  # your own texts, in a column named text

Every round calls `find_pairs` once with each method, in a process of its own. Pairs of an exact join are all pairs,
so that "missed" is what bands did not find. Choices that were wrong are marked: the exact join where it cost more than
1.5 times as much CPU time as bands, and bands where the exact join cost no more.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from common import corpus, measure, text_kinds
from common.natural import NATURAL

import lookalike as la
from lookalike.api import resolve_plan

METHODS = ("exact", "lsh")
MOST = 1.5
"""The exact join should not be chosen if it costs more than this multiple of the CPU time of bands."""

HEADING = """\
| corpus | documents | threshold | exact: wall s | CPU s | peak MiB | bands: wall s | CPU s | peak MiB \
| exact / bands, CPU | chosen | pairs | missed by bands |
|---|---|---|---|---|---|---|---|---|---|---|---|---|"""

PROGRAM = """
import json, sys
import lookalike as la

path, shingles, threshold, method = sys.argv[1:]
found = la.find_pairs(path, shingles=shingles, threshold=threshold, method=method, progress=False)
print(json.dumps({"pairs": len(found), "documents": found.summary.documents}))
"""


def row(name: str, path: Path, shingles: str, threshold: str, rounds: int) -> str:
    job = [sys.executable, "-c", PROGRAM, str(path.absolute()), shingles, threshold]
    runs = {method: [*job, method] for method in METHODS}
    costs = measure.interleaved(runs, rounds)
    exact, bands = costs["exact"], costs["lsh"]
    if isinstance(exact, str) or isinstance(bands, str):
        return f"| {name} | {threshold} | failed: {exact if isinstance(exact, str) else bands} |"
    pairs = [int(cost.answer["pairs"]) for cost in (exact, bands)]
    documents = exact.answer["documents"]
    chosen = resolve_plan(path, la.Plan(threshold=threshold, shingles=shingles), column="text")
    ratio = exact.cpu / bands.cpu
    wrong = ratio > MOST if chosen.exact else ratio <= 1
    return (
        f"| {name} | {documents:,} | {threshold} | {exact.wall:.2f} | {exact.cpu:.2f} | {exact.peak_mib:,.0f} "
        f"| {bands.wall:.2f} | {bands.cpu:.2f} | {bands.peak_mib:,.0f} | {ratio:.2f} | {chosen.method}{' (!)' * wrong} "
        f"| {pairs[0]:,} | {pairs[0] - pairs[1]:,} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, nargs="+", default=[100_000])
    parser.add_argument("--kinds", nargs="*", choices=text_kinds.KINDS, default=["zipf", "boilerplate"])
    parser.add_argument("--thresholds", nargs="+", default=["0.8"])
    parser.add_argument("--data", type=Path, help="folder that contains text/ and sets/")
    parser.add_argument("--file", type=Path, nargs="+", help="Parquet files with a column named text, and no others")
    parser.add_argument("--shingles", default="words:5", help="shingles of --file (default: words:5)")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    corpora: list[tuple[str, Path, str]] = []
    if given.file:
        corpora += [(path.stem, path, given.shingles) for path in given.file]
    else:
        for kind in given.kinds:
            shape = text_kinds.KINDS[kind]
            corpora += [(kind, corpus.write(kind, size), f"words:{shape.k}") for size in given.documents]
    if given.data:
        corpora += [(name, natural.write(name, given.data), natural.shingles) for name, natural in NATURAL.items()]
    print(f"{measure.machine()}; median of {given.rounds}\n\n{HEADING}")
    for name, path, shingles in corpora:
        for threshold in given.thresholds:
            print(row(name, path, shingles, threshold, given.rounds), flush=True)


if __name__ == "__main__":
    main()
