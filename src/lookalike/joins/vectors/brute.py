"""Compares every pair of vectors, using matrix products of blocks. This is exact, and fastest for few vectors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lookalike.flow.arrays import Rows
from lookalike.flow.progress import Progress, silent
from lookalike.joins.vectors.measures import Block
from lookalike.kernel import default
from lookalike.kernel.vectors import IsNear, Near

BLOCK = 2048
"""The number of rows per block."""


def near_pairs(
    n: int,
    block: Callable[[slice], Block],
    bound: float,
    is_near: IsNear,
    most: int,
    threads: int = 1,
    progress: Progress = silent,
) -> Near:
    """Finds all pairs of rows with left < right and x·y ≥ bound + own(x) + own(y), in order.

    `block` prepares a slice of the rows; only two blocks are in memory at a time. If more than `most` pairs are found,
    only those that pass `is_near` are kept. Raises OverflowError if there are still more than `most`.
    """
    found: list[tuple[Rows, Rows]] = []
    verified, near, unverified = 0, 0, 0

    def verify() -> None:
        nonlocal verified, near, unverified
        for i in range(verified, len(found)):
            left, right = found[i]
            true = is_near(left, right)
            found[i] = (left[true], right[true])
            near += len(found[i][0])
        verified, unverified = len(found), 0
        if near > most:
            raise OverflowError

    for start in range(0, n, BLOCK):
        here = block(slice(start, start + BLOCK))
        limits = (here.own + bound).astype(here.own.dtype)
        first = len(found)
        for other in range(start, n, BLOCK):
            there = here if other == start else block(slice(other, other + BLOCK))
            i, j = default(threads).scores_above(here.values @ there.values.T, -there.own, limits)
            keep = i + start < j + other
            found.append((i[keep] + start, j[keep] + other))
            unverified += int(np.count_nonzero(keep))
            if near + unverified > most:
                verify()
        if verified > first:
            verify()
        left, right = (np.concatenate([pair[side] for pair in found[first:]]) for side in (0, 1))
        order = np.lexsort((right, left))
        found[first:] = [(left[order], right[order])]
        verified = min(verified, len(found))
        progress("join", min(start + BLOCK, n), n)
    nothing = np.zeros(0, np.int64)
    left, right = (np.concatenate([nothing, *(pair[side] for pair in found)]) for side in (0, 1))
    return Near(left, right, n * (n - 1) // 2)
