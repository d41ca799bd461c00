"""Polars: the number of distinct texts. A floor for finding near-duplicates, because it finds exact copies only."""

from __future__ import annotations

import polars as pl
import pyarrow as pa
from contenders import text_contender


def find(job: text_contender.Job) -> pa.Table:
    return pa.table({"kept": [len(pl.read_parquet(job.path, columns=["text"]).unique())]})


if __name__ == "__main__":
    text_contender.main(find, "unique")
