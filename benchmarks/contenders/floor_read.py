"""pyarrow: reads the column and counts its bytes. A floor for everything that reads the texts."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
from contenders import text_contender


def find(job: text_contender.Job) -> pa.Table:
    batches = pq.ParquetFile(job.path).iter_batches(columns=["text"])
    return pa.table({"bytes": [sum(batch.column(0).nbytes for batch in batches)]})


if __name__ == "__main__":
    text_contender.main(find, "pyarrow")
