"""A floor: read the column, count its bytes."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from contenders import texts


def find(job: texts.Job) -> pa.Table:
    batches = pq.ParquetFile(job.path).iter_batches(columns=["text"])
    return pa.table({"bytes": [sum(pc.sum(pc.binary_length(batch.column(0))).as_py() or 0 for batch in batches)]})


if __name__ == "__main__":
    texts.main(find, "pyarrow")
