"""Adds documents to an index: a few to its catalogue, many as segments; and deletes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from lookalike.corpus.segment_writer import records_of
from lookalike.corpus.token_lists import packed_texts
from lookalike.engines.stages.arrows import KernelArrows
from lookalike.engines.stages.first_pass import RowSigner, sketch
from lookalike.engines.stages.memory import Allowance
from lookalike.errors import InvalidOption
from lookalike.flow import Documents
from lookalike.flow.arrays import to_arrow
from lookalike.flow.progress import Progress, silent
from lookalike.flow.sketches import EMPTY, Sketches
from lookalike.index.access import Access
from lookalike.index.comparing import keeps_texts
from lookalike.index.forest import connect_few, connect_part
from lookalike.index.ids import LARGEST, as_ids, check_distinct, check_type, kind_of
from lookalike.index.packing import Packing
from lookalike.index.passages import Winnowed
from lookalike.index.search import Search
from lookalike.index.short_signatures import short_signatures
from lookalike.index.shortening import Shortened, without_text
from lookalike.index.store import Bulk, Change, Conflict, NewRows, Store
from lookalike.io.one_text import text_of
from lookalike.io.open import open_source
from lookalike.io.source import Source
from lookalike.planning.resolve import ResolvedPlan, resolve
from lookalike.results.summary import counted
from lookalike.storage.budget import Budget

Result = TypeVar("Result")

FEW = 256
"""An add of up to this many rows in memory is written to the catalogue; larger ones become segments."""

FEW_BYTES = 1 << 20
"""The maximum number of bytes of such an add."""


class Duplicate(NamedTuple):
    """A document of the index that is similar to a text."""

    id: int | str
    similarity: float


@dataclass(frozen=True, eq=False)
class Added:
    """What `add` did."""

    ids: pa.Array
    """The ids of the documents, in input order: as given, or as assigned."""
    replaced: int
    """The number of documents that replaced one with the same id."""

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"Added({counted(len(self), 'document')}" + (f", {self.replaced:,} replaced)" if self.replaced else ")")


def add(access: Access, source: Source, progress: Progress) -> Added:
    """Adds the documents of a source, all or none."""
    plan, rows = access.store.resolved, source.total_rows()
    if plan is not None and source.in_memory and rows is not None and rows <= FEW:
        batches = list(source.read([source.column] + ([source.id] if source.id else [])))
        if sum(batch.data.nbytes for batch in batches) <= FEW_BYTES:
            return _add_few(access, plan, source, batches)
    with access.writing():
        return _add_many(access, source, progress)


def add_if_new(access: Access, text: Any, id: int | str | None) -> Duplicate | None:
    """Adds a text unless a similar one is there. Returns the first duplicate, or None if the text was added."""
    text = text_of(text)
    store, kernel = access.store, access.kernel
    if store.resolved is None:
        with access.writing():
            if store.resolved is None:
                _add_many(access, _source_of(text, id), silent)
                return None
    plan, documents = access.resolved, Documents.from_texts([text])
    sketches = sketch(kernel, documents, plan)
    ids = None if id is None else as_ids([id])

    def turn() -> Duplicate | None:
        with access.writing(sketches.keys, ids):
            found = Search(store, kernel, plan, plan.threshold).answer(documents, sketches)
            if len(found.rows):
                first = int(np.argmin(found.rows))
                name = store.ids_of(found.rows[first : first + 1])[0].as_py()
                return Duplicate(name, float(found.similarity[first]))
            _insert(access, plan, documents, sketches, ids)
        return None

    return _repeated(turn)


def _source_of(text: Any, id: int | str | None) -> Source:
    rows = {"text": Documents.from_texts([text]).texts} | ({} if id is None else {"id": as_ids([id])})
    return open_source(pa.table(rows), column="text", id=None if id is None else "id")


def delete(access: Access, ids: Iterable[Any] | Any) -> int:
    """Deletes documents. Returns how many there were."""
    store = access.store
    with access.writing():
        if store.ids is None:
            return 0
        names = as_ids(ids)
        check_type(names, store.ids)
        rows = np.unique(store.rows_of(names))
        rows = rows[rows >= 0]
        if len(rows):
            access.commit(Change(rows))
            store.maintain()
        return len(rows)


def _add_few(access: Access, plan: ResolvedPlan, source: Source, batches: list[Any]) -> Added:
    if not batches:
        return Added(as_ids([]), 0)
    texts = pa.concat_arrays([batch.data.column(source.column) for batch in batches])
    ids = None if source.id is None else pa.concat_arrays([batch.data.column(source.id) for batch in batches])
    documents = Documents(texts)
    sketches = sketch(access.kernel, documents, plan)

    def turn() -> Added:
        with access.writing(*((sketches.keys, ids) if len(documents) == 1 else ())):
            return _insert(access, plan, documents, sketches, ids)

    return _repeated(turn)


def _repeated(turn: Callable[[], Result]) -> Result:
    """Takes a turn, again as long as other clients commit what contradicts it."""
    while True:
        try:
            return turn()
        except Conflict:
            continue


def _insert(
    access: Access, plan: ResolvedPlan, documents: Documents, sketches: Sketches, given: pa.Array | None
) -> Added:
    """Adds a few documents to the catalogue."""
    store, kernel = access.store, access.kernel
    access.check_kind(documents.has_tokens)
    store.reserve()
    ids, next_id = _named(store, given, len(documents))
    gone = np.zeros(0, np.int64)
    if given is not None:
        check_distinct(ids)
        gone = store.rows_of(ids)
        gone = gone[gone >= 0]
    rows = np.arange(store.next_row, store.next_row + len(documents))
    new = NewRows(rows, ids, records_of(sketches, ids), sketches.keys, packed_texts(documents))
    if not keeps_texts(plan):
        signatures = short_signatures(kernel, documents, plan)
        new = replace(new, records=records_of(sketches, ids, signatures), texts=without_text(documents).texts)
    components = access.current_components()
    edges = connect_few(store, kernel, plan, components, new, (sketches.flags & EMPTY) > 0)
    change = Change(gone, edges, next_id=next_id, ids=None if store.ids else kind_of(ids))
    store.add(new, change)
    access.committed(change)
    store.maintain()
    return Added(ids, len(gone))


def _add_many(access: Access, source: Source, progress: Progress) -> Added:
    store, kernel = access.store, access.kernel
    budget = Budget.of(access.memory)
    allowance = Allowance.of(budget, kernel.threads)
    signer = RowSigner(KernelArrows(kernel), access.planned, source, progress, allowance)
    store.reserve()
    limit = max(64 << 20, allowance.texts)
    with signer.readers:
        plan = store.resolved
        resolved = resolve(signer.plan, signer.survey()).frozen() if plan is None else plan
        bulk: Bulk | None = None
        ids: list[pa.Array] = []
        edges, gone = [], []
        components = access.current_components()
        try:
            kinds: set[str] = set()
            bulk = store.start_bulk(text_ids=source.id is not None and _has_text_ids(source), most_bytes=limit)
            alone = len(store) == 0
            shortened = None if keeps_texts(resolved) else Shortened(bulk, kernel.on_one_thread(), resolved)
            packing = Packing(bulk, access.check_kind)
            winnowed = Winnowed(packing, kernel.on_one_thread(), resolved) if store.contain else None
            for signed in signer.signed(resolved, shortened or winnowed or packing):
                given, next_id = _named(store, signed.ids, len(signed.sketches.flags), sum(map(len, ids)))
                kinds.add(kind_of(given))
                ids.append(given)
                signatures = None if shortened is None else shortened.taken()
                part = bulk.add(signed, given, signatures, None if winnowed is None else winnowed.taken())
                if part is not None:
                    edges.append(connect_part(store, bulk, kernel, resolved, components, part, progress, alone=alone))
                    alone = False
            part = bulk.finish()
            if part is not None:
                edges.append(connect_part(store, bulk, kernel, resolved, components, part, progress, alone=alone))
            if not ids:
                return Added(as_ids([]), 0)
            every = pa.concat_arrays(ids)
            if source.id is not None:
                check_distinct(every)
                found = store.rows_of(every)
                gone.append(found[found >= 0])
            source.check_unchanged()
            change = Change(
                np.concatenate([np.zeros(0, np.int64), *gone]),
                np.concatenate(edges),
                next_id=next_id,
                resolved=resolved if plan is None else None,
                ids=None if store.ids else kinds.pop(),
            )
            bulk.commit(change)
            access.committed(change)
        except BaseException:
            if bulk is not None:
                bulk.abandon()
            raise
    store.maintain(progress)
    return Added(every, len(change.gone))


def _has_text_ids(source: Source) -> bool:
    for batch in source.read([source.id] if source.id else None):
        return bool(batch.data.column(source.id).type != pa.int64())
    return False


def _named(store: Store, given: pa.Array | None, count: int, before: int = 0) -> tuple[pa.Array, int | None]:
    """Returns the ids of documents, assigned if they are not given, and the next integer to assign."""
    if given is None:
        if store.ids == "str":
            raise InvalidOption("index-needs-ids")
        start = store.next_id + before
        if start + count > LARGEST:
            raise InvalidOption("no-more-ids", largest=LARGEST)
        return to_arrow(np.arange(start, start + count)), start + count
    check_type(given, store.ids)
    if not pa.types.is_integer(given.type):
        return given, None
    largest = int(np.from_dlpack(given).max(initial=-1))
    return given, max(store.next_id, min(largest + 1, LARGEST))
