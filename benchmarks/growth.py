"""Growth: do time and memory grow linearly with the number of documents?

    python benchmarks/growth.py [--sizes 10000 100000] [--rounds 3] [--kind zipf]
    python benchmarks/growth.py --sizes 100000 1000000 --rounds 5     # a few minutes: the published figures
    python benchmarks/growth.py --kind brief --memory 1GiB --sizes 100000 1000000 10000000

Each row is compared with the next smaller size: the ratio of documents, the ratio of wall times (including start-up),
and the bytes of memory per additional document.
"""

from __future__ import annotations

import argparse
import sys
from itertools import pairwise
from pathlib import Path

from common import corpus, large_corpus, measure, text_kinds

GOALS = ("pairs", "clusters")


def main() -> None:
    options = parsed()
    sizes = sorted(set(options.sizes))
    is_large = options.kind in large_corpus.KINDS
    write = large_corpus.write if is_large else corpus.write
    k = large_corpus.K if is_large else text_kinds.KINDS[options.kind].k
    words = "spaces" if is_large else text_kinds.KINDS[options.kind].words
    commands = {}
    for size in sizes:
        path = write(options.kind, size).absolute()
        job = [
            str(path),
            str(path.with_name("out-growth.parquet")),
            str(k),
            words,
            *([options.memory] if options.memory else []),
        ]
        for goal in options.goals:
            commands[f"{goal} {size}"] = [str(options.python.absolute()), "-m", f"contenders.lookalike_{goal}", *job]
    costs = measure.interleaved(commands, options.rounds)
    budget = options.memory or "no budget"
    print(f"{options.kind}, words:{k}, threshold 0.8, {budget}; median of {options.rounds}; {measure.machine()}\n")
    print("| goal | documents | wall s | CPU s | peak MiB | × documents | × wall | bytes per additional document |")
    print("|---|---|---|---|---|---|---|---|")
    for goal in options.goals:
        of_size = {size: costs[f"{goal} {size}"] for size in sizes}
        print(row(goal, sizes[0], of_size[sizes[0]], " | |"))
        for smaller, size in pairwise(sizes):
            print(
                row(goal, size, of_size[size], growth(size / smaller, size - smaller, of_size[smaller], of_size[size]))
            )
    print()


def growth(ratio: float, additional: int, before: measure.Cost | str, after: measure.Cost | str) -> str:
    if isinstance(before, str) or isinstance(after, str):
        return " | |"
    bytes_per_document = (after.peak_mib - before.peak_mib) * 2**20 / additional
    return f"{ratio:g} | {after.wall / before.wall:.1f} | {bytes_per_document:,.0f}"


def row(goal: str, size: int, cost: measure.Cost | str, growth: str) -> str:
    if isinstance(cost, str):
        return f"| {goal} | {size:,} | failed: {cost} | | | {growth} |"
    return f"| {goal} | {size:,} | {cost.wall:.2f} | {cost.cpu:.2f} | {cost.peak_mib:,.0f} | {growth} |"


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000], help="numbers of documents")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--kind", choices=[*text_kinds.KINDS, *large_corpus.KINDS], default="zipf")
    parser.add_argument("--memory", help="the memory budget (default: half of the free memory)")
    parser.add_argument("--goals", choices=GOALS, nargs="+", default=GOALS)
    parser.add_argument(
        "--python", type=Path, default=Path(sys.executable), help="interpreter with lookalike installed"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
