"""The length index: similar sets have similar sizes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from lookalike.flow.threshold import Threshold
from lookalike.joins.textbook.base import Found, join
from lookalike.joins.textbook.order import Order, String


class LengthIndex:
    """An index with one bucket per length of string."""

    def __init__(self, distance: Fraction) -> None:
        self.similarity = 1 - distance

    def put(self, s: String) -> Iterable[int]:
        return [len(s)]

    def look(self, s: String) -> Iterable[int]:
        """Returns the lengths that strings within distance J of s can have.

        If L is the length of s, they are from L(1 − J) to L/(1 − J): the similarity of two sets is at most the ratio of
        their sizes, and equals the ratio if one set contains the other.
        """
        shortest, longest = math.ceil(len(s) * self.similarity), math.floor(len(s) / self.similarity)
        return range(shortest, longest + 1)


def length(sets: Any, *, threshold: float | str | Threshold = "0.9", order: Order = "rare") -> Found:
    """Finds all pairs of sets with at least this Jaccard similarity. Only sets of similar size are compared.

    >>> length(["abcdef", "bcdef", "cdef"], threshold=0.8)
    Found(2 pairs of 2 candidates; 3 strings in 3 entries, 8 probes)
    """
    return join(LengthIndex, sets, threshold, order)
