"""The connected components of rows, from the edges of a forest. Rows without edges are components of their own."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lookalike.flow.arrays import Rows
from lookalike.kernel.protocol import Kernel

MOST_MOVED = 1 << 14
"""The number of components that are merged one by one before all labels are computed again."""


class Components:
    """The label of each row: equal for rows of the same component. Labels may change when components merge."""

    def __init__(self, kernel: Kernel, edges: npt.NDArray[np.int64] | None = None) -> None:
        self._kernel = kernel
        self._members = self._labels = np.zeros(0, np.int64)
        self._moved: dict[int, int] = {}
        if edges is not None and len(edges):
            self._rebuild(edges)

    def of(self, rows: Rows) -> Rows:
        """Returns the label of each row."""
        labels = self._base(rows)
        if self._moved:
            distinct, inverse = np.unique(labels, return_inverse=True)
            labels = np.array([self._root(label) for label in distinct.tolist()], np.int64)[inverse]
        return labels

    def join(self, edges: npt.NDArray[np.int64]) -> None:
        """Merges the components of both rows of each edge."""
        if len(edges) + len(self._moved) > MOST_MOVED:
            self._rebuild(edges)
            return
        for one, other in self._base(edges).tolist():
            a, b = self._root(one), self._root(other)
            if a != b:
                self._moved[max(a, b)] = min(a, b)

    def members(self) -> tuple[Rows, Rows]:
        """Returns all rows that are in an edge, ascending, and the smallest row of the component of each."""
        self._rebuild(np.zeros((0, 2), np.int64))
        return self._members, self._labels

    def _base(self, rows: Rows) -> Rows:
        """Returns the labels of rows before the components that were merged since."""
        labels = rows.astype(np.int64, copy=True)
        if len(self._members):
            found = np.minimum(np.searchsorted(self._members, rows), len(self._members) - 1)
            known = self._members[found] == rows
            labels[known] = self._labels[found[known]]
        return labels

    def _root(self, label: int) -> int:
        root = label
        while (above := self._moved.get(root)) is not None:
            root = above
        while label != root:
            above = self._moved[label]
            self._moved[label] = root
            label = above
        return root

    def _rebuild(self, edges: npt.NDArray[np.int64]) -> None:
        moved = np.array([*self._moved.items()], np.int64).reshape(-1, 2)
        known = np.stack([self._members, self._labels], axis=1)
        every = np.concatenate([known, moved, edges])
        rows, places = np.unique(every, return_inverse=True)
        places = places.reshape(-1, 2)
        self._members, self._moved = rows, {}
        self._labels = rows[self._kernel.connect(len(rows), places[:, 0].copy(), places[:, 1].copy())]
