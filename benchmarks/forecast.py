"""Dry runs: how near to what comes is what they foretell?

    python benchmarks/forecast.py [--data FOLDER] [--thresholds 0.6 0.8]

Generated texts, plain and with boilerplate; FOLDER adds package descriptions and licences. Every line is foretold, then
run, in one process. The bar is a factor of two for candidates and pairs, and of three for time.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from common import corpus, measure

import lookalike as la


def row(name: str, path: Path, threshold: str) -> str:
    began = time.perf_counter()
    expected = la.forecast(path, threshold=threshold)
    foretold = time.perf_counter()
    came = la.find_pairs(path, threshold=threshold).summary
    spent = time.perf_counter() - foretold
    assert came.pairs is not None
    candidates = (
        "–" if not expected.candidates or not came.candidates else f"{expected.candidates / came.candidates:.2f}"
    )
    return (
        f"| {name} | {threshold} | {expected.plan.method} | {came.candidates or 0:,} | {candidates} | {came.pairs:,} "
        f"| {expected.pairs / max(1, came.pairs):.2f} | {spent:.2f} | {expected.seconds / spent:.2f} "
        f"| {foretold - began:.2f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="a folder with text/")
    parser.add_argument("--thresholds", nargs="+", default=["0.6", "0.8"])
    options = parser.parse_args()
    corpora = {f"{kind}, 100,000": corpus.write(kind, 100_000) for kind in ("zipf", "boilerplate")}
    if options.data:
        corpora |= {
            name: options.data / "text" / f"{name}.parquet" for name in ("debian_descriptions", "scancode_licenses")
        }
    print(f"\n{measure.machine()}\n")
    print("| texts | threshold | method | candidates | foretold / came | pairs | foretold / came | seconds ", end="")
    print("| foretold / came | dry run |\n|---|---|---|---|---|---|---|---|---|---|")
    for name, path in corpora.items():
        for threshold in options.thresholds:
            print(row(name, path, threshold), flush=True)
    print()


if __name__ == "__main__":
    main()
