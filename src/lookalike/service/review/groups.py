"""Groups: the clusters of two or more documents that are under review, as arrays of rows."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from lookalike.flow.arrays import Rows


@dataclass(frozen=True, eq=False)
class Groups:
    """The clusters, ordered by their first rows. A cluster is identified by its first row, which is its key."""

    rows: Rows
    """The members, cluster by cluster, each in ascending order."""
    starts: Rows
    """The place in `rows` of the first member of each cluster, and the number of all members at the end."""
    survivors: Rows
    """The row that represents each cluster."""
    _order: Rows = field(init=False, repr=False)
    """The places of the members in ascending order of their rows."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "_order", np.argsort(self.rows, kind="stable"))

    @classmethod
    def of(cls, rows: Rows, labels: Rows, survivors: Rows | None = None) -> Groups:
        """Groups rows by their labels. `rows` are ascending, and a label is the position of the first row of a cluster.

        `survivors` are the positions of the rows that represent the clusters (default: the first rows).
        """
        sizes = np.bincount(labels, minlength=len(labels))
        members = np.flatnonzero(sizes[labels] >= 2) if len(labels) else np.zeros(0, np.int64)
        members = members[np.argsort(labels[members], kind="stable")]
        ordered = labels[members]
        new = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(members) else np.zeros(0, np.int64)
        chosen = members[new] if survivors is None else survivors[members[new]]
        starts = np.append(new, len(members)).astype(np.int64)
        return cls(rows[members].astype(np.int64), starts, rows[chosen].astype(np.int64))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> Rows:
        return np.diff(self.starts)

    @property
    def firsts(self) -> Rows:
        """The first row of each cluster, ascending."""
        return self.rows[self.starts[:-1]]

    def members(self, place: int) -> Rows:
        """Returns the rows of one cluster."""
        return self.rows[self.starts[place] : self.starts[place + 1]]

    def place_of_key(self, key: str) -> int | None:
        """Returns the place of the cluster with this key; None if there is none."""
        if not (key.isascii() and key.isdecimal() and len(key) < 19):
            return None
        firsts, row = self.firsts, int(key)
        place = int(np.searchsorted(firsts, row))
        return place if place < len(firsts) and firsts[place] == row and str(row) == key else None

    def key(self, place: int) -> str:
        return str(int(self.rows[self.starts[place]]))

    def places_of(self, rows: Rows) -> Rows:
        """Returns the place of the cluster of each row; -1 for rows in no cluster."""
        order = self._order
        at = np.searchsorted(self.rows, rows, sorter=order)
        at = np.minimum(at, max(0, len(order) - 1))
        if not len(order):
            return np.full(len(rows), -1, np.int64)
        found = order[at]
        places = np.searchsorted(self.starts, found, side="right") - 1
        return np.where(self.rows[found] == rows, places, -1).astype(np.int64)
