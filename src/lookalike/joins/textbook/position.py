"""The position index: similar strings have their first common symbol near the start of both."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from lookalike.flow.threshold import Threshold
from lookalike.joins.textbook.base import Found, join, prefix_length
from lookalike.joins.textbook.order import Order, String


class PositionIndex:
    """An index with one bucket per symbol of the prefix and its position, counted from 1."""

    def __init__(self, distance: Fraction) -> None:
        self.distance = distance

    def put(self, s: String) -> Iterable[tuple[int, int]]:
        return [(s[j - 1], j) for j in range(1, prefix_length(self.distance, len(s)) + 1)]

    def look(self, s: String) -> Iterable[tuple[int, int]]:
        """Returns the buckets (symbol, position) to search for strings t within distance J of s.

        Let the first shared symbol be the i-th of s and the j-th of t. Then i + j − 2 symbols before it are not shared,
        and at most L − i + 1 symbols are shared. So j ≤ (J·L − J − i + 2) / (1 − J).
        """
        for i in range(1, prefix_length(self.distance, len(s)) + 1):
            for j in range(1, last_position(self.distance, len(s), i) + 1):
                yield s[i - 1], j


def last_position(distance: Fraction, length: int, i: int) -> int:
    """Returns the last possible position in t of the i-th symbol of s, if it is the first symbol that s and t share."""
    return math.floor((distance * length - distance - i + 2) / (1 - distance))


def position(sets: Any, *, threshold: float | str | Threshold = "0.9", order: Order = "rare") -> Found:
    """Finds all pairs of sets with at least this Jaccard similarity.

    Elements are sorted from rare to frequent or, with order="lexical", as Python sorts them. Two sets are compared only
    if they share an early element at similar positions.

    >>> position(["abcdef", "bcdef", "cdef"], threshold=0.8)
    Found(2 pairs of 2 candidates; 3 strings in 5 entries, 8 probes)
    """
    return join(PositionIndex, sets, threshold, order)
