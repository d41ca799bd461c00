"""The same tables, otherwise: rows shuffled or halved, columns dropped or renamed, sides swapped."""

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
    """Every record with a chance of a half; true pairs of which one is gone are not counted."""
    rng = np.random.default_rng(2)
    return [_rows(table, np.flatnonzero(rng.random(table.rows) < 0.5)) for table in tables]


def lower_case(tables: Tables, but: str) -> Tables:
    return _each(tables, lambda name, column: column if name == but else pc.utf8_lower(column))


def renamed(tables: Tables, but: str) -> Tables:
    """c1, c2 … for the names of the columns, and in the order of the alphabet turned round."""
    found = []
    for table in tables:
        names = {name: name if name == but else f"c{place}" for place, name in enumerate(table.columns)}
        columns = {names[name]: table.columns[name] for name in reversed(table.columns)}
        found.append(Records(table.name, columns, table.rows))
    return found


def without(tables: Tables, name: str, other: str | None) -> Tables:
    gone = {name, other}
    return [
        Records(table.name, {one: column for one, column in table.columns.items() if one not in gone}, table.rows)
        for table in tables
    ]


def _each(tables: Tables, change: Callable[[str, pa.Array], pa.Array]) -> Tables:
    return [
        Records(table.name, {name: change(name, column) for name, column in table.columns.items()}, table.rows)
        for table in tables
    ]
