"""Durable parts: named tables that a stage finished, checksummed, written whole or not at all.

One idea serves three ends: spilling what does not fit, resuming what was interrupted, and staging between the tasks
of a cluster. Parts are keyed by the resolved plan and the input, so that those of another run are never mixed in.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from lookalike.errors import MalformedInput, OutputError, PlanMismatch

PART_ROWS = 1 << 16
"""Parts cover this many input rows, whatever the batch size of the reader."""


class Parts(Protocol):
    """A place for finished parts. `name` is stage-start-stop or the like: letters, digits, '-' and '_'."""

    @property
    def keeps(self) -> bool:
        """Whether anything put here can be got again. If not, there is no need for a key, which takes time to make."""
        ...

    def begin(self, key: str) -> None:
        """Says whose parts these are. Parts of another key are refused."""
        ...

    def get(self, name: str) -> pa.Table | None:
        """The finished part of that name, or None."""
        ...

    def put(self, name: str, table: pa.Table) -> None: ...


class NoParts:
    """Nothing is kept: what a run does not need any more is gone."""

    keeps = False

    def begin(self, key: str) -> None:
        pass

    def get(self, name: str) -> pa.Table | None:
        return None

    def put(self, name: str, table: pa.Table) -> None:
        pass


class MemoryParts:
    """Parts that live as long as the process."""

    keeps = True

    def __init__(self) -> None:
        self.key: str | None = None
        self.tables: dict[str, pa.Table] = {}

    def begin(self, key: str) -> None:
        if self.key is not None and self.key != key:
            self.tables.clear()
        self.key = key

    def get(self, name: str) -> pa.Table | None:
        return self.tables.get(name)

    def put(self, name: str, table: pa.Table) -> None:
        self.tables[name] = table


class DirectoryParts:
    """Parts as Arrow files in a folder: `name.arrow`, whose last 32 bytes are the BLAKE2 checksum of the rest."""

    keeps = True

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def begin(self, key: str) -> None:
        stamp = self.folder / "KEY"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if stamp.exists() and stamp.read_bytes() != key.encode():
                raise PlanMismatch(
                    f"{self.folder} holds the parts of another run (another plan or other input). "
                    "Give this run a folder of its own, or remove that one."
                )
            _write_whole(stamp, key.encode())
        except OSError as error:
            raise OutputError(f"the work folder {self.folder} cannot be written: {error.strerror}") from None

    def get(self, name: str) -> pa.Table | None:
        path = self.folder / f"{name}.arrow"
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise MalformedInput(f"the part {path} cannot be read: {error.strerror}") from None
        body, checksum = data[:-32], data[-32:]
        if hashlib.blake2b(body, digest_size=32).digest() != checksum:
            raise MalformedInput(f"the part {path} is damaged; remove it, and it will be made again")
        with pa.ipc.open_file(pa.py_buffer(body)) as reader:
            return reader.read_all()

    def put(self, name: str, table: pa.Table) -> None:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
        body = sink.getvalue().to_pybytes()
        try:
            _write_whole(self.folder / f"{name}.arrow", body + hashlib.blake2b(body, digest_size=32).digest())
        except OSError as error:
            raise OutputError(f"the part {name} cannot be written to {self.folder}: {error.strerror}") from None


def _write_whole(path: Path, data: bytes) -> None:
    """Under another name first, then renamed: a reader sees the whole file or none."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
