"""Rules of the user for which pairs to compare: columns in which both records are equal, or keys that a function
returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.apps.resolve.columns import MISSING, Codes, Column
from lookalike.apps.resolve.functions import KeyFunction, Place, name_of
from lookalike.apps.resolve.partners import partner
from lookalike.apps.resolve.placeholders import present
from lookalike.apps.resolve.settings import Field, Rule
from lookalike.errors import InvalidOption, NoSuchColumn
from lookalike.io.records import Records
from lookalike.notices import Notice

Keys = tuple[Codes, Codes]
"""Rows, and a number for one key of each. A row appears once per key; equal numbers are equal keys."""


def rules_of(given: Any, tables: Sequence[Records]) -> tuple[Rule, ...] | None:
    """Returns the rules that users name; None for none.

    A rule is a column, several columns (a tuple, or a text such as `surname,born`), or a function.
    """
    if given is None:
        return None
    listed = given if isinstance(given, list | tuple) else [given]
    if not listed:
        raise InvalidOption("no-candidate-rules")
    return tuple(_rule(one, tables[0].columns) for one in listed)


def _rule(given: Any, columns: Mapping[str, Any]) -> Rule:
    if isinstance(given, Rule):
        return given
    if callable(given):
        return Rule(keys=given)
    if isinstance(given, str):
        return Rule((given,) if given in columns else tuple(name.strip() for name in given.split(",")))
    if isinstance(given, list | tuple) and given and all(isinstance(name, str) for name in given):
        return Rule(tuple(given))
    raise InvalidOption("not-a-candidate-rule", value=given)


def keys_of(rule: Rule, tables: Sequence[Records], fields: Sequence[Field], columns: Sequence[Column]) -> Keys:
    """Returns the keys of all rows. Rows of a second table are numbered after those of the first."""
    if rule.keys is not None:
        return _numbered(_called(rule.keys, tables))
    if not rule.columns:
        raise InvalidOption("candidates-need-function", name=rule.name)
    known = {field.name: column for field, column in zip(fields, columns, strict=True)}
    keys: Codes | None = None
    for name in rule.columns:
        column = known.get(name) or _column(name, tables)
        if keys is None:
            keys = column.codes
        else:
            both = (keys >= 0) & (column.codes >= 0)
            numbers = np.unique(keys[both] * (len(column.values) + 1) + column.codes[both], return_inverse=True)[1]
            keys = np.full(len(keys), MISSING)
            keys[both] = numbers
    assert keys is not None
    rows = np.flatnonzero(keys >= 0)
    return rows, keys[rows]


def _column(name: str, tables: Sequence[Records]) -> Column:
    """Returns a column that is not compared. In a second table, its name may differ in case and punctuation."""
    parts = []
    for table in tables:
        own = name if name in table.columns else partner(name, table)
        if own is None:
            raise NoSuchColumn.named(name, list(table.columns), table.name, "candidates")
        parts.append(present(table.columns[own]))
    return Column.of(name, pa.concat_arrays(parts))


def _called(function: KeyFunction, tables: Sequence[Records]) -> Iterator[tuple[int, Any]]:
    """Calls the function with every row as a dictionary of texts. Yields the number of the row and each of its keys."""
    place, first = Place(tuple(table.name for table in tables), tables[0].rows), 0
    for table in tables:
        values = zip(*(present(column).to_pylist() for column in table.columns.values()), strict=True)
        for row, one in enumerate(values, first):
            about = {"name": name_of(function), "row": place.of(row)}
            try:
                found = function(dict(zip(table.columns, one, strict=True)))
                keys = found if isinstance(found, list | set | frozenset) else [found]
                keys = [key for key in keys if not _is_missing(key)]
                hash(tuple(keys))
            except Exception as error:
                reason = Notice("function-raised", error=type(error).__name__, message=str(error))
                raise InvalidOption("candidate-function-raised", reason=reason, **about) from error
            if wrong := [key for key in keys if not isinstance(key, str | int | float | tuple)]:
                raise InvalidOption("not-a-candidate-key", value=wrong[0], **about)
            yield from ((row, key) for key in keys)
        first += table.rows


def _is_missing(key: Any) -> bool:
    """True if a key, or a part of it, is None or NaN, as in a row without a value."""
    return key is None or key != key or (isinstance(key, tuple) and any(map(_is_missing, key)))


def _numbered(keys: Iterator[tuple[int, Any]]) -> Keys:
    numbers: dict[Any, int] = {}
    pairs = {(row, numbers.setdefault(key, len(numbers))): None for row, key in keys}  # a row may repeat a key
    both = np.array([*pairs], np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]
