"""A floor: read the column, count its bytes."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
from contenders import texts


def find(job: texts.Job) -> pa.Table:
    batches = pq.ParquetFile(job.path).iter_batches(columns=["text"])
    return pa.table({"bytes": [sum(batch.column(0).nbytes for batch in batches)]})


if __name__ == "__main__":
    texts.main(find, "pyarrow")
