"""Checks the footer of a Parquet file before its column metadata is used.

If a footer describes a column chunk or its codec wrongly, asking Arrow for the metadata of the chunk crashes the
process. Arrow's reader, however, checks this metadata before it reads any data, and raises an error. Therefore, the
reader is called with the footer and a dummy file.
"""

from __future__ import annotations

import io
from contextlib import closing

import pyarrow.parquet as pq

BUFFER = 1 << 12
"""The buffer size for Arrow. Without a buffer, Arrow would read a whole column chunk before it checks the codec."""


class _Unread(io.BytesIO):
    """An empty file that claims to be larger than any offset in a footer."""

    SIZE = 1 << 60
    asked = False

    def seek(self, to: int, whence: int = io.SEEK_SET) -> int:
        return super().seek(self.SIZE + to) if whence == io.SEEK_END else super().seek(to, whence)

    def read(self, size: int | None = -1) -> bytes:
        self.asked = True
        return b""


def check_footer(metadata: pq.FileMetaData, column: str, group: int) -> None:
    """Raises Arrow's error if the footer describes the column's chunk in a row group wrongly."""
    unread = _Unread()
    with closing(pq.ParquetFile(unread, metadata=metadata, pre_buffer=False, buffer_size=BUFFER)) as parquet:
        try:
            next(parquet.iter_batches(1, row_groups=[group], columns=[column], use_threads=False), None)
        except Exception:
            if not unread.asked:  # otherwise Arrow started to read, so all checks have passed
                raise
