"""Finds the most similar pairs of sets, without a threshold: lower and lower thresholds, until there are enough pairs.

Once N pairs reach some threshold, the N most similar pairs are among them. If too many pairs reach it, the rows are
joined in blocks, and the threshold rises to the similarity of the N-th best pair found so far.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from lookalike.flow import Shingles
from lookalike.flow.arrays import Rows
from lookalike.flow.threshold import PLACES
from lookalike.joins.measures import Jaccard
from lookalike.joins.sets import SetPairs, rows_of
from lookalike.kernel import default

STEPS = tuple(map(Fraction, ("0.9", "0.6", "0.3", "0.1", "0.02", "0.000000001")))
"""Thresholds that are tried in turn. At the last one, a single common element is enough."""

AT_ONCE = 5_000_000
"""The maximum number of pairs in memory, in addition to the best ones."""

SMALLEST = STEPS[-1]

MayJoin = Callable[[Shingles, Fraction], bool]


def most_similar_pairs(
    sets: Shingles,
    top: int,
    *,
    below: Fraction = Fraction(1),
    least: Fraction = SMALLEST,
    threads: int = 1,
    may_join: MayJoin = lambda sets, threshold: True,
) -> SetPairs | Fraction:
    """Finds the `top` pairs with the highest Jaccard similarity, of those with a similarity of at least `least`.

    Ties go to the pair whose (left, right) comes first. The result is ordered by (left, right).

    Thresholds of `below` or more are skipped, because fewer than `top` pairs are known to reach them. `may_join`
    returns False if a join at a threshold would take too much memory; that threshold is then returned instead.

    >>> sets = Shingles(np.array([0, 2, 4, 6]), np.array([1, 2, 1, 2, 2, 3], np.uint64))
    >>> best = most_similar_pairs(sets, 2)
    >>> best.left.tolist(), best.right.tolist(), best.overlap.tolist()
    ([0, 0], [1, 2], [2, 1])
    """
    search = _Search(sets, top, threads)
    for step in [step for step in STEPS if least < step < below] + [least]:
        kept, candidates = default(threads).prune_sets(sets, step.numerator, step.denominator)
        if not may_join(candidates, step):
            return step
        search.join(candidates, np.flatnonzero(kept), step)
        if len(search.best) >= top:
            break
    order = np.lexsort((search.best.right, search.best.left))
    return search.best.chosen(order)


class _Search:
    """The best pairs so far. `join` adds those of a threshold, and replaces worse ones."""

    def __init__(self, sets: Shingles, top: int, threads: int) -> None:
        none = np.zeros(0, np.int64)
        self.sizes = sets.sizes
        self.top = top
        self.kernel = default(threads)
        self.best = SetPairs(none, none, none)

    def join(self, sets: Shingles, rows: Rows, threshold: Fraction) -> None:
        """Finds the best pairs at this threshold. `rows` are the rows of the given sets."""
        none = np.zeros(0, np.int64)
        self.best = SetPairs(none, none, none)  # a lower threshold finds all pairs of a higher one again
        try:
            found = self._pairs(sets, None, threshold)
        except OverflowError:
            self._join_blocks(sets, rows, np.arange(len(sets)), threshold)
        else:
            self._add(SetPairs(rows[found.left], rows[found.right], found.overlap))

    def _join_blocks(self, sets: Shingles, rows: Rows, block: Rows, least: Fraction) -> None:
        """Joins each block with all sets from its first row on. Blocks with too many pairs are halved."""
        if len(block) > 1:
            for half in np.array_split(block, 2):
                others = np.arange(half[0], len(sets))
                left, right = rows_of(sets, half), rows_of(sets, others)
                try:
                    found = self._pairs(left, right, max(least, self._reached()))
                except OverflowError:
                    self._join_blocks(sets, rows, half, least)
                    continue
                one, two = half[found.left], others[found.right]
                ahead = np.flatnonzero(one < two)
                self._add(SetPairs(rows[one[ahead]], rows[two[ahead]], found.overlap[ahead]))
            return
        for part in np.array_split(np.arange(block[0] + 1, len(sets)), -(-len(sets) // AT_ONCE)):
            found = self._pairs(rows_of(sets, block), rows_of(sets, part), max(least, self._reached()))
            self._add(SetPairs(rows[block[found.left]], rows[part[found.right]], found.overlap))

    def _pairs(self, sets: Shingles, right: Shingles | None, threshold: Fraction) -> SetPairs:
        found = self.kernel.exact_pairs(
            sets, right, numerator=threshold.numerator, denominator=threshold.denominator, most=AT_ONCE
        )
        return SetPairs(found.left, found.right, found.intersection)

    def _add(self, found: SetPairs) -> None:
        columns = zip(vars(self.best).values(), vars(found).values(), strict=True)
        pairs = SetPairs(*(np.concatenate(column) for column in columns))
        similarity = Jaccard(1).similarity(self.sizes[pairs.left], self.sizes[pairs.right], pairs.overlap)
        if len(pairs) > 2 * self.top:  # only pairs that can be among the best are sorted
            enough = np.partition(similarity, len(pairs) - self.top)[len(pairs) - self.top]
            here = np.flatnonzero(similarity >= enough)
            pairs, similarity = pairs.chosen(here), similarity[here]
        self.best = pairs.chosen(np.lexsort((pairs.right, pairs.left, -similarity))[: self.top])

    def _reached(self) -> Fraction:
        """Returns a threshold that every pair that is still to be found must reach to be among the best."""
        if len(self.best) < self.top:
            return SMALLEST
        left, right, overlap = self.best.left[-1], self.best.right[-1], int(self.best.overlap[-1])
        union = int(self.sizes[left] + self.sizes[right]) - overlap
        return max(SMALLEST, Fraction(overlap * 10**PLACES // union, 10**PLACES))
