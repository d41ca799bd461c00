"""Variants of tables on which entity resolution should do as well: shuffled rows, renamed columns and the like."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from common.generated_people import skewed_choice, words

from lookalike.flow.documents import TEXT
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


def with_constant(tables: Tables) -> Tables:
    """Tables with a column that has the same value in all records."""
    return [_added(table, "origin", pa.array(["web"] * table.rows, TEXT)) for table in tables]


def with_extra(tables: Tables) -> Tables:
    """Tables with two columns that have nothing to do with the entities: a word and a whole number."""
    rng = np.random.default_rng(3)
    some, found = words(rng, 200), []
    for table in tables:
        colour = pa.array(some[rng.integers(0, len(some), table.rows)].tolist(), TEXT)
        visits = pa.array(rng.integers(0, 1000, table.rows).astype(str).tolist(), TEXT)
        found.append(_added(_added(table, "colour", colour), "visits", visits))
    return found


def with_descriptions(tables: Tables) -> Tables:
    """Tables with a column of texts of 60 random words, which have nothing to do with the entities."""
    rng = np.random.default_rng(4)
    some, found = words(rng, 2000), []
    for table in tables:
        chosen = skewed_choice(rng, len(some), 60 * table.rows).reshape(table.rows, 60)
        found.append(_added(table, "story", pa.array([" ".join(some[row]) for row in chosen], TEXT)))
    return found


def with_placeholders(tables: Tables, except_column: str, share: float, placeholder: str | None) -> Tables:
    """Tables with a placeholder, or nulls if it is None, in a share of the values. The chosen cells are the same."""
    rng = np.random.default_rng(5)

    def spoilt(name: str, column: pa.Array) -> pa.Array:
        if name == except_column:
            return column
        cells = pa.array(rng.random(len(column)) < share)
        return pc.if_else(cells, pa.scalar(placeholder, TEXT), column.cast(TEXT))

    return _with_columns(tables, spoilt)


def codes_alone(tables: Tables, id: str, entities: dict[tuple[int, str], int]) -> Tables:
    """Tables with a single column besides the id: a random code of nine digits per entity."""
    rng = np.random.default_rng(6)
    others = max(entities.values(), default=0) + 1
    codes = rng.choice(9 * 10**8, others + sum(table.rows for table in tables), replace=False) + 10**8
    found = []
    for side, table in enumerate(tables):
        ids = table.columns[id].to_pylist()
        numbers = [entities.get((side, one), others + row) for row, one in enumerate(ids)]
        others += len(ids)
        column = pa.array([str(codes[number]) for number in numbers], TEXT)
        found.append(Records(table.name, {id: table.columns[id], "code": column}, table.rows))
    return found


def _added(table: Records, name: str, column: pa.Array) -> Records:
    return Records(table.name, {**table.columns, name: column}, table.rows)


def _with_columns(tables: Tables, change: Callable[[str, pa.Array], pa.Array]) -> Tables:
    return [
        Records(table.name, {name: change(name, column) for name, column in table.columns.items()}, table.rows)
        for table in tables
    ]
