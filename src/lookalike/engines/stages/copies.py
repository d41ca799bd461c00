"""Texts with the same words: the search sees only one of them, to save time; results have the pairs of all of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lookalike.errors import InvalidOption
from lookalike.flow.arrays import Rows
from lookalike.planning.plan import Plan
from lookalike.results.pairs import MOST_PAIRS

CHUNK = 1 << 20
"""The approximate number of pairs that are processed at a time."""


def unfold_pairs(first: Rows, left: Rows, right: Rows, similarity: npt.NDArray[np.float64] | None) -> tuple[
    Rows, Rows, npt.NDArray[np.float64] | None
]:  # fmt: skip
    """Converts pairs of distinct documents to pairs of all rows, including pairs with the same words (similarity 1).

    `first[row]` is the first row with the same words as `row`, or `row` itself. The result is sorted by (left, right).
    """
    if (total := unfolded(first, left, right)) > MOST_PAIRS:
        raise too_many(None, round(total))
    sizes = np.bincount(first, minlength=len(first)).astype(np.int64)
    if not (sizes > 1).any():
        return _ordered(left, right, similarity)
    members = np.argsort(first, kind="stable").astype(np.int64)
    starts = np.cumsum(sizes) - sizes
    across = sizes[left] * sizes[right]
    count = int(across.sum()) + int((sizes * (sizes - 1) // 2).sum())
    lefts, rights = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    values = None if similarity is None else np.ones(count)
    at = 0
    for chunk in np.split(np.arange(len(left)), np.flatnonzero(np.diff(np.cumsum(across) // CHUNK)) + 1):
        pair = np.repeat(chunk, across[chunk])
        nth = np.arange(len(pair)) - np.repeat(np.cumsum(across[chunk]) - across[chunk], across[chunk])
        wide = sizes[right[pair]]
        one, other = members[starts[left[pair]] + nth // wide], members[starts[right[pair]] + nth % wide]
        here = slice(at, at := at + len(pair))
        lefts[here], rights[here] = np.minimum(one, other), np.maximum(one, other)
        if values is not None and similarity is not None:
            values[here] = similarity[pair]
    for size in np.flatnonzero(np.bincount(sizes)[2:]) + 2:
        groups = members[starts[sizes == size][:, None] + np.arange(size)]
        i, j = np.triu_indices(int(size), 1)
        here = slice(at, at := at + len(groups) * len(i))
        lefts[here], rights[here] = groups[:, i].ravel(), groups[:, j].ravel()
    return _ordered(lefts, rights, values)


def without_copies(first: Rows, rows: Rows) -> Rows:
    """Returns `first` (see `unfold_pairs`) as if none of these rows had copies.

    >>> without_copies(np.array([0, 0, 0, 3]), np.array([0])).tolist()
    [0, 1, 1, 3]
    """
    named = np.zeros(len(first), dtype=bool)
    named[rows] = True
    others = np.flatnonzero(~named & np.isin(first, first[rows]))
    smallest = np.full(len(first), len(first), dtype=np.int64)
    np.minimum.at(smallest, first[others], others)
    apart = first.copy()
    apart[named], apart[others] = np.flatnonzero(named), smallest[first[others]]
    return apart


def _ordered(left: Rows, right: Rows, similarity: npt.NDArray[np.float64] | None) -> tuple[
    Rows, Rows, npt.NDArray[np.float64] | None
]:  # fmt: skip
    """Sorts pairs by (left, right). Sorted input is returned unchanged. Row numbers must fit in 32 bits."""
    place = left.astype(np.uint64) << np.uint64(32) | right.astype(np.uint64)
    if (place[1:] >= place[:-1]).all():
        return left, right, similarity
    order = np.argsort(place)
    del place
    return left[order], right[order], None if similarity is None else similarity[order]


def unfolded(first: Rows, left: Rows, right: Rows) -> float:
    """Returns the approximate number of pairs that `unfold_pairs` returns."""
    # In floating point, because the product of two counts may exceed 2⁶³, and an estimate is enough.
    wide = np.bincount(first, minlength=len(first)).astype(np.float64)
    return float((wide[left] * wide[right]).sum() + (wide * (wide - 1) / 2).sum())


def too_many(plan: Plan | None, pairs: int | None = None) -> InvalidOption:
    """Returns the error for more than MOST_PAIRS similar pairs. `pairs` is their approximate number, if known.

    Without a plan, the goal is assumed to be pairs.
    """
    code = "too-many-pairs-for-stars" if plan is not None and plan.goal == "clusters" else "too-many-pairs"
    return InvalidOption(code, most=MOST_PAIRS, pairs=pairs)
