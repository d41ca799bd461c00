"""An island that does not fit into memory → shares of its work that do.

It is worked on by its buckets: those of as many bands at once as fit; where one band does not, some of its buckets at a
time; where one bucket does not, pairs of blocks of it. A candidate pair is dealt with in the first band in which it
meets, so that no pair comes twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from lookalike.engines.stages.candidate_components import each_band
from lookalike.engines.stages.memory import KEYED, MEMBER, CandidateCosts, Room
from lookalike.engines.stages.signed_rows import Signed
from lookalike.flow.arrays import Mask, Rows
from lookalike.flow.buckets import GIANT_BUCKET, LARGEST_COUNTED, MOST_COUNTED, SMALL_BUCKET, Share
from lookalike.flow.distinct import distinct
from lookalike.kernel.protocol import Forest, Kernel

NONE = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Work:
    """Some rows of the island, ascending, and the share of their pairs to deal with."""

    rows: Rows
    share: Share
    in_large: int | None = None
    """Pairs of a bucket that is not here in one piece: the first of its blocks has them all, the others none."""
    stars_only: bool = False
    """What can be joined without an index, which there is no room for. What then is still apart comes again."""


def shares(
    kernel: Kernel, signed: Signed, rows: Rows, costs: CandidateCosts, room: Room, forest: Forest | None
) -> Iterator[Work]:
    """Work on the island of these rows that costs no more at a time than there is room for.

    With a forest, which whoever does the work joins as it goes, buckets that hang together already are left out.
    """
    island = _Island(kernel, signed, rows, costs, room, forest)
    met = _Met(room.tables // 16)
    waiting, since = _Demand(), 0
    for band in range(signed.bands):
        buckets = met.first_time(island.buckets(band))
        together = waiting.beside(buckets, island)
        if not island.has_room_for(together):
            if len(waiting.rows):
                yield Work(waiting.rows, Share(since, band))
                buckets = buckets.apart(forest)  # that may have joined some of them
            waiting, since, together = _Demand(), band, _Demand().beside(buckets, island)
        if island.has_room_for(together):
            waiting = together
            continue
        yield from island.pieces(buckets, band)
        since = band + 1
    if len(waiting.rows):
        yield Work(waiting.rows, Share(since, signed.bands))


@dataclass(frozen=True, eq=False)
class _Buckets:
    """Members of buckets, bucket after bucket, and where each starts."""

    members: Rows
    starts: Rows

    @property
    def sizes(self) -> Rows:
        return np.diff(self.starts)

    def those(self, chosen: Mask) -> _Buckets:
        sizes = self.sizes
        return _Buckets(self.members[np.repeat(chosen, sizes)], np.concatenate([[0], np.cumsum(sizes[chosen])]))

    def apart(self, forest: Forest | None) -> _Buckets:
        """Those whose members do not all hang together yet."""
        if forest is None or not len(self.members):
            return self
        roots = forest.find(self.members)
        return self.those(np.minimum.reduceat(roots, self.starts[:-1]) != np.maximum.reduceat(roots, self.starts[:-1]))

    def between(self, first: int, last: int) -> Rows:
        return self.members[self.starts[first] : self.starts[last]]

    def sums(self, of_members: Rows) -> Rows:
        """The sum over each bucket of what its members have."""
        return np.diff(np.concatenate([[0], np.cumsum(of_members)])[self.starts])


class _Met:
    """Pairs that were a bucket of their own: in later bands, too, most of them are, and have been dealt with.

    Most buckets are such pairs. No more than `room` bytes of them are remembered; others come again, for nothing.
    """

    def __init__(self, room: int) -> None:
        self._most = room // 16  # while two lists are merged into one
        self._pairs = np.zeros(0, dtype=np.uint64)

    def first_time(self, buckets: _Buckets) -> _Buckets:
        """Those that were not there before."""
        two = buckets.sizes == 2
        first = buckets.starts[:-1][two]
        left, right = (buckets.members[first + i].astype(np.uint64) for i in (0, 1))
        pairs = left << np.uint64(32) | right
        place = np.minimum(np.searchsorted(self._pairs, pairs), max(0, len(self._pairs) - 1))
        known = self._pairs[place] == pairs if len(self._pairs) else np.zeros(len(pairs), dtype=bool)
        if len(self._pairs) + len(pairs) <= self._most:
            self._pairs = np.sort(np.concatenate([self._pairs, pairs[~known]]))
        chosen = np.ones(len(two), dtype=bool)
        chosen[two] = ~known
        return buckets.those(chosen)


@dataclass(frozen=True, eq=False)
class _Demand:
    """What the buckets of some bands take: rows to be loaded, places in buckets, and bytes of the largest index."""

    rows: Rows = field(default_factory=lambda: NONE)
    bands: int = 0
    places: int = 0
    index: int = 0

    def beside(self, buckets: _Buckets, island: _Island) -> _Demand:
        """These buckets as well."""
        index = int(island.indexes(buckets).max(initial=0))
        rows = distinct(np.append(self.rows, buckets.members))
        return _Demand(rows, self.bands + 1, self.places + len(buckets.members), max(self.index, index))


@dataclass(frozen=True, eq=False)
class _Island:
    kernel: Kernel
    signed: Signed
    rows: Rows
    costs: CandidateCosts
    room: Room
    forest: Forest | None

    def held(self, rows: Rows, bands: int = 1) -> Rows:
        """Bytes of each of these rows, with its keys: for a forest those of so many bands will do."""
        keys = KEYED * (bands if self.forest is not None else self.signed.bands)
        return self.costs.held[np.searchsorted(self.rows, rows)] + keys

    def indexes(self, buckets: _Buckets) -> Rows:
        """Bytes of the index of each bucket, or of as many as are made side by side."""
        bytes = buckets.sums(self.costs.index[np.searchsorted(self.rows, buckets.members)])
        bytes[buckets.sizes <= SMALL_BUCKET] = 0
        bytes[buckets.sizes <= GIANT_BUCKET] *= self.kernel.threads
        return bytes

    def has_room_for(self, demand: _Demand) -> bool:
        held = int(self.held(demand.rows, demand.bands).sum())
        return held + MEMBER * demand.places + demand.index <= self.room.tables

    def buckets(self, band: int) -> _Buckets:
        """The buckets of a band."""
        outside = np.ones(self.signed.rows, dtype=bool)
        outside[self.rows] = False
        members, starts, count = [NONE], [np.zeros(1, dtype=np.int64)], 0
        for some, ends in each_band(self.kernel, self.signed, outside, range(band, band + 1), self.room.to_sort):
            members.append(some.astype(np.int64))
            starts.append(ends[1:] + count)
            count += len(some)
        return _Buckets(np.concatenate(members), np.concatenate(starts)).apart(self.forest)

    def pieces(self, buckets: _Buckets, band: int) -> Iterator[Work]:
        """Buckets of one band, as many at a time as fit."""
        index, held = self.indexes(buckets), buckets.sums(self.held(buckets.members) + MEMBER)
        fits = held + index <= self.room.tables
        room = self.room.tables - int(index[fits].max(initial=0))
        spent = np.concatenate([[0], np.cumsum(held)])
        first = 0
        while first < len(held):
            last = int(np.searchsorted(spent, spent[first] + room, side="right")) - 1
            last = min(last, first + int(np.argmin(np.append(fits[first:last], False))))  # before one that does not fit
            if last > first or fits[first]:
                last = max(last, first + 1)
                yield Work(np.sort(buckets.between(first, last)), Share(band, band + 1))
            else:
                last = first + 1
                yield from self.blocks(buckets.between(first, last), band)
            first = last

    def blocks(self, bucket: Rows, band: int) -> Iterator[Work]:
        """One bucket that does not fit: each of its blocks, and every two of them."""
        yield from self.stars(bucket, band)
        if not self.is_apart(bucket) or self.met_before(bucket, band):
            return
        n = len(bucket)
        pairs = MOST_COUNTED + 1 if n > LARGEST_COUNTED else n * (n - 1) // 2
        pairs = 0 if n <= SMALL_BUCKET else pairs
        index = self.costs.index[np.searchsorted(self.rows, bucket)]
        block = (np.cumsum(self.held(bucket) + MEMBER + index) - 1) // max(1, self.room.tables // 2)
        blocks = np.split(bucket, np.flatnonzero(np.diff(block)) + 1)
        for i, one in enumerate(blocks):
            if self.is_apart(one):
                yield Work(one, Share(band, band + 1), 0 if i else pairs)
            for other in blocks[i + 1 :]:
                both = np.concatenate([one, other])
                if self.is_apart(both):
                    yield Work(both, Share(band, band + 1, split=len(one)), 0)

    def stars(self, bucket: Rows, band: int) -> Iterator[Work]:
        """Of a bucket its first member with all others: for near-copies that is all there is to do."""
        if self.forest is None:
            return
        some = (np.cumsum(self.held(bucket) + MEMBER) - 1) // max(1, self.room.tables - int(self.held(bucket[:1])[0]))
        for members in np.split(bucket, np.flatnonzero(np.diff(some)) + 1):
            yield Work(distinct(np.append(bucket[:1], members)), Share(band, band + 1), stars_only=True)

    def is_apart(self, rows: Rows) -> bool:
        """Whether they do not all hang together yet."""
        if self.forest is None:
            return True
        roots = self.forest.find(rows)
        return bool((roots != roots[0]).any())

    def met_before(self, bucket: Rows, band: int) -> bool:
        """Whether all pairs of a bucket met in one earlier band already."""
        return any(self._meets(bucket, before) for before in range(band))

    def _meets(self, bucket: Rows, band: int) -> bool:
        first = None
        for start, keys in self.signed.keys(band):
            low, high = np.searchsorted(bucket, [start, start + len(keys)])
            here = keys[bucket[low:high] - start]
            first = here[0] if first is None and len(here) else first
            if (here != first).any():
                return False
        return True
