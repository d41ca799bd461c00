"""Access of one process to an index: its store, who may write, and the components that were computed last."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any

from lookalike.errors import InvalidOption
from lookalike.flow.arrays import Rows
from lookalike.index.components import Components
from lookalike.index.ids import as_ids, kind_of
from lookalike.index.store import Store
from lookalike.kernel.protocol import Kernel
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan


class Access:
    """An open index. Several threads may use it; one of them at a time."""

    def __init__(self, store: Store, kernel: Kernel, memory: int | str | None) -> None:
        self.store, self.kernel, self.memory = store, kernel, memory
        self.is_writer = False
        self.guard = RLock()
        self._components: Components | None = None

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Notices what other processes have committed, and keeps other threads out."""
        with self.guard:
            if not self.is_writer:
                self.store.refresh()
            yield

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Makes this process the writer, and keeps other threads out."""
        with self.guard:
            if not self.is_writer:
                self.store.lock()
                self.is_writer = True
                self.forget()
            yield

    def close(self) -> None:
        with self.guard:
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
        """Returns the components for an add, in which edges of deleted rows do not count."""
        if self._components is None:
            edges = self.store.edges()
            alive = edges[self.store.is_alive(edges).all(axis=1)] if len(edges) else edges
            self._components = Components(self.kernel, alive)
        return self._components

    def forget(self) -> None:
        """Forgets the components, because rows were deleted or an add failed."""
        self._components = None
