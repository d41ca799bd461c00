"""Dry runs: how close is the forecast to the actual run?

    python benchmarks/forecast.py [--data FOLDER] [--thresholds 0.6 0.8]
    python benchmarks/forecast.py --large 1000000 --memory 512MiB --thresholds 0.8

The texts are generated, with and without boilerplate; FOLDER adds package descriptions and licences. Each row is a
forecast and then a run, in one process. Forecasts should be within a factor of two for candidates, pairs and disk, and
within a factor of three for time. Disk space is that of the work folder and, with a memory budget, of spilled files.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

from common import corpus, large_corpus, measure

import lookalike as la
from lookalike.notices.readable import in_words


def row(name: str, path: Path, threshold: str, memory: str | None) -> str:
    options: dict[str, Any] = {"threshold": threshold, "memory": memory}
    with tempfile.TemporaryDirectory() as folder:
        work: dict[str, Any] = {"work": Path(folder) / "work"}
        began = time.perf_counter()
        expected = la.forecast(path, **options, **work)
        forecast_ended = time.perf_counter()
        actual = la.find_pairs(path, **options).summary
        seconds = time.perf_counter() - forecast_ended
        disk = la.find_pairs(path, **options, **work).summary.disk
    assert actual.pairs is not None
    ratio = "–"
    if expected.candidates and actual.candidates:
        ratio = f"{expected.candidates / actual.candidates:.2f}"
    return (
        f"| {name} | {threshold} | {expected.plan.method} | {actual.candidates or 0:,} | {ratio} | {actual.pairs:,} "
        f"| {expected.pairs / max(1, actual.pairs):.2f} | {in_words(disk)} | {expected.disk / disk:.2f} "
        f"| {in_words(actual.spilled)} | {seconds:.2f} | {expected.seconds / seconds:.2f} "
        f"| {forecast_ended - began:.2f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder that contains text/")
    parser.add_argument("--thresholds", nargs="+", default=["0.6", "0.8"])
    parser.add_argument("--memory", help="memory budget of every run")
    parser.add_argument("--large", type=int, help="use this many documents of 606 bytes instead")
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
    print("| texts | threshold | method | candidates | forecast / actual | pairs | forecast / actual | disk | ", end="")
    print("forecast / actual | spilled | seconds | forecast / actual | dry run s |\n|---|" + "---|" * 12)
    for name, path in corpora.items():
        for threshold in options.thresholds:
            print(row(name, path, threshold, options.memory), flush=True)
    print()


if __name__ == "__main__":
    main()
