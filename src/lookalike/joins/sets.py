"""Joins sets of hashed elements with the kernel: finds all similar pairs, or the nearest sets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from lookalike.flow import Shingles
from lookalike.flow.arrays import Rows
from lookalike.joins.measures import Containment, Hamming, Measure, Overlap
from lookalike.joins.pair_limit import refuse_too_many, too_many
from lookalike.kernel import default
from lookalike.results.pairs import MOST_PAIRS

KERNEL_TOP = ("jaccard", "dice", "cosine", "shared", "containment")
"""Measures for which the kernel finds the nearest sets directly. For others, `nearest_sets` tries lower and lower
thresholds.
"""

KERNEL_NAMES = {"shared": "overlap"}
"""The names that the kernel uses for measures, if they differ from ours."""

AT_ONCE = 10_000_000
"""The maximum number of pairs in memory while the nearest are selected, or twice the number of right sets if that is
greater.
"""

STEPS = ("0.9", "0.7", "0.5", "0.3", "0.1", "0.000000001")
"""Thresholds that `nearest_sets` tries in turn. At the last one, a single common element is enough."""


@dataclass(frozen=True, eq=False)
class SetPairs:
    """Pairs of rows and the overlaps of their sets, ordered by (left, right)."""

    left: Rows
    right: Rows
    overlap: Rows

    def __len__(self) -> int:
        return len(self.left)

    def chosen(self, which: Any) -> SetPairs:
        return SetPairs(self.left[which], self.right[which], self.overlap[which])


def join_sets(sets: Shingles, right: Shingles | None = None, *, measure: Measure, threads: int = 1) -> SetPairs:
    """Finds all pairs of sets that meet the measure's bound, within one collection or between two.

    Within one collection, each pair appears once, with left < right. With an asymmetric measure, both (a, b) and (b, a)
    may appear.
    """
    try:
        return _similar_pairs(sets, right, measure, threads, MOST_PAIRS)
    except OverflowError:
        raise too_many() from None


def nearest_sets(
    sets: Shingles,
    right: Shingles | None = None,
    *,
    top: int,
    measures: list[Measure],
    threads: int = 1,
) -> SetPairs:
    """Finds, for each set, the `top` most similar sets in `right` (default: the other sets).

    Ties go to the earlier row. `measures` lists the same measure at decreasing thresholds. Once a set has `top`
    partners at some threshold, its nearest sets are among those partners. Pairs below the last threshold are never
    found.
    """
    last = measures[-1]
    if last.name in KERNEL_TOP:
        try:
            nearest = default(threads).exact_top(sets, right, top=top, most=MOST_PAIRS, **_kernel_arguments(last))
        except OverflowError:
            raise too_many() from None
        order = np.lexsort((nearest.right, nearest.left))
        return SetPairs(nearest.left[order], nearest.right[order], nearest.intersection[order])
    other = sets if right is None else right
    rows = np.arange(len(sets), dtype=np.int64)
    chosen: list[SetPairs] = []
    for measure in measures:
        enough = np.full(len(sets), measure is last)
        for found in _pairs_of_rows(sets, rows, other, measure, threads):
            found = found if right is not None else _of_different_rows(found)
            enough |= np.bincount(found.left, minlength=len(sets)) >= top
            rank = measure.rank(sets.sizes[found.left], other.sizes[found.right], found.overlap)
            best = best_of_each(found.left, found.right, -rank, top)
            chosen.append(found.chosen(best[enough[found.left[best]]]))
            refuse_too_many(sum(map(len, chosen)))
        rows = rows[~enough[rows]]
        if not len(rows):
            break
    left, right_rows, overlap = (np.concatenate([getattr(c, n) for c in chosen]) for n in ("left", "right", "overlap"))
    order = np.lexsort((right_rows, left))
    return SetPairs(left[order], right_rows[order], overlap[order])


def _pairs_of_rows(sets: Shingles, rows: Rows, other: Shingles, measure: Measure, threads: int) -> Iterator[SetPairs]:
    """Yields all similar pairs of the given rows with `other`, in batches of rows whose pairs fit into memory."""
    try:
        here = _similar_pairs(rows_of(sets, rows), other, measure, threads, most=max(AT_ONCE, 2 * len(other)))
    except OverflowError:
        for half in np.array_split(rows, 2):
            yield from _pairs_of_rows(sets, half, other, measure, threads)
    else:
        yield SetPairs(rows[here.left], here.right, here.overlap)


def best_of_each(left: Rows, right: Rows, cost: Any, top: int) -> Rows:
    """Returns, for each left row, the positions of the `top` pairs with the lowest cost, ordered by (left, right).

    Ties go to the earlier right row.
    """
    order = np.lexsort((right, cost, left))
    sorted_left = left[order]
    rank_in_row = np.arange(len(order)) - np.searchsorted(sorted_left, sorted_left, "left")
    kept = order[rank_in_row < top]
    return kept[np.lexsort((right[kept], left[kept]))].astype(np.int64)


def _similar_pairs(sets: Shingles, right: Shingles | None, measure: Measure, threads: int, most: int) -> SetPairs:
    if isinstance(measure, Overlap):
        return _contained_either_way(sets, right, measure, threads, most)
    if isinstance(measure, Hamming):
        return _without_empty(sets, right, measure, threads, most)
    return _kernel_pairs(sets, right, measure, threads, most)


def _contained_either_way(
    sets: Shingles, right: Shingles | None, measure: Overlap, threads: int, most: int
) -> SetPairs:
    """Finds the pairs that reach the `overlap` threshold: left is contained in right, or right in left."""
    within = Containment(measure.numerator, measure.denominator)
    twice = most if right is not None else 2 * most  # within one collection, a pair may be found in both directions
    one = _kernel_pairs(sets, right, within, threads, twice)
    two = one if right is None else _kernel_pairs(right, sets, within, threads, most)
    columns = (one.left, two.right), (one.right, two.left), (one.overlap, two.overlap)
    both = SetPairs(*(np.concatenate(column) for column in columns))
    if right is None:
        both = both.chosen(np.flatnonzero(both.left < both.right))
    width = len(sets) if right is None else len(right)
    _, first = np.unique(both.left * width + both.right, return_index=True)
    if len(first) > most:
        raise OverflowError("too many pairs")
    return both.chosen(first)


def _without_empty(sets: Shingles, right: Shingles | None, measure: Hamming, threads: int, most: int) -> SetPairs:
    """Finds the pairs of non-empty sets. The kernel would pair an empty set with all small sets."""
    rows = np.flatnonzero(sets.sizes)
    other = rows if right is None else np.flatnonzero(right.sizes)
    found = _kernel_pairs(rows_of(sets, rows), None if right is None else rows_of(right, other), measure, threads, most)
    return SetPairs(rows[found.left], other[found.right], found.overlap)


def _kernel_arguments(measure: Measure) -> dict[str, Any]:
    """Returns the arguments for the kernel.

    `sum-bag` is passed as Dice, because it has the name and threshold of Dice.
    """
    name = KERNEL_NAMES.get(measure.name, measure.name)
    return {"measure": name, "numerator": measure.numerator, "denominator": measure.denominator}


def _kernel_pairs(sets: Shingles, right: Shingles | None, measure: Measure, threads: int, most: int) -> SetPairs:
    found = default(threads).exact_pairs(sets, right, most=most, **_kernel_arguments(measure))
    return SetPairs(found.left, found.right, found.intersection)


def _of_different_rows(found: SetPairs) -> SetPairs:
    """Drops the pairs of a row with itself."""
    return found.chosen(np.flatnonzero(found.left != found.right))


def rows_of(sets: Shingles, rows: Rows) -> Shingles:
    """Returns a table of the sets in the given rows."""
    if len(rows) == len(sets):
        return sets
    sizes = sets.sizes[rows]
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    places = np.arange(offsets[-1]) + np.repeat(sets.offsets[rows] - offsets[:-1], sizes)
    return Shingles(offsets, sets.values[places])
