"""Blocks of baskets (sets of items): as unparsed lines of text, or as lists."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

ITEMS = "items"
"""Default name of the column of items."""


@dataclass(frozen=True, eq=False)
class Lines:
    """Whole lines, one basket per line; items are divided by the separator, or by white space if it is None."""

    data: bytes
    separator: str | None


@dataclass(frozen=True, eq=False)
class Lists:
    """Baskets as an Arrow array of `large_list<large_string>`, without nulls."""

    lists: pa.Array
