"""Frequent pairs by definition (MMDS, chapter 6), in slow but short code that the fast passes are tested against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import combinations
from typing import TypeVar

Item = TypeVar("Item", int, str)
Counts = dict[tuple[Item, Item], int]
"""Maps each pair, a tuple with the smaller item first, to its count."""


def pairs_of(basket: Iterable[Item]) -> Iterable[tuple[Item, Item]]:
    """Returns all pairs of distinct items in a basket. A repeated item counts once."""
    return combinations(sorted(set(basket)), 2)


def naive(baskets: Iterable[Collection[Item]], support: int) -> Counts[Item]:
    """Counts the frequent pairs in one pass, with a counter for every pair that occurs.

    Memory can be quadratic in the number of items.
    """
    counts = Counter(pair for basket in baskets for pair in pairs_of(basket))
    return {pair: count for pair, count in counts.items() if count >= support}


def apriori(baskets: Sequence[Collection[Item]], support: int) -> Counts[Item]:
    """Counts the frequent pairs in two passes.

    The second pass counts only pairs of frequent items, because other pairs cannot be frequent.
    """
    items = Counter(item for basket in baskets for item in set(basket))
    frequent = {item for item, count in items.items() if count >= support}
    counts = Counter(pair for basket in baskets for pair in pairs_of(frequent.intersection(basket)))
    return {pair: count for pair, count in counts.items() if count >= support}


def pcy(
    baskets: Sequence[Collection[Item]], support: int, buckets: int, bucket: Callable[[Item, Item], int]
) -> Counts[Item]:
    """Counts the frequent pairs by the method of Park, Chen and Yu.

    Pass 1 also hashes pairs to buckets and counts the buckets: every frequent pair is in a frequent bucket.
    """
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
    """Returns the position of the pair i < j in a triangular array of the pairs of items 1 … n.

    Positions start at 1. The position is (i − 1)(n − i/2) + j − i.
    """
    if not 1 <= i < j <= n:
        raise ValueError(f"expected 1 <= i < j <= n, got i = {i}, j = {j}, n = {n}")
    return (i - 1) * (2 * n - i) // 2 + j - i


def triangle_pays(pairs: int, items: int) -> bool:
    """True if a triangular array takes no more memory than triples.

    A triangular array takes 4 bytes per possible pair, and triples take 12 bytes per existing pair.
    """
    return 3 * pairs >= items * (items - 1) // 2
