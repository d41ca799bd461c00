"""Blocks of baskets (sets of items), either as unparsed lines of text or as lists."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

ITEMS = "items"
"""The default name of the column that contains the items."""


@dataclass(frozen=True, eq=False)
class Lines:
    """Whole lines, one basket per line. Items are separated by `separator`, or by white space if it is None."""

    data: bytes
    separator: str | None


@dataclass(frozen=True, eq=False)
class Lists:
    """Baskets as an Arrow array of `large_list<large_string>`, without nulls."""

    lists: pa.Array
