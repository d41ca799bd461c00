"""Star clusters: every member is similar to the survivor, not only to other members.

Documents are visited in order of preference. A document that is similar to no survivor becomes a survivor itself;
otherwise the most preferred similar survivor replaces it. So no two survivors are similar.
"""

from __future__ import annotations

from array import array

import numpy as np

from lookalike.flow.arrays import Rows

CHUNK = 1 << 18
"""The number of pairs that are converted to Python integers at a time."""


def first_survivors(rows: int, left: Rows, right: Rows) -> Rows:
    """Returns the survivor of each row, given all similar pairs. Earlier rows are preferred.

    >>> first_survivors(4, np.array([0, 1, 2]), np.array([1, 2, 3])).tolist()
    [0, 0, 2, 2]
    """
    first, second = np.minimum(left, right), np.maximum(left, right)
    order = np.argsort(first, kind="stable")  # in the order in which documents are visited
    survivor = array("q", np.arange(rows, dtype=np.int64).tobytes())
    for start in range(0, len(order), CHUNK):
        here = order[start : start + CHUNK]
        for a, b in zip(first[here].tolist(), second[here].tolist(), strict=True):
            # Every row before `a` was visited, so it is known whether `a` survives; `b` is visited later.
            if survivor[a] == a and survivor[b] == b:
                survivor[b] = a
    return np.frombuffer(survivor, dtype=np.int64)
