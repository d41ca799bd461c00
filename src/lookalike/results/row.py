"""Row: one row of a table, as a tuple with column names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa


class Row(tuple[Any, ...]):
    """One row: a tuple whose values are also attributes, named after the columns.

    `pandas.DataFrame` reads column names from `_fields`. This is not a `namedtuple`, because columns may have any name.
    """

    __slots__ = ()
    _fields: tuple[str, ...] = ()

    def __getattr__(self, name: str) -> Any:
        if name not in self._fields:
            raise AttributeError(f"this row has no column {name!r}, only {', '.join(self._fields)}")
        return self[self._fields.index(name)]

    def __reduce__(self) -> tuple[Any, ...]:
        return _row, (self._fields, tuple(self))


def row_type(names: Sequence[str]) -> type[Row]:
    """Creates the type of rows with these columns."""
    return type("Row", (Row,), {"__slots__": (), "_fields": tuple(names)})


def rows_of(table: pa.Table) -> Iterator[Row]:
    """Yields the rows of a table.

    >>> [(row, row.left) for row in rows_of(pa.table({"left": ["a"], "right": ["b"]}))]
    [(('a', 'b'), 'a')]
    """
    return rows_in(table.column_names, table.to_batches(max_chunksize=1 << 16))


def rows_in(names: Sequence[str], batches: Iterable[pa.RecordBatch]) -> Iterator[Row]:
    """Yields the rows of batches with these columns."""
    kind = row_type(names)
    for batch in batches:
        yield from map(kind, zip(*(column.to_pylist() for column in batch.columns), strict=True))


def _row(names: tuple[str, ...], values: tuple[Any, ...]) -> Row:
    return row_type(names)(values)
