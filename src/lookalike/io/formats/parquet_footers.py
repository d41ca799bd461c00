"""Checks the footer of a Parquet file before its column metadata is used.

If a footer describes a column chunk or its codec wrongly, asking Arrow for the metadata of the chunk crashes the
process. Arrow's reader makes the same checks before it reads any data, but raises an error instead. So the reader is
given the footer, and a dummy file.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from contextlib import closing

import pyarrow.parquet as pq

BUFFER = 1 << 12
"""Arrow's buffer size. Without a buffer, Arrow would read a whole column chunk before it checks the codec."""


class _Unread(io.RawIOBase):
    """An empty file that claims to be larger than any offset in a footer."""

    SIZE = 1 << 60

    def __init__(self) -> None:
        self.asked = False
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, to: int, whence: int = io.SEEK_SET) -> int:
        self._at = to + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self.SIZE}[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, size: int = -1) -> bytes:
        self.asked = True
        return b""


def check_footer(metadata: pq.FileMetaData, column: str, groups: Iterable[int]) -> None:
    """Raises Arrow's error if the footer describes a chunk of the column wrongly."""
    for group in groups:
        unread = _Unread()
        with closing(pq.ParquetFile(unread, metadata=metadata, pre_buffer=False, buffer_size=BUFFER)) as parquet:
            try:
                next(parquet.iter_batches(1, row_groups=[group], columns=[column], use_threads=False), None)
            except Exception:
                if not unread.asked:  # otherwise Arrow began to read, so all its checks were passed
                    raise
