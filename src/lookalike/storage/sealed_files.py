"""Files with a seal that reveals damage: the content is followed by 20 bytes with a mark, its length and its CRC-32.

A CRC-32 detects accidental damage, but not tampering. It is several times as fast as a cryptographic hash, which
matters because it is computed for every part that is written.
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

from lookalike.storage.arrow_files import open_arrow
from lookalike.storage.whole_files import replacing

MARK = b"lookpart"
SEAL = struct.Struct("<8sQI")
BLOCK = 1 << 20


class Damaged(Exception):
    """Raised if a file is not sealed, or its content does not match its seal."""


class SealedSink:
    """A writable file that tracks the length and the CRC-32 of its content."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.size = self.crc = 0

    def write(self, data: pa.Buffer | bytes) -> int:
        view = memoryview(data).cast("B")
        self.crc = zlib.crc32(view, self.crc)
        self.size += len(view)
        return self.file.write(view)

    @property
    def closed(self) -> bool:
        return self.file.closed

    def tell(self) -> int:
        return self.size

    def flush(self) -> None:
        self.file.flush()


@contextmanager
def writing_sealed(path: Path, *, durable: bool = True) -> Iterator[SealedSink]:
    """Yields a sink to write to. If the block ends without an error, the content is sealed and saved at `path`."""
    with replacing(path, durable=durable) as file:
        sink = SealedSink(file)
        yield sink
        file.write(SEAL.pack(MARK, sink.size, sink.crc))


def read_sealed(path: Path) -> pa.Buffer:
    """Returns the content of a sealed file; raises `Damaged` if the file is damaged or not sealed."""
    with open_arrow(path) as file:
        data = file.read_buffer()
    content, seal = data[: max(len(data) - SEAL.size, 0)], data[max(len(data) - SEAL.size, 0) :]
    _check(bytes(seal), len(content), zlib.crc32(content))
    return content


def check_sealed(path: Path) -> None:
    """Raises `Damaged` if a file is damaged or not sealed. The file is read in small blocks, to save memory."""
    with path.open("rb", buffering=0) as file:
        size = left = max(os.fstat(file.fileno()).st_size - SEAL.size, 0)
        crc = 0
        while left and (block := file.read(min(BLOCK, left))):
            crc = zlib.crc32(block, crc)
            left -= len(block)
        _check(file.read(), size - left, crc)


def _check(seal: bytes, size: int, crc: int) -> None:
    if len(seal) != SEAL.size or SEAL.unpack(seal) != (MARK, size, crc):
        raise Damaged
