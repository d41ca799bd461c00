"""The similarity of the least similar pair of each cluster, which may be below the threshold."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.engines.stages.arrows import KernelArrows
from lookalike.flow.arrays import Rows, take
from lookalike.index.index import Index
from lookalike.io.open import open_source
from lookalike.kernel import default
from lookalike.planning.resolve import ResolvedPlan
from lookalike.service.member_pairs import compared_members, pairs_within

AT_ONCE = 4096
"""The number of documents that are read at a time, about."""


def least_similarities(
    index: Index, ids: pa.Array, starts: Rows, first: int
) -> Iterator[tuple[int, npt.NDArray[np.float64]]]:
    """Yields the least similarities of some clusters, from cluster `first` on, each time with the first of them.

    Cluster i has the ids from `starts[i]` to `starts[i + 1]`. Documents that were deleted in the meantime do not count;
    without a pair, the similarity is 1.
    """
    plan = index.plan
    while first < len(starts) - 1:
        assert isinstance(plan, ResolvedPlan)  # there are clusters, so documents were added
        rows: list[Rows] = []
        sizes: list[int] = []
        while first + len(sizes) < len(starts) - 1 and sum(sizes) < AT_ONCE:
            start, stop = starts[first + len(sizes)], starts[first + len(sizes) + 1]
            chosen = compared_members(int(start), int(stop))
            rows.append(chosen)
            sizes.append(len(chosen))
        yield first, _of_some(index, plan, take(ids, np.concatenate(rows)), sizes)
        first += len(sizes)


def _of_some(index: Index, plan: ResolvedPlan, ids: pa.Array, sizes: list[int]) -> npt.NDArray[np.float64]:
    found = index.documents(ids)
    left_over = _left_of_each(ids, found["id"].combine_chunks(), sizes)
    left, right = pairs_within(left_over)
    least = np.ones(len(sizes))
    if len(left):
        similarity = KernelArrows(default()).measure(plan, open_source(found), left, right)
        np.minimum.at(least, np.searchsorted(np.cumsum(left_over), left, side="right"), similarity)
    return least


def _left_of_each(ids: pa.Array, found: pa.Array, sizes: list[int]) -> list[int]:
    """Returns how many members of each cluster were found. Usually, that is all of them."""
    if len(found) == len(ids):
        return sizes
    there, counts, start = set(found.to_pylist()), [], 0
    for size in sizes:
        counts.append(sum(id in there for id in ids[start : start + size].to_pylist()))
        start += size
    return counts
