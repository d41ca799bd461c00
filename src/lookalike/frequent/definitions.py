"""Frequent pairs by definition (MMDS, chapter 6): slow and short. The fast passes are tested against them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import combinations
from typing import TypeVar

Item = TypeVar("Item", int, str)
Counts = dict[tuple[Item, Item], int]
"""Pairs in order, the smaller item first."""


def pairs_of(basket: Iterable[Item]) -> Iterable[tuple[Item, Item]]:
    """All pairs of distinct items. A repeated item counts once."""
    return combinations(sorted(set(basket)), 2)


def naive(baskets: Iterable[Collection[Item]], support: int) -> Counts[Item]:
    """Counts in one pass, with a counter for every pair that occurs: memory is quadratic in the number of items."""
    counts = Counter(pair for basket in baskets for pair in pairs_of(basket))
    return {pair: count for pair, count in counts.items() if count >= support}


def apriori(baskets: Sequence[Collection[Item]], support: int) -> Counts[Item]:
    """Counts in two passes: a pair can only be frequent if both of its items are."""
    items = Counter(item for basket in baskets for item in set(basket))
    frequent = {item for item, count in items.items() if count >= support}
    counts = Counter(pair for basket in baskets for pair in pairs_of(frequent.intersection(basket)))
    return {pair: count for pair, count in counts.items() if count >= support}


def pcy(
    baskets: Sequence[Collection[Item]], support: int, buckets: int, bucket: Callable[[Item, Item], int]
) -> Counts[Item]:
    """Counts by Park, Chen and Yu: pass 1 also counts buckets of pairs. Every frequent pair is in a frequent bucket."""
    items: Counter[Item] = Counter()
    totals = [0] * buckets
    for basket in baskets:
        items.update(set(basket))
        for pair in pairs_of(basket):
            totals[bucket(*pair) % buckets] += 1
    frequent = {item for item, count in items.items() if count >= support}
    bitmap = [total >= support for total in totals]
    counts: Counter[tuple[Item, Item]] = Counter()
    for basket in baskets:
        counts.update(pair for pair in pairs_of(frequent.intersection(basket)) if bitmap[bucket(*pair) % buckets])
    return {pair: count for pair, count in counts.items() if count >= support}


def triangular_place(i: int, j: int, n: int) -> int:
    """The position of the counter of the pair i < j of items 1 … n, from 1 on: (i − 1)(n − i/2) + j − i."""
    if not 1 <= i < j <= n:
        raise ValueError(f"expected 1 <= i < j <= n, got i = {i}, j = {j}, n = {n}")
    return (i - 1) * (2 * n - i) // 2 + j - i


def triangle_pays(pairs: int, items: int) -> bool:
    """True if a triangle (4 bytes per possible pair) is not larger than triples (12 bytes per pair that occurs)."""
    return 3 * pairs >= items * (items - 1) // 2
