"""Tables that may not all fit: held in memory while there is room, then in files, and read back in pieces.

With durable parts they go there, whether there is room or not: that is what resuming needs. Without, they go to a
private folder that disappears with this object, when the run ends or when the last result that reads from it is gone.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from lookalike.errors import OutputError
from lookalike.work.parts import Parts
from lookalike.work.pieces import picked, read_pieces


class Spill:
    """Named tables. `room` is how many bytes of them may be held; one more, and all are in files from then on."""

    def __init__(self, parts: Parts, room: int) -> None:
        self.parts = parts
        self.room = room
        self.held: dict[str, pa.Table] = {}
        self.full = False
        self.written = 0
        """Bytes that went to files because there was no room for them."""
        self._holding = 0
        self._scratch: Scratch | None = None

    @property
    def keeps(self) -> bool:
        return self.parts.keeps

    def put(self, name: str, table: pa.Table, *, hold: bool = True) -> None:
        """Keeps a table; one that is not to be held goes to a file at once."""
        if self.parts.keeps:
            self.parts.put(name, table)
        self.add(name, table, hold=hold)

    def add(self, name: str, table: pa.Table, *, hold: bool = True) -> None:
        """The same for a table that the durable parts have already."""
        if hold and not self.full and self._holding + table.nbytes <= self.room:
            self.held[name] = table
            self._holding += table.nbytes
            return
        if hold:
            self.flush()
        self._write(name, table)

    def flush(self) -> None:
        """Writes out all that is held."""
        self.full = True
        for name in list(self.held):
            self._write(name, self.held.pop(name))
        self._holding = 0

    def drop(self, name: str) -> None:
        """Forgets a table that is not needed any more; durable parts stay."""
        if self.held.pop(name, None) is None and self._scratch is not None:
            self._scratch.drop(name)

    def get(self, name: str, columns: Sequence[str] | None = None, batch: int | None = None) -> pa.Table | None:
        """A table, or those of its columns, or the record batch of that number in it."""
        table = self.held.get(name)
        if table is not None:
            return picked(table, columns, batch)
        if self._scratch is not None and (found := self._scratch.pick(name, columns, batch)) is not None:
            return found
        if columns is None and batch is None:
            return self.parts.get(name)  # which is checked
        return self.parts.pick(name, columns, batch)

    def _write(self, name: str, table: pa.Table) -> None:
        self.written += table.nbytes
        if self.parts.keeps:
            return
        if self._scratch is None:
            self._scratch = Scratch()
        self._scratch.put(name, table)


class Scratch:
    """A private folder of tables, neither checked nor forced to the disk: whoever would read them is gone with them."""

    def __init__(self) -> None:
        import shutil  # not on top: small inputs are not spilled
        import tempfile

        try:
            self._folder = Path(tempfile.mkdtemp(prefix="lookalike-"))
        except OSError as error:
            raise _no_room(tempfile.gettempdir(), error) from None
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)  # also when Python ends

    def put(self, name: str, table: pa.Table) -> None:
        path = self._path(name)
        try:
            with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
                writer.write_table(table)
        except OSError as error:
            raise _no_room(str(path.parent), error) from None

    def pick(self, name: str, columns: Sequence[str] | None = None, batch: int | None = None) -> pa.Table | None:
        path = self._path(name)
        return read_pieces(path, columns, batch) if path.exists() else None

    def drop(self, name: str) -> None:
        self._path(name).unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.arrow"


def _no_room(folder: str, error: OSError) -> OutputError:
    return OutputError(
        f"what does not fit into memory cannot be written to {folder}: {error.strerror or error}. "
        "Name a folder with more room: --work / work=, or TMPDIR for temporary files"
    )
