"""The first rows of a table as short texts, which are safe to show in a terminal and, once escaped, on a page."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

ROWS = 8
"""The maximum number of rows that are shown."""

COLUMNS = 12
"""The maximum number of columns that are shown."""

LONGEST = 80
"""The maximum number of characters shown of a cell."""

JOINERS = "\u200c\u200d"
"""Invisible characters that are part of words in some scripts, and of many emoji."""


@dataclass(frozen=True)
class FirstRows:
    """The first rows of a table. `total` is the number of rows of the whole table."""

    first: pa.Table
    total: int
    caption: str = ""

    @classmethod
    def of(cls, table: pa.Table, caption: str = "") -> FirstRows:
        return cls(table.slice(0, ROWS), table.num_rows, caption)

    @property
    def names(self) -> list[str]:
        return [clean(name) for name in self.first.column_names[:COLUMNS]]

    @property
    def numeric(self) -> list[bool]:
        """True for each shown column that contains numbers, which are aligned on the right."""
        kinds = self.first.schema.types[:COLUMNS]
        return [pa.types.is_integer(kind) or pa.types.is_floating(kind) for kind in kinds]

    @property
    def cells(self) -> list[list[str]]:
        """Returns the cells that are shown, row by row."""
        columns = [_values(self.first.column(i)) for i in range(min(COLUMNS, self.first.num_columns))]
        return [[cell(value) for value in row] for row in zip(*columns, strict=True)]

    def more(self, columns: int = COLUMNS) -> str:
        """Returns the number of rows and columns that are not shown, in words; empty if there are none."""
        hidden = {"row": self.total - self.first.num_rows, "column": self.first.num_columns - columns}
        parts = [f"{n:,} more {noun}{'' if n == 1 else 's'}" for noun, n in hidden.items() if n > 0]
        return f"… and {' and '.join(parts)}" if parts else ""


def cell(value: Any) -> str:
    """Formats a value as a short text on one line. Floats have six digits, or more if they would be shown as 1.

    >>> cell(2 / 3), cell(0.9999999936610708), cell(1 - 1e-15), cell(None), cell("two\\nlines")
    ('0.666667', '0.99999999', '>0.99999999', '–', 'two lines')
    """
    if value is None:
        return "–"
    if isinstance(value, float):
        if f"{value:.8g}" == "1" and value < 1:
            return ">0.99999999"
        return next(short for digits in range(6, 18) if (short := f"{value:.{digits}g}") != "1" or value == 1)
    return clean(value if isinstance(value, str) else str(value))


def clean(text: str, longest: int = LONGEST) -> str:
    """Puts a text on one line of at most `longest` characters, and replaces control characters."""
    words = " ".join(text[: 4 * longest].split())
    shown = "".join(c if c.isprintable() or c in JOINERS else "\ufffd" for c in words)
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"


def width(text: str) -> int:
    """Returns the number of columns that a text takes in a terminal."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) > 0 or c in JOINERS for c in text)


def _values(column: pa.ChunkedArray) -> list[Any]:
    """Returns the values of a column as Python objects. Long texts are cut before they are copied."""
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        import pyarrow.compute as pc  # not imported at the top: see flow/arrays.py

        column = pc.utf8_slice_codeunits(column, 0, 4 * LONGEST)
    try:
        return list(column.to_pylist())
    except (ValueError, OverflowError):  # dates that Python cannot represent
        return [str(value) for value in column]
