"""DuckDB: the number of distinct texts. A floor for finding near-duplicates, because it finds exact copies only."""

from __future__ import annotations

import duckdb
import pyarrow as pa
from contenders import text_contender


def find(job: text_contender.Job) -> pa.Table:
    counted = duckdb.execute("select count(*) from (select distinct text from read_parquet(?))", [job.path]).fetchall()
    return pa.table({"kept": [counted[0][0]]})


if __name__ == "__main__":
    text_contender.main(find, "select distinct")
