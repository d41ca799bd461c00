"""The summaries of what an index answers."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any

from lookalike.index.store import Store
from lookalike.planning.resolve import ResolvedPlan
from lookalike.results.summary import Summary


def summary_of(store: Store, documents: int, began: float, **facts: Any) -> Summary:
    """Returns the summary of a query or of clusters. `began` is the time at its start."""
    plan = store.resolved
    return Summary(
        documents=documents,
        seconds={"query": time.perf_counter() - began},
        plan="" if plan is None else _toml(plan),
        shingles="" if plan is None else str(plan.shingles),
        engine="index",
        verified=store.plan.verify if plan is None else plan.plan.verify,
        **facts,
    )


@lru_cache(maxsize=8)
def _toml(plan: ResolvedPlan) -> str:
    """The plan in TOML, written once: an answer to one query takes less time than writing it would."""
    return plan.to_toml()
