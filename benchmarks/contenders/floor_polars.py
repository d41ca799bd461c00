"""A floor: how many different texts are there? Exact copies only."""

from __future__ import annotations

import polars as pl
import pyarrow as pa
from contenders import texts


def find(job: texts.Job) -> pa.Table:
    return pa.table({"kept": [len(pl.read_parquet(job.path, columns=["text"]).unique())]})


if __name__ == "__main__":
    texts.main(find, "unique")
