"""The suffix index: after their first common symbol, similar strings continue for similar lengths."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from lookalike.flow.threshold import Threshold
from lookalike.joins.textbook.base import Found, join, prefix_length
from lookalike.joins.textbook.order import Order, String
from lookalike.joins.textbook.position import last_position


class SuffixIndex:
    """An index with one bucket per symbol of the prefix, its position, and the number of symbols after it."""

    def __init__(self, distance: Fraction) -> None:
        self.distance = distance

    def put(self, s: String) -> Iterable[tuple[int, int, int]]:
        return [(s[j - 1], j, len(s) - j) for j in range(1, prefix_length(self.distance, len(s)) + 1)]

    def look(self, s: String) -> Iterable[tuple[int, int, int]]:
        for i in range(1, prefix_length(self.distance, len(s)) + 1):
            for j in range(1, last_position(self.distance, len(s), i) + 1):
                shortest, longest = suffix_lengths(self.distance, i, j, len(s) - i)
                for m in range(shortest, longest + 1):
                    yield s[i - 1], j, m


def suffix_lengths(distance: Fraction, i: int, j: int, k: int) -> tuple[int, int]:
    """Returns the least and greatest number m of symbols of t that can follow the first symbol shared with s.

    In s, k symbols follow it.

    The symbol is the i-th of s and the j-th of t. E ≥ i + j − 2 + |k − m| symbols are not shared, C ≤ min(k, m) + 1 are
    shared, and E / (E + C) must not exceed J. For m ≤ k this means i + j − 2 + k − m ≤ J(i + j − 1 + k); for m ≥ k it
    means i + j − 2 + m − k ≤ J(i + j − 1 + m).
    """
    before = i + j - 2
    shortest = math.ceil(before + k - distance * (before + 1 + k))
    longest = math.floor((k - before + distance * (before + 1)) / (1 - distance))
    return max(shortest, 0), longest


def suffix(sets: Any, *, threshold: float | str | Threshold = "0.9", order: Order = "rare") -> Found:
    """Finds all pairs of sets with at least this Jaccard similarity.

    Elements are sorted from rare to frequent or, with order="lexical", as Python sorts them. Two sets are compared only
    if they share an early element and have similar numbers of elements before and after it.

    >>> suffix(["abcdef", "bcdef", "cdef"], threshold=0.8)
    Found(2 pairs of 2 candidates; 3 strings in 5 entries, 13 probes)
    """
    return join(SuffixIndex, sets, threshold, order)
