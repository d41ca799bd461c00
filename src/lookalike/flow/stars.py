"""Star clusters: every member is similar to its representative itself, never only through others.

Documents are gone through in an order of preference. One that nobody has taken yet becomes a representative, and takes
all that are similar to it and not yet taken. So no two representatives are similar, and whoever is taken belongs to the
most preferred representative that it is similar to.
"""

from __future__ import annotations

from array import array

import numpy as np

from lookalike.flow.arrays import Rows

CHUNK = 1 << 18
"""Pairs that are Python numbers at a time."""


def star_centres(rank: Rows, left: Rows, right: Rows) -> Rows:
    """The representative of every row; `rank` gives each a place of its own in the order of preference, 0 … rows − 1.

    >>> star_centres(np.array([0, 1, 2, 3]), np.array([0, 1, 2]), np.array([1, 2, 3])).tolist()
    [0, 0, 2, 2]
    """
    first, second = np.minimum(rank[left], rank[right]), np.maximum(rank[left], rank[right])
    order = np.argsort(first)  # in the order in which their first ends are gone through
    taken_by = array("q", np.arange(len(rank), dtype=np.int64).tobytes())
    for start in range(0, len(order), CHUNK):
        here = order[start : start + CHUNK]
        for a, b in zip(first[here].tolist(), second[here].tolist(), strict=True):
            # All that could take `a` has passed, so what it is, is settled; `b` is still to come.
            if taken_by[a] == a and taken_by[b] == b:
                taken_by[b] = a
    rows = np.empty(len(rank), dtype=np.int64)
    rows[rank] = np.arange(len(rank))
    centres: Rows = rows[np.frombuffer(taken_by, dtype=np.int64)[rank]]
    return centres


def star_labels(preference: Rows, left: Rows, right: Rows, copy_of: Rows) -> Rows:
    """label[row]: the first row of row's cluster, where pairs are of distinct documents and `copy_of` names these.

    Copies are similar to each other and to the same others, so that they are always taken together: by, or as, the one
    of them that is preferred. Ties of `preference`, of which the smallest comes first, go to the earlier row.
    """
    in_pairs = np.zeros(len(copy_of), dtype=np.bool_)
    in_pairs[left] = in_pairs[right] = True
    paired = np.flatnonzero(in_pairs)  # whoever is in no pair is taken by nobody
    rank = np.empty(len(paired), dtype=np.int64)
    rank[np.argsort(_best_copies(preference, copy_of)[paired])] = np.arange(len(paired))
    nth = np.cumsum(in_pairs) - 1
    centre = np.arange(len(copy_of), dtype=np.int64)
    centre[paired] = paired[star_centres(rank, nth[left], nth[right])]
    centre = centre[copy_of]
    label = np.full(len(copy_of), len(copy_of), dtype=np.int64)
    np.minimum.at(label, centre, np.arange(len(copy_of), dtype=np.int64))
    labels: Rows = label[centre]
    return labels


def _best_copies(preference: Rows, copy_of: Rows) -> Rows:
    """For each row that others are copies of, the place in the order of preference of the best of them and itself."""
    rows = np.arange(len(copy_of), dtype=np.int64)
    place = np.empty_like(rows)
    place[np.argsort(preference, kind="stable")] = rows
    copies = np.flatnonzero(copy_of != rows)
    taken = place[copies]
    np.minimum.at(place, copy_of[copies], taken)
    return place
