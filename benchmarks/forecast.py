"""Dry runs: how near to what comes is what they foretell?

    python benchmarks/forecast.py [--data FOLDER] [--thresholds 0.6 0.8]
    python benchmarks/forecast.py --large 1000000 --memory 512MiB --thresholds 0.8

Generated texts, plain and with boilerplate; FOLDER adds package descriptions and licences. Every line is foretold, then
run, in one process. The bar is a factor of two for candidates, pairs and disk, and of three for time. Disk is that of a
work folder, and with a budget that of what was spilled to files as well.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

from common import corpus, large_corpus, measure

import lookalike as la
from lookalike.flow.byte_sizes import in_words


def row(name: str, path: Path, threshold: str, memory: str | None) -> str:
    options: dict[str, Any] = {"threshold": threshold, "memory": memory}
    with tempfile.TemporaryDirectory() as folder:
        kept: dict[str, Any] = {"work": Path(folder) / "work"}
        began = time.perf_counter()
        expected = la.forecast(path, **options, **kept)
        foretold = time.perf_counter()
        came = la.find_pairs(path, **options).summary
        spent = time.perf_counter() - foretold
        disk = la.find_pairs(path, **options, **kept).summary.disk
    assert came.pairs is not None
    candidates = (
        "–" if not expected.candidates or not came.candidates else f"{expected.candidates / came.candidates:.2f}"
    )
    return (
        f"| {name} | {threshold} | {expected.plan.method} | {came.candidates or 0:,} | {candidates} | {came.pairs:,} "
        f"| {expected.pairs / max(1, came.pairs):.2f} | {in_words(disk)} | {expected.disk / disk:.2f} "
        f"| {in_words(came.spilled)} | {spent:.2f} | {expected.seconds / spent:.2f} | {foretold - began:.2f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="a folder with text/")
    parser.add_argument("--thresholds", nargs="+", default=["0.6", "0.8"])
    parser.add_argument("--memory", help="the budget of every run")
    parser.add_argument("--large", type=int, help="instead, of so many documents of 606 bytes")
    options = parser.parse_args()
    if options.large:
        corpora = {f"plain, {options.large:,}": large_corpus.write("plain", options.large)}
    else:
        corpora = {f"{kind}, 100,000": corpus.write(kind, 100_000) for kind in ("zipf", "boilerplate")}
    if options.data:
        corpora |= {
            name: options.data / "text" / f"{name}.parquet" for name in ("debian_descriptions", "scancode_licenses")
        }
    print(f"\n{measure.machine()}\n")
    print(f"budget {options.memory or 'none'}\n")
    print("| texts | threshold | method | candidates | foretold / came | pairs | foretold / came | disk | ", end="")
    print("foretold / came | spilled | seconds | foretold / came | dry run |\n|---|" + "---|" * 12)
    for name, path in corpora.items():
        for threshold in options.thresholds:
            print(row(name, path, threshold, options.memory), flush=True)
    print()


if __name__ == "__main__":
    main()
