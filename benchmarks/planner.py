"""Exact join or bands: does the plan choose the cheaper method, or at least one that costs at most twice as much?

    python benchmarks/planner.py [--data FOLDER] [--only short UNIFORM] [--goals pairs clusters] [--rounds 3]

Each round runs every corpus with `method` exact, lsh and auto. Costs are the least CPU time, over all threads, of a
whole call of `find_pairs` or `find_clusters`, so auto includes its survey. "predicted" costs, in µs per set, are those
that the plan's choice is based on. FOLDER adds market baskets, package descriptions and licences.
"""

from __future__ import annotations

import argparse
import gzip
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from common import build_files, corpus, measure, set_collections

import lookalike as la
from lookalike.api import resolve_plan
from lookalike.flow import Shingles

METHODS = ("exact", "lsh", "auto")


@dataclass(frozen=True)
class Corpus:
    """A file and how its texts are shingled."""

    path: Callable[[Path], Path]
    shingles: str = "auto"


def lists(name: str, make: Callable[[Path], Shingles]) -> Callable[[Path], Path]:
    """Sets as lists of tokens in a Parquet file, which is written on first use."""

    def write(data: Path, path: Path) -> None:
        sets = make(data)
        tokens = pa.array(sets.values).cast(pa.string())
        pq.write_table(pa.table({"text": pa.LargeListArray.from_arrays(pa.array(sets.offsets), tokens)}), path)

    return lambda data: build_files.written_once(f"sets-{name}.parquet", partial(write, data))


def retail(data: Path) -> Path:
    """Baskets as lists of article numbers in a Parquet file."""

    def write(path: Path) -> None:
        with gzip.open(data / "sets" / "retail.dat.gz", "rt", encoding="utf-8") as lines:
            pq.write_table(pa.table({"text": [line.split() for line in lines]}), path)

    return build_files.written_once("retail.parquet", write)


def text(name: str) -> Callable[[Path], Path]:
    return lambda data: data / "text" / f"{name}.parquet"


GENERATED = {
    "titles, chars:5": Corpus(lambda _: corpus.write("short", 300_000), "chars:5"),
    "titles, words:2": Corpus(lambda _: corpus.write("short", 300_000), "words:2"),
    "Zipf texts": Corpus(lambda _: corpus.write("zipf", 100_000)),
    "boilerplate": Corpus(lambda _: corpus.write("boilerplate", 100_000)),
    "UNIFORM": Corpus(lists("UNIFORM", lambda _: set_collections.uniform())),
    "ZIPF": Corpus(lists("ZIPF", lambda _: set_collections.zipf(200_000))),
}
FROM_FILES = {
    "groceries": Corpus(lists("groceries", set_collections.groceries)),
    "retail": Corpus(retail),
    "Debian, words:1": Corpus(text("debian_descriptions"), "words:1"),
    "Debian, chars:5": Corpus(text("debian_descriptions"), "chars:5"),
    "Debian, words:5": Corpus(text("debian_descriptions"), "words:5"),
    "licences": Corpus(text("scancode_licenses"), "words:5"),
}


def row(name: str, path: Path, shingles: str, threshold: str, goal: str, rounds: int) -> tuple[str, float]:
    """A row of the table, and the cost of `auto` as a multiple of the cheaper method."""
    options: dict[str, Any] = {"threshold": threshold, "shingles": shingles}
    verb: Callable[..., Any] = la.find_pairs if goal == "pairs" else la.find_clusters
    calls = {method: partial(verb, path, method=method, **options) for method in METHODS}
    best = measure.least_cpu(calls, rounds)
    plan = resolve_plan(path, la.Plan.from_options(None, "pairs", options), column="text")
    predicted = plan.method_reason.values if plan.method_reason else {}
    rows, size = predicted.get("sets", 0), predicted.get("elements", 0)
    ratio = best["auto"] / min(best["exact"], best["lsh"])
    return (
        f"| {name} | {rows:,} | {size:,} | {threshold} | {goal} | {predicted.get('exact_cost', '–')} "
        f"| {predicted.get('bands_cost', '–')} | {plan.method} | {best['exact']:.3f} | {best['lsh']:.3f} "
        f"| {best['auto']:.3f} | {ratio:.2f} |"
    ), ratio


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder that contains sets/ and text/")
    parser.add_argument("--only", nargs="+", choices=[*GENERATED, *FROM_FILES])
    parser.add_argument("--thresholds", nargs="+", default=["0.6", "0.8", "0.9"])
    parser.add_argument("--goals", choices=("pairs", "clusters"), nargs="+", default=["pairs"])
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    chosen = {**GENERATED, **(FROM_FILES if options.data else {})}
    print(f"\n{measure.machine()}; CPU seconds, best of {options.rounds}\n")
    print("| corpus | sets | elements | threshold | goal | predicted: exact | bands | chosen ", end="")
    print("| exact | lsh | auto | auto / cheaper |\n|---|---|---|---|---|---|---|---|---|---|---|---|")
    worst = 0.0
    for name in options.only or chosen:
        path = chosen[name].path(options.data)
        for threshold in options.thresholds:
            for goal in options.goals:
                line, ratio = row(name, path, chosen[name].shingles, threshold, goal, options.rounds)
                worst = max(worst, ratio)
                print(line, flush=True)
    print(f"\nAt worst, auto cost {worst:.2f} times as much as the cheaper method.\n")


if __name__ == "__main__":
    main()
