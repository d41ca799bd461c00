"""The storage protocol: what an index needs of a backend. `embedded.py` implements it with SQLite and segments, and
`postgres/` with tables.

A store keeps rows. A row has a number, which is never used again; rows that were added later have greater numbers.
Everything happens in turns: only `reading()`, `writing()` and `compact()` are called outside of one. All reads
of a turn see the same state, and a turn for writing ends with at most one of `add`, `commit` and `Bulk.commit`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.corpus.segment import Records
from lookalike.engines.stages.arrows import StoredTexts
from lookalike.engines.stages.first_pass import KeepsTexts
from lookalike.engines.stages.signed_rows import SignedRows
from lookalike.flow import Shingles
from lookalike.flow.arrays import Hashes, Mask, Rows
from lookalike.flow.progress import Progress, silent
from lookalike.index.short_signatures import Short
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan

Edges = npt.NDArray[np.int64]
"""Pairs of rows, one pair per line."""

NO_EDGES: Edges = np.zeros((0, 2), np.int64)


class Conflict(Exception):
    """Raised if another client has committed what contradicts a turn. Nothing of it is saved; it can be repeated."""


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


class Part(Protocol):
    """Consecutive rows of a bulk add, which are not committed yet."""

    @property
    def first(self) -> int:
        """The number of the first row."""
        ...

    @property
    def records(self) -> Records: ...

    @property
    def keys(self) -> Hashes: ...

    def texts_of(self, places: Rows) -> StoredTexts:
        """Returns the texts at these places in the part, which ascend. Other texts may be left out."""
        ...


class Bulk(KeepsTexts, Protocol):
    """An add of many rows, all of them or none. `keep` is called by workers, everything else in row order.

    The records, texts and ids of rows in finished parts can be read through the store. They become candidates one part
    at a time, by `connected`.
    """

    def add(
        self, signed: SignedRows, ids: pa.Array, signatures: Short | None, passages: Shingles | None
    ) -> Part | None:
        """Adds the rows whose texts were placed last. Returns a part if one is finished.

        If the plan verifies by signatures, `signatures` are part of the records (`records_of`), and texts are empty.
        If the index finds passages, `passages` are the chosen shingles of the rows (`passages.py`).
        """
        ...

    def finish(self) -> Part | None:
        """Returns the last part, if there are rows that are not in a part yet."""
        ...

    def connected(self, part: Part) -> None:
        """Makes the rows of a part candidates, because they are connected now."""
        ...

    def commit(self, change: Change) -> None: ...

    def abandon(self) -> None:
        """Removes everything, because the add failed."""
        ...


class Store(Protocol):
    """A backend, opened by one process. Its methods are called by one thread at a time."""

    name: str

    many_writers: bool
    """True if several processes may have the index open for writing."""

    @property
    def is_writer(self) -> bool:
        """True if changes can be committed now."""
        ...

    @property
    def plan(self) -> Plan:
        """The plan as given at creation."""
        ...

    @property
    def resolved(self) -> ResolvedPlan | None:
        """The plan that the first add froze; None before it."""
        ...

    @property
    def contain(self) -> bool:
        """True if the index finds passages: it was created with `contain=True`."""
        ...

    @property
    def ids(self) -> str | None:
        """The type of ids, "int" or "str"; None before the first add."""
        ...

    @property
    def next_row(self) -> int:
        """The number of the next row; final after `reserve`."""
        ...

    @property
    def next_id(self) -> int:
        """The next integer to assign as an id; final after `reserve`."""
        ...

    @property
    def deletions(self) -> int:
        """A number that changes, at the latest, when deleted rows were settled, so that their edges do not count."""
        ...

    # Turns

    def reading(self) -> AbstractContextManager[None]:
        """Notices what others have committed, and reads that state until the end of the turn."""
        ...

    def writing(self, keys: Hashes | None = None, ids: pa.Array | None = None) -> AbstractContextManager[None]:
        """Notices what others have committed, and keeps them from committing what would affect this turn.

        If the turn adds one document, `keys` are its band keys and `ids` its id. A backend with many writers may then
        let others add documents that share none of these. Raises WorkTaken if only one process may write, and another
        one does, and Conflict from the method that commits.
        """
        ...

    def reserve(self) -> None:
        """Makes `next_row` and `next_id` final for this turn, which is going to add rows."""
        ...

    # Reading. All rows are alive, unless a method says otherwise.

    def candidates(self, keys: Hashes, left_out: Mask) -> Iterator[Candidates]:
        """Yields the candidates of all queries, in ascending order of the queries, in pieces of bounded size.

        All candidates of a query are in the same piece.
        """
        ...

    def with_passages(self, asked: Shingles) -> Iterator[Candidates]:
        """Like `candidates`, with the rows of which a chosen shingle is among those that a query asks for."""
        ...

    def few_candidates(self, keys: Hashes, left_out: Mask, cap: int) -> FewCandidates:
        """Returns at least `cap` candidates per query and band, if there are as many."""
        ...

    def bucket(self, band: int, key: int) -> Rows:
        """Returns the rows with this key in a band, ascending."""
        ...

    def is_alive(self, rows: Rows) -> Mask:
        """Returns whether rows that `edges` or `dirty` name, or that were alive before, are alive.

        Rows that the store has dropped since they were deleted may count as alive.
        """
        ...

    def records(self, rows: Rows) -> Records: ...

    def texts_of(self, rows: Rows) -> pa.Array:
        """Returns the texts of rows; empty ones if the plan verifies by signatures, which are part of the records."""
        ...

    def keys_of(self, rows: Rows) -> Hashes:
        """Returns the band keys of rows. It may be slow: it is only used if the texts are not kept."""
        ...

    def ids_of(self, rows: Rows) -> pa.Array: ...

    def rows_of(self, ids: pa.Array) -> Rows:
        """Returns the row of each id, or −1 if there is none. The ids must be of the index's type."""
        ...

    def all_rows(self) -> Rows:
        """Returns the numbers of all rows, ascending."""
        ...

    def edges(self, start: int = 0) -> Edges:
        """Returns the edges of the forest, including those of deleted rows that are not settled yet.

        As long as `deletions` stays the same, edges are only appended; those before `start` are left out.
        """
        ...

    def dirty(self) -> Rows:
        """Returns the rows that were deleted since the forest was settled."""
        ...

    def __len__(self) -> int: ...

    # Writing. Only the writer may call these.

    def add(self, new: NewRows, change: Change) -> None:
        """Adds a few rows, durably, together with a change."""
        ...

    def start_bulk(self, *, text_ids: bool, most_bytes: int) -> Bulk:
        """Starts to add many rows. `most_bytes` is the size of the texts of a part, about, which may stay in memory."""
        ...

    def commit(self, change: Change) -> None:
        """Makes a change durable."""
        ...

    def maintain(self, progress: Progress = silent) -> None:
        """Does a piece of the work that keeps lookups quick, if any is due: a small one after a small add."""
        ...

    def compact(self, progress: Progress) -> None:
        """Drops deleted rows, and their edges if they are settled, and returns their space. Others may go on reading.

        It takes turns of its own. If it fails or is killed, no row is lost.
        """
        ...

    def info(self) -> dict[str, Any]: ...

    def verify(self, progress: Progress) -> None:
        """Reads everything, and raises an error for damage."""
        ...

    def close(self) -> None: ...
