"""Counts frequent pairs by definition: A-Priori with all baskets in memory. `engine="reference"` runs this code."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.flow.baskets import Lines
from lookalike.frequent.definitions import apriori
from lookalike.frequent.pairs import FrequentPairs
from lookalike.frequent.report import Report, notes_of
from lookalike.frequent.support import Support
from lookalike.io.baskets import Baskets

BLOCK = 1 << 20
"""The number of bytes read at a time."""

INTEGER = re.compile(r"0|-?[1-9][0-9]{0,18}")
"""A whole number in canonical form."""


def count_by_definition(baskets: Baskets, support: Support) -> FrequentPairs:
    """Finds the pairs of items that occur in enough baskets. The result is the same as that of `count_pairs`."""
    lists = [items for block in baskets.blocks(BLOCK) for items in _lists(block)]
    integers = baskets.integers
    if integers is None:
        integers = all(_is_integer(item) for items in lists for item in items)
    rows: list[list[Any]] = [[int(item) for item in items] for items in lists] if integers else [*lists]
    least = support.least(len(rows))
    counts = Counter(item for items in rows for item in set(items))
    items = sorted(item for item, count in counts.items() if count >= least)
    number = {item: i for i, item in enumerate(items)}
    pairs = sorted(apriori(rows, least).items(), key=lambda pair: (-pair[1], pair[0]))
    return FrequentPairs(
        np.array([number[left] for (left, _), _ in pairs], np.int64),
        np.array([number[right] for (_, right), _ in pairs], np.int64),
        np.array([count for _, count in pairs], np.int64),
        pa.array(items, pa.int64() if integers else pa.large_string()),
        np.array([counts[item] for item in items], np.int64),
        len(rows),
        least,
        Report("definition", 0, (), notes_of(baskets)),
    )


def _lists(block: Any) -> list[list[str]]:
    if not isinstance(block, Lines):
        return [*block.lists.to_pylist()]
    lines = block.data.decode().split("\n")
    return [_items(line, block.separator) for line in (lines[:-1] if lines[-1] == "" else lines)]


def _items(line: str, separator: str | None) -> list[str]:
    """Splits a line into its non-empty items, at white space or at `separator`."""
    parts = (
        re.split(r"[ \t-\r]+", line) if separator is None else [p.strip(" \t\n\v\f\r") for p in line.split(separator)]
    )
    return [part for part in parts if part]


def _is_integer(item: str) -> bool:
    return INTEGER.fullmatch(item) is not None and -(2**63) <= int(item) < 2**63
