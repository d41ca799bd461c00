"""Reads some columns, or one record batch, of an Arrow file or of a table in memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from lookalike.storage.arrow_files import map_arrow, open_arrow


def read_pieces(path: Path, columns: Sequence[str] | None, batch: int | None, tail: int = 0) -> pa.Table:
    """Reads some columns, or one record batch, of an Arrow file, and no other data.

    The last `tail` bytes at `path` are not part of the Arrow file. Columns are read rather than mapped, because mapped
    pages count as memory of this process. A record batch is mapped, because callers copy only a few of its rows before
    they release it, so that only the pages with these rows are read.
    """
    with open_arrow(path) if batch is None else map_arrow(path) as file:
        return pieces_of(file, path.stat().st_size - tail, columns, batch)


def pieces_of(
    file: pa.NativeFile, size: int, columns: Sequence[str] | None, batch: int | None, names: list[str] | None = None
) -> pa.Table:
    """Like `read_pieces`, for an open file of `size` bytes.

    If `names`, the column names, are given, they are not read.
    """
    options = pa.ipc.IpcReadOptions(use_threads=False)  # opening takes several times as long with threads
    if columns is not None:
        if names is None:
            with pa.ipc.open_file(file, footer_offset=size, options=options) as whole:
                names = whole.schema.names
        places = sorted(names.index(name) for name in columns)
        options = pa.ipc.IpcReadOptions(use_threads=False, included_fields=places)
    with pa.ipc.open_file(file, footer_offset=size, options=options) as reader:
        table = reader.read_all() if batch is None else pa.Table.from_batches([reader.get_batch(batch)])
    return table.select(columns) if columns is not None else table


def picked(table: pa.Table, columns: Sequence[str] | None, batch: int | None) -> pa.Table:
    """Like `read_pieces`, for a table in memory."""
    if batch is not None:
        batches = table.to_batches()
        table = pa.Table.from_batches([batches[batch]], table.schema)
    return table if columns is None else table.select(columns)
