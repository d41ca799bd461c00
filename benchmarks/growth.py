"""From 10 thousand documents to a million: do time and memory grow in step with them?

python benchmarks/growth.py [--sizes 10000 100000 1000000] [--rounds 5]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from common import corpus, measure

GOALS = ("pairs", "clusters")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--python", type=Path, default=Path(sys.executable), help="an interpreter that has lookalike")
    options = parser.parse_args()
    commands = {}
    for size in sorted(options.sizes):
        path = corpus.write("zipf", size).absolute()
        for goal in GOALS:
            script, out = f"contenders.lookalike_{goal}", path.with_name("out-growth.parquet")
            python = options.python.absolute()
            commands[f"{goal} {size}"] = [str(python), "-m", script, str(path), str(out), "5", "spaces"]
    costs = measure.interleaved(commands, options.rounds)
    print(f"zipf, words:5, threshold 0.8; median of {options.rounds}; {measure.machine()}\n")
    print("| goal | documents | wall s | CPU s | peak MiB | wall, to the row above |\n|---|---|---|---|---|---|")
    for goal in GOALS:
        above = None
        for size in sorted(options.sizes):
            cost = costs[f"{goal} {size}"]
            assert isinstance(cost, measure.Cost), cost
            times = f"{cost.wall / above:.1f}" if above else ""
            print(f"| {goal} | {size:,} | {cost.wall:.2f} | {cost.cpu:.2f} | {cost.peak_mib:,.0f} | {times} |")
            above = cost.wall
    print()


if __name__ == "__main__":
    main()
