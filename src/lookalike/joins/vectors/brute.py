"""Every pair compared, by products of blocks: exact, and for few vectors the quickest there is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lookalike.joins.vectors.measures import Block, Tell, silent
from lookalike.kernel.vectors import Near

BLOCK = 2048


def near_pairs(n: int, block: Callable[[slice], Block], bound: float, most: int, tell: Tell = silent) -> Near:
    """Rows left < right with x·y ≥ bound + own(x) + own(y), in order. Only two blocks are held at a time."""
    lefts, rights = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    total = 0
    for start in range(0, n, BLOCK):
        here = block(slice(start, start + BLOCK))
        limits = (here.own + bound)[:, None]
        found = []
        for other in range(start, n, BLOCK):
            there = here if other == start else block(slice(other, other + BLOCK))
            score = here.values @ there.values.T
            score -= there.own
            i, j = np.nonzero(score >= limits)
            keep = i + start < j + other
            found.append((i[keep] + start, j[keep] + other))
            total += int(np.count_nonzero(keep))
            if total > most:
                raise OverflowError
        left, right = (np.concatenate([pair[side] for pair in found]) for side in (0, 1))
        order = np.lexsort((right, left))
        lefts.append(left[order])
        rights.append(right[order])
        tell(min(start + BLOCK, n))
    return Near(np.concatenate(lefts), np.concatenate(rights), n * (n - 1) // 2)
