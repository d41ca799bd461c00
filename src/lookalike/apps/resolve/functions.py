"""Similarities of fields that a function of the user measures, from 0 to 1."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.errors import InvalidOption
from lookalike.notices import Notice

Similarity = Callable[[str, str], Any]
"""A function that takes the values of a field in two records, as texts, and returns their similarity, from 0 to 1."""
KeyFunction = Callable[[dict[str, str | None]], Any]
"""A function that takes a record, as a dictionary of texts, and returns its key, a list of its keys, or None."""
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Place:
    """Names rows for messages, by their table and their position in it. Rows of a second table come after the first."""

    tables: tuple[str, ...]
    split: int

    def of(self, row: int) -> Notice:
        side = int(len(self.tables) > 1 and row >= self.split)
        return Notice("row-of-table", row=row - side * self.split, name=self.tables[side])


@dataclass(frozen=True, eq=False)
class Own:
    """The function that compares a column, and the distinct values of the column as they are in the table.

    Row `i` has `values[codes[i]]`, or no value if its code is −1.
    """

    field: str
    function: Similarity
    codes: Rows
    values: list[str]
    place: Place

    @classmethod
    def of(cls, field: str, function: Similarity, texts: pa.Array, place: Place) -> Own:
        coded = texts.dictionary_encode()
        codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        return cls(field, function, codes, coded.dictionary.to_pylist(), place)

    def similarities(self, left: Rows, right: Rows) -> npt.NDArray[np.float64]:
        """Measures each pair of rows once per pair of distinct values, also of equal ones; NaN if a value is missing.

        The function gets the value of the earlier row first and, with two tables, that of the left table.
        """
        first, second = np.minimum(left, right), np.maximum(left, right)
        out = np.full(len(first), np.nan)
        known = np.flatnonzero((self.codes[first] >= 0) & (self.codes[second] >= 0))
        pairs = self.codes[first[known]] * max(1, len(self.values)) + self.codes[second[known]]
        _, examples, back = np.unique(pairs, return_index=True, return_inverse=True)
        rows = zip(first[known[examples]].tolist(), second[known[examples]].tolist(), strict=True)
        measured = np.array([self._measured(*ends) for ends in rows], np.float64)
        out[known] = measured[back]
        return out

    def _measured(self, left: int, right: int) -> float:
        values = self.values[self.codes[left]], self.values[self.codes[right]]
        try:
            found = self.function(*values)
        except Exception as error:
            reason = Notice("function-raised", error=type(error).__name__, message=str(error))
            raise InvalidOption("field-function-raised", reason=reason, **self._about(values, left, right)) from error
        if not isinstance(found, Real | np.bool_) or not 0 <= float(found) <= 1:
            raise InvalidOption("field-function-out-of-range", value=found, **self._about(values, left, right))
        return float(found)

    def _about(self, values: tuple[str, str], left: int, right: int) -> dict[str, Any]:
        rows = {"left_row": self.place.of(left), "right_row": self.place.of(right)}
        return {"field": self.field, "left": values[0], "right": values[1], **rows}


def name_of(function: Callable[..., Any]) -> str:
    """Returns the name of a function for the summary, such as `my_similarity`.

    >>> name_of(len), name_of(Place.of)
    ('len', 'of')
    """
    return str(getattr(function, "__name__", type(function).__name__))
