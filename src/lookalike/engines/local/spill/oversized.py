"""A candidate component that does not fit into memory → pieces of its comparisons that do.

It is processed bucket by bucket: those of as many bands as fit at once; if one band does not fit, some of its buckets
at a time; if one bucket does not fit, pairs of its blocks. A candidate pair is processed in the first band that it
shares, so that no pair appears twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from lookalike.engines.stages.candidate_components import each_band
from lookalike.engines.stages.memory import KEYED, MEMBER, Allowance, CandidateCosts
from lookalike.engines.stages.signed_rows import Signed
from lookalike.flow.arrays import Mask, Rows
from lookalike.flow.buckets import GIANT_BUCKET, LARGEST_COUNTED, MOST_COUNTED, SMALL_BUCKET, Share
from lookalike.flow.distinct import distinct
from lookalike.kernel.protocol import Forest, Kernel

NONE = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Piece:
    """Some rows of the component, ascending, and the share of their pairs to process."""

    rows: Rows
    share: Share
    in_large: int | None = None
    """Pairs of a bucket that is not here in one piece: the first of its blocks has them all, the others none."""
    stars_only: bool = False
    """Compare with first members only, without an index. Rows that are still unmerged are retried with an index."""


def shares(
    kernel: Kernel, signed: Signed, rows: Rows, costs: CandidateCosts, allowance: Allowance, forest: Forest | None
) -> Iterator[Piece]:
    """Work on the island of these rows that costs no more at a time than there is room for.

    With a forest, which whoever does the work joins as it goes, buckets that hang together already are left out.
    """
    component = _Component(kernel, signed, rows, costs, allowance, forest)
    met = _Met(allowance.tables // 16)
    waiting, since = _Demand(), 0
    for band in range(signed.bands):
        buckets = met.first_time(component.buckets(band))
        together = waiting.beside(buckets, component)
        if not component.has_room_for(together):
            if len(waiting.rows):
                yield Piece(waiting.rows, Share(since, band))
                buckets = buckets.unmerged(forest)  # that may have joined some of them
            waiting, since, together = _Demand(), band, _Demand().beside(buckets, component)
        if component.has_room_for(together):
            waiting = together
            continue
        yield from component.pieces(buckets, band)
        since = band + 1
    if len(waiting.rows):
        yield Piece(waiting.rows, Share(since, signed.bands))


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

    def unmerged(self, forest: Forest | None) -> _Buckets:
        """Buckets whose members span more than one component."""
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

    Most buckets are such pairs. No more than `allowance` bytes of them are remembered; others come again, for nothing.
    """

    def __init__(self, allowance: int) -> None:
        self._most = allowance // 16  # while two lists are merged into one
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

    def beside(self, buckets: _Buckets, component: _Component) -> _Demand:
        """These buckets as well."""
        index = int(component.indexes(buckets).max(initial=0))
        rows = distinct(np.append(self.rows, buckets.members))
        return _Demand(rows, self.bands + 1, self.places + len(buckets.members), max(self.index, index))


@dataclass(frozen=True, eq=False)
class _Component:
    kernel: Kernel
    signed: Signed
    rows: Rows
    costs: CandidateCosts
    allowance: Allowance
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
        return held + MEMBER * demand.places + demand.index <= self.allowance.tables

    def buckets(self, band: int) -> _Buckets:
        """The buckets of a band."""
        outside = np.ones(self.signed.rows, dtype=bool)
        outside[self.rows] = False
        members, starts, count = [NONE], [np.zeros(1, dtype=np.int64)], 0
        for some, ends in each_band(self.kernel, self.signed, outside, range(band, band + 1), self.allowance.to_sort):
            members.append(some.astype(np.int64))
            starts.append(ends[1:] + count)
            count += len(some)
        return _Buckets(np.concatenate(members), np.concatenate(starts)).unmerged(self.forest)

    def pieces(self, buckets: _Buckets, band: int) -> Iterator[Piece]:
        """Buckets of one band, as many at a time as fit."""
        index, held = self.indexes(buckets), buckets.sums(self.held(buckets.members) + MEMBER)
        fits = held + index <= self.allowance.tables
        allowance = self.allowance.tables - int(index[fits].max(initial=0))
        spent = np.concatenate([[0], np.cumsum(held)])
        first = 0
        while first < len(held):
            last = int(np.searchsorted(spent, spent[first] + allowance, side="right")) - 1
            last = min(last, first + int(np.argmin(np.append(fits[first:last], False))))  # before one that does not fit
            if last > first or fits[first]:
                last = max(last, first + 1)
                yield Piece(np.sort(buckets.between(first, last)), Share(band, band + 1))
            else:
                last = first + 1
                yield from self.blocks(buckets.between(first, last), band)
            first = last

    def blocks(self, bucket: Rows, band: int) -> Iterator[Piece]:
        """One bucket that does not fit: each of its blocks, and every two of them."""
        yield from self.stars(bucket, band)
        if not self.is_unmerged(bucket) or self.met_before(bucket, band):
            return
        n = len(bucket)
        pairs = MOST_COUNTED + 1 if n > LARGEST_COUNTED else n * (n - 1) // 2
        pairs = 0 if n <= SMALL_BUCKET else pairs
        index = self.costs.index[np.searchsorted(self.rows, bucket)]
        block = (np.cumsum(self.held(bucket) + MEMBER + index) - 1) // max(1, self.allowance.tables // 2)
        blocks = np.split(bucket, np.flatnonzero(np.diff(block)) + 1)
        for i, one in enumerate(blocks):
            if self.is_unmerged(one):
                yield Piece(one, Share(band, band + 1), 0 if i else pairs)
            for other in blocks[i + 1 :]:
                both = np.concatenate([one, other])
                if self.is_unmerged(both):
                    yield Piece(both, Share(band, band + 1, split=len(one)), 0)

    def stars(self, bucket: Rows, band: int) -> Iterator[Piece]:
        """Of a bucket its first member with all others: for near-copies that is all there is to do."""
        if self.forest is None:
            return
        some = (np.cumsum(self.held(bucket) + MEMBER) - 1) // max(
            1, self.allowance.tables - int(self.held(bucket[:1])[0])
        )
        for members in np.split(bucket, np.flatnonzero(np.diff(some)) + 1):
            yield Piece(distinct(np.append(bucket[:1], members)), Share(band, band + 1), stars_only=True)

    def is_unmerged(self, rows: Rows) -> bool:
        """True if the rows span more than one component."""
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
