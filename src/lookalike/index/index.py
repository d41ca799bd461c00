"""Index: documents that stay, in a folder, with their near-duplicates and clusters."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from lookalike.corpus.segment_writer import records_of
from lookalike.engines.stages.arrows import KernelArrows
from lookalike.engines.stages.first_pass import RowSigner, sketch
from lookalike.engines.stages.memory import Allowance
from lookalike.errors import InvalidOption
from lookalike.flow import Documents
from lookalike.flow.arrays import Rows, to_arrow
from lookalike.flow.checks import check_threads, check_whole
from lookalike.flow.progress import Progress, silent
from lookalike.flow.signature import Signature
from lookalike.flow.sketches import EMPTY, Sketches
from lookalike.flow.threshold import Threshold
from lookalike.index.components import Components
from lookalike.index.embedded import Embedded
from lookalike.index.embedded_bulk import EmbeddedBulk
from lookalike.index.forest import connect_few, connect_part, settle
from lookalike.index.ids import as_ids, check_distinct, check_type
from lookalike.index.search import Nearest, Search
from lookalike.index.store import Change, NewRows, Store
from lookalike.io.one_text import text_of
from lookalike.io.open import open_source
from lookalike.io.source import Source
from lookalike.kernel import default
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan, resolve
from lookalike.results.clusters import Clusters
from lookalike.results.index_matches import IndexMatches
from lookalike.results.summary import Summary
from lookalike.storage.budget import Budget

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
        return f"Added({len(self):,} documents" + (f", {self.replaced:,} replaced)" if self.replaced else ")")


class Index:
    """Documents in a folder, to which others are compared. One process may write at a time, and any number may read.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp() + "/corpus.index"
    >>> ix = Index.create(folder, threshold=0.8, shingles="words:2")
    >>> ix.add(["the cat sat on the mat today", "a dog barked all night long"])
    Added(2 documents)
    >>> ix.query("The cat sat on the mat, today!").top()
    [(0, 0, 1.0)]
    """

    def __init__(self, store: Store, *, threads: int | None = None, memory: int | str | None = None) -> None:
        """Opens an index on any store. `Index.open` opens a folder."""
        self.store = store
        self.kernel = default(check_threads(threads))
        self.memory = memory
        self._components: Components | None = None
        self._guard = RLock()

    # Opening

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        *,
        plan: Plan | ResolvedPlan | str | Path | None = None,
        threads: int | None = None,
        memory: int | str | None = None,
        **options: Any,
    ) -> Index:
        """Creates an empty index in a new folder. `options` are entries of the plan, as in `find_pairs`.

        What the plan leaves open is decided by the first add. The seed is random unless it is given, so that nobody
        can prepare texts that collide.
        """
        known = set(Plan.__dataclass_fields__) | {"case", "normalize", "whitespace", "bag"}
        known -= {"goal", "linkage", "contained", "copies", "method"}
        if unknown := options.keys() - known:
            raise InvalidOption("not-an-option-of-an-index", option=min(unknown))
        if options.get("verify", "exact") != "exact":
            raise InvalidOption("index-verifies", verify=options["verify"])
        if plan is None:
            options.setdefault("seed", secrets.randbits(64))
        made = Plan.from_options(plan, "pairs", {"method": "lsh", **options})
        if made.verify != "exact" or made.copies is not None:
            raise InvalidOption("index-verifies", verify=made.copies or made.verify)
        Embedded.create(_path(path), replace(made, linkage=None, contained=None))
        return cls.open(path, threads=threads, memory=memory)

    @classmethod
    def open(
        cls, path: str | os.PathLike[str], *, threads: int | None = None, memory: int | str | None = None
    ) -> Index:
        """Opens an index. The first change makes this process the writer, until the index is closed."""
        return cls(Embedded(_path(path), default(check_threads(threads))), threads=threads, memory=memory)

    def close(self) -> None:
        """Releases the lock and the files."""
        with self._guard:
            self.store.close()

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        """Returns the number of documents."""
        with self._reading():
            return len(self.store)

    def __repr__(self) -> str:
        return f"Index({self.store.name!r}, {len(self):,} documents)"

    @property
    def plan(self) -> Plan | ResolvedPlan:
        """The plan: complete after the first add, so that `find_pairs(data, plan=ix.plan)` gives the same pairs."""
        with self._reading():
            return self.store.resolved or self.store.plan

    # Adding

    def add(
        self,
        data: Any,
        *,
        id: str | None = None,
        column: str | None = None,
        progress: Progress = silent,
        **reading: Any,
    ) -> Added:
        """Adds documents, all or none. They are durable when this method returns.

        `data` and the other options are those of `find_pairs`. Documents with an id that exists replace it. Without
        ids, the index assigns the next integers.
        """
        source = open_source(data, id=id, column=column, **reading)
        with self._writing():
            plan, rows = self.store.resolved, source.total_rows()
            if plan is not None and source.in_memory and rows is not None and rows <= FEW:
                batches = list(source.read([source.column] + ([source.id] if source.id else [])))
                if sum(batch.data.nbytes for batch in batches) <= FEW_BYTES:
                    return self._add_few(plan, source, batches)
            return self._add_many(source, progress)

    def add_if_new(self, text: Any, *, id: int | str | None = None) -> Duplicate | None:
        """Adds a text unless a similar one is in the index. Returns the duplicate found, or None if it was added.

        Of several duplicates, the one that was added first is returned. A stream of such calls keeps the documents that
        `dedupe(keep="first")` keeps under the same plan.
        """
        source = open_source([text_of(text)])
        with self._writing():
            if self.store.resolved is None:
                self._add_many(source if id is None else open_source({id: text}), silent)
                return None
            plan = self.store.resolved
            documents = Documents.from_texts([text])
            sketches = sketch(self.kernel, documents, plan)
            found = Search(self.store, self.kernel, plan, plan.threshold).answer(documents, sketches)
            if len(found.rows):
                first = int(np.argmin(found.rows))
                name = self.store.ids_of(found.rows[first : first + 1])[0].as_py()
                return Duplicate(name, float(found.similarity[first]))
            self._insert(plan, documents, sketches, None if id is None else as_ids([id]))
            return None

    def _add_few(self, plan: ResolvedPlan, source: Source, batches: list[Any]) -> Added:
        if not batches:
            return Added(pa.array([], pa.int64()), 0)
        texts = pa.concat_arrays([batch.data.column(source.column) for batch in batches])
        ids = None if source.id is None else pa.concat_arrays([batch.data.column(source.id) for batch in batches])
        documents = Documents(texts)
        if documents.has_tokens:
            raise InvalidOption("index-of-tokens")
        return self._insert(plan, documents, sketch(self.kernel, documents, plan), ids)

    def _insert(self, plan: ResolvedPlan, documents: Documents, sketches: Sketches, given: pa.Array | None) -> Added:
        """Adds a few documents to the catalogue."""
        store = self.store
        ids, next_id = self._named(given, len(documents))
        gone = np.zeros(0, np.int64)
        if given is not None:
            check_distinct(ids)
            gone = store.rows_of(ids)
            gone = gone[gone >= 0]
        rows = np.arange(store.next_row, store.next_row + len(documents))
        new = NewRows(rows, ids, records_of(sketches, ids), sketches.keys, documents.texts)
        components = self._current_components()
        edges = connect_few(store, self.kernel, plan, components, new, (sketches.flags & EMPTY) > 0)
        store.add(new, Change(gone, edges, next_id=next_id, ids=None if store.ids else _kind(ids)))
        if len(gone):
            self._components = None
        store.maintain()
        return Added(ids, len(gone))

    def _add_many(self, source: Source, progress: Progress) -> Added:
        store = self.store
        budget = Budget.of(self.memory)
        allowance = Allowance.of(budget, self.kernel.threads)
        signer = RowSigner(KernelArrows(self.kernel), self._planned(), source, progress, allowance)
        assert isinstance(store, Embedded)
        store.fold()
        limit = max(64 << 20, allowance.tables // 8)
        with signer.readers:
            plan = store.resolved
            resolved = resolve(signer.plan, signer.survey()) if plan is None else plan
            bulk: EmbeddedBulk | None = None
            ids: list[pa.Array] = []
            edges, gone = [], []
            components = self._current_components()
            try:
                kinds: set[str] = set()
                bulk = EmbeddedBulk(store, source.id is not None and self._has_text_ids(source), limit, limit)
                for signed in signer.signed(resolved, bulk):
                    given, next_id = self._named(signed.ids, len(signed.sketches.flags), sum(map(len, ids)))
                    kinds.add(_kind(given))
                    ids.append(given)
                    part = bulk.add(signed, given)
                    if part is not None:
                        edges.append(connect_part(store, self.kernel, resolved, components, part, progress))
                part = bulk.finish()
                if part is not None:
                    edges.append(connect_part(store, self.kernel, resolved, components, part, progress))
                if not ids:
                    return Added(pa.array([], pa.int64()), 0)
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
            except BaseException:
                self._components = None
                if bulk is not None:
                    bulk.abandon()
                raise
        if len(change.gone):
            self._components = None
        return Added(every, len(change.gone))

    def _planned(self) -> Plan:
        resolved = self.store.resolved
        return self.store.plan if resolved is None else resolved.plan

    def _has_text_ids(self, source: Source) -> bool:
        for batch in source.read([source.id] if source.id else None):
            return bool(batch.data.column(source.id).type != pa.int64())
        return False

    def _named(self, given: pa.Array | None, count: int, before: int = 0) -> tuple[pa.Array, int | None]:
        """Returns the ids of documents, assigned if they are not given, and the next integer to assign."""
        store = self.store
        if given is None:
            if store.ids == "str":
                raise InvalidOption("index-needs-ids")
            start = store.next_id + before
            return to_arrow(np.arange(start, start + count)), start + count
        check_type(given, store.ids)
        if not pa.types.is_integer(given.type):
            return given, None
        return given, max(store.next_id, int(np.from_dlpack(given).max(initial=-1)) + 1)

    # Queries

    def query(
        self,
        data: Any,
        *,
        threshold: float | str | None = None,
        top: int | None = None,
        distinct: bool = False,
        id: str | None = None,
        column: str | None = None,
        progress: Progress = silent,
        **reading: Any,
    ) -> IndexMatches:
        """Finds the documents that are similar to a text, or to each document of a collection.

        A string is a text; anything else is data as in `find_pairs`. `threshold` must not be below that of the index.
        `top` keeps the most similar documents of each query, and `distinct` keeps the best document of each cluster.
        """
        began = time.perf_counter()
        if top is not None:
            check_whole("top", top, 1)
        one = isinstance(data, str)
        source = open_source([text_of(data)] if one else data, id=id, column=column, **reading)
        with self._reading():
            wanted = self._threshold(threshold)
            plan = self.store.resolved
            parts: list[Nearest] = []
            count, names = 0, []
            components = self._settled() if distinct and plan is not None else None
            for batch in source.read([source.column] + ([source.id] if source.id else [])):
                documents = Documents(batch.data.column(source.column))
                names += [batch.data.column(source.id)] if source.id else []
                if plan is not None:
                    search = Search(self.store, self.kernel, plan, wanted, top, components)
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
            summary = self._summary(count, began, pairs=len(rows), malformed=source.malformed)
            return IndexMatches(
                left_rows=left,
                right_rows=rows,
                similarity=similarity,
                containment=containment,
                found_ids=self.store.ids_of(rows),
                asked=f"jaccard of {wanted} or more",
                queries=count,
                query_ids=pa.concat_arrays(names) if names else None,
                documents=len(self.store),
                summary=summary,
            )

    def _threshold(self, given: float | str | None) -> Threshold:
        own = Threshold(self._planned().threshold)
        if given is None:
            return own
        wanted = Threshold(given)
        if wanted < own:
            raise InvalidOption("below-threshold-of-index", own=str(own), wanted=str(wanted))
        return wanted

    def signature(self, id: int | str) -> Signature:
        """Returns the signature of a document, under the plan of the index."""
        with self._reading():
            row = self._row(id)
            plan = self._resolved()
            sets = self.kernel.shingle(Documents(self.store.texts_of(row)), plan.shingles)
            p = plan.plan
            return Signature(self.kernel.sign(sets, sketch=p.sketch, hashes=p.hashes, seed=p.seed)[0], plan.signed_by)

    # Deleting and clusters

    def delete(self, ids: Iterable[Any] | Any) -> int:
        """Deletes documents. Returns how many there were; ids that the index does not have are ignored."""
        with self._writing():
            if self.store.ids is None:
                return 0
            names = as_ids(ids)
            check_type(names, self.store.ids)
            rows = np.unique(self.store.rows_of(names))
            rows = rows[rows >= 0]
            if len(rows):
                self.store.commit(Change(rows))
                self._components = None
                self.store.maintain()
            return len(rows)

    def clusters(self, *, progress: Progress = silent) -> Clusters:
        """Returns the clusters of all documents: connected components of the similar pairs."""
        began = time.perf_counter()
        with self._reading():
            components = self._settled(progress)
            rows = self.store.all_rows()
            labels = components.of(rows)
            _, first, place = np.unique(labels, return_index=True, return_inverse=True)
            positions: Rows = first[place]
            summary = self._summary(len(rows), began)
            sizes = np.bincount(place)
            summary = replace(summary, clusters=int((sizes > 1).sum()), clustered=int(sizes[sizes > 1].sum()))
            return Clusters(positions, ids=self.store.ids_of(rows), summary=summary)

    def cluster_of(self, id: int | str) -> list[int | str]:
        """Returns the ids of all documents in the cluster of a document, in the order in which they were added."""
        with self._reading():
            row = self._row(id)
            components = self._settled()
            members, labels = components.members()
            same = members[labels == components.of(row)[0]]
            same = same[self.store.is_alive(same)]
            names: list[int | str] = self.store.ids_of(same if len(same) else row).to_pylist()
            return names

    def _current_components(self) -> Components:
        """Returns the components for an add, in which edges of deleted rows do not count."""
        if self._components is None:
            edges = self.store.edges()
            alive = edges[self.store.is_alive(edges).all(axis=1)] if len(edges) else edges
            self._components = Components(self.kernel, alive)
        return self._components

    def _settled(self, progress: Progress = silent) -> Components:
        """Returns the components of all documents, after connecting again what deleted rows had connected."""
        plan = self.store.resolved
        if plan is None:
            return Components(self.kernel)
        components, edges = settle(self.store, self.kernel, plan, progress)
        if self._is_writer and len(self.store.dirty()):
            self.store.commit(Change(edges=edges, settled=True))
        return components

    # Maintenance

    def info(self) -> dict[str, Any]:
        """Returns the counts and sizes of the index."""
        with self._reading():
            return self.store.info()

    def verify(self, *, progress: Progress = silent) -> None:
        """Reads everything, and raises MalformedInput if a page, a block or the catalogue is damaged."""
        with self._reading():
            self.store.verify(progress)

    # State

    _is_writer = False

    @contextmanager
    def _reading(self) -> Iterator[None]:
        with self._guard:
            if not self._is_writer:
                self.store.refresh()
            yield

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._guard:
            if not self._is_writer:
                self.store.lock()
                self._is_writer = True
                self._components = None
            yield

    def _resolved(self) -> ResolvedPlan:
        plan = self.store.resolved
        assert plan is not None
        return plan

    def _row(self, id: Any) -> Rows:
        """Returns the row of an id, as an array of one."""
        names = as_ids([id])
        if self.store.ids is None or _kind(names) != self.store.ids:
            raise InvalidOption("no-such-id", value=id)
        row = self.store.rows_of(names)
        if row[0] < 0:
            raise InvalidOption("no-such-id", value=id)
        return row

    def _summary(self, documents: int, began: float, **facts: Any) -> Summary:
        plan = self.store.resolved
        return Summary(
            documents=documents,
            seconds={"query": time.perf_counter() - began},
            plan="" if plan is None else plan.to_toml(),
            shingles="" if plan is None else str(plan.shingles),
            engine="index",
            **facts,
        )


def _kind(ids: pa.Array) -> str:
    return "int" if pa.types.is_integer(ids.type) else "str"


def _path(path: str | os.PathLike[str]) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise InvalidOption("not-a-path", option="path", type=type(path).__name__)
    if not os.fspath(path):
        raise InvalidOption("empty-option", option="path")
    return Path(path).expanduser()
