"""The storage protocol: what an index needs of a backend. `embedded.py` implements it with SQLite and segments.

A store keeps rows. A row has a number, which is never used again; rows that were added later have greater numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.corpus.segment import Records
from lookalike.flow.arrays import Hashes, Mask, Rows
from lookalike.flow.progress import Progress
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan

Edges = npt.NDArray[np.int64]
"""Pairs of rows, one pair per line."""

NO_EDGES: Edges = np.zeros((0, 2), np.int64)


class Candidates(NamedTuple):
    """Pairs of a query and a row that share a band key, each once, ordered by query, then by row."""

    queries: Rows
    rows: Rows


class FewCandidates(NamedTuple):
    """Some candidates of each query."""

    queries: Rows
    rows: Rows
    cut_queries: Rows
    """The queries with more candidates in some band."""
    cut_bands: Rows
    """These bands, in the order of `cut_queries`."""


@dataclass(frozen=True, eq=False)
class NewRows:
    """Documents to add, in input order. `rows` are their numbers."""

    rows: Rows
    ids: pa.Array
    records: Records
    keys: Hashes
    texts: pa.Array


@dataclass(frozen=True, eq=False)
class Change:
    """What a commit changes, all of it or nothing."""

    gone: Rows = field(default_factory=lambda: np.zeros(0, np.int64))
    """Rows that are deleted."""
    edges: Edges = field(default_factory=lambda: NO_EDGES)
    """Verified pairs that connect two components."""
    settled: bool = False
    """True if no component is dirty afterwards: the edges connect what deleted rows had connected."""
    next_id: int | None = None
    """The next integer to assign as an id, if that changes."""
    resolved: ResolvedPlan | None = None
    """The plan, if this is the first add."""
    ids: str | None = None
    """The type of ids, "int" or "str", if this is the first add."""


class Store(Protocol):
    """A backend. Methods that read see the state of the last `refresh`, or of the last commit through this object."""

    name: str

    @property
    def plan(self) -> Plan:
        """The plan as given at creation."""
        ...

    @property
    def resolved(self) -> ResolvedPlan | None:
        """The plan that the first add froze; None before it."""
        ...

    @property
    def ids(self) -> str | None:
        """The type of ids, "int" or "str"; None before the first add."""
        ...

    @property
    def next_row(self) -> int: ...

    @property
    def next_id(self) -> int: ...

    def refresh(self) -> None:
        """Notices what other processes have committed."""
        ...

    def lock(self) -> None:
        """Becomes the writer. Raises WorkTaken if another process is."""
        ...

    # Reading. All rows are alive, unless a method says otherwise.

    def candidates(self, keys: Hashes, left_out: Mask) -> Iterator[Candidates]:
        """Yields the candidates of all queries, in ascending order of the queries, in pieces of bounded size.

        All candidates of a query are in the same piece.
        """
        ...

    def few_candidates(self, keys: Hashes, left_out: Mask, cap: int) -> FewCandidates:
        """Returns at least `cap` candidates per query and band, if there are as many."""
        ...

    def bucket(self, band: int, key: int) -> Rows:
        """Returns the rows with this key in a band, ascending."""
        ...

    def is_alive(self, rows: Rows) -> Mask: ...

    def records(self, rows: Rows) -> Records: ...

    def texts_of(self, rows: Rows) -> pa.Array: ...

    def ids_of(self, rows: Rows) -> pa.Array: ...

    def rows_of(self, ids: pa.Array) -> Rows:
        """Returns the row of each id, or −1 if there is none. The ids must be of the index's type."""
        ...

    def all_rows(self) -> Rows:
        """Returns the numbers of all rows, ascending."""
        ...

    def edges(self) -> Edges:
        """Returns the edges of the forest, including those of deleted rows that are not settled yet."""
        ...

    def dirty(self) -> Rows:
        """Returns the rows that were deleted since the forest was settled."""
        ...

    def __len__(self) -> int: ...

    # Writing. Only the writer may call these.

    def add(self, new: NewRows, change: Change) -> None:
        """Adds a few rows, durably, together with a change."""
        ...

    def commit(self, change: Change) -> None: ...

    def maintain(self) -> None:
        """Does a small piece of the work that keeps lookups quick, if any is due."""
        ...

    def info(self) -> dict[str, Any]: ...

    def verify(self, progress: Progress) -> None:
        """Reads everything, and raises an error for damage."""
        ...

    def close(self) -> None: ...
