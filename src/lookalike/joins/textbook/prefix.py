"""The prefix index: similar sets share one of their rarest elements. Sets → pairs of at least a Jaccard similarity."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from lookalike.flow.threshold import Threshold
from lookalike.joins.textbook.base import Found, join, prefix_length
from lookalike.joins.textbook.order import String


class PrefixIndex:
    """A bucket for every symbol. A string is in those of its first ⌊J·L⌋ + 1 symbols, and is looked for there."""

    def __init__(self, distance: Fraction) -> None:
        self.distance = distance

    def put(self, s: String) -> Iterable[int]:
        return s[: prefix_length(self.distance, len(s))]

    look = put


def prefix(sets: Any, *, threshold: float | str | Threshold = "0.9") -> Found:
    """The pairs of sets of at least this Jaccard similarity; only sets that share a rare element are compared.

    >>> prefix(["abcdef", "bcdef", "cdef"], threshold=0.8)
    Found(2 pairs of 2 candidates; 3 strings in 5 entries, 5 probes)
    """
    return join(PrefixIndex, sets, threshold)
