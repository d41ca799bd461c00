"""Carries out plans on a Spark cluster, with the native kernel in every task. Gives the same answers as `local`.

from lookalike.engines import spark as las

las.dedupe(df, column="text", id="id", plan=plan, staging="s3://bucket/path")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.engines.registry import Declaration, EngineOption
from lookalike.lazy import lazy

if TYPE_CHECKING:
    from lookalike.engines.spark.engine import Spark
    from lookalike.engines.spark.frames import DedupedFrames, candidates, clusters, dedupe, pairs, signatures

__all__ = ["DedupedFrames", "Spark", "candidates", "clusters", "dedupe", "pairs", "signatures"]

__getattr__, __dir__ = lazy(__name__, dict.fromkeys(__all__, "frames") | {"Spark": "engine"})

DECLARATION = Declaration(
    "spark",
    "lookalike.engines.spark.engine:Spark",
    "A Spark cluster, with the native kernel in every task.",
    (
        EngineOption(
            "master",
            str | None,
            None,
            "URL",
            "Address of Spark, such as spark://host:7077, local[4] or sc://host (default: this machine).",
        ),
        EngineOption(
            "staging",
            str | None,
            None,
            "FOLDER",
            "Folder or URL that all machines of a Spark cluster can access, for finished parts.",
        ),
    ),
)
