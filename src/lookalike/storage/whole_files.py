"""Files that are whole or not there, and stay so after a crash: written under another name, synced, renamed, checked.

A checked file is its content followed by 20 bytes: a mark, the length of the content, and its CRC-32. That notices
damage, if not malice, and is several times as fast as a digest: all that is spilled goes through it.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from lookalike.storage.sync import sync_folder

MARK = b"lookpart"
SEAL = struct.Struct("<8sQI")
BLOCK = 1 << 20


class Damaged(Exception):
    """A file whose content is not what was written."""


class CheckedSink:
    """A file to write to that counts and checks what goes through it."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.size = self.crc = 0

    def write(self, data: pa.Buffer | bytes) -> int:
        view = memoryview(data).cast("B")
        self.crc = zlib.crc32(view, self.crc)
        self.size += len(view)
        _write_all(self.file, view)
        return len(view)

    @property
    def closed(self) -> bool:
        return self.file.closed

    def tell(self) -> int:
        return self.size

    def flush(self) -> None:
        self.file.flush()

    def seal(self) -> None:
        _write_all(self.file, memoryview(SEAL.pack(MARK, self.size, self.crc)))


@contextmanager
def writing_whole(path: Path, *, durable: bool = True) -> Iterator[CheckedSink]:
    """A sink whose content is at `path`, sealed, when the block ends well; and nothing is there when it does not.

    Not `durable`: it is whole for this process, but need not outlive the machine.
    """
    with _replacing(path, durable) as file:
        sink = CheckedSink(file)
        yield sink
        sink.seal()


def write_whole(path: Path, data: bytes) -> None:
    """A small file, as it is."""
    with _replacing(path, durable=True) as file:
        _write_all(file, memoryview(data))


def read_checked(path: Path) -> pa.Buffer:
    """The content of a sealed file; raises `Damaged` for anything else."""
    with pa.OSFile(str(path)) as file:
        data = file.read_buffer()
    content, seal = data[: max(len(data) - SEAL.size, 0)], data[max(len(data) - SEAL.size, 0) :]
    _check(bytes(seal), len(content), zlib.crc32(content))
    return content


def check(path: Path) -> None:
    """Reads a sealed file once, in little memory; raises `Damaged` unless it is whole."""
    with path.open("rb", buffering=0) as file:
        size = left = max(os.fstat(file.fileno()).st_size - SEAL.size, 0)
        crc = 0
        while left and (block := file.read(min(BLOCK, left))):
            crc = zlib.crc32(block, crc)
            left -= len(block)
        _check(file.read(), size - left, crc)


def temporary(path: Path) -> Path:
    """The name under which a file is written; one for each, so that what a killed run left is found again."""
    return path.with_name(f".{path.name}.tmp")


def _write_all(file: BinaryIO, data: memoryview) -> None:
    """A full disk takes the beginning of what it was given, and only then says so."""
    while data:
        data = data[file.write(data) :]


def _check(seal: bytes, size: int, crc: int) -> None:
    if len(seal) != SEAL.size or SEAL.unpack(seal) != (MARK, size, crc):
        raise Damaged


@contextmanager
def _replacing(path: Path, durable: bool) -> Iterator[BinaryIO]:
    unfinished = temporary(path)
    try:
        with unfinished.open("wb", buffering=0) as file:
            yield file
            if durable:
                os.fsync(file.fileno())
        unfinished.replace(path)
        if durable:
            sync_folder(path.parent)
    finally:
        unfinished.unlink(missing_ok=True)
