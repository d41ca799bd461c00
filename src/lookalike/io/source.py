"""Source: rows that can be read more than once, by row range, from files, URLs, standard input or memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from lookalike.errors import InputError
from lookalike.flow import Documents
from lookalike.notices import Notice


@dataclass(frozen=True, eq=False)
class Batch:
    """Rows `start … start + len` of a source, with the requested columns."""

    start: int
    data: pa.RecordBatch

    def __len__(self) -> int:
        return int(self.data.num_rows)


class Source(Protocol):
    """Rows of documents, numbered from 0 in reading order. Every read returns the same rows.

    The rows do not depend on the requested columns, the range or the size of the batches. Rows that are skipped under
    `on_error="skip"` have no number; after reading to the end, `malformed` counts them and `warnings` reports the
    first of them. A source can be pickled, so that the tasks of a cluster can read their ranges.
    """

    @property
    def name(self) -> str:
        """Name in messages: a path, a glob, 'standard input', 'the list given'."""
        ...

    @property
    def column(self) -> str:
        """The column of texts (`large_string`) or of tokens (`large_list<large_string>`)."""
        ...

    @property
    def id(self) -> str | None:
        """The column of ids (`int64` or `large_string`, never null); None if rows are identified by position."""
        ...

    @property
    def columns(self) -> list[str]:
        """All columns. For JSON Lines, this reads the data once, since any line may have a new one."""
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

    def starts(self) -> Sequence[int]:
        """Rows, ascending and without the first, where further threads should start reading."""
        ...

    def total_rows(self) -> int | None:
        """The number of rows; None if it is not known before reading them."""
        ...

    def expected_rows(self, rows: int, bytes: int) -> int:
        """An estimate of the number of rows, given that the first `rows` rows have `bytes` bytes of text.

        It does not depend on earlier reads, because plans are resolved by it.
        """
        ...

    def read(self, columns: Sequence[str] | None = None, start: int = 0, stop: int | None = None) -> Iterator[Batch]:
        """The rows start … stop in order, in non-empty batches; all columns by default."""
        ...

    def documents(self, start: int = 0, stop: int | None = None) -> Iterator[Documents]:
        """The texts of the rows start … stop, in order."""
        ...

    def identity(self) -> str:
        """A hash that changes with the data. An interrupted run can only be resumed with the same identity."""
        ...


def identity_of(source: Source) -> str | None:
    """The identity for `check_unchanged`; None for rows in memory, which do not change."""
    return None if source.in_memory else source.identity()


def check_unchanged(source: Source, identity: str | None) -> None:
    """Raises an error if the data has changed since its identity was taken."""
    if identity is not None and source.identity() != identity:
        raise InputError("input-changed", name=source.name)
