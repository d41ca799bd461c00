"""Keeps tables in memory or, if they do not fit, in files from which they are read back piece by piece.

If there is a store of durable parts, all tables are saved there, because resuming needs them. Otherwise tables are
spilled to a temporary file without a name, which disappears with the `Spill` object or with the process.
"""

from __future__ import annotations

import mmap
import os
import weakref
from collections.abc import Sequence
from typing import BinaryIO

import pyarrow as pa

from lookalike.errors import OutputError
from lookalike.storage.arrow_pieces import picked, pieces_of
from lookalike.storage.foreign_errors import why
from lookalike.storage.parts import Parts

ALIGNED = 64
"""Tables in a file begin at multiples of this many bytes, so that their numbers are aligned in memory."""


class Spill:
    """Named tables, held in memory until they exceed `room` bytes; then all of them are written to files."""

    def __init__(self, parts: Parts, room: int) -> None:
        self.parts = parts
        self.room = room
        self.held: dict[str, pa.Table] = {}
        self.full = False
        self.written = 0
        """The number of bytes that were spilled to files instead of being held in memory."""
        self._holding = 0
        self._scratch: Scratch | None = None

    @property
    def keeps(self) -> bool:
        return self.parts.keeps

    def put(self, name: str, table: pa.Table, *, hold: bool = True) -> None:
        """Stores a table. With `hold=False`, the table is not kept in memory."""
        if self.parts.keeps:
            self.parts.put(name, table)
        self.add(name, table, hold=hold)

    def add(self, name: str, table: pa.Table, *, hold: bool = True) -> None:
        """Like `put`, for a table that is already in the durable parts, if there are any."""
        if hold and not self.full and self._holding + table.nbytes <= self.room:
            self.held[name] = table
            self._holding += table.nbytes
            return
        if hold:
            self.flush()
        self._write(name, table)

    def flush(self) -> None:
        """Spills all tables in memory. Tables that are added later are not kept in memory either."""
        self.full = True
        for name in list(self.held):
            self._write(name, self.held.pop(name))
        self._holding = 0

    def drop(self, name: str) -> None:
        """Removes a table that is no longer needed; its durable part is kept."""
        if self.held.pop(name, None) is None and self._scratch is not None:
            self._scratch.drop(name)

    def get(self, name: str, columns: Sequence[str] | None = None, batch: int | None = None) -> pa.Table | None:
        """Returns a table, some of its columns, or one of its record batches; None if there is no such table."""
        table = self.held.get(name)
        if table is not None:
            return picked(table, columns, batch)
        if self._scratch is not None and (found := self._scratch.pick(name, columns, batch)) is not None:
            return found
        if columns is None and batch is None:
            return self.parts.get(name)  # verifies the checksum of the whole part
        return self.parts.pick(name, columns, batch)

    def _write(self, name: str, table: pa.Table) -> None:
        self.written += table.nbytes
        if self.parts.keeps:
            return
        if self._scratch is None:
            self._scratch = Scratch()
        self._scratch.put(name, table)


class Scratch:
    """Tables in one temporary file without a name. They have no checksums and are not forced to the disk.

    The disk space of dropped tables is only freed when the file is closed.
    """

    def __init__(self) -> None:
        import tempfile  # slow to import, and small inputs are not spilled

        self._folder = tempfile.gettempdir()
        self._tables: dict[str, tuple[int, int, list[str]]] = {}
        """The offset, length and column names of each table."""
        self._end = 0
        try:
            self._file: BinaryIO = tempfile.TemporaryFile(prefix="lookalike-", buffering=0)  # noqa: SIM115 - as long as this
        except OSError as error:
            raise _no_room(self._folder, error) from None
        weakref.finalize(self, self._file.close)

    def put(self, name: str, table: pa.Table) -> None:
        place = _Place(self._file, self._end)
        try:
            with pa.ipc.new_file(pa.PythonFile(place, "w"), table.schema) as writer:
                writer.write_table(table)
        except OSError as error:
            raise _no_room(self._folder, error) from None
        self._tables[name] = (self._end, place.tell(), table.column_names)
        self._end += -(-place.tell() // ALIGNED) * ALIGNED

    def pick(self, name: str, columns: Sequence[str] | None = None, batch: int | None = None) -> pa.Table | None:
        if name not in self._tables:
            return None
        begin, size, names = self._tables[name]
        file = pa.PythonFile(_Place(self._file, begin), "r") if batch is None else self._mapped(begin, size)
        return pieces_of(file, size, columns, batch, names)

    def _mapped(self, begin: int, size: int) -> pa.NativeFile:
        """Returns a memory map of one table. `read_pieces` explains why record batches are mapped."""
        before = begin % mmap.ALLOCATIONGRANULARITY
        pages = mmap.mmap(self._file.fileno(), before + size, access=mmap.ACCESS_READ, offset=begin - before)
        return pa.BufferReader(pa.py_buffer(pages)[before:])

    def drop(self, name: str) -> None:
        self._tables.pop(name, None)


class _Place:
    """A file-like object for the part of a file that starts at an offset."""

    closed = False

    def __init__(self, file: BinaryIO, begin: int) -> None:
        self._file = file
        self._begin = begin
        self._at = 0

    def close(self) -> None:
        """Does nothing: the file stays open for other tables."""

    def flush(self) -> None:
        pass

    def tell(self) -> int:
        return self._at

    def seek(self, at: int, whence: int = os.SEEK_SET) -> int:
        assert whence == os.SEEK_SET, "the end is not known here"
        self._at = at
        return at

    def read(self, size: int) -> bytes:
        pieces = []
        while size and (piece := os.pread(self._file.fileno(), size, self._begin + self._at)):
            pieces.append(piece)  # no call returns more than 2 GiB
            self._at, size = self._at + len(piece), size - len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def write(self, data: pa.Buffer | bytes) -> int:
        left = view = memoryview(data).cast("B")
        while left:  # a full disk accepts the first bytes before it reports an error
            written = os.pwrite(self._file.fileno(), left, self._begin + self._at)
            self._at, left = self._at + written, left[written:]
        return len(view)


def _no_room(folder: str, error: OSError) -> OutputError:
    return OutputError("no-room-to-spill", folder=folder, reason=why(error))
