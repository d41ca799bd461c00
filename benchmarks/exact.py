"""Whole runs with an exact join and with bands: time, memory, and the pairs that bands miss.

    python benchmarks/exact.py [--documents 100000] [--kinds zipf boilerplate] [--thresholds 0.8] [--rounds 3]
    python benchmarks/exact.py --data FOLDER               # also package descriptions and licences
    python benchmarks/exact.py --file texts.parquet        # your own texts, in a column named text

Every round calls `find_pairs` once with each method, in a process of its own. Pairs of an exact join are all pairs,
so that "missed" is what bands did not find.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from common import corpus, measure, text_kinds

METHODS = ("exact", "lsh")
NATURAL = {
    "package descriptions": ("text/debian_descriptions.parquet", "words:5"),
    "licences": ("text/scancode_licenses.parquet", "words:5"),
    "revisions of licences": ("text/spdx_revisions.parquet", "words:5"),
}


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
    return (
        f"| {name} | {documents:,} | {threshold} | {exact.wall:.2f} | {exact.cpu:.2f} | {exact.peak_mib:,.0f} "
        f"| {bands.wall:.2f} | {bands.cpu:.2f} | {bands.peak_mib:,.0f} | {exact.cpu / bands.cpu:.2f} "
        f"| {pairs[0]:,} | {pairs[0] - pairs[1]:,} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, nargs="+", default=[100_000])
    parser.add_argument("--kinds", nargs="+", choices=text_kinds.KINDS, default=["zipf", "boilerplate"])
    parser.add_argument("--thresholds", nargs="+", default=["0.8"])
    parser.add_argument("--data", type=Path, help="folder that contains text/")
    parser.add_argument("--file", type=Path, help="a Parquet file with a column named text, instead of generated texts")
    parser.add_argument("--shingles", default="words:5", help="shingles of --file (default: words:5)")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    corpora: list[tuple[str, Path, str]] = []
    if given.file:
        corpora.append((given.file.name, given.file, given.shingles))
    else:
        for kind in given.kinds:
            shape = text_kinds.KINDS[kind]
            corpora += [(kind, corpus.write(kind, size), f"words:{shape.k}") for size in given.documents]
    if given.data:
        corpora += [(name, given.data / path, shingles) for name, (path, shingles) in NATURAL.items()]
    print(f"{measure.machine()}; median of {given.rounds}\n")
    print(
        "| corpus | documents | threshold | exact: wall s | CPU s | peak MiB | bands: wall s | CPU s | peak MiB ",
        end="",
    )
    print("| exact / bands, CPU | pairs | missed by bands |\n|---|---|---|---|---|---|---|---|---|---|---|---|")
    for name, path, shingles in corpora:
        for threshold in given.thresholds:
            print(row(name, path, shingles, threshold, given.rounds), flush=True)


if __name__ == "__main__":
    main()
