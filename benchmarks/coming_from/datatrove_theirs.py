"""datatrove: the four steps of its MinHash example, with the example's settings, on one machine."""

from __future__ import annotations

import tempfile
from pathlib import Path

from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import (
    MinhashDedupBuckets,
    MinhashDedupCluster,
    MinhashDedupFilter,
    MinhashDedupSignature,
)
from datatrove.pipeline.dedup.minhash import MinhashConfig
from datatrove.pipeline.readers import ParquetReader
from datatrove.pipeline.writers import ParquetWriter


def deduplicate(folder: str, out: str) -> None:
    config = MinhashConfig(n_grams=5, num_buckets=14, hashes_per_bucket=8)
    reader = ParquetReader(folder, glob_pattern="*.parquet")
    files = len(list(Path(folder).glob("*.parquet")))
    with tempfile.TemporaryDirectory() as work:
        signatures, buckets, removals, logs = (
            f"{work}/{name}" for name in ("signatures", "buckets", "removals", "logs")
        )
        steps = [
            ([reader, MinhashDedupSignature(signatures, config)], files),
            ([MinhashDedupBuckets(signatures, buckets, config=config)], config.num_buckets),
            ([MinhashDedupCluster(buckets, removals, config=config)], 1),
            ([reader, MinhashDedupFilter(removals), ParquetWriter(out)], files),
        ]
        for number, (pipeline, tasks) in enumerate(steps):
            log = f"{logs}/{number}"
            LocalPipelineExecutor(pipeline, tasks, workers=2, logging_dir=log, start_method="fork").run()
