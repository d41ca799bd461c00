"""Carries out plans on a Spark cluster, with the native kernel in every task. Gives the same answers as `local`.

from lookalike.engines import spark as las

las.dedupe(df, column="text", id="id", plan=plan, staging="s3://bucket/path")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.lazy import lazy

if TYPE_CHECKING:
    from lookalike.engines.spark.engine import Spark
    from lookalike.engines.spark.frames import DedupedFrames, candidates, clusters, dedupe, pairs, signatures

__all__ = ["DedupedFrames", "Spark", "candidates", "clusters", "dedupe", "pairs", "signatures"]

__getattr__, __dir__ = lazy(__name__, dict.fromkeys(__all__, "frames") | {"Spark": "engine"})
