"""Exact copies: collapsed before the work, unfolded after it. A document that stands 10,000 times costs one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lookalike.errors import InvalidOption
from lookalike.flow.pairs import MOST_PAIRS
from lookalike.plan import Plan

Rows = npt.NDArray[np.int64]


def unfold_pairs(first: Rows, left: Rows, right: Rows, similarity: npt.NDArray[np.float64] | None) -> tuple[
    Rows, Rows, npt.NDArray[np.float64] | None
]:  # fmt: skip
    """Pairs of distinct documents → all pairs: those between their copies, and those among the copies of one.

    `first[row]` is the first copy of row. Pairs come out ordered by (left, right).
    """
    members = np.argsort(first, kind="stable").astype(np.int64)
    sizes = np.bincount(first, minlength=len(first)).astype(np.int64)
    starts = np.cumsum(sizes) - sizes
    _refuse_too_many(sizes, left, right)

    across = sizes[left] * sizes[right]
    pair = np.repeat(np.arange(len(left)), across)
    nth = np.arange(len(pair)) - np.repeat(np.cumsum(across) - across, across)
    wide = sizes[right][pair]
    one = members[starts[left][pair] + nth // wide]
    other = members[starts[right][pair] + nth % wide]

    lefts, rights = [np.minimum(one, other)], [np.maximum(one, other)]
    for size in np.flatnonzero(np.bincount(sizes)[2:]) + 2:
        groups = members[starts[sizes == size][:, None] + np.arange(size)]
        i, j = np.triu_indices(int(size), 1)
        lefts.append(groups[:, i].ravel())
        rights.append(groups[:, j].ravel())
    all_left, all_right = np.concatenate(lefts), np.concatenate(rights)
    order = np.lexsort((all_right, all_left))
    if similarity is None:
        return all_left[order], all_right[order], None
    values = np.ones(len(all_left))
    values[: len(pair)] = similarity[pair]
    return all_left[order], all_right[order], values[order]


def _refuse_too_many(sizes: Rows, left: Rows, right: Rows) -> None:
    # in floating point: the product of two counts may pass 2⁶³, and an estimate is all that is needed
    wide = sizes.astype(np.float64)
    total = float((wide[left] * wide[right]).sum() + (wide * (wide - 1) / 2).sum())
    if total > MOST_PAIRS:
        raise too_many(f"about {total:,.0f}")


def too_many(pairs: str, plan: Plan | None = None) -> InvalidOption:
    """`plan` is the one that asked for them; the default asked for pairs."""
    instead = "Ask for clusters instead, which say the same in one row a document."
    if plan is not None and plan.goal == "clusters":
        instead = "Star clusters need all of them: raise the threshold, or take linkage connected, which does not."
    return InvalidOption(
        f"there are {pairs} similar pairs, more than the {MOST_PAIRS:,} that are ever listed. {instead}"
    )
