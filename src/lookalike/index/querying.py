"""Answers queries to an index."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.errors import InvalidOption
from lookalike.flow import Documents
from lookalike.flow.checks import check_whole
from lookalike.flow.progress import Progress
from lookalike.flow.signature import Signature
from lookalike.flow.threshold import Threshold
from lookalike.index.access import Access
from lookalike.index.clustering import settled
from lookalike.index.search import Nearest, Search
from lookalike.index.summaries import summary_of
from lookalike.io.source import Source
from lookalike.results.index_matches import IndexMatches


def query(
    access: Access,
    source: Source,
    *,
    threshold: float | str | None,
    top: int | None,
    distinct: bool,
    progress: Progress,
) -> IndexMatches:
    """Finds the documents that are similar to each document of a source."""
    began = time.perf_counter()
    if top is not None:
        check_whole("top", top, 1)
    store, wanted = access.store, threshold_of(access, threshold)
    plan = store.resolved
    parts: list[Nearest] = []
    count, names = 0, []
    components = settled(access) if distinct and plan is not None else None
    for batch in source.read([source.column] + ([source.id] if source.id else [])):
        documents = Documents(batch.data.column(source.column))
        names += [batch.data.column(source.id)] if source.id else []
        if plan is not None:
            search = Search(store, access.kernel, plan, wanted, top, components)
            found = search.answer(documents)
            parts.append(replace(found, queries=found.queries + count))
        count += len(documents)
        progress("query", count, source.total_rows())
    left, rows, similarity, containment = (
        np.concatenate([getattr(part, name) for part in parts] or [np.zeros(0, kind)])
        for name, kind in (
            ("queries", np.int64), ("rows", np.int64), ("similarity", np.float64), ("containment", np.float64)
        )
    )  # fmt: skip
    return IndexMatches(
        left_rows=left,
        right_rows=rows,
        similarity=similarity,
        containment=containment,
        found_ids=store.ids_of(rows),
        asked=f"jaccard of {wanted} or more",
        queries=count,
        query_ids=pa.concat_arrays(names) if names else None,
        documents=len(store),
        summary=summary_of(store, count, began, pairs=len(rows), malformed=source.malformed),
    )


def threshold_of(access: Access, given: float | str | None) -> Threshold:
    """Returns the threshold of a query (default: that of the index). One below that of the index is refused."""
    own = Threshold(access.planned.threshold)
    if given is None:
        return own
    wanted = Threshold(given)
    if wanted < own:
        raise InvalidOption("below-threshold-of-index", own=str(own), wanted=str(wanted))
    return wanted


def signature(access: Access, id: Any) -> Signature:
    """Returns the signature of a document, under the plan of the index."""
    row, plan = access.row_of(id), access.resolved
    sets = access.kernel.shingle(Documents(access.store.texts_of(row)), plan.shingles)
    p = plan.plan
    return Signature(access.kernel.sign(sets, sketch=p.sketch, hashes=p.hashes, seed=p.seed)[0], plan.signed_by)
