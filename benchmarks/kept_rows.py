"""What it costs to write kept rows: `dedupe` of a Parquet file against `find_clusters`, and against pyarrow alone.

    python benchmarks/kept_rows.py [--documents 1000000] [--kind zipf] [--rounds 3]

pyarrow reads the same file, drops the rows that `dedupe` removed, and writes the others with the same codec. The limit
is 1.15 times the cost of `find_clusters`, plus 1.2 times that of pyarrow.
"""

from __future__ import annotations

import argparse
import sys

from common import corpus, measure, text_kinds

PROGRAM = """
import json, sys
what, path, folder, shingles = sys.argv[1:]
out, removed = folder + "/out-kept.parquet", folder + "/out-kept.removed.parquet"
if what == "pyarrow":
    import numpy as np, pyarrow as pa, pyarrow.parquet as pq
    table = pq.read_table(path)
    kept = np.ones(len(table), bool)
    kept[pq.read_table(removed, columns=["id"])["id"].to_numpy()] = False
    table = table.filter(pa.array(kept))
    pq.write_table(table, out, compression=pq.ParquetFile(path).metadata.row_group(0).column(0).compression)
    rows = len(table)
else:
    import lookalike as la
    how = dict(column="text", shingles=shingles, threshold=0.8, progress=False)
    if what == "dedupe":
        rows = len(la.dedupe(path, out=out, removed=removed, force=True, **how))
    else:
        rows = len(la.find_clusters(path, **how).labels)
print(json.dumps({"rows": rows}))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--kind", choices=text_kinds.KINDS, default="zipf")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    path = corpus.write(given.kind, given.documents).absolute()
    job = [str(path), str(path.parent), f"words:{text_kinds.KINDS[given.kind].k}"]
    names = ("find_clusters", "dedupe", "pyarrow")  # pyarrow needs the table of removed rows
    costs = measure.interleaved({name: [sys.executable, "-c", PROGRAM, name, *job] for name in names}, given.rounds)
    print(f"{given.kind}, {given.documents:,} documents; median of {given.rounds}; {measure.machine()}\n")
    print("| | rows | wall s | CPU s | peak MiB |\n|---|---|---|---|---|")
    found = {name: cost for name, cost in costs.items() if not isinstance(cost, str)}
    for name, cost in costs.items():
        if isinstance(cost, str):
            print(f"| {name} | failed: {cost} |")
        else:
            print(f"| {name} | {cost.answer['rows']:,} | {cost.wall:.2f} | {cost.cpu:.2f} | {cost.peak_mib:,.0f} |")
    if len(found) == len(names):
        clusters, dedupe, arrow = found["find_clusters"], found["dedupe"], found["pyarrow"]
        for unit, spent, limit in (
            ("wall s", dedupe.wall, 1.15 * clusters.wall + 1.2 * arrow.wall),
            ("CPU s", dedupe.cpu, 1.15 * clusters.cpu + 1.2 * arrow.cpu),
        ):
            print(f"\n{unit}: {spent:.2f}, limit {limit:.2f}, {spent / limit:.2f} of it")


if __name__ == "__main__":
    main()
