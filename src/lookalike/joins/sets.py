"""The native join: all similar pairs of sets of hashed elements."""

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
"""Measures by which the kernel finds the nearest of each set at once; by others they are looked for step by step."""

NATIVE = {"shared": "overlap"}
"""What the kernel calls a measure, where it has another name for it."""

AT_ONCE = 10_000_000
"""Pairs that are held while the nearest among them are looked for."""

STEPS = ("0.9", "0.7", "0.5", "0.3", "0.1", "0.000000001")
"""Thresholds at which `nearest_sets` looks, one after the other; at the last every common element is enough."""


@dataclass(frozen=True, eq=False)
class SetPairs:
    """Pairs of rows and how many elements their sets share, ordered by (left, right)."""

    left: Rows
    right: Rows
    overlap: Rows

    def __len__(self) -> int:
        return len(self.left)

    def chosen(self, which: Any) -> SetPairs:
        return SetPairs(self.left[which], self.right[which], self.overlap[which])


def join_sets(sets: Shingles, right: Shingles | None = None, *, measure: Measure, threads: int = 1) -> SetPairs:
    """All pairs of sets that reach the measure's threshold: of one collection with itself, or of two with each other.

    With itself each pair comes once, left before right; by a measure whose sides are not alike, as (a, b) and (b, a).
    """
    try:
        return _found(sets, right, measure, threads, MOST_PAIRS)
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
    """For each set the `top` sets of the other collection (or the other sets of its own) that are most similar to it.

    Ties go to the earlier row. `measures` is one measure at falling thresholds: a set that has enough partners at one
    of them has its nearest among those, and is not looked for at the next; below the last nothing counts.
    """
    last = measures[-1]
    if last.name in KERNEL_TOP:
        try:
            nearest = default(threads).exact_top(sets, right, top=top, most=MOST_PAIRS, **_native(last))
        except OverflowError:
            raise too_many() from None
        order = np.lexsort((nearest.right, nearest.left))
        return SetPairs(nearest.left[order], nearest.right[order], nearest.intersection[order])
    other = sets if right is None else right
    rows = np.arange(len(sets), dtype=np.int64)
    chosen: list[SetPairs] = []
    for measure in measures:
        enough = np.full(len(sets), measure is last)
        for found in _of_rows(sets, rows, other, measure, threads):
            found = found if right is not None else _others(found)
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


def _of_rows(sets: Shingles, rows: Rows, other: Shingles, measure: Measure, threads: int) -> Iterator[SetPairs]:
    """All pairs that some rows are in, of so few rows at a time that their pairs can be held."""
    try:
        here = _found(_rows_of(sets, rows), other, measure, threads, most=max(AT_ONCE, 2 * len(other)))
    except OverflowError:
        for half in np.array_split(rows, 2):
            yield from _of_rows(sets, half, other, measure, threads)
    else:
        yield SetPairs(rows[here.left], here.right, here.overlap)


def best_of_each(left: Rows, right: Rows, cost: Any, top: int) -> Rows:
    """Which pairs are among the `top` of least cost of their left row, ties to the earlier right row; ordered."""
    order = np.lexsort((right, cost, left))
    sorted_left = left[order]
    place = np.arange(len(order)) - np.searchsorted(sorted_left, sorted_left, "left")
    kept = order[place < top]
    return kept[np.lexsort((right[kept], left[kept]))].astype(np.int64)


def _found(sets: Shingles, right: Shingles | None, measure: Measure, threads: int, most: int) -> SetPairs:
    if isinstance(measure, Overlap):
        return _contained_either_way(sets, right, measure, threads, most)
    if isinstance(measure, Hamming):
        return _without_empty(sets, right, measure, threads, most)
    return _called(sets, right, measure, threads, most)


def _contained_either_way(
    sets: Shingles, right: Shingles | None, measure: Overlap, threads: int, most: int
) -> SetPairs:
    """By the share of the smaller set, which is the greater of the two containments: left in right, right in left."""
    within = Containment(measure.numerator, measure.denominator)
    twice = most if right is not None else 2 * most  # within one collection every pair comes both ways
    one = _called(sets, right, within, threads, twice)
    two = one if right is None else _called(right, sets, within, threads, most)
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
    """The kernel goes by the formula, by which an empty set is near all small ones; here it is similar to nothing."""
    rows = np.flatnonzero(sets.sizes)
    other = rows if right is None else np.flatnonzero(right.sizes)
    found = _called(_rows_of(sets, rows), None if right is None else _rows_of(right, other), measure, threads, most)
    return SetPairs(rows[found.left], other[found.right], found.overlap)


def _native(measure: Measure) -> dict[str, Any]:
    """As the kernel names it; `sum-bag` is Dice's measure there, as it has Dice's name and threshold."""
    name = NATIVE.get(measure.name, measure.name)
    return {"measure": name, "numerator": measure.numerator, "denominator": measure.denominator}


def _called(sets: Shingles, right: Shingles | None, measure: Measure, threads: int, most: int) -> SetPairs:
    found = default(threads).exact_pairs(sets, right, most=most, **_native(measure))
    return SetPairs(found.left, found.right, found.intersection)


def _others(found: SetPairs) -> SetPairs:
    """Without the pairs of a row with itself."""
    return found.chosen(np.flatnonzero(found.left != found.right))


def _rows_of(sets: Shingles, rows: Rows) -> Shingles:
    """The sets of some rows, as a table of its own."""
    if len(rows) == len(sets):
        return sets
    sizes = sets.sizes[rows]
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    places = np.arange(offsets[-1]) + np.repeat(sets.offsets[rows] - offsets[:-1], sizes)
    return Shingles(offsets, sets.values[places])
