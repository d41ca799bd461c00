"""The code that all textbook indexes share: each string is looked up in the index, and then added to it.

An index has two methods. `put` returns the buckets that a string is added to. `look` returns the buckets in which to
look for strings within the distance. The strings in these buckets are candidates, which are then compared exactly.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from lookalike.flow.threshold import Threshold
from lookalike.joins.measures import Jaccard
from lookalike.joins.textbook.order import Order, String, ordered


class Index(Protocol):
    """Decides which buckets a string is added to, and which are searched, for a maximum Jaccard distance J."""

    def __init__(self, distance: Fraction) -> None: ...

    def put(self, s: String) -> Iterable[Hashable]:
        """Returns the buckets that s is added to."""
        ...

    def look(self, s: String) -> Iterable[Hashable]:
        """Returns the buckets to search.

        They contain every indexed string within distance J of s, and possibly others.
        """
        ...


@dataclass(frozen=True)
class Found:
    """The similar pairs, and counts of the steps that were needed to find them."""

    pairs: tuple[tuple[int, int, float], ...]
    """The pairs as (left, right, similarity), sorted; left and right are the positions of the sets."""
    strings: int
    """The number of strings in the index, one per non-empty set."""
    entries: int
    """The total number of entries in all buckets."""
    probes: int
    """The number of bucket searches."""
    candidates: int
    """The number of candidate pairs, each of which is compared once."""

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Iterator[tuple[int, int, float]]:
        return iter(self.pairs)

    def __repr__(self) -> str:
        return (
            f"Found({len(self):,} pairs of {self.candidates:,} candidates; {self.strings:,} strings in "
            f"{self.entries:,} entries, {self.probes:,} probes)"
        )


def join(index: type[Index], sets: Any, threshold: float | str | Threshold, order: Order = "rare") -> Found:
    """Finds all pairs of sets with at least this Jaccard similarity, with the help of an index.

    The pairs do not depend on the order of symbols, but the number of candidates does.
    """
    least = Threshold(threshold)
    measure, rules = Jaccard(least.numerator, least.denominator), index(1 - least.value)
    buckets: defaultdict[Hashable, list[int]] = defaultdict(list)
    strings = ordered(sets, order)
    contents = [set(s) for s in strings]
    pairs: list[tuple[int, int, float]] = []
    entries = probes = candidates = 0
    for row, s in enumerate(strings):
        if not s:
            continue  # an empty set is similar to nothing
        met: set[int] = set()
        for bucket in rules.look(s):
            probes += 1
            met.update(buckets.get(bucket, ()))
        candidates += len(met)
        for other in met:
            sizes, shared = (len(strings[other]), len(s)), len(contents[other] & contents[row])
            if measure.reached(*sizes, shared):
                pairs.append((other, row, measure.similarity(*sizes, shared)))
        for bucket in rules.put(s):
            entries += 1
            buckets[bucket].append(row)
    return Found(tuple(sorted(pairs)), sum(map(bool, strings)), entries, probes, candidates)


def prefix_length(distance: Fraction, length: int) -> int:
    """Returns the length of the prefix in which strings within distance J share a symbol: ⌊J·L⌋ + 1.

    L is the length of the string. Without a shared symbol in this prefix, more than J·L of the L symbols of one string
    would be missing from the other.
    """
    return int(distance * length) + 1
