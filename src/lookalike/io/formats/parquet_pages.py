"""Lists the pages of a column chunk of a Parquet file, from the headers between them.

The footer does not contain the sizes of pages. Each page begins with a header in the compact protocol of Thrift; only
the headers are read.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import pyarrow.parquet as pq

HEADER = 1 << 10
"""The number of bytes that are read for a header, which has a few dozen unless it contains statistics."""

MOST_HEADER = 1 << 20
"""No header has more bytes than this."""

PLAIN, PLAIN_DICTIONARY, RLE_DICTIONARY = 0, 2, 8
"""Encodings of values. Both dictionary encodings are the same in data pages."""

BIT_PACKED = 4
"""An encoding of levels. All others are runs of levels."""


class Kind(IntEnum):
    """The kinds of pages, as numbered by the format."""

    DATA = 0
    INDEX = 1
    DICTIONARY = 2
    DATA_V2 = 3


@dataclass(frozen=True)
class Page:
    """One page: where its bytes are in the file, and what its header declares."""

    kind: int
    at: int
    """The position of the page's bytes in the file, after the header."""
    stored: int
    """The number of bytes in the file."""
    bytes: int
    """The number of bytes after decompression."""
    values: int
    """The number of values, including nulls; for a column without lists, the number of rows."""
    encoding: int
    checksum: int | None
    levels: int = 0
    """In version 2: the number of bytes before the values, which are not compressed."""
    compressed: bool = True
    packed_levels: bool = False
    """True if levels are packed bit by bit, as in very old files. Columns without nulls have no levels."""

    @property
    def has_rows(self) -> bool:
        return self.kind in (Kind.DATA, Kind.DATA_V2)

    @property
    def by_dictionary(self) -> bool:
        return self.has_rows and self.encoding in (PLAIN_DICTIONARY, RLE_DICTIONARY)


def pages_of(file: int, chunk: pq.ColumnChunkMetaData) -> list[Page] | None:
    """The pages of a column chunk, read from an open file; None if their headers cannot be understood."""
    at = chunk.data_page_offset
    if chunk.has_dictionary_page and chunk.dictionary_page_offset is not None:
        at = min(at, chunk.dictionary_page_offset)
    end = at + chunk.total_compressed_size
    pages: list[Page] = []
    try:
        while at < end:
            page = _page_at(file, at)
            if page.stored < 0 or page.bytes < 0 or page.values < 0 or page.at + page.stored > end:
                return None
            pages.append(page)
            at = page.at + page.stored
    except (IndexError, KeyError, OSError, ValueError, OverflowError, RecursionError):
        return None
    return pages


def _page_at(file: int, at: int) -> Page:
    size = HEADER
    while True:
        data = os.pread(file, size, at)
        try:
            fields, length = Struct(data).read()
            break
        except IndexError:
            if len(data) < size or size >= MOST_HEADER:
                raise
            size *= 4
    kind = fields[1]
    about: dict[int, Any] = fields.get({Kind.DATA: 5, Kind.INDEX: 6, Kind.DICTIONARY: 7, Kind.DATA_V2: 8}[kind], {})
    second = kind == Kind.DATA_V2
    return Page(
        kind,
        at=at + length,
        stored=fields[3],
        bytes=fields[2],
        values=0 if kind == Kind.INDEX else about[1],
        encoding=PLAIN if kind == Kind.INDEX else about[4 if second else 2],
        checksum=None if 4 not in fields else fields[4] & 0xFFFFFFFF,
        levels=about[5] + about[6] if second else 0,
        compressed=about.get(7, True) if second else True,
        packed_levels=kind == Kind.DATA and about[3] == BIT_PACKED,
    )


class Struct:
    """Reads a struct of Thrift's compact protocol. Raises IndexError if the data ends before it does."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def read(self) -> tuple[dict[int, Any], int]:
        """The fields of the struct by number, and the number of bytes that it takes."""
        return self._struct(), self.at

    def _struct(self) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._integer()
            fields[number] = self._field(number, head & 15)
        return fields

    def _field(self, number: int, kind: int) -> Any:
        return self._value(kind)

    def _value(self, kind: int) -> Any:
        if kind in (1, 2):  # true, false
            return kind == 1
        if kind == 3:
            return self._byte()
        if kind in (4, 5, 6):
            return self._integer()
        if kind in (7, 8):  # a double, a string: not needed
            return self._skip(8 if kind == 7 else self._varint())
        if kind in (9, 10):
            head = self._byte()
            count = self._varint() if head >> 4 == 15 else head >> 4
            return [self._value(head & 15) for _ in range(min(count, len(self.data)))]
        if kind == 12:
            return self._struct()
        raise ValueError(kind)

    def _byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def _skip(self, count: int) -> None:
        self.at += count
        if self.at > len(self.data):
            raise IndexError

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise ValueError(shift)

    def _integer(self) -> int:
        value = self._varint()
        return value >> 1 ^ -(value & 1)
