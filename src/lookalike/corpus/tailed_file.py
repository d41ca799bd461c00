"""Files that end with a description of themselves: data, arrays, a JSON object, and a checksum of the last two.

The data is written first, in any pieces, and is read by position. The tail is small and is read at once.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lookalike.errors import MalformedInput
from lookalike.storage.foreign_errors import reading

MAGIC = b"lookseg1"
END = struct.Struct("<QII8s")
"""The end of a file: the position of the tail, the size of its JSON, the CRC-32 of the tail, and MAGIC."""


PACE = 4 << 20
"""The number of bytes after which a paced file is forced to the disk."""


class TailedWriter:
    """Writes one such file. It is durable after `finish`; a file that was not finished cannot be opened.

    A `paced` file is forced to the disk piece by piece, so that no other commit has to wait for all of it.
    """

    def __init__(self, path: Path, *, paced: bool = False) -> None:
        self.path, self.paced = path, paced
        self.size = self._forced = 0
        self._file = path.open("xb", buffering=0)

    def write(self, data: Any) -> int:
        """Appends data (anything with bytes, such as an array), and returns its position."""
        left, position = memoryview(data).cast("B"), self.size
        self.size += len(left)
        while left:
            left = left[self._file.write(left) :]
        if self.paced and self.size - self._forced >= PACE:
            os.fdatasync(self._file.fileno())
            self._forced = self.size
        return position

    def finish(self, facts: dict[str, Any], **arrays: npt.NDArray[Any]) -> None:
        """Appends the tail, and forces the file to the disk."""
        position = self.size
        described = {name: [array.dtype.descr, len(array)] for name, array in arrays.items()}
        tail = b"".join(np.ascontiguousarray(array).tobytes() for array in arrays.values())
        text = json.dumps({"facts": facts, "arrays": described}, sort_keys=True).encode()
        crc = zlib.crc32(text, zlib.crc32(tail))
        self.write(tail + text + END.pack(position, len(text), crc, MAGIC))
        os.fsync(self._file.fileno())
        self._file.close()

    def close(self) -> None:
        self._file.close()


class TailedFile:
    """An open file with its facts and arrays. Its data is read by position, from any thread."""

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        with reading(self.name):
            self.descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                self.size = os.fstat(self.descriptor).st_size
                self.facts, self.arrays = self._tail()
            except BaseException:
                self.close()
                raise

    def _tail(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        end = os.pread(self.descriptor, END.size, max(0, self.size - END.size))
        if len(end) != END.size or not end.endswith(MAGIC):
            raise MalformedInput("damaged-segment", name=self.name, reason="it has no tail")
        position, length, crc, _ = END.unpack(end)
        tail = read_at(self.descriptor, self.size - END.size - position, position) if position < self.size else b""
        if zlib.crc32(tail) != crc:
            raise MalformedInput("damaged-segment", name=self.name, reason="its tail does not match its checksum")
        about = json.loads(tail[len(tail) - length :])
        arrays, at = {}, 0
        for name, (kind, count) in about["arrays"].items():
            dtype = np.dtype([tuple(field) for field in kind] if kind[0][0] else kind[0][1])
            arrays[name] = np.frombuffer(tail, dtype, count, at)
            at += count * dtype.itemsize
        return about["facts"], arrays

    def will_need(self, size: int, position: int) -> None:
        """Lets the system start to fetch bytes that will be read soon. It does not wait, and it does not fail."""
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(self.descriptor, position, size, os.POSIX_FADV_WILLNEED)

    def read(self, size: int, position: int) -> bytes:
        with reading(self.name):
            return read_at(self.descriptor, size, position)

    def close(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    def __del__(self) -> None:
        if getattr(self, "descriptor", -1) >= 0:
            self.close()


def read_at(descriptor: int, size: int, position: int) -> bytes:
    """Reads exactly `size` bytes at a position; raises EOFError if the file ends before."""
    data = os.pread(descriptor, size, position)
    while len(data) < size:
        more = os.pread(descriptor, size - len(data), position + len(data))
        if not more:
            raise EOFError(f"the file ends {size - len(data)} bytes early")
        data += more
    return data
