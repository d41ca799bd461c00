"""The prefix index: similar sets share one of their rarest elements."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from lookalike.flow.threshold import Threshold
from lookalike.joins.textbook.base import Found, join, prefix_length
from lookalike.joins.textbook.order import Order, String


class PrefixIndex:
    """An index with one bucket per symbol. A string is added to the buckets of its first ⌊J·L⌋ + 1 symbols.

    The same buckets are searched for similar strings.
    """

    def __init__(self, distance: Fraction) -> None:
        self.distance = distance

    def put(self, s: String) -> Iterable[int]:
        return s[: prefix_length(self.distance, len(s))]

    look = put


def prefix(sets: Any, *, threshold: float | str | Threshold = "0.9", order: Order = "rare") -> Found:
    """Finds all pairs of sets with at least this Jaccard similarity. Only sets that share a rare element are compared.

    With order="lexical", elements are sorted as Python sorts them, and the shared element need not be rare.

    >>> prefix(["abcdef", "bcdef", "cdef"], threshold=0.8)
    Found(2 pairs of 2 candidates; 3 strings in 5 entries, 5 probes)
    """
    return join(PrefixIndex, sets, threshold, order)
