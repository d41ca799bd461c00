"""Star clusters: every member is similar to its representative, not only to other members.

Documents are visited in order of preference. A document that is not yet in a cluster becomes a representative, and all
similar documents that are not yet in a cluster join it. So no two representatives are similar, and every member belongs
to the most preferred representative that it is similar to.
"""

from __future__ import annotations

from array import array

import numpy as np

from lookalike.flow.arrays import Rows

CHUNK = 1 << 18
"""The number of pairs that are converted to Python integers at a time."""


def star_centres(rank: Rows, left: Rows, right: Rows) -> Rows:
    """Returns the representative of each row. `rank[row]` is the row's place in the order of preference, starting at 0.

    >>> star_centres(np.array([0, 1, 2, 3]), np.array([0, 1, 2]), np.array([1, 2, 3])).tolist()
    [0, 0, 2, 2]
    """
    first, second = np.minimum(rank[left], rank[right]), np.maximum(rank[left], rank[right])
    order = np.argsort(first)  # in the order in which documents are visited
    taken_by = array("q", np.arange(len(rank), dtype=np.int64).tobytes())
    for start in range(0, len(order), CHUNK):
        here = order[start : start + CHUNK]
        for a, b in zip(first[here].tolist(), second[here].tolist(), strict=True):
            # Every document preferred to `a` was visited, so the cluster of `a` is final; `b` is visited later.
            if taken_by[a] == a and taken_by[b] == b:
                taken_by[b] = a
    rows = np.empty(len(rank), dtype=np.int64)
    rows[rank] = np.arange(len(rank))
    centres: Rows = rows[np.frombuffer(taken_by, dtype=np.int64)[rank]]
    return centres


def star_labels(preference: Rows, left: Rows, right: Rows, copy_of: Rows) -> Rows:
    """Returns, for each row, the first row of its cluster.

    Pairs contain only distinct documents; `copy_of` maps each row to the distinct document that it is a copy of.
    Exact copies have the same similar documents, so they are always in the same cluster, and the most preferred
    copy represents all of them. The row with the smallest `preference` is visited first; ties go to the earlier row.
    """
    in_pairs = np.zeros(len(copy_of), dtype=np.bool_)
    in_pairs[left] = in_pairs[right] = True
    paired = np.flatnonzero(in_pairs)  # rows without pairs are clusters of their own
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
    """Returns the place of each row in the order of preference. Exact copies share the best place among them."""
    rows = np.arange(len(copy_of), dtype=np.int64)
    place = np.empty_like(rows)
    place[np.argsort(preference, kind="stable")] = rows
    copies = np.flatnonzero(copy_of != rows)
    taken = place[copies]
    np.minimum.at(place, copy_of[copies], taken)
    return place
