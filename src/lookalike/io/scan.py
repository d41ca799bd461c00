"""Scans, which read a file in chunks from a given position, and records of the rows found in a file."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, Literal, Protocol

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
"""The maximum number of malformed rows that are reported individually."""


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
        """Returns the error to raise for the first malformed row."""
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
        """Estimates the number of rows, given the average size of a row.

        The estimate does not depend on earlier reads.
        """
        ...

    @property
    def marks(self) -> list[tuple[int, Position]]:
        """The rows at which reading can start, with their positions, if the file stores them."""
        ...

    @property
    def starts(self) -> Sequence[int]:
        """Rows, other than the first, at which additional threads should start reading."""
        ...

    def chunks(self, columns: Sequence[str], at: Position) -> Iterator[Chunk]: ...

    def unparsed(self, columns: Sequence[str]) -> Iterator[tuple[int, Parse]]:
        """Yields the chunks of the whole file in order, each as its size in bytes and a function that parses it.

        Several threads may parse chunks at the same time.
        """
        ...


Parse = Callable[[], Chunk]


def parsed(scan: Scan, columns: Sequence[str]) -> Iterator[tuple[int, Parse]]:
    """Implements `Scan.unparsed` for a format in which reading a chunk is most of the work."""
    for chunk in scan.chunks(columns, scan.first):
        size, chunks = chunk.data.nbytes, [chunk]
        del chunk  # a text may be huge
        yield size, chunks.pop


class Copyable(Scan, Protocol):
    """A scan whose rows can be copied unchanged to another file of the same format."""

    @property
    def file(self) -> File: ...

    def copy(
        self,
        keep: npt.NDArray[np.bool_],
        sink: BinaryIO,
        *,
        head: bool = True,
        end_lines: bool = False,
        threads: int = 1,
    ) -> int:
        """Writes the kept rows, and returns the number of rows read. With `head`, a header is written as well.

        With `end_lines`, a missing line end is added to the last line, so that another file can be appended. At most
        `threads` threads decode and encode rows.
        """
        ...


UNPACKED = 3
"""The estimated ratio of decompressed to compressed size."""


def rows_by_size(file: File, row_bytes: float) -> int:
    """Estimates the number of rows from the size of the file and the average size of a row."""
    return int(size_of([file]) * (UNPACKED if file.codec else 1) / row_bytes)


@dataclass
class FileRows:
    """The known facts about the rows of one file: their number, the positions of some rows, and malformed rows."""

    scan: Scan
    rows: int | None
    """The number of rows; None before the file is read to its end, unless the file stores it."""
    marks: list[tuple[int, Position]]
    """Rows at which reading can start, with their positions, in order. The first is row 0."""
    malformed: dict[Position, Malformed] = field(default_factory=dict)
    """The malformed rows found so far, by the position of their chunk, so that none is counted twice."""

    def mark(self, row: int, at: Position) -> None:
        with _MARKING:  # several threads may read the file; the marks must stay in order
            if row > self.marks[-1][0]:
                self.marks.append((row, at))

    def known(self) -> tuple[list[tuple[int, Position]], dict[Position, Malformed]]:
        """Returns copies of the marks and of the malformed rows."""
        with _MARKING:
            return list(self.marks), dict(self.malformed)

    def recall(self, marks: list[tuple[int, Position]], malformed: dict[Position, Malformed], rows: int | None) -> None:
        """Restores the positions, malformed rows and number of rows that an earlier run found in the same file."""
        for row, at in marks:
            self.mark(row, at)
        self.malformed.update(malformed)
        if rows is not None:
            self.rows = rows


class RowsInOrder:
    """Counts the rows of a file whose chunks may be parsed in any order."""

    def __init__(self, file: FileRows) -> None:
        self.file = file
        self.chunks = 0
        """The number of chunks that were read so far."""
        self._rows = self._done = 0
        self._has_ended = False
        self._waiting: dict[int, tuple[int, Position | None]] = {}
        """The rows of chunks that were parsed before the ones in front of them, and the positions after them."""

    def add(self, number: int, chunk: Chunk) -> None:
        """Notes the rows of a chunk, and marks the positions after the chunks whose row numbers are now known."""
        with _COUNTING:
            self._waiting[number] = chunk.data.num_rows, chunk.next
            while self._done in self._waiting:
                rows, following = self._waiting.pop(self._done)
                self._rows, self._done = self._rows + rows, self._done + 1
                if following is not None:
                    self.file.mark(self._rows, following)
            self._settle()

    def end(self) -> None:
        """Notes that all chunks were read."""
        with _COUNTING:
            self._has_ended = True
            self._settle()

    def _settle(self) -> None:
        if self._has_ended and self._done == self.chunks:
            self.file.rows = self._rows


_COUNTING = threading.Lock()

_MARKING = threading.Lock()
"""Held while marks are added. All files share one lock, because a lock per file could not be pickled with its
source."""
