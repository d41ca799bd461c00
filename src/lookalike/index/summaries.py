"""The summaries of what an index answers."""

from __future__ import annotations

import time
from typing import Any

from lookalike.index.store import Store
from lookalike.results.summary import Summary


def summary_of(store: Store, documents: int, began: float, **facts: Any) -> Summary:
    """Returns the summary of a query or of clusters. `began` is the time at its start."""
    plan = store.resolved
    return Summary(
        documents=documents,
        seconds={"query": time.perf_counter() - began},
        plan="" if plan is None else plan.to_toml(),
        shingles="" if plan is None else str(plan.shingles),
        engine="index",
        **facts,
    )
