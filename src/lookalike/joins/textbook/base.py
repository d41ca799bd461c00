"""The common part of the textbook indexes: strings are added one by one, and each first looks for earlier ones.

An index is two functions. `put` returns the buckets of a string, `look` the buckets in which every string within the
distance is found. Strings in a bucket are candidates only: they are then compared exactly.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from lookalike.flow.threshold import Threshold
from lookalike.joins.measures import Jaccard
from lookalike.joins.textbook.order import String, ordered


class Index(Protocol):
    """Which buckets hold a string, and which are searched, given the greatest Jaccard distance J."""

    def __init__(self, distance: Fraction) -> None: ...

    def put(self, s: String) -> Iterable[Hashable]:
        """The buckets that hold s."""
        ...

    def look(self, s: String) -> Iterable[Hashable]:
        """The buckets that hold every string within the distance of s, and others."""
        ...


@dataclass(frozen=True)
class Found:
    """The similar pairs, and what it took to find them."""

    pairs: tuple[tuple[int, int, float], ...]
    """(left, right, similarity), positions of sets, ordered."""
    strings: int
    """Strings in the index: sets that are not empty."""
    entries: int
    """Places they have in its buckets."""
    probes: int
    """Buckets looked into."""
    candidates: int
    """Pairs let through, each compared once."""

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Iterator[tuple[int, int, float]]:
        return iter(self.pairs)

    def __repr__(self) -> str:
        return (
            f"Found({len(self):,} pairs of {self.candidates:,} candidates; {self.strings:,} strings in "
            f"{self.entries:,} entries, {self.probes:,} probes)"
        )


def join(index: type[Index], sets: Any, threshold: float | str | Threshold) -> Found:
    """All pairs of sets of at least this Jaccard similarity, by way of an index."""
    least = Threshold(threshold)
    measure, rules = Jaccard(least.numerator, least.denominator), index(1 - least.value)
    buckets: defaultdict[Hashable, list[int]] = defaultdict(list)
    strings = ordered(sets)
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
    """⌊J·L⌋ + 1: a string within J of this one shares one of so many first symbols, of each of the two.

    If it shared none of them, more than J·L of the L symbols would be missing from it.
    """
    return int(distance * length) + 1
