"""lookalike: clusters of exactly verified pairs."""

from __future__ import annotations

import pyarrow as pa
from contenders import text_contender

import lookalike as la


def find(job: text_contender.Job) -> pa.Table:
    return la.find_clusters(
        job.path, column="text", threshold=0.8, shingles=f"words:{job.k}", memory=job.memory
    ).to_arrow()


if __name__ == "__main__":
    text_contender.main(find, "default")
