"""Two columns (basket, item), in any order → baskets.

Rows are dealt out to temporary files by a hash of their basket, so that each file holds whole baskets and can be put
in order in memory on its own. Baskets that contain nothing are not in such a table, and are not counted.
"""

from __future__ import annotations

import tempfile
import weakref
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lookalike.errors import LookalikeError, MalformedInput, OutputError
from lookalike.flow.baskets import Lists
from lookalike.flow.documents import TEXT
from lookalike.io.columns import simplify
from lookalike.io.filesource import no_such_column
from lookalike.io.find import find_files
from lookalike.io.guard import brief, reading
from lookalike.io.objects import to_table
from lookalike.io.open import Paths, open_source
from lookalike.io.scan import Malformed, OnError
from lookalike.io.spool import decompressed

PARTS = 64


class Grouped:
    """Baskets that were put together from rows."""

    def __init__(self, name: str, rows: Iterator[tuple[pa.Array, pa.Array]], integers: bool | None) -> None:
        self.name = name
        self.integers = integers
        self.malformed = Malformed()
        try:
            self._folder = tempfile.TemporaryDirectory(prefix="lookalike-")
            weakref.finalize(self, self._folder.cleanup)
            self._deal(rows)
        except OSError as error:
            if isinstance(error, LookalikeError):
                raise
            raise OutputError(f"there is no place for a copy of {name}: {error.strerror or error}") from None

    def _path(self, part: int) -> Path:
        return Path(self._folder.name, f"{part}.arrow")

    def _deal(self, rows: Iterator[tuple[pa.Array, pa.Array]]) -> None:
        schema = pa.schema([("basket", TEXT), ("item", TEXT)])
        with ExitStack() as stack:
            writers: dict[int, Any] = {}
            for baskets, items in rows:
                there = items.is_valid()
                table = pa.table([baskets.filter(there), items.filter(there)], schema=schema)
                parts = _parts(table["basket"].combine_chunks())
                for part in np.unique(parts).tolist():
                    if part not in writers:
                        sink = stack.enter_context(pa.OSFile(str(self._path(part)), "wb"))
                        writers[part] = stack.enter_context(pa.ipc.new_file(sink, schema))
                    writers[part].write_table(table.filter(pa.array(parts == part)))
            self._parts = sorted(writers)
        self.bytes = sum(self._path(part).stat().st_size for part in self._parts)

    def blocks(self, size: int) -> Iterator[Lists]:
        for part in self._parts:
            with pa.OSFile(str(self._path(part)), "rb") as file:
                table = pa.ipc.open_file(file).read_all().combine_chunks()
            yield Lists(_grouped(table["basket"].combine_chunks(), table["item"].combine_chunks()))

    def identity(self) -> None:
        return None  # it is a copy of our own


def group_columns(data: Any, basket: str, column: str, format: str | None, on_error: OnError) -> Grouped:
    """The baskets of a table in memory or in files."""
    if not isinstance(data, Paths):
        table, name = to_table(data, column, Malformed())
        for needed, option in ((basket, "--basket / basket="), (column, "--column / column=")):
            if needed not in table.column_names:
                raise no_such_column(needed, table.column_names, name, option)
        integers = pa.types.is_integer(table.schema.field(column).type)
        return Grouped(name, _rows_of(table.to_batches(), basket, column, name), integers)
    if format == "parquet":
        files = [decompressed(file) for file in find_files(data.paths, format).files]
        integers = True
        for file in files:
            with reading(file.name), file.open_stored() as stored:
                schema = pq.ParquetFile(stored).schema_arrow
            for needed, option in ((basket, "--basket / basket="), (column, "--column / column=")):
                if needed not in schema.names:
                    raise no_such_column(needed, schema.names, file.name, option)
            integers = integers and pa.types.is_integer(schema.field(column).type)

        def read() -> Iterator[tuple[pa.Array, pa.Array]]:
            for file in files:
                with reading(file.name), file.open_stored() as stored:
                    batches = pq.ParquetFile(stored).iter_batches(1 << 16, columns=[basket, column])
                    yield from _rows_of(batches, basket, column, file.name)

        return Grouped(", ".join(data.paths), read(), integers)
    source = open_source(data, column=column, id=basket, format=format, on_error=on_error)
    batches = (batch.data for batch in source.read([basket, column]))
    grouped = Grouped(source.name, _rows_of(batches, basket, column, source.name), None)
    grouped.malformed = Malformed(source.malformed, [w.removeprefix("left out: ") for w in source.warnings])
    return grouped


def _rows_of(batches: Any, basket: str, column: str, name: str) -> Iterator[tuple[pa.Array, pa.Array]]:
    for batch in batches:
        baskets, items = (_texts(batch.column(which), which, name) for which in (basket, column))
        if baskets.null_count:
            raise MalformedInput(f"{name}: column {basket!r} has rows without a value, which belong to no basket")
        yield baskets, items


def _texts(array: pa.Array, column: str, name: str) -> pa.Array:
    array = simplify(array)
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    kind = array.type
    if not (pa.types.is_integer(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        raise MalformedInput(f"{name}: column {column!r} must hold texts or whole numbers, it holds {kind}")
    try:
        array = array.cast(TEXT)
        array.validate(full=True)
    except pa.ArrowException as error:
        raise MalformedInput(f"{name}: column {column!r} is broken ({brief(error)})") from None
    return array


def _parts(baskets: pa.Array) -> Any:
    encoded = baskets.dictionary_encode()
    parts = np.array([zlib.crc32(name.encode()) % PARTS for name in encoded.dictionary.to_pylist()], np.int64)
    return parts[encoded.indices.to_numpy()]


def _grouped(baskets: pa.Array, items: pa.Array) -> pa.Array:
    """Rows of whole baskets → one list each, in the order in which baskets first occur."""
    numbers = baskets.dictionary_encode().indices.to_numpy()
    order = np.argsort(numbers, kind="stable")
    ends = np.cumsum(np.bincount(numbers)) if len(numbers) else np.zeros(0, np.int64)
    offsets = pa.array(np.concatenate(([0], ends)).astype(np.int64))
    return pa.LargeListArray.from_arrays(offsets, pc.take(items, pa.array(order)))
