"""Daft: pairs, then verified exactly like lookalike's. Uses Python sets and one process per core."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from contenders import daft_pairs, exact_similarity, text_contender


def find(job: text_contender.Job) -> pa.Table:
    pairs = daft_pairs.find(job)
    left, right = pairs["left"].to_numpy(), pairs["right"].to_numpy()
    needed = np.unique(np.concatenate([left, right]))
    if job.words == "spaces":
        column = pq.read_table(job.path, columns=["text"])["text"]
    else:
        column = text_contender.column(job).to_arrow()
    taken = column.take(pa.array(needed)).to_pylist()
    del column
    true = exact_similarity.similar(taken, np.searchsorted(needed, left), np.searchsorted(needed, right), job.k)
    return pa.table({"left": left[true], "right": right[true]})


if __name__ == "__main__":
    text_contender.main(find, f"{daft_pairs.BANDS}×{daft_pairs.ROWS}, exact")
