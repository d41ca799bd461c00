"""Access of one process to an index: its store, who may write, and the components that were computed last."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any

import pyarrow as pa

from lookalike.corpus.token_lists import is_packed
from lookalike.errors import InputError, InvalidOption
from lookalike.flow.arrays import Hashes, Rows
from lookalike.flow.progress import Progress
from lookalike.index.components import Components
from lookalike.index.ids import as_ids, kind_of
from lookalike.index.settling import counting
from lookalike.index.store import Change, Store
from lookalike.kernel.protocol import Kernel
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan

KINDS = {False: "texts", True: "lists of tokens"}


class Access:
    """An open index. Several threads may use it; one of them at a time."""

    def __init__(self, store: Store, kernel: Kernel, memory: int | str | None) -> None:
        self.store, self.kernel, self.memory = store, kernel, memory
        self._guard = RLock()
        self._process = os.getpid()
        self._is_closed = False
        self._components: Components | None = None
        self._edges = 0
        """The number of edges of the store that the components contain."""
        self._sample: pa.Array | None = None
        """The id of some document, whose text shows whether documents are lists of tokens."""
        self._deletions = -1
        """The state of deletions that the components show."""

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keeps other threads out. Raises an error if the index is closed, or was opened in another process.

        A forked process shares the lock and the connection of its parent: both would be the writer.
        """
        if os.getpid() != self._process:  # not within the guard, which another thread may have held during the fork
            raise InvalidOption("index-of-another-process", name=self.store.name)
        with self._guard:
            if self._is_closed:
                raise InputError("index-closed", name=self.store.name)
            yield

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Notices what other processes have committed, and keeps other threads out."""
        with self.alone(), self.store.reading():
            yield

    @contextmanager
    def writing(self, keys: Hashes | None = None, ids: pa.Array | None = None) -> Iterator[None]:
        """Starts a turn for writing, and keeps other threads out. `Store.writing` explains `keys` and `ids`."""
        with self.alone(), self.store.writing(keys, ids):
            try:
                yield
            except BaseException:
                self._components = None  # they may contain edges that were not committed
                raise

    @contextmanager
    def settling(self) -> Iterator[None]:
        """Starts a turn for reading clusters. What deleted rows had connected is settled durably before, if it can be.

        A backend with one writer leaves that to the writer, who settles within its turns for reading.
        """
        from lookalike.index.clustering import settled

        with self.alone():
            if self.store.many_writers:
                with self.reading():
                    is_dirty = len(self.store.dirty()) > 0
                if is_dirty:
                    with self.writing():
                        settled(self)
            with self.reading():
                yield

    def close(self) -> None:
        """Closes the store. In a forked process, it belongs to the parent, and nothing happens."""
        if os.getpid() == self._process:
            with self._guard:
                self._is_closed = True
                self.store.close()

    @property
    def planned(self) -> Plan:
        """The plan, of which the first add may have resolved what it left open."""
        resolved = self.store.resolved
        return self.store.plan if resolved is None else resolved.plan

    @property
    def resolved(self) -> ResolvedPlan:
        """The plan after the first add."""
        plan = self.store.resolved
        assert plan is not None
        return plan

    @property
    def keeps_texts(self) -> bool:
        return self.planned.verify == "exact"

    def check_texts(self) -> None:
        """Raises InvalidOption if the index keeps no texts."""
        if not self.keeps_texts:
            raise InvalidOption("index-without-texts", name=self.store.name)

    def has_tokens(self) -> bool | None:
        """Returns whether the documents are lists of tokens; None if there are none, or if their texts are not kept."""
        store = self.store
        if store.resolved is None or not self.keeps_texts:
            return None
        if store.resolved.shingles.kind != "tokens":
            return False  # only texts can be cut into other shingles
        if not len(store):
            return None
        if self._sample is None or store.rows_of(self._sample)[0] < 0:
            self._sample = store.ids_of(store.all_rows()[:1])
        return is_packed(store.texts_of(store.rows_of(self._sample)))

    def check_kind(self, has_tokens: bool) -> None:
        """Raises InvalidOption if new documents are lists and those of the index are texts, or vice versa."""
        own = self.has_tokens()
        if own is not None and own != has_tokens:
            raise InvalidOption("index-of-other-documents", own=KINDS[own], given=KINDS[has_tokens])

    def row_of(self, id: Any) -> Rows:
        """Returns the row of an id, as an array of one. Raises InvalidOption if the index does not have it."""
        names = as_ids([id])
        if self.store.ids is None or kind_of(names) != self.store.ids:
            raise InvalidOption("no-such-id", value=id)
        row = self.store.rows_of(names)
        if row[0] < 0:
            raise InvalidOption("no-such-id", value=id)
        return row

    def current_components(self) -> Components:
        """Returns the components for an add. Edges of deleted rows count until they are settled, see settling.py."""
        store = self.store
        if self._components is None or self._deletions != store.deletions:
            edges = store.edges()
            self._components = Components(self.kernel, counting(store, edges))
            self._edges, self._deletions = 0, store.deletions
        else:
            edges = store.edges(self._edges)
            if len(edges):
                self._components.join(edges)
        self._edges += len(edges)
        return self._components

    def compact(self, progress: Progress) -> None:
        """Drops deleted rows and returns their space, after settling the clusters."""
        from lookalike.index.clustering import settled

        with self.alone():
            with self.writing():
                settled(self, progress)
            self.store.compact(progress)
            self._components = None

    def commit(self, change: Change) -> None:
        """Commits a change that adds no rows."""
        self.store.commit(change)
        self.committed(change)

    def committed(self, change: Change) -> None:
        """Notes a change that was committed. The components contain its edges already."""
        if change.settled:
            self._components = None
        self._edges += len(change.edges)
