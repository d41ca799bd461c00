"""An island that does not fit into memory → shares of its work that do.

It is worked on by its buckets: those of as many bands at once as fit; where one band does not, some of its buckets at a
time; where one bucket does not, pairs of blocks of it. A candidate pair is dealt with in the first band in which it
meets, so that no pair comes twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lookalike import kernel
from lookalike.engines.islands import each_band
from lookalike.engines.room import Room
from lookalike.engines.signed import Signed

Rows = npt.NDArray[np.int64]
NONE = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Work:
    """Some rows of the island, ascending, and the share of their pairs to deal with."""

    rows: Rows
    share: kernel.Share
    in_large: int | None = None
    """Pairs of a bucket that is not here in one piece: the first of its blocks has them all, the others none."""


def shares(
    signed: Signed, rows: Rows, cost: Rows, room: Room, threads: int, forest: kernel.Forest | None
) -> Iterator[Work]:
    """Work on the island of these rows that costs no more at a time than there is room for.

    With a forest, which whoever does the work joins as it goes, buckets that hang together already are left out.
    """
    island = _Island(signed, rows, cost, room, threads, forest)
    waiting, since = NONE, 0
    for band in range(signed.bands):
        buckets = island.buckets(band)
        together = np.union1d(waiting, buckets.members)
        if island.spent(together) > room.tables:
            if len(waiting):
                yield Work(waiting, kernel.Share(since, band))
                buckets = buckets.apart(forest)  # that may have joined some of them
            waiting, since, together = NONE, band, np.unique(buckets.members)
        if island.spent(together) <= room.tables:
            waiting = together
            continue
        yield from island.pieces(buckets, band)
        since = band + 1
    if len(waiting):
        yield Work(waiting, kernel.Share(since, signed.bands))


@dataclass(frozen=True, eq=False)
class _Buckets:
    """Members of buckets, bucket after bucket, and where each starts."""

    members: Rows
    starts: Rows

    def apart(self, forest: kernel.Forest | None) -> _Buckets:
        """Those whose members do not all hang together yet."""
        if forest is None or not len(self.members):
            return self
        roots = forest.find(self.members)
        apart = np.minimum.reduceat(roots, self.starts[:-1]) != np.maximum.reduceat(roots, self.starts[:-1])
        sizes = np.diff(self.starts)
        return _Buckets(self.members[np.repeat(apart, sizes)], np.concatenate([[0], np.cumsum(sizes[apart])]))

    def between(self, first: int, last: int) -> Rows:
        return self.members[self.starts[first] : self.starts[last]]


@dataclass(frozen=True, eq=False)
class _Island:
    signed: Signed
    rows: Rows
    cost: Rows
    room: Room
    threads: int
    forest: kernel.Forest | None

    def cost_of(self, rows: Rows) -> Rows:
        return self.cost[np.searchsorted(self.rows, rows)]

    def spent(self, rows: Rows) -> int:
        return int(self.cost_of(rows).sum())

    def buckets(self, band: int) -> _Buckets:
        """The buckets of a band."""
        outside = np.ones(self.signed.rows, dtype=bool)
        outside[self.rows] = False
        members, starts, count = [NONE], [np.zeros(1, dtype=np.int64)], 0
        for some, ends in each_band(self.signed, outside, range(band, band + 1), self.room.to_sort, self.threads):
            members.append(some.astype(np.int64))
            starts.append(ends[1:] + count)
            count += len(some)
        return _Buckets(np.concatenate(members), np.concatenate(starts)).apart(self.forest)

    def pieces(self, buckets: _Buckets, band: int) -> Iterator[Work]:
        """Buckets of one band, as many at a time as fit."""
        spent = np.concatenate([[0], np.cumsum(self.cost_of(buckets.members))])[buckets.starts]
        first = 0
        while first < len(spent) - 1:
            last = int(np.searchsorted(spent, spent[first] + self.room.tables, side="right")) - 1
            if last > first:
                yield Work(np.sort(buckets.between(first, last)), kernel.Share(band, band + 1))
            else:
                last = first + 1
                yield from self.blocks(buckets.between(first, last), band)
            first = last

    def blocks(self, bucket: Rows, band: int) -> Iterator[Work]:
        """One bucket that does not fit: each of its blocks, and every two of them."""
        if self.met_before(bucket, band):
            return
        n = len(bucket)
        pairs = kernel.MOST_COUNTED + 1 if n > kernel.LARGEST_COUNTED else n * (n - 1) // 2
        pairs = 0 if n <= kernel.SMALL_BUCKET else pairs
        block = (np.cumsum(self.cost_of(bucket)) - 1) // max(1, self.room.tables // 2)
        blocks = np.split(bucket, np.flatnonzero(np.diff(block)) + 1)
        for i, one in enumerate(blocks):
            yield Work(one, kernel.Share(band, band + 1), 0 if i else pairs)
            for other in blocks[i + 1 :]:
                yield Work(np.concatenate([one, other]), kernel.Share(band, band + 1, split=len(one)), 0)

    def met_before(self, bucket: Rows, band: int) -> bool:
        """Whether all pairs of a bucket met in one earlier band already."""
        for before in range(band):
            first, equal = None, True
            for start, keys in self.signed.keys(before):
                low, high = np.searchsorted(bucket, [start, start + len(keys)])
                here = keys[bucket[low:high] - start]
                first = here[0] if first is None and len(here) else first
                equal = equal and bool((here == first).all())
            if equal:
                return True
        return False
