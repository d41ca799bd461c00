"""Variants of tables on which entity resolution should do as well: shuffled rows, renamed columns and the like."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.io.records import Records

Tables = list[Records]


def _rows(table: Records, chosen: np.ndarray) -> Records:
    columns = {name: column.take(pa.array(chosen)) for name, column in table.columns.items()}
    return Records(table.name, columns, len(chosen))


def shuffled(tables: Tables) -> Tables:
    rng = np.random.default_rng(1)
    return [_rows(table, rng.permutation(table.rows)) for table in tables]


def halved(tables: Tables) -> Tables:
    """Tables that keep each record with probability 1/2."""
    rng = np.random.default_rng(2)
    return [_rows(table, np.flatnonzero(rng.random(table.rows) < 0.5)) for table in tables]


def lower_case(tables: Tables, except_column: str) -> Tables:
    return _with_columns(tables, lambda name, column: column if name == except_column else pc.utf8_lower(column))


def renamed(tables: Tables, except_column: str) -> Tables:
    """Tables with columns renamed c0, c1 … and in reverse order."""
    found = []
    for table in tables:
        names = {name: name if name == except_column else f"c{number}" for number, name in enumerate(table.columns)}
        columns = {names[name]: table.columns[name] for name in reversed(table.columns)}
        found.append(Records(table.name, columns, table.rows))
    return found


def without(tables: Tables, name: str, other: str | None) -> Tables:
    """Tables without the column `name`, which is called `other` in the second table."""
    dropped = {name, other}
    return [
        Records(table.name, {name: column for name, column in table.columns.items() if name not in dropped}, table.rows)
        for table in tables
    ]


def _with_columns(tables: Tables, change: Callable[[str, pa.Array], pa.Array]) -> Tables:
    return [
        Records(table.name, {name: change(name, column) for name, column in table.columns.items()}, table.rows)
        for table in tables
    ]
