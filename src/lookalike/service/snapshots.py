"""Lists of clusters, page by page. All pages that belong together show the same state of the index, a snapshot.

A snapshot is taken when a first page is asked for and the index has changed since the last one. The least similarities
of its clusters are computed when they are first needed, a few clusters at a time; if the time of a request is over, the
next one continues.
"""

from __future__ import annotations

import base64
import json
import secrets
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.errors import ServiceError
from lookalike.flow.arrays import Rows, take
from lookalike.flow.progress import Progress
from lookalike.index.index import Index
from lookalike.service.least_similar import least_similarities

KEPT = 4
"""The number of snapshots whose cursors are valid."""

SHOWN = 10
"""The number of members that a list shows of each cluster."""


@dataclass(eq=False)
class Snapshot:
    """All clusters of two or more documents at one time."""

    number: int
    ids: pa.Array
    """The ids of their members, cluster by cluster, each in the order in which they were added."""
    starts: Rows
    """The place in `ids` of the first member of each cluster, and the number of all members at the end."""
    least: npt.NDArray[np.float64] = field(init=False)
    """The similarity of the least similar pair of each cluster, as far as it is known."""
    known: int = 0
    """The number of clusters for which it is known."""
    _orders: dict[str, Rows] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.least = np.full(len(self), np.nan)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> Rows:
        return np.diff(self.starts)

    def measure(self, index: Index, progress: Progress) -> None:
        """Computes the least similarities that are not known yet."""
        for first, found in least_similarities(index, self.ids, self.starts, self.known):
            self.least[first : first + len(found)] = found
            self.known = first + len(found)
            progress("least similar pairs", self.known, len(self))

    def order(self, by: str, min_size: int) -> Rows:
        """Returns the places of the clusters of this size or more: large or dissimilar ones first, then older ones."""
        if by not in self._orders:
            keys = -self.sizes if by == "size" else self.least
            self._orders[by] = np.argsort(keys, kind="stable")
        order = self._orders[by]
        return order[self.sizes[order] >= min_size]

    def cluster(self, place: int) -> dict[str, Any]:
        """Returns one cluster as it appears in a list."""
        start, stop = int(self.starts[place]), int(self.starts[place + 1])
        least = float(self.least[place])
        members = self.ids[start : min(stop, start + SHOWN)].to_pylist()
        return {
            "id": members[0],
            "size": stop - start,
            "members": members,
            "least_similarity": None if np.isnan(least) else least,
        }


class Asked(NamedTuple):
    """Which page of a list is asked for."""

    order: str
    min_size: int
    limit: int
    cursor: str | None


class Snapshots:
    """The last snapshots of an index. One thread at a time may use them."""

    def __init__(self, identity: str) -> None:
        self._identity = identity
        self._kept: OrderedDict[int, Snapshot] = OrderedDict()
        self._state: tuple[int, ...] | None = None
        self._taken = secrets.randbits(48)
        """The number of the next snapshot. It starts anywhere, so that cursors expire when the service stops."""

    def page(self, index: Index, asked: Asked, progress: Progress) -> dict[str, Any]:
        """Returns a page of the clusters."""
        order, min_size, start = asked.order, asked.min_size, 0
        if asked.cursor is None:
            snapshot = self._current(index, progress)
        else:
            number, order, min_size, start = self._parsed(asked.cursor)
            if number not in self._kept:
                raise ServiceError("cursor-expired")
            snapshot = self._kept[number]
        if order == "similarity":
            snapshot.measure(index, progress)
        places = snapshot.order(order, min_size)
        stop = start + asked.limit
        return {
            "clusters": [snapshot.cluster(place) for place in places[start:stop].tolist()],
            "total": len(places),
            "next": self._cursor(snapshot.number, order, min_size, stop) if stop < len(places) else None,
        }

    def _current(self, index: Index, progress: Progress) -> Snapshot:
        count = len(index)  # notices what was committed
        state = index.store.next_row, count, index.store.deletions  # deleted rows may not be settled yet
        if state != self._state or not self._kept:
            snapshot = _taken(index, self._taken, progress)
            self._taken, self._state = self._taken + 1, state
            self._kept[snapshot.number] = snapshot
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return next(reversed(self._kept.values()))

    def _cursor(self, number: int, order: str, min_size: int, start: int) -> str:
        text = json.dumps([self._identity, number, order, min_size, start], separators=(",", ":"))
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    def _parsed(self, cursor: str) -> tuple[int, str, int, int]:
        try:
            padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
            identity, number, order, min_size, start = json.loads(base64.b64decode(padded, b"-_", validate=True))
        except (ValueError, TypeError, RecursionError):
            raise ServiceError("not-a-cursor") from None
        numbers = (number, min_size, start)
        if not all(type(one) is int and 0 <= one < 1 << 62 for one in numbers) or order not in ("size", "similarity"):
            raise ServiceError("not-a-cursor")
        if identity != self._identity:
            raise ServiceError("cursor-of-another-index")
        return number, order, min_size, start


def _taken(index: Index, number: int, progress: Progress) -> Snapshot:
    """Takes a snapshot of all clusters of two or more documents."""
    clusters = index.clusters(progress=progress)
    sizes = np.bincount(clusters.labels, minlength=len(clusters.labels))
    members = np.flatnonzero(sizes[clusters.labels] >= 2) if len(sizes) else np.zeros(0, np.int64)
    labels = clusters.labels[members]
    order = np.argsort(labels, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(labels[order]) != 0)) if len(order) else np.zeros(0, np.int64)
    ids = clusters.ids if clusters.ids is not None else pa.array([], pa.int64())
    return Snapshot(number, take(ids, members[order]), np.append(starts, len(order)).astype(np.int64))
