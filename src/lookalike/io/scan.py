"""A scan reads one file in chunks, starting at a position. `Rows` indexes it, so that any range of rows can be read."""

from __future__ import annotations

import bisect
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, BinaryIO, Literal, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.errors import MalformedInput
from lookalike.io.files import File, size_of
from lookalike.notices import Notice

Position = tuple[int, ...]
"""A place in a file where reading can start: a byte offset and a line number, or a row group."""

OnError = Literal["fail", "skip"]
ON_ERROR = ("fail", "skip")
NAMED = 5
"""Malformed rows that are reported one by one; further ones are only counted."""


@dataclass
class Malformed:
    """Malformed rows: how many there are, and a warning for each of the first ones."""

    count: int = 0
    first: list[Notice] = field(default_factory=list)

    def add(self, where: Notice | str, reason: Notice) -> None:
        self.count += 1
        if len(self.first) < NAMED:
            self.first.append(Notice("row-skipped", where=where, reason=reason))

    def error(self) -> MalformedInput:
        """The first malformed row as an error."""
        return MalformedInput("malformed-row", **self.first[0].values)


@dataclass
class Chunk:
    """Some rows of a file, with the requested columns, without malformed rows."""

    at: Position
    data: pa.RecordBatch
    malformed: Malformed
    next: Position | None = None
    """Where the next chunk begins, if reading can start there."""


class Scan(Protocol):
    """One file of a format. Where chunks begin and end does not depend on the columns."""

    @property
    def first(self) -> Position: ...

    @property
    def rows(self) -> int | None:
        """The number of rows, if the file stores it and no row can be malformed."""
        ...

    def expected_rows(self, row_bytes: float) -> int:
        """An estimate of the number of rows, given the bytes per row. It does not depend on earlier reads."""
        ...

    @property
    def marks(self) -> list[tuple[int, Position]]:
        """Rows at which reading can start, if the file stores them."""
        ...

    @property
    def starts(self) -> Sequence[int]:
        """Rows, without the first, where further threads should start reading."""
        ...

    def chunks(self, columns: Sequence[str], at: Position) -> Iterator[Chunk]: ...


class Copyable(Scan, Protocol):
    """A scan whose rows can be copied unchanged to another file of the same format."""

    @property
    def file(self) -> File: ...

    def copy(self, keep: npt.NDArray[np.bool_], sink: BinaryIO, *, head: bool = True, end_lines: bool = False) -> int:
        """Writes the kept rows, with `head` also the header, if any; returns the number of rows read.

        `end_lines` adds a missing line end to the last line, so that another file can follow.
        """
        ...


UNPACKED = 3
"""Estimated ratio of decompressed to compressed size."""


def rows_by_size(file: File, row_bytes: float) -> int:
    """The estimated number of rows, by the size of the file."""
    return int(size_of([file]) * (UNPACKED if file.codec else 1) / row_bytes)


class Rows:
    """The rows of one scan by number. Each read remembers positions for the next."""

    def __init__(self, scan: Scan, on_error: OnError) -> None:
        self.scan = scan
        self.on_error = on_error
        self.rows = scan.rows
        self._marks = list(scan.marks) or [(0, scan.first)]
        self._malformed: dict[Position, Malformed] = {}
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.Lock())

    @property
    def malformed(self) -> Malformed:
        """All malformed rows found so far."""
        total = Malformed()
        for at in sorted(self._malformed):
            some = self._malformed[at]
            total.count += some.count
            total.first.extend(some.first[: NAMED - len(total.first)])
        return total

    def read(self, columns: Sequence[str], start: int, stop: int | None) -> Iterator[tuple[int, pa.RecordBatch]]:
        """The rows start … stop with their numbers. Reading to the end sets `rows`."""
        row, at = self._marks[bisect.bisect_right(self._marks, start, key=itemgetter(0)) - 1]
        for chunk in self.scan.chunks(columns, at):
            if chunk.malformed.count:
                if self.on_error == "fail":
                    raise chunk.malformed.error()
                self._malformed[chunk.at] = chunk.malformed  # by position, so that rows are not counted twice
            before, row = row, row + chunk.data.num_rows
            if chunk.next is not None:
                self._mark(row, chunk.next)
            low = max(start, before)
            high = row if stop is None else min(row, stop)
            if low < high:
                yield low, chunk.data.slice(low - before, high - low)
            if stop is not None and row >= stop:
                return
        self.rows = row

    def known(self) -> tuple[list[tuple[int, Position]], dict[Position, Malformed]]:
        """Positions by row, and malformed rows by position, as far as the file was read."""
        with self._lock:
            return list(self._marks), dict(self._malformed)

    def recall(self, marks: list[tuple[int, Position]], malformed: dict[Position, Malformed], rows: int | None) -> None:
        """Restores what an earlier run found in the same file."""
        for row, at in marks:
            self._mark(row, at)
        self._malformed.update(malformed)
        if rows is not None:
            self.rows = rows

    def _mark(self, row: int, at: Position) -> None:
        with self._lock:  # several threads may read; the marks must stay in order
            if row > self._marks[-1][0]:
                self._marks.append((row, at))
