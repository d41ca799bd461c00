"""Plans on a Spark cluster: the same kernel in every task, the same answer as `local`.

from lookalike.engines import spark as las

las.dedupe(df, column="text", id="id", plan=plan, staging="s3://bucket/path")
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lookalike.engines.registry import Declaration, Option

if TYPE_CHECKING:
    from lookalike.engines.spark.engine import Spark
    from lookalike.engines.spark.frames import Deduped, candidates, clusters, dedupe, pairs, signatures

__all__ = ["Deduped", "Spark", "candidates", "clusters", "dedupe", "pairs", "signatures"]

DECLARATION = Declaration(
    "spark",
    "lookalike.engines.spark.engine:Spark",
    "A Spark cluster, with the native kernel in every task.",
    (
        Option(
            "master",
            str | None,
            None,
            "Where Spark runs: spark://host:7077, local[4] or sc://host (default: this machine).",
        ),
        Option("staging", str | None, None, "For Spark on several machines: a folder or URL that all of them see."),
    ),
)


def __getattr__(name: str) -> Any:
    """Looked up when used: the declaration above is read without loading the engine."""
    if name not in __all__:
        raise AttributeError(f"module 'lookalike.engines.spark' has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{'engine' if name == 'Spark' else 'frames'}"), name)
