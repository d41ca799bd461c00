"""Plans on a Spark cluster: the same kernel in every task, the same answer as `local`.

from lookalike.engines import spark as las

las.dedupe(df, column="text", id="id", plan=plan, staging="s3://bucket/path")
"""

from __future__ import annotations

from lookalike.engines.spark.engine import Spark
from lookalike.engines.spark.frames import Deduped, candidates, clusters, dedupe, pairs, signatures

__all__ = ["Deduped", "Spark", "candidates", "clusters", "dedupe", "pairs", "signatures"]
