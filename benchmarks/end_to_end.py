"""From a Parquet file to one of exactly verified pairs: how long, how much memory, how many of the planted pairs?

    python benchmarks/end_to_end.py [documents] [rounds]

Beside it stand three floors: reading the column, and exact deduplication (equal texts only) with DuckDB and Polars.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pyarrow.parquet as pq
from common import corpus, measure

# Each is a process of its own: path and out are given, what it prints is its answer.
CONTENDERS = {
    "lookalike, pairs": """
import lookalike as la, pyarrow.parquet as pq
pairs = la.find_pairs(path, threshold=0.8, shingles="words:5")
pq.write_table(pairs.to_arrow(), out)
answer = {"pairs": len(pairs)}
""",
    "lookalike, clusters": """
import lookalike as la, pyarrow.parquet as pq
clusters = la.find_clusters(path, threshold=0.8, shingles="words:5")
pq.write_table(clusters.to_arrow(), out)
answer = {"clusters": len(clusters)}
""",
    "floor: read the column (pyarrow)": """
import pyarrow.compute as pc, pyarrow.parquet as pq
batches = pq.ParquetFile(path).iter_batches(columns=["text"])
answer = {"bytes": sum(pc.sum(pc.binary_length(batch.column(0))).as_py() for batch in batches)}
""",
    "floor: equal texts (Polars unique)": """
import polars as pl
answer = {"kept": pl.read_parquet(path, columns=["text"])["text"].n_unique()}
""",
    "floor: equal texts (DuckDB distinct)": """
import duckdb
answer = {"kept": duckdb.sql(f"select count(*) from (select distinct text from '{path}')").fetchall()[0][0]}
""",
}


def main(documents: int = 100_000, rounds: int = 5) -> None:
    path = corpus.write(Path(f"build/benchmarks/zipf-{documents}.parquet"), documents)
    out = path.with_name("out.parquet")
    commands = {
        name: [
            sys.executable,
            "-c",
            f"import json\npath, out = {str(path)!r}, {str(out)!r}\n{code}\nprint(json.dumps(answer))",
        ]
        for name, code in CONTENDERS.items()
    }
    print(f"{documents:,} documents, {path.stat().st_size / 2**20:.0f} MiB; median of {rounds}; {measure.machine()}\n")
    print("| | wall s | CPU s | peak MiB | answer |\n|---|---|---|---|---|")
    for name, cost in measure.interleaved(commands, rounds).items():
        answer = ", ".join(f"{value:,} {key}" for key, value in cost.answer.items())
        print(f"| {name} | {cost.wall:.2f} | {cost.cpu:.2f} | {cost.peak_mib:,.0f} | {answer} |")
    measure.run(commands["lookalike, pairs"])
    print(f"\nof the planted pairs of similarity 0.8 or more, found: {recall(path, out):.4f}")


def recall(path: Path, out: Path) -> float:
    rows = pq.read_table(path, columns=["copy_of", "similarity"]).to_pydict()
    truth = {(copied, row) for row, (copied, s) in enumerate(zip(*rows.values(), strict=True)) if (s or 0) >= 0.8}
    found = pq.read_table(out, columns=["left", "right"]).to_pydict()
    return len(truth & set(zip(*found.values(), strict=True))) / max(1, len(truth))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
