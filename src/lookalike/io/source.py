"""Source: rows that can be read again, by row range; over files, folders, URLs, standard input and Arrow data alike."""

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
    """Rows `start … start + len` of a source, with the columns that were asked for."""

    start: int
    data: pa.RecordBatch

    def __len__(self) -> int:
        return int(self.data.num_rows)


class Source(Protocol):
    """Rows of documents. Rows are numbered from 0 in reading order; reading again gives the same rows.

    Which rows there are never depends on the columns asked for, on the range or on the size of the batches.
    Rows left out under `on_error="skip"` have no number; `malformed` counts them once the source was read to its end,
    and `warnings` names the first of them. A source can be pickled, so that a cluster's tasks can read their ranges.
    """

    @property
    def name(self) -> str:
        """What to call this source in messages: a path, a glob, 'standard input', 'the list given'."""
        ...

    @property
    def column(self) -> str:
        """The column that holds the texts: `large_string`, or `large_list<large_string>` for given tokens."""
        ...

    @property
    def id(self) -> str | None:
        """The column of the user's ids (`int64` or `large_string`, never null), or None where rows go by position."""
        ...

    @property
    def columns(self) -> list[str]:
        """All columns. For JSON Lines this reads the data once, since any line may bring a new one."""
        ...

    @property
    def malformed(self) -> int: ...

    @property
    def warnings(self) -> tuple[Notice, ...]: ...

    @property
    def held(self) -> bool:
        """Whether the rows are in memory already, so that reading them again costs nothing."""
        ...

    @property
    def quick(self) -> bool:
        """Whether reading rows again costs no more than putting their texts aside: rows in memory, Parquet on disk."""
        ...

    def starts(self) -> Sequence[int]:
        """Rows, ascending, from which a thread may well read on while another reads those before: never the first."""
        ...

    def total_rows(self) -> int | None:
        """How many rows there are, if that is known without reading them (or since they were read)."""
        ...

    def expected_rows(self, rows: int, bytes: int) -> int:
        """About how many rows there are, where the first `rows` of them hold `bytes` bytes of text.

        It is the same whenever it is asked: what a plan is resolved to must not depend on what was read before.
        """
        ...

    def read(self, columns: Sequence[str] | None = None, start: int = 0, stop: int | None = None) -> Iterator[Batch]:
        """The rows start … stop in order, in batches of any size but 0; all columns if none are named."""
        ...

    def documents(self, start: int = 0, stop: int | None = None) -> Iterator[Documents]:
        """The texts of the rows start … stop, in order."""
        ...

    def identity(self) -> str:
        """Changes when the data does: what parts of an interrupted run are checked against."""
        ...


def identity_of(source: Source) -> str | None:
    """What `check_unchanged` compares later; None for rows in memory, which no one else can change."""
    return None if source.held else source.identity()


def check_unchanged(source: Source, identity: str | None) -> None:
    """Raises if the data is not what it was when its identity was taken."""
    if identity is not None and source.identity() != identity:
        raise InputError("input-changed", name=source.name)
