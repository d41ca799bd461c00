"""Scans, which read a file in chunks from a given position, and `Rows`, which reads any range of rows of a scan."""

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
"""A position in a file where reading can start, such as a byte offset and a line number, or a row group."""

OnError = Literal["fail", "skip"]
ON_ERROR = ("fail", "skip")
NAMED = 5
"""The most malformed rows that are reported one by one; further malformed rows are only counted."""


@dataclass
class Malformed:
    """The number of malformed rows, and a warning for each of the first NAMED ones."""

    count: int = 0
    first: list[Notice] = field(default_factory=list)

    def add(self, where: Notice | str, reason: Notice) -> None:
        self.count += 1
        if len(self.first) < NAMED:
            self.first.append(Notice("row-skipped", where=where, reason=reason))

    def error(self) -> MalformedInput:
        """The error to raise for the first malformed row."""
        return MalformedInput("malformed-row", **self.first[0].values)


@dataclass
class Chunk:
    """Consecutive rows of a file, with the requested columns and without malformed rows."""

    at: Position
    data: pa.RecordBatch
    malformed: Malformed
    next: Position | None = None
    """The position of the next chunk, if reading can start there."""


class Scan(Protocol):
    """Reads one file in chunks, whose boundaries do not depend on the requested columns."""

    @property
    def first(self) -> Position: ...

    @property
    def rows(self) -> int | None:
        """The number of rows, if the file stores it and no row can be malformed."""
        ...

    def expected_rows(self, row_bytes: float) -> int:
        """An estimate of the number of rows, given the average size of a row. It does not depend on earlier reads."""
        ...

    @property
    def marks(self) -> list[tuple[int, Position]]:
        """The rows at which reading can start, and their positions, if the file stores them."""
        ...

    @property
    def starts(self) -> Sequence[int]:
        """Rows, other than the first, at which additional threads should start reading."""
        ...

    def chunks(self, columns: Sequence[str], at: Position) -> Iterator[Chunk]: ...


class Copyable(Scan, Protocol):
    """A scan whose rows can be copied unchanged to another file of the same format."""

    @property
    def file(self) -> File: ...

    def copy(self, keep: npt.NDArray[np.bool_], sink: BinaryIO, *, head: bool = True, end_lines: bool = False) -> int:
        """Writes the kept rows, and returns the number of rows read. With `head`, a header is written, too.

        `end_lines` adds a missing line end to the last line, so that another file can be appended.
        """
        ...


UNPACKED = 3
"""The estimated ratio of decompressed to compressed size."""


def rows_by_size(file: File, row_bytes: float) -> int:
    """An estimate of the number of rows, from the size of the file and the average size of a row."""
    return int(size_of([file]) * (UNPACKED if file.codec else 1) / row_bytes)


class Rows:
    """Reads the rows of one scan by row number, and remembers their positions for later reads."""

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
        """Yields rows `start` … `stop - 1` as (first row, batch). Reading to the end of the file sets `rows`."""
        row, at = self._marks[bisect.bisect_right(self._marks, start, key=itemgetter(0)) - 1]
        for chunk in self.scan.chunks(columns, at):
            if chunk.malformed.count:
                if self.on_error == "fail":
                    raise chunk.malformed.error()
                self._malformed[chunk.at] = chunk.malformed  # keyed by position, so that rows are not counted twice
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
        """The positions of rows, and the malformed rows by position, as far as the file was read."""
        with self._lock:
            return list(self._marks), dict(self._malformed)

    def recall(self, marks: list[tuple[int, Position]], malformed: dict[Position, Malformed], rows: int | None) -> None:
        """Restores the positions, malformed rows and number of rows that an earlier run found in the same file."""
        for row, at in marks:
            self._mark(row, at)
        self._malformed.update(malformed)
        if rows is not None:
            self.rows = rows

    def _mark(self, row: int, at: Position) -> None:
        with self._lock:  # several threads may read; the marks must stay in order
            if row > self._marks[-1][0]:
                self._marks.append((row, at))
