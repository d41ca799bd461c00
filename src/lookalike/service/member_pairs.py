"""Which pairs of members of clusters are compared: all of a cluster or, of a large one, all of a sample of members."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from lookalike.flow.arrays import Rows

SAMPLED = 1000
"""The maximum number of members of a cluster that are compared with one another: 499,500 pairs."""

USUAL = 50
"""The pairs of clusters of up to this size are kept, because most clusters are small."""


def compared_members(start: int, stop: int) -> Rows:
    """Returns the places of the members that are compared, of those from `start` to `stop`.

    Of more than `SAMPLED` members, that many are chosen at equal distances, so that the same cluster always gives the
    same figures.
    """
    if stop - start <= SAMPLED:
        return np.arange(start, stop, dtype=np.int64)
    return np.unique(np.linspace(start, stop - 1, SAMPLED).astype(np.int64))


def pairs_within(sizes: Iterable[int]) -> tuple[Rows, Rows]:
    """Returns all pairs of members of the same cluster, as positions. `sizes` are those of consecutive clusters.

    >>> pairs_within([2, 1, 3])
    (array([0, 3, 3, 4]), array([1, 4, 5, 5]))
    """
    lefts, rights, start = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0
    for size in sizes:
        left, right = _usual_pairs(size) if size <= USUAL else np.triu_indices(size, 1)
        lefts.append(left + start)
        rights.append(right + start)
        start += size
    return np.concatenate(lefts).astype(np.int64), np.concatenate(rights).astype(np.int64)


@lru_cache(USUAL + 1)
def _usual_pairs(size: int) -> tuple[Rows, Rows]:
    left, right = np.triu_indices(size, 1)
    return left, right
