"""What the footer of a Parquet file says of a column, looked at before Arrow is asked about it.

Arrow checks a chunk, and the codec it names, when it is asked about them; where the footer describes them wrongly this
ends the process instead of raising an error. Its reader makes the same checks before it reads anything, and does raise:
so it is given the footer, and a file that is never read.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from contextlib import closing

import pyarrow.parquet as pq

BUFFER = 1 << 12
"""Bytes that Arrow asks for first. Without a buffer it would ask for a whole chunk before it looks at the codec."""


class _Unread(io.RawIOBase):
    """As large as anything that a footer may point to, and with nothing in it."""

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
    """Raises what Arrow raises for a damaged file if a chunk of the column, or of a part of it, cannot be so."""
    for group in groups:
        unread = _Unread()
        with closing(pq.ParquetFile(unread, metadata=metadata, pre_buffer=False, buffer_size=BUFFER)) as parquet:
            try:
                next(parquet.iter_batches(1, row_groups=[group], columns=[column], use_threads=False), None)
            except Exception:
                if not unread.asked:  # otherwise all that can be checked before reading was right
                    raise
