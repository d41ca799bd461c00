"""Source: rows from files, URLs, standard input or memory that can be read more than once, by range."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import pyarrow as pa

from lookalike.flow import Documents
from lookalike.notices import Notice


@dataclass(frozen=True, eq=False)
class Batch:
    """Consecutive rows of a source, the first of which is row `start`, with the requested columns."""

    start: int
    data: pa.RecordBatch

    def __len__(self) -> int:
        return int(self.data.num_rows)


Loaded = TypeVar("Loaded")


@dataclass(frozen=True, eq=False)
class Piece(Generic[Loaded]):
    """Consecutive rows that need not be parsed yet. `load` returns them; it may be called once."""

    load: Callable[[], Loaded]
    nbytes: int
    """The approximate size of the rows."""
    start: int | None = None
    """The number of the first row; None if rows before it are not parsed yet."""

    @classmethod
    def of(cls, batch: Batch) -> Piece[pa.RecordBatch]:
        """Returns rows that are parsed already."""
        return Piece([batch.data].pop, batch.data.nbytes, batch.start)


RowPiece = Piece[pa.RecordBatch]

Lanes = Iterable[Iterable[RowPiece]]
"""Pieces that follow one another, lane after lane. Several threads may read at the same time, each in its own lane."""


def is_source(data: Any) -> bool:
    """True if the data is an open source."""
    return hasattr(data, "documents") and hasattr(data, "identity")


class Source(Protocol):
    """Documents, one per row, numbered from 0 in reading order. Every read returns the same rows.

    The rows do not depend on the requested columns, the range or the size of the batches. Rows that are skipped under
    `on_error="skip"` have no number; after reading to the end, `malformed` is their number and `warnings` reports the
    first ones. A source can be pickled, so that the tasks of a cluster can read their ranges.
    """

    @property
    def name(self) -> str:
        """The name for messages, such as a path, a glob, 'standard input' or 'the list given'."""
        ...

    @property
    def column(self) -> str:
        """The name of the column of texts (`large_string`) or of token lists (`large_list<large_string>`)."""
        ...

    @property
    def id(self) -> str | None:
        """The name of the id column (`int64` or `large_string`, no nulls); None if rows are identified by position."""
        ...

    @property
    def columns(self) -> list[str]:
        """The names of all columns. For JSON Lines, this reads all the data, since any line may add a column."""
        ...

    @property
    def malformed(self) -> int: ...

    @property
    def warnings(self) -> tuple[Notice, ...]: ...

    @property
    def in_memory(self) -> bool:
        """True if the rows are in memory, so that reading them again costs nothing."""
        ...

    @property
    def cheap_to_reread(self) -> bool:
        """True if reading rows again costs no more than storing their texts: rows in memory, Parquet on disk."""
        ...

    @property
    def reader_bytes(self) -> int:
        """The number of bytes of memory that every thread that reads the source needs, in addition to its batches."""
        ...

    def lanes(self, columns: Sequence[str], start: int = 0, stop: int | None = None) -> Lanes:
        """Returns the rows like `read`, for several threads (see `workers.py`). Some pieces may have no rows.

        If `stop` is given, the number of the first row of each piece is known.
        """
        ...

    def total_rows(self) -> int | None:
        """Returns the number of rows; None if it is not known before reading them."""
        ...

    def expected_rows(self, rows: int, bytes: int) -> int:
        """Estimates the number of rows, given that the first `rows` rows have `bytes` bytes of text.

        The estimate does not depend on earlier reads, because plans depend on it.
        """
        ...

    def read(self, columns: Sequence[str] | None = None, start: int = 0, stop: int | None = None) -> Iterator[Batch]:
        """Yields rows `start` … `stop - 1` in order, in non-empty batches (default: all columns and all rows)."""
        ...

    def documents(self, start: int = 0, stop: int | None = None) -> Iterator[Documents]:
        """Yields the texts of rows `start` … `stop - 1`, in order."""
        ...

    def identity(self) -> str:
        """Returns a hash that changes when the data changes. A run can only be resumed if it is unchanged."""
        ...

    def check_unchanged(self) -> None:
        """Raises an error if the data has changed since the source was opened."""
        ...
