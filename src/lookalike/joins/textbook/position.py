"""The position index: the first common symbol is near the start of both strings. Sets → pairs by Jaccard similarity."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from lookalike.flow.threshold import Threshold
from lookalike.joins.textbook.base import Found, join, prefix_length
from lookalike.joins.textbook.order import String


class PositionIndex:
    """A bucket for every symbol and position (from 1 on), of the symbols of the prefix."""

    def __init__(self, distance: Fraction) -> None:
        self.distance = distance

    def put(self, s: String) -> Iterable[tuple[int, int]]:
        return [(s[j - 1], j) for j in range(1, prefix_length(self.distance, len(s)) + 1)]

    def look(self, s: String) -> Iterable[tuple[int, int]]:
        """If the first common symbol is the i-th of s and the j-th of t, then i + j − 2 symbols before it are not
        shared, and at most L − i + 1 from it on are: j ≤ (J·L − J − i + 2) / (1 − J).
        """
        for i in range(1, prefix_length(self.distance, len(s)) + 1):
            for j in range(1, last_position(self.distance, len(s), i) + 1):
                yield s[i - 1], j


def last_position(distance: Fraction, length: int, i: int) -> int:
    """The last j at which a string within the distance may have the i-th symbol of a string, if it is their first."""
    return math.floor((distance * length - distance - i + 2) / (1 - distance))


def position(sets: Any, *, threshold: float | str | Threshold = "0.9") -> Found:
    """The pairs of sets of at least this Jaccard similarity; compared are sets with a rare element at like places.

    >>> position(["abcdef", "bcdef", "cdef"], threshold=0.8)
    Found(2 pairs of 2 candidates; 3 strings in 5 entries, 8 probes)
    """
    return join(PositionIndex, sets, threshold)
