"""Checks of the footer of a Parquet file before its column metadata is used.

If a footer describes a chunk or its codec wrongly, asking Arrow for the metadata of the chunk ends the process. Arrow's
reader makes the same checks before it reads any data, but raises an error. So it is given the footer, and a file that
is never read.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from contextlib import closing

import pyarrow.parquet as pq

BUFFER = 1 << 12
"""Bytes that Arrow reads first. Without a buffer, it would read a whole chunk before it checks the codec."""


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
    """Raises Arrow's error if a chunk of the column is described wrongly."""
    for group in groups:
        unread = _Unread()
        with closing(pq.ParquetFile(unread, metadata=metadata, pre_buffer=False, buffer_size=BUFFER)) as parquet:
            try:
                next(parquet.iter_batches(1, row_groups=[group], columns=[column], use_threads=False), None)
            except Exception:
                if not unread.asked:  # otherwise all checks before reading were passed
                    raise
