"""Reads files in blocks of whole lines, and defines the format `lines`, with one document per line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.flow.documents import TEXT
from lookalike.io.file_source import no_such_column
from lookalike.io.files import File
from lookalike.io.misread import not_in_utf8
from lookalike.io.scan import Chunk, Malformed, Parse, Position, rows_by_size
from lookalike.notices import Notice
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


class LinesFormat:
    """Text files with one document per line. A blank line is an empty document, so that each line is one row."""

    name = "lines"
    cheap_to_reread = False
    reader_bytes = 0
    warnings: Sequence[Notice] = ()

    def __init__(self, files: Sequence[File], name: str) -> None:
        self.files = files
        self.scans = [LinesScan(file) for file in files]
        self._name = name

    def columns(self) -> list[str]:
        return ["text"]

    def prepare(self, columns: Sequence[str]) -> None:
        for column in columns:
            if column != "text":
                raise no_such_column(column, self.columns(), self._name)


class LinesScan:
    """A scan of one text file with one document per line."""

    first: Position = (0, 1)
    rows = None

    def __init__(self, file: File) -> None:
        self.file = file
        self.marks: list[tuple[int, Position]] = []
        self.starts: list[int] = []

    def expected_rows(self, row_bytes: float) -> int:
        return rows_by_size(self.file, row_bytes)

    def chunks(self, columns: Sequence[str], at: Position) -> Iterator[Chunk]:
        for block in read_blocks(self.file, at):
            blocks = [block]
            del block  # a line may be huge
            yield self._chunk(columns, blocks)

    def unparsed(self, columns: Sequence[str]) -> Iterator[tuple[int, Parse]]:
        for block in read_blocks(self.file):
            size, blocks = len(block.data), [block]
            del block  # a line may be huge
            yield size, partial(self._chunk, columns, blocks)

    def _chunk(self, columns: Sequence[str], blocks: list[Block]) -> Chunk:
        """Parses the block in the list, which is emptied, so that the block is freed as soon as possible."""
        block = blocks.pop()
        malformed, at, following = Malformed(), (block.offset, block.line), block.next
        if is_utf8(block.data):
            data = _as_texts(block.data)
        else:
            data = pa.array([text for _, text in _texts(block, self.file, malformed)], TEXT)
        return Chunk(at, pa.RecordBatch.from_arrays([data] * len(columns), list(columns)), malformed, following)

    def copy(
        self,
        keep: npt.NDArray[np.bool_],
        sink: BinaryIO,
        *,
        head: bool = True,
        end_lines: bool = False,
        threads: int = 1,
    ) -> int:
        row = 0
        for block in read_blocks(self.file):
            for raw, _ in _texts(block, self.file, Malformed()):
                if row < len(keep) and keep[row]:
                    sink.write(ended(raw) if end_lines else raw)
                row += 1
        return row


def ended(line: bytes) -> bytes:
    """Adds a line end to the line if it has none."""
    return line if line.endswith((b"\n", b"\r")) else line + b"\n"


def _as_texts(data: bytes) -> pa.Array:
    """Converts lines, without their ends, to an Arrow array of texts.

    The lines are not decoded, because a single rare character makes a huge Python string take four bytes per character.
    """
    data = data.replace(b"\r\n", b"\n").removesuffix(b"\r")
    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
    last = len(data) > 0 and not data.endswith(b"\n")
    data = data.replace(b"\n", b"")
    offsets = np.concatenate([[0], ends - np.arange(len(ends)), [len(data)] * last]).astype(np.int64)
    return pa.Array.from_buffers(TEXT, len(offsets) - 1, [None, pa.py_buffer(offsets), pa.py_buffer(data)])


def _texts(block: Block, file: File, malformed: Malformed) -> Iterator[tuple[bytes, str]]:
    for number, raw in block.lines():
        try:
            yield raw, _without_end(raw.decode().removesuffix("\n"))
        except UnicodeDecodeError as error:
            malformed.add(Notice("line", name=file.name, line=number), not_in_utf8(error))


def _without_end(text: str) -> str:
    return text.removesuffix("\r")
