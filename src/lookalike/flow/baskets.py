"""Baskets: sets of items, many at a time; as lines of text that nobody has taken apart yet, or as lists."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

ITEMS = "items"
"""What the column of items is called where nothing else is said."""


@dataclass(frozen=True, eq=False)
class Lines:
    """Whole lines, a basket each; items stand between separators, or between white space where that is None."""

    data: bytes
    separator: str | None


@dataclass(frozen=True, eq=False)
class Lists:
    """Baskets as an Arrow array of `large_list<large_string>`, without nulls."""

    lists: pa.Array
