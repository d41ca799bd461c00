"""Reads columns of strings whose pages are large, with little memory.

Arrow holds a page twice: compressed and decompressed, or decompressed and as a dictionary. Its own writer puts 1,024
texts into a page, whatever their size. Here, a page is decompressed piece by piece into a temporary file, and its
texts are read from there.
"""

from __future__ import annotations

import os
import tempfile
import zlib
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from io import RawIOBase
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from lookalike.errors import OutputError
from lookalike.flow.arrays import Rows
from lookalike.io.formats import page_tools
from lookalike.io.formats.parquet_pages import PLAIN, Kind, Page
from lookalike.io.formats.run_lengths import decoded
from lookalike.storage.foreign_errors import why

BLOCK = 1 << 20
"""The number of bytes that are decompressed at once."""

KINDS = (pa.string(), pa.large_string(), pa.binary(), pa.large_binary())
STREAMS = {"ZSTD": "zstd", "GZIP": "gzip", "BROTLI": "brotli"}
"""The codecs that Arrow decompresses piece by piece."""
BLOCKS = {"SNAPPY": ("snappy", BLOCK // 32), "LZ4": ("lz4", BLOCK // 256)}
"""The codecs that the native module decompresses piece by piece, and the size of a piece in bytes: no piece becomes
larger than BLOCK."""
ENCODINGS = {"PLAIN", "PLAIN_DICTIONARY", "RLE_DICTIONARY", "RLE", "BIT_PACKED"}

LONG, MANY = 1 << 10, 1 << 20
"""Strings of a dictionary are read if they have at least LONG bytes on average, and pages refer to fewer than MANY."""


def is_readable(chunk: pq.ColumnChunkMetaData, column: pq.ColumnSchema, kind: pa.DataType) -> bool:
    """True if LargePages can read a column chunk: strings that are not in lists or structs, in a common encoding."""
    return (
        page_tools.tools is not None
        and kind in KINDS
        and chunk.physical_type == "BYTE_ARRAY"
        and column.max_repetition_level == 0
        and column.max_definition_level <= 1
        and "." not in column.path
        and (chunk.compression == "UNCOMPRESSED" or chunk.compression in STREAMS or chunk.compression in BLOCKS)
        and ENCODINGS.issuperset(chunk.encodings)
    )


def has_long_strings(pages: list[Page]) -> bool:
    """True unless pages refer to short strings of a dictionary, which are left to Arrow: here, each is looked up."""
    entries = [page for page in pages if page.kind == Kind.DICTIONARY]
    few = all(page.values < MANY for page in pages if page.by_dictionary)
    return few and all(page.bytes >= LONG * page.values for page in entries)


class LargePages:
    """The strings of a column chunk, in batches of about `most` bytes. `nullable` if the column may contain nulls."""

    def __init__(
        self, file: int, pages: list[Page], codec: str, kind: pa.DataType, *, nullable: bool, most: int
    ) -> None:
        self.file, self.codec, self.kind, self.nullable, self.most = file, codec, kind, nullable, most
        self._batches = self._read(pages)
        self._waiting: pa.Array | None = None

    def next(self) -> pa.Array | None:
        """The rows of the next batch; None after the last one."""
        waiting, self._waiting = self._waiting, None
        return next(self._batches, None) if waiting is None else waiting

    def close(self) -> None:
        """Frees the last text and the temporary file."""
        self._waiting = None
        self._batches.close()

    def take(self, rows: int) -> pa.Array:
        """The next `rows` rows."""
        taken: list[pa.Array] = []
        while rows:
            batch = self.next()
            if batch is None:
                raise pa.ArrowInvalid("a column has too few rows")
            taken.append(batch[:rows])
            if len(batch) > rows:
                self._waiting = batch[rows:]
            rows -= len(taken[-1])
            del batch
        return taken.pop() if len(taken) == 1 else pa.concat_arrays(taken)

    def _read(self, pages: list[Page]) -> Generator[pa.Array, None, None]:
        dictionary: _Dictionary | None = None
        with ExitStack() as files:
            for page in pages:
                if page.kind != Kind.DICTIONARY and not page.has_rows:
                    continue
                stored = _Stored(self.file, page)
                content = _Content(stored, self.codec)
                if page.kind == Kind.DICTIONARY:
                    dictionary = _Dictionary(content, page.values, files)
                else:
                    present = self._present(content, page)
                    strings = self._strings(content, page, int(present.sum()), dictionary)
                    yield from _with_nulls(strings, present, self.kind)
                stored.check()

    def _strings(self, content: _Content, page: Page, count: int, dictionary: _Dictionary | None) -> Iterator[_Strings]:
        if page.encoding == PLAIN:
            return _plain(content, count, self.most)
        if page.by_dictionary and dictionary is not None:
            return dictionary.strings(content, count, self.most)
        raise pa.ArrowInvalid(f"encoding {page.encoding} is unknown, or its dictionary is missing")

    def _present(self, content: _Content, page: Page) -> npt.NDArray[np.bool_]:
        """For each row of a page, whether it has a value. Afterwards, `content` is at the first value."""
        if not self.nullable:
            content.read(page.levels)
            return np.ones(page.values, bool)
        size = page.levels if page.kind == Kind.DATA_V2 else content.read_length()
        return decoded(content.read(size), 1, page.values).astype(bool)


class _Stored(RawIOBase):
    """The bytes of a page in the file, which are read once."""

    def __init__(self, file: int, page: Page) -> None:
        self.page = page
        self._file, self._at, self._end, self._checksum = file, page.at, page.at + page.stored, 0

    def read(self, size: int = -1) -> bytes:
        left = self._end - self._at
        data = os.pread(self._file, left if size < 0 else min(size, left), self._at)
        self._at += len(data)
        if self.page.checksum is not None:
            self._checksum = zlib.crc32(data, self._checksum)
        return data

    def readable(self) -> bool:
        return True

    def check(self) -> None:
        """Raises an error if the checksum is wrong."""
        while self.read(BLOCK):  # a decompressor may not need the last bytes
            pass
        if self.page.checksum is not None and self.page.checksum != self._checksum:
            raise pa.ArrowInvalid("a page has a wrong checksum")


class _Content:
    """The decompressed bytes of a page, from which each byte is read once."""

    def __init__(self, stored: _Stored, codec: str) -> None:
        page = stored.page
        self._waiting = stored.read(page.levels)  # in version 2, levels are not compressed
        self.left = page.bytes
        size = page.bytes - len(self._waiting)
        self._blocks = _decompressed(stored, codec if page.compressed else "UNCOMPRESSED", size)

    def read(self, count: int) -> bytes:
        """The next `count` bytes; fewer at the end of the page."""
        count = min(count, self.left)
        pieces, found = [self._waiting], len(self._waiting)
        while found < count:
            block = next(self._blocks, b"")
            if not block:
                raise pa.ArrowInvalid("a page ends too early")
            pieces.append(block)
            found += len(block)
        data = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        self._waiting = data[count:]
        self.left -= count
        return data if len(data) == count else data[:count]

    def read_length(self) -> int:
        """The next four bytes, as a number."""
        data = self.read(4)
        if len(data) < 4:
            raise pa.ArrowInvalid("a page has fewer values than it declares")
        return int.from_bytes(data, "little")

    def give_back(self, data: bytes) -> None:
        """Makes bytes that were read the next ones again."""
        self._waiting = data + self._waiting
        self.left += len(data)

    def read_one(self, size: int) -> bytearray:
        """The next `size` bytes, of a long text: they are not in memory twice."""
        data, at = bytearray(size), 0
        while at < size:
            piece = self.read(min(BLOCK, size - at))
            if not piece:
                raise pa.ArrowInvalid("a page ends within a text")
            data[at : at + len(piece)] = piece
            at += len(piece)
        return data


def _decompressed(stored: _Stored, codec: str, size: int) -> Iterator[bytes]:
    if codec in STREAMS:
        with pa.CompressedInputStream(pa.PythonFile(stored, mode="r"), STREAMS[codec]) as stream:
            while block := stream.read(BLOCK):
                yield block
    elif codec == "UNCOMPRESSED":
        yield from iter(lambda: stored.read(BLOCK), b"")
    else:
        assert page_tools.tools is not None
        name, piece = BLOCKS[codec]
        unpacker = page_tools.tools.unpacker(name, size)
        while block := stored.read(piece):
            try:
                block = unpacker.feed(block)
            except ValueError as error:
                raise pa.ArrowInvalid(str(error)) from None
            if block:
                yield block


@dataclass(frozen=True, eq=False)
class _Strings:
    """Consecutive strings: their contents, and the offset of each."""

    offsets: Rows
    data: Any


def _plain(content: _Content, count: int, most: int) -> Iterator[_Strings]:
    """Reads strings that follow one another, each after its length; about `most` bytes at a time."""
    assert page_tools.tools is not None
    while count:
        data: Any
        block = content.read(most)
        offsets, data, read = page_tools.tools.plain_values(block, count)
        content.give_back(block[read:])
        del block
        if read == 0:  # the first string is longer
            length = content.read_length()
            if length > content.left:
                raise pa.ArrowInvalid("a page ends within a text")
            offsets, data = np.array([0, length]), content.read_one(length)
        count -= len(offsets) - 1
        yield _Strings(offsets, data)
        del data  # it may be huge


@contextmanager
def _spilling() -> Iterator[None]:
    """Wraps code that writes to a temporary file, and raises errors from the system as output errors."""
    try:
        yield
    except OSError as error:
        raise OutputError("no-room-for-page", folder=tempfile.gettempdir(), reason=why(error)) from None


class _Dictionary:
    """The strings of a dictionary page, in a temporary file, which `files` closes."""

    def __init__(self, content: _Content, count: int, files: ExitStack) -> None:
        with _spilling():
            temporary = tempfile.TemporaryFile(prefix="lookalike-", buffering=0)  # noqa: SIM115 - see the next line
        self._file = files.enter_context(temporary)
        ends, size = [np.zeros(1, np.int64)], 0
        for strings in _plain(content, count, BLOCK):
            left = memoryview(strings.data)
            with _spilling():
                while left:  # a full disk accepts the first bytes before it reports an error
                    left = left[self._file.write(left) :]
            ends.append(size + strings.offsets[1:])
            size += int(strings.offsets[-1])
            del strings, left
        self._offsets = np.concatenate(ends)

    def strings(self, content: _Content, count: int, most: int) -> Iterator[_Strings]:
        """Reads the strings to which a data page refers; about `most` bytes at a time."""
        width = content.read(1)
        chosen = decoded(content.read(content.left), width[0] if width else 0, count)
        if len(chosen) and int(chosen.max()) >= len(self._offsets) - 1:
            raise pa.ArrowInvalid("a page refers to a text that the dictionary does not contain")
        ends = np.cumsum(self._offsets[chosen + 1] - self._offsets[chosen])
        first = 0
        while first < count:
            before = int(ends[first - 1]) if first else 0
            last = max(first + 1, int(np.searchsorted(ends, before + most, side="right")))
            offsets = np.concatenate([[0], ends[first:last] - before])
            yield _Strings(offsets, self._contents(chosen[first:last]))
            first = last

    def _contents(self, chosen: Rows) -> bytes:
        """The strings with these numbers, one after another. Those that follow one another are read at once."""
        breaks = np.flatnonzero(np.diff(chosen) != 1) + 1
        firsts, lasts = chosen[np.append(0, breaks)], chosen[np.append(breaks - 1, len(chosen) - 1)]
        starts, ends = self._offsets[firsts].tolist(), self._offsets[lasts + 1].tolist()
        pieces = [os.pread(self._file.fileno(), end - start, start) for start, end in zip(starts, ends, strict=True)]
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _with_nulls(found: Iterator[_Strings], present: npt.NDArray[np.bool_], kind: pa.DataType) -> Iterator[pa.Array]:
    """Arrays of all rows of a page: the strings, and nulls where no value is present."""
    values = np.flatnonzero(present)
    row = used = 0
    for strings in found:
        used += len(strings.offsets) - 1
        end = int(values[used]) if used < len(values) else len(present)  # nulls that follow belong to this array
        yield _array(strings, present[row:end], kind)
        row = end
        del strings
    if row < len(present):
        yield pa.nulls(len(present) - row, kind)


def _array(strings: _Strings, present: npt.NDArray[np.bool_], kind: pa.DataType) -> pa.Array:
    offsets, validity = strings.offsets, None
    if not present.all():
        offsets = np.concatenate([[0], offsets[np.cumsum(present)]])
        validity = pa.py_buffer(np.packbits(present, bitorder="little"))
    if kind in (pa.string(), pa.binary()):
        offsets = offsets.astype(np.int32)
    buffers = [validity, pa.py_buffer(np.ascontiguousarray(offsets)), pa.py_buffer(strings.data)]
    return pa.Array.from_buffers(kind, len(present), buffers)
