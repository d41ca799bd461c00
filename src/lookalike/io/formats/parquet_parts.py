"""Joins Parquet files of one row group each into one file, with the same bytes as if Arrow had written all row groups.

Arrow's writer encodes one row group after another. To use several threads, each row group is encoded as a file of its
own, in memory. The pages of such files follow one another unchanged. Only their footers, which are structs of Thrift's
compact protocol, become one footer, with the new positions of the pages.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from lookalike.io.formats.parquet_pages import Struct

MAGIC, TAIL = b"PAR1", 8
"""A file begins and ends with MAGIC. The last TAIL bytes are the length of the footer, and MAGIC."""

ROWS, GROUPS, ORDINAL = (3,), (4,), (4, 7)
"""Fields of a footer: the number of rows, the list of row groups, and the number of a row group."""

POSITIONS = {(4, 5), (4, 1, 2), (4, 1, 3, 9), (4, 1, 3, 10), (4, 1, 3, 11)}
"""Fields with positions in the file: of a row group, of a column, and of its data, its index and its dictionary."""

STRUCTS, MANY = 12, 15
"""The type of a struct. The first byte of a list contains its type and its length, if that is less than MANY."""


@dataclass(eq=False)
class JoinedFile:
    """The footer of a file that is written row group by row group. Each row group comes as a file of its own."""

    size: int = 0
    """The number of bytes before the footer, so far."""
    _first: bytes = b""
    """The footer of the first file: the footer of the whole if no other file follows."""
    _groups: list[bytes] = field(default_factory=list)
    _rows: int = 0

    def add(self, file: pa.Buffer) -> memoryview:
        """Adds the file of the next row group. Returns the bytes to write: its pages."""
        data = memoryview(file)
        end = len(data) - TAIL - int.from_bytes(data[-TAIL : -len(MAGIC)], "little")
        if not self.size:
            self._first = bytes(data[end:])
            self.size = end
            return data[:end]
        if not self._groups:
            self._note(self._first[:-TAIL], 0)
        self._note(bytes(data[end:-TAIL]), self.size - len(MAGIC))
        self.size += end - len(MAGIC)
        return data[len(MAGIC) : end]

    def _note(self, footer: bytes, shift: int) -> None:
        """Notes the row group in a footer, whose pages are moved by `shift` bytes."""
        place = _Places(footer)
        parts, at = list[bytes](), place.start(GROUPS) + 1  # after the first byte of the list
        for path, start, end, value in place.found:
            if path == ORDINAL or (path in POSITIONS and value > 0):  # newer versions of Arrow leave out some positions
                parts += [footer[at:start], _integer(len(self._groups) if path == ORDINAL else value + shift)]
                at = end
        self._groups.append(b"".join([*parts, footer[at : place.end(GROUPS)]]))
        self._rows += place.value(ROWS)

    def footer(self) -> bytes:
        """Returns the end of the file."""
        if not self._groups:
            return self._first
        first = self._first[:-TAIL]
        place, count = _Places(first), len(self._groups)
        head = bytes([min(count, MANY) << 4 | STRUCTS]) + (b"" if count < MANY else _varint(count))
        between = first[place.end(ROWS) : place.start(GROUPS)]
        before, after = first[: place.start(ROWS)], first[place.end(GROUPS) :]
        footer = b"".join([before, _integer(self._rows), between, head, *self._groups, after])
        return footer + len(footer).to_bytes(4, "little") + MAGIC


class _Places(Struct):
    """Where the fields are in a footer that have to be replaced, and their values."""

    def __init__(self, footer: bytes) -> None:
        super().__init__(footer)
        self.found: list[tuple[tuple[int, ...], int, int, Any]] = []
        """The path of each field, its start, its end, and its value; in order, but lists follow their elements."""
        self._path: tuple[int, ...] = ()
        self.read()

    def _field(self, number: int, kind: int) -> Any:
        self._path, above = (*self._path, number), self._path
        start, value = self.at, super()._field(number, kind)
        if self._path in (ROWS, GROUPS, ORDINAL) or self._path in POSITIONS:
            self.found.append((self._path, start, self.at, value))
        self._path = above
        return value

    def start(self, path: tuple[int, ...]) -> int:
        return next(start for found, start, _, _ in self.found if found == path)

    def end(self, path: tuple[int, ...]) -> int:
        return next(end for found, _, end, _ in self.found if found == path)

    def value(self, path: tuple[int, ...]) -> Any:
        return next(value for found, _, _, value in self.found if found == path)


def _integer(value: int) -> bytes:
    return _varint(value << 1 ^ value >> 63)


def _varint(value: int) -> bytes:
    data = bytearray()
    while value > 127:
        data.append(value & 127 | 128)
        value >>= 7
    data.append(value)
    return bytes(data)
