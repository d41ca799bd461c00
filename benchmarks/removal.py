"""What `dedupe` removes with each linkage, and what that costs.

    python benchmarks/removal.py [--documents 100000] [--families chain straddling] [--kinds zipf] [--rounds 3]
    python benchmarks/removal.py --file texts.parquet --families --kinds       # your own texts, in a column named text
    python benchmarks/removal.py --documents 1000000 --kinds boilerplate --inside 100000 --families
    python benchmarks/removal.py --contained 1 0.95 0.9 --families template    # also removal by containment

Every round calls `dedupe` once with each setting, in a process of its own. "Below" counts removed documents whose
similarity to the one kept in their place is below the threshold. With --inside, that many documents of each generated
corpus are near-copies of one text.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from common import corpus, families, measure, text_kinds

PROGRAM = """
import json, sys
import lookalike as la
import pyarrow.parquet as pq

path, shingles, threshold, *settings = sys.argv[1:]
asked = dict(setting.split("=", 1) for setting in settings)
found = la.dedupe(path, column="text", shingles=shingles, threshold=threshold, progress=False, **asked)
similarity = found.removed["similarity"].to_numpy()
below = int((similarity < float(threshold)).sum())
least = float(similarity.min()) if len(similarity) else 1.0
answer = {"read": found.read, "removed": len(similarity), "below": below, "least": least}
names = pq.read_schema(path).names
if "bare" in names:
    bare = pq.read_table(path, columns=["bare"])["bare"].to_numpy()
    answer["bare"] = int(bare[found.removed["id"].to_numpy()].sum())
print(json.dumps(answer))
"""


def rows(name: str, path: Path, shingles: str, threshold: str, settings: dict[str, list[str]], rounds: int) -> None:
    job = [sys.executable, "-c", PROGRAM, str(path.absolute()), shingles, threshold]
    costs = measure.interleaved({label: [*job, *asked] for label, asked in settings.items()}, rounds)
    first = next(iter(costs.values()))
    for label, cost in costs.items():
        if isinstance(cost, str) or isinstance(first, str):
            print(f"| {name} | | {label} | failed: {cost} |")
            continue
        answer = cost.answer
        bare = f"{answer['bare']:,}" if answer.get("bare") is not None else ""
        print(
            f"| {name} | {answer['read']:,} | {label} | {answer['removed']:,} | {answer['below']:,} "
            f"| {answer['least']:.2f} | {bare} | {cost.wall:.2f} | {cost.cpu:.2f} | {cost.peak_mib:,.0f} "
            f"| {cost.cpu / first.cpu:.2f} |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, nargs="+", default=[100_000])
    parser.add_argument("--families", nargs="*", choices=families.KINDS, default=list(families.KINDS))
    parser.add_argument("--kinds", nargs="*", choices=text_kinds.KINDS, default=["zipf", "boilerplate"])
    parser.add_argument("--inside", type=int, default=0, help="number of near-copies in each generated corpus")
    parser.add_argument("--threshold", default="0.8")
    parser.add_argument("--contained", nargs="*", default=[], help="shares of the removed document, such as 1 or 0.95")
    parser.add_argument("--file", type=Path, nargs="*", default=[], help="Parquet files with a column named text")
    parser.add_argument("--shingles", default="words:5", help="shingles of --file (default: words:5)")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    settings = {"connected": ["linkage=connected"], "star": ["linkage=star"]}
    settings |= {f"contained:{share}": [f"remove=contained:{share}"] for share in given.contained}
    corpora = [(path.stem, path, given.shingles) for path in given.file]
    for size in given.documents:
        for kind in given.kinds:
            path = families.write_inside(kind, size, given.inside) if given.inside else corpus.write(kind, size)
            corpora.append((kind, path, f"words:{text_kinds.KINDS[kind].k}"))
        corpora += [(kind, families.write(kind, size), "words:5") for kind in given.families]
    print(f"{measure.machine()}; threshold {given.threshold}; median of {given.rounds}\n")
    print("| corpus | documents | setting | removed | below | least | bare | wall s | CPU s | MiB | CPU ratio |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name, path, shingles in corpora:
        rows(name, path, shingles, given.threshold, settings, given.rounds)


if __name__ == "__main__":
    main()
