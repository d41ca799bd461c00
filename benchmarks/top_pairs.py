"""The most similar pairs without a threshold: time and memory of `find_pairs(top=N)` beside a run at a threshold.

    python benchmarks/top_pairs.py [--documents 100000] [--kinds plain zipf] [--tops 1000 20000] [--rounds 3]
    python benchmarks/top_pairs.py --file a.parquet        # your own texts, in a column named text

Every round calls `find_pairs` once at the threshold, and once for each N, in a process of its own. "least" is the
similarity of the last of the N pairs: below the threshold, `top` finds what the run at the threshold does not.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from common import corpus, large_corpus, measure

HEADING = """\
| corpus | asked for | pairs | least | wall s | CPU s | peak MiB | wall / threshold | CPU / threshold |
|---|---|---|---|---|---|---|---|---|"""

PROGRAM = """
import json, sys
import lookalike as la

path, name, value = sys.argv[1:]
found = la.find_pairs(path, column="text", **{name: int(value) if name == "top" else value}, progress=False)
print(json.dumps({"pairs": len(found), "least": float(found.similarity.min()) if len(found) else 0.0}))
"""


def rows(name: str, path: Path, threshold: str, tops: list[int], rounds: int) -> None:
    asked = {f"threshold {threshold}": ["threshold", threshold], **{f"top {n:,}": ["top", str(n)] for n in tops}}
    runs = {label: [sys.executable, "-c", PROGRAM, str(path.absolute()), *words] for label, words in asked.items()}
    costs = measure.interleaved(runs, rounds)
    base = costs[f"threshold {threshold}"]
    for label, cost in costs.items():
        if isinstance(cost, str) or isinstance(base, str):
            print(f"| {name} | {label} | failed: {cost} |", flush=True)
            continue
        print(
            f"| {name} | {label} | {cost.answer['pairs']:,} | {cost.answer['least']:.3f} | {cost.wall:.2f} "
            f"| {cost.cpu:.2f} | {cost.peak_mib:,.0f} | {cost.wall / base.wall:.2f} | {cost.cpu / base.cpu:.2f} |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--kinds", nargs="*", default=["plain", "zipf"])
    parser.add_argument("--tops", type=int, nargs="*", default=[1_000, 20_000])
    parser.add_argument("--threshold", default="0.8")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--file", type=Path, nargs="*", default=[])
    asked = parser.parse_args()
    print(f"{measure.machine()}\n\n{HEADING}")
    for kind in asked.kinds if not asked.file else []:
        of = large_corpus if kind in large_corpus.KINDS else corpus
        rows(kind, of.write(kind, asked.documents), asked.threshold, asked.tops, asked.rounds)
    for path in asked.file:
        rows(path.stem, path, asked.threshold, asked.tops, asked.rounds)


if __name__ == "__main__":
    main()
