"""The chosen shingles of recent rows, which are computed from their texts when a query asks for them.

So an add takes as long as without them. They are in sorted pieces, each at least twice as large as the next one, so
that a query after an add sorts only a few.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from lookalike.flow import Shingles
from lookalike.flow.arrays import Hashes, Rows
from lookalike.index.recent import Recent


class RecentPassages:
    """The rows of chosen shingles. `winnow` chooses the shingles of texts as they are stored."""

    def __init__(self, winnow: Callable[[pa.Array], Shingles]) -> None:
        self._winnow = winnow
        self._pieces: list[tuple[Hashes, Rows]] = []
        self._first = self._last = -1

    def find(self, recent: Recent, wanted: Hashes) -> tuple[Rows, Rows]:
        """Returns the places of shingles in `wanted`, and the rows that have them, in no order."""
        self._update(recent)
        places, rows = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for stored, owners in self._pieces:
            first, last = (np.searchsorted(stored, wanted, side=side) for side in ("left", "right"))
            sizes = last - first
            within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            places.append(np.repeat(np.arange(len(wanted)), sizes))
            rows.append(owners[np.repeat(first, sizes) + within])
        return np.concatenate(places), np.concatenate(rows)

    def _update(self, recent: Recent) -> None:
        """Forgets rows that are in a segment now, and adds new ones."""
        first = int(recent.rows[0]) if len(recent) else -1
        if first != self._first:
            kept = [(owners >= first) & (first >= 0) for _, owners in self._pieces]
            self._pieces = [(keys[mine], rows[mine]) for (keys, rows), mine in zip(self._pieces, kept, strict=True)]
            self._first = first
        new = np.flatnonzero(recent.rows > self._last)
        if not len(new):
            return
        passages = self._winnow(recent.texts_at(new))
        keys, rows = passages.values, np.repeat(recent.rows[new], passages.sizes)
        self._last = recent.last
        while self._pieces and len(self._pieces[-1][0]) < 2 * len(keys):
            more = self._pieces.pop()
            keys, rows = np.concatenate([more[0], keys]), np.concatenate([more[1], rows])
        order = np.argsort(keys, kind="stable")
        self._pieces.append((keys[order], rows[order]))
