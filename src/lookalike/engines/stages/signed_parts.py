"""Stores the results of the first pass in tables of a fixed number of rows.

This is necessary if they do not fit into memory, or must be kept for a resumed run.

Each band has its own column of keys, so that the keys of one band can be read without those of other bands.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.engines.stages.answer_builder import RowFacts
from lookalike.engines.stages.memory import Allowance
from lookalike.engines.stages.signed_rows import SignedRows
from lookalike.flow.arrays import Hashes, to_arrow, to_numpy
from lookalike.flow.sketches import Sketches
from lookalike.storage.parts import PART_ROWS
from lookalike.storage.spill import Spill
from lookalike.work.text_parts import TextParts

WORDS, BYTES = ("words-0", "words-1"), ("bytes-0", "bytes-1")
"""Columns of the two hashes of each row: of its words, and of its raw bytes."""

TEXTS = b"texts"
"""The metadata key of a part under which the text parts of its rows are listed, each by its first row."""

PART_BYTES = 32 << 20
"""The maximum number of bytes of keys in a part. With many bands, parts have fewer rows than PART_ROWS."""


class SignedParts:
    """The tables of the first pass, which are added in row order."""

    def __init__(self, spill: Spill, bands: int, *, with_ids: bool) -> None:
        self.spill = spill
        self.bands = bands
        self.with_ids = with_ids
        self.key_columns = [key_column(band) for band in range(bands)]
        self.part_rows = part_rows(bands)
        self.starts: list[int] = []
        self.rows = 0
        self.texts: TextParts | None = None
        """The texts of all rows, if they are also stored as parts. Each first-pass part lists its text parts."""

    @property
    def fits(self) -> bool:
        return not self.spill.full

    def extend(self, batches: Iterable[SignedRows], allowance: Allowance) -> None:
        """Adds all rows of these batches, which follow the rows added before."""
        for start, table in regroup(map(table_of, batches), self.rows, self.part_rows):
            self.add(start, table)
            if not self.fits:
                allowance.tidy()

    def add(self, start: int, table: pa.Table, *, stored: bool = False) -> None:
        """Adds a table whose first row is `start`. `stored` is True if the table is already a durable part."""
        if stored:
            if self.texts is not None:
                self.texts.starts[start] = json.loads(table.schema.metadata[TEXTS])
            self.spill.add(name_of(start), table)
        else:
            if self.texts is not None:
                table = table.replace_schema_metadata({TEXTS: json.dumps(self.texts.starts[start])})
            self.spill.put(name_of(start), table)
        self.starts.append(start)
        self.rows += table.num_rows

    def read(self, *columns: str) -> Iterator[tuple[int, pa.Table]]:
        """Yields the first row of each part, and a table of these columns of the part."""
        for nth, start in enumerate(self.starts):
            yield start, self.part(nth, list(columns))

    def part(self, nth: int, columns: list[str] | None = None) -> pa.Table:
        start = self.starts[nth]
        table = self.spill.get(name_of(start), columns)
        assert table is not None, f"the part of row {start} is gone"
        return table

    def column(self, name: str, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """Loads one column, for all rows."""
        whole = np.empty(self.rows, dtype=dtype)
        for start, table in self.read(name):
            whole[start : start + table.num_rows] = to_numpy(table[name])
        return whole

    def keys(self, band: int) -> Iterator[tuple[int, Hashes]]:
        """Yields the first row of each part, and its keys in one band."""
        name = key_column(band)
        for start, table in self.read(name):
            yield start, to_numpy(table[name])

    def load(self) -> SignedRows:
        """Loads all rows into memory. Tables that were in memory are freed, so that no data is in memory twice."""
        whole = SignedRows.none(self.bands, with_ids=self.with_ids)
        arrays = {
            name: np.empty((self.rows, *some.shape[1:]), some.dtype) for name, some in vars(whole.sketches).items()
        }
        ids: list[pa.Array] = []
        for nth, start in enumerate(self.starts):
            table = self.part(nth)
            self.spill.drop(name_of(start))
            here = slice(start, start + table.num_rows)
            matrix_of(table, WORDS, arrays["words"][here])
            matrix_of(table, BYTES, arrays["bytes"][here])
            matrix_of(table, self.key_columns, arrays["keys"][here])
            arrays["flags"][here], arrays["lengths"][here] = to_numpy(table["flags"]), to_numpy(table["characters"])
            arrays["sizes"][here], arrays["windows"][here] = to_numpy(table["bytes"]), to_numpy(table["windows"])
            ids += table["id"].chunks if self.with_ids else []
        return SignedRows(Sketches(**arrays), pa.concat_arrays(ids) if ids else whole.ids)

    def facts(self) -> RowFacts:
        """Loads the flags, lengths and ids of all rows, and the total size of their texts."""
        ids = [chunk for _, table in self.read("id") for chunk in table["id"].chunks] if self.with_ids else []
        size = sum(int(to_numpy(table["bytes"]).sum()) for _, table in self.read("bytes"))
        no_ids = pa.array([], pa.string()) if self.with_ids else None
        return RowFacts(
            self.column("flags", np.uint8),
            self.column("characters", np.int64),
            size,
            pa.concat_arrays(ids) if ids else no_ids,
        )


def part_rows(bands: int) -> int:
    """Returns the number of rows per part: PART_ROWS, or fewer if there are very many bands."""
    rows = PART_ROWS
    while rows > 256 and 8 * bands * rows > PART_BYTES:
        rows //= 2
    return rows


def name_of(start: int) -> str:
    return f"sign-{start:015d}"


def key_column(band: int) -> str:
    return f"key-{band:04d}"


def table_of(rows: SignedRows) -> pa.Table:
    """Converts signed rows to a table of hashes, flags, characters, bytes, windows, keys and, if present, id."""
    sketches = rows.sketches
    table: dict[str, pa.Array] = {
        **_columns_of(sketches.words, WORDS),
        **_columns_of(sketches.bytes, BYTES),
        "flags": to_arrow(sketches.flags),
        "characters": to_arrow(sketches.lengths),
        "bytes": to_arrow(sketches.sizes),
        "windows": to_arrow(sketches.windows),
        **_columns_of(sketches.keys, [key_column(band) for band in range(sketches.keys.shape[1])]),
    }
    if rows.ids is not None:
        table["id"] = rows.ids
    return pa.table(table)


def _columns_of(matrix: Hashes, names: list[str] | tuple[str, ...]) -> dict[str, pa.Array]:
    """Converts the columns of a matrix to Arrow columns with these names."""
    return {name: to_arrow(column) for name, column in zip(names, np.ascontiguousarray(matrix.T), strict=True)}


def matrix_of(table: pa.Table, names: list[str] | tuple[str, ...], out: Hashes | None = None) -> Hashes:
    """The inverse of `_columns_of`. Writes to `out`, if given."""
    matrix = np.empty((table.num_rows, len(names)), dtype=np.uint64) if out is None else out
    for i, name in enumerate(names):
        matrix[:, i] = to_numpy(table[name])
    return matrix


def regroup(tables: Iterable[pa.Table], start: int, rows: int) -> Iterator[tuple[int, pa.Table]]:
    """Regroups consecutive rows from `start` into tables that end at multiples of `rows`. Yields (first row, table).

    Parts therefore do not depend on the batches of the reader.
    """
    group: list[pa.Table] = []
    first = row = start
    for table in tables:
        while table.num_rows:
            here = table.slice(0, rows - row % rows)
            table = table.slice(here.num_rows)
            group.append(here)
            row += here.num_rows
            if row % rows == 0:
                yield first, _emptied(group)
                first = row
    if group:
        yield first, _emptied(group)


def _emptied(group: list[pa.Table]) -> pa.Table:
    """Concatenates the tables of a list. The list is emptied, so that no data is in memory twice."""
    table = pa.concat_tables(group)
    group.clear()
    return table.combine_chunks()
