"""Every pair compared, by products of blocks: exact, and for few vectors the quickest there is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lookalike.flow.arrays import Rows
from lookalike.flow.progress import Progress, silent
from lookalike.joins.vectors.measures import Block
from lookalike.kernel.vectors import IsNear, Near

BLOCK = 2048


def near_pairs(
    n: int,
    block: Callable[[slice], Block],
    bound: float,
    is_near: IsNear,
    most: int,
    progress: Progress = silent,
) -> Near:
    """Rows left < right with x·y ≥ bound + own(x) + own(y), in order. Only two blocks are held at a time.

    Where that holds of more than `most` pairs, `is_near` says which of them count; raises OverflowError beyond `most`.
    """
    found: list[tuple[Rows, Rows]] = []
    looked_at, near, waiting = 0, 0, 0

    def look() -> None:
        nonlocal looked_at, near, waiting
        for i in range(looked_at, len(found)):
            left, right = found[i]
            true = is_near(left, right)
            found[i] = (left[true], right[true])
            near += len(found[i][0])
        looked_at, waiting = len(found), 0
        if near > most:
            raise OverflowError

    for start in range(0, n, BLOCK):
        here = block(slice(start, start + BLOCK))
        limits = (here.own + bound)[:, None]
        first = len(found)
        for other in range(start, n, BLOCK):
            there = here if other == start else block(slice(other, other + BLOCK))
            score = here.values @ there.values.T
            score -= there.own
            i, j = np.nonzero(score >= limits)
            keep = i + start < j + other
            found.append((i[keep] + start, j[keep] + other))
            waiting += int(np.count_nonzero(keep))
            if near + waiting > most:
                look()
        if looked_at > first:
            look()
        left, right = (np.concatenate([pair[side] for pair in found[first:]]) for side in (0, 1))
        order = np.lexsort((right, left))
        found[first:] = [(left[order], right[order])]
        looked_at = min(looked_at, len(found))
        progress("join", min(start + BLOCK, n), n)
    nothing = np.zeros(0, np.int64)
    left, right = (np.concatenate([nothing, *(pair[side] for pair in found)]) for side in (0, 1))
    return Near(left, right, n * (n - 1) // 2)
