"""Reads files in blocks of whole lines, which are parsed one at a time and in parallel."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from lookalike.flow.documents import TEXT
from lookalike.io.files import File
from lookalike.io.scan import Chunk, Parse, Position, rows_by_size
from lookalike.storage.foreign_errors import reading

BLOCK = 2 << 20
"""The size of a block in bytes: large enough for fast parsing, small enough to hold several blocks in memory."""

MOST_LINES = 1 << 14
"""The maximum number of lines in a block, because signatures take more memory than short lines."""

PIECE = 4 << 20
"""The number of bytes that are read at a time from a line that is longer than a block."""

BOM = b"\xef\xbb\xbf"


@dataclass
class Block:
    """Whole consecutive lines of a file, with their position."""

    data: bytes
    offset: int
    line: int
    """The number of the first line, counted from 1."""
    next: Position

    @property
    def at(self) -> Position:
        """The position of the block."""
        return self.offset, self.line

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yields the number of each line, and the line with its line end."""
        start, line = 0, self.line
        while start < len(self.data):
            end = self.data.find(b"\n", start) + 1 or len(self.data)
            yield line, self.data[start:end]
            start, line = end, line + 1


def read_blocks(file: File, at: Position = (0, 1), size: int | None = None) -> Iterator[Block]:
    """Yields blocks of whole lines: of up to MOST_LINES lines, and of up to `size` bytes unless a line is longer.

    A byte-order mark is removed. The end of a block depends only on its start, so that a read from the middle of a file
    returns the same blocks.
    """
    size = size or BLOCK
    offset, line = at
    with file.open_at(offset) as stream:
        buffer = b""
        while True:
            buffer = _fill(stream, file, buffer, size)
            if not buffer:
                return
            cut = len(buffer) if len(buffer) < size else buffer.rfind(b"\n", 0, size) + 1
            if cut or (cut := buffer.find(b"\n", size) + 1):  # a long line may have left more than a block
                cut = _end_of_few(buffer, cut)
                data, buffer = buffer[:cut], buffer[cut:]
            else:
                data, buffer = _long_line(stream, file, buffer)
            blocks = [_block(data, offset, line)]
            offset, line = blocks[0].next
            del data
            yield blocks.pop()  # not kept here, because a line may be huge


def _end_of_few(buffer: bytes, end: int) -> int:
    """Returns where the first MOST_LINES lines of the buffer end, at most `end`."""
    ends = np.frombuffer(buffer, np.uint8, end) == ord("\n")
    return end if np.count_nonzero(ends) <= MOST_LINES else int(np.flatnonzero(ends)[MOST_LINES - 1]) + 1


def _long_line(stream: BinaryIO, file: File, start: bytes) -> tuple[bytes, bytes]:
    """Reads a line that is longer than a block. Returns it, and the bytes that were read after it.

    `start` is the beginning of the line.
    """
    pieces, cut, size = [start], 0, len(start)
    while not cut and (piece := _fill(stream, file, b"", PIECE)):
        cut = piece.find(b"\n") + 1
        size += cut or len(piece)
        pieces.append(piece)
        if file.budget is not None and size > file.budget.longest:
            pieces.clear()
            while not cut and (piece := _fill(stream, file, b"", PIECE)):  # the error states the size of the line
                cut = piece.find(b"\n") + 1
                size += cut or len(piece)
            raise file.budget.too_long(size)
    rest = b""
    if cut:
        rest, pieces[-1] = pieces[-1][cut:], pieces[-1][:cut]
    return b"".join(pieces), rest


def _fill(stream: BinaryIO, file: File, buffer: bytes, size: int) -> bytes:
    """Reads until the buffer has `size` bytes or the file ends. Returns the extended buffer."""
    pieces = [buffer]
    missing = size - len(buffer)
    with reading(file.name):
        while missing > 0 and (piece := stream.read(missing)):
            pieces.append(piece)
            missing -= len(piece)
    return b"".join(pieces)


def _block(data: bytes, offset: int, line: int) -> Block:
    ends = int(np.count_nonzero(np.frombuffer(data, np.uint8) == ord("\n")))  # ten times as fast as bytes.count
    following = (offset + len(data), line + ends)
    if offset == 0 and data.startswith(BOM):
        data = data[len(BOM) :]
    return Block(data, offset, line, following)


def is_utf8(data: bytes | bytearray) -> bool:
    """True if the bytes are valid UTF-8."""
    if data.isascii():
        return True
    offsets = pa.py_buffer(np.array([0, len(data)], dtype=np.int64))
    try:
        pa.Array.from_buffers(TEXT, 1, [None, offsets, pa.py_buffer(data)]).validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def ended(line: bytes) -> bytes:
    """Adds a line end to the line if it has none."""
    return line if line.endswith((b"\n", b"\r")) else line + b"\n"


class BlockScan(ABC):
    """Base class of scans of files whose rows are lines. A subclass parses a block."""

    first: Position = (0, 1)
    rows = None

    def __init__(self, file: File) -> None:
        self.file = file
        self.marks: list[tuple[int, Position]] = []
        self.starts: list[int] = []

    @abstractmethod
    def parse(self, block: Block, columns: Sequence[str]) -> Chunk:
        """Parses a block. The caller keeps no reference to it, because a line may be huge."""

    def expected_rows(self, row_bytes: float) -> int:
        return rows_by_size(self.file, row_bytes)

    def chunks(self, columns: Sequence[str], at: Position) -> Iterator[Chunk]:
        for block in read_blocks(self.file, at):
            blocks = [block]
            del block
            yield self._parse_only(columns, blocks)

    def unparsed(self, columns: Sequence[str]) -> Iterator[tuple[int, Parse]]:
        for block in read_blocks(self.file):
            size, blocks = len(block.data), [block]
            del block
            yield size, partial(self._parse_only, columns, blocks)

    def _parse_only(self, columns: Sequence[str], blocks: list[Block]) -> Chunk:
        """Parses the block in the list, which is emptied, so that the block is freed as soon as possible."""
        return self.parse(blocks.pop(), columns)
