"""Answers queries to an index."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa

from lookalike.errors import InvalidOption
from lookalike.flow import Documents
from lookalike.flow.arrays import cast
from lookalike.flow.checks import check_one_of, check_true_or_false, check_whole
from lookalike.flow.progress import Progress
from lookalike.flow.signature import Signature
from lookalike.flow.threshold import Threshold
from lookalike.index.access import Access
from lookalike.index.clustering import settled
from lookalike.index.ids import TEXT_IDS, as_ids, check_type
from lookalike.index.packing import texts_at
from lookalike.index.search import Nearest, Search, joined
from lookalike.index.stored_source import ID, TEXT
from lookalike.index.summaries import summary_of
from lookalike.io.source import Source
from lookalike.results.index_matches import IndexMatches

CONTAINMENT = "containment"

MEASURES = ("jaccard", CONTAINMENT)


def query(
    access: Access,
    asked: Source | Documents,
    *,
    measure: str,
    threshold: float | str | None,
    top: int | None,
    distinct: bool,
    progress: Progress,
) -> IndexMatches:
    """Finds the documents that are similar to each of the given ones."""
    began = time.perf_counter()
    check_one_of("measure", measure, MEASURES)
    if top is not None:
        check_whole("top", top, 1)
    check_true_or_false("distinct", distinct)
    store, wanted, by_containment = access.store, threshold_of(access, threshold, measure), measure == CONTAINMENT
    plan = store.resolved
    parts: list[Nearest] = []
    count, names = 0, list[pa.Array]()
    components = settled(access, progress) if distinct and plan is not None else None
    for documents, ids in _asked(asked):
        names += [] if ids is None else [ids]
        if plan is not None:
            search = Search(store, access.kernel, plan, wanted, top, components, by_containment)
            found = search.answer(documents)
            parts.append(found if count == 0 else replace(found, queries=found.queries + count))
        count += len(documents)
        if not isinstance(asked, Documents):
            progress("query", count, asked.total_rows())
    found = joined(parts)
    malformed = 0 if isinstance(asked, Documents) else asked.malformed
    return IndexMatches(
        left_rows=found.queries,
        right_rows=found.rows,
        similarity=found.similarity,
        containment=found.containment if access.keeps_texts else None,
        found_ids=store.ids_of(found.rows),
        asked=f"{'' if access.keeps_texts else 'estimated '}{measure} of {wanted} or more",
        queries=count,
        query_ids=pa.concat_arrays(names) if names else None,
        documents=len(store),
        summary=summary_of(store, count, began, pairs=len(found.rows), malformed=malformed),
    )


def _asked(asked: Source | Documents) -> Iterator[tuple[Documents, pa.Array | None]]:
    """Yields the queries, with their ids if they have any."""
    if isinstance(asked, Documents):
        yield asked, None
        return
    for batch in asked.read([asked.column] + ([asked.id] if asked.id else [])):
        yield Documents(batch.data.column(asked.column)), batch.data.column(asked.id) if asked.id else None


def threshold_of(access: Access, given: float | str | None, measure: str) -> Threshold:
    """Returns the threshold of a query (default: that of the index).

    A similarity below that of the index is refused. A containment may be, because it is found by passages; an index
    without them refuses it.
    """
    plan = access.store.resolved
    own = Threshold(access.planned.threshold) if plan is None else plan.threshold
    if measure == CONTAINMENT and not access.store.contain:
        raise InvalidOption("index-without-passages", name=access.store.name)
    if given is None:
        return own
    wanted = Threshold(given)
    if wanted < own and measure != CONTAINMENT:
        raise InvalidOption("below-threshold-of-index", own=str(own), wanted=str(wanted))
    return wanted


def signature(access: Access, id: Any) -> Signature:
    """Returns the signature of a document, under the plan of the index."""
    access.check_texts()
    row, plan = access.row_of(id), access.resolved
    sets = access.kernel.shingle(Documents(texts_at(access.store, row)), plan.shingles)
    p = plan.plan
    return Signature(access.kernel.sign(sets, sketch=p.sketch, hashes=p.hashes, seed=p.seed)[0], plan.signed_by)


def documents(access: Access, ids: Iterable[Any] | Any) -> pa.Table:
    """Returns the ids and texts of documents, in the order of the given ids. Ids that do not exist are left out."""
    access.check_texts()
    store, names = access.store, as_ids(ids)
    if store.ids is None:
        return pa.table({ID: pa.array([], pa.int64()), TEXT: pa.array([], TEXT_IDS)})
    check_type(names, store.ids)
    names = cast(names, TEXT_IDS if store.ids == "str" else pa.int64())  # an empty list has no type of its own
    rows = store.rows_of(names)
    rows = rows[rows >= 0]
    return pa.table({ID: store.ids_of(rows), TEXT: texts_at(store, rows)})
