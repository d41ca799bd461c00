"""Every pair compared, by products of blocks: exact, and for few vectors the quickest there is."""

from __future__ import annotations

import numpy as np

from lookalike.flow.pairs import MOST_PAIRS
from lookalike.joins.limit import too_many
from lookalike.joins.vectors.measures import Prepared, Rows

BLOCK = 2048


def near_pairs(table: Prepared, most: int = MOST_PAIRS) -> tuple[Rows, Rows]:
    """Rows left < right that may be near, in order."""
    n = len(table.values)
    halves = np.zeros(n, np.float32) if table.halves is None else table.halves
    lefts, rights = [], []
    total = 0
    for start in range(0, n, BLOCK):
        rows = slice(start, start + BLOCK)
        found = []
        for other in range(start, n, BLOCK):
            columns = slice(other, other + BLOCK)
            score = table.values[rows] @ table.values[columns].T
            score -= halves[columns]
            i, j = np.nonzero(score >= table.least + halves[rows, None])
            keep = i + start < j + other
            found.append((i[keep] + start, j[keep] + other))
            total += int(np.count_nonzero(keep))
            if total > most:
                raise too_many(f"over {most:,}")
        left, right = (np.concatenate([pair[side] for pair in found]).astype(np.int64) for side in (0, 1))
        order = np.lexsort((right, left))
        lefts.append(left[order])
        rights.append(right[order])
    nothing = np.zeros(0, np.int64)
    return np.concatenate([nothing, *lefts]), np.concatenate([nothing, *rights])
