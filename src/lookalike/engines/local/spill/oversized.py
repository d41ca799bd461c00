"""Divides a candidate component that is too large for memory into pieces that can be compared one by one.

A piece consists of the buckets of as many consecutive bands as fit. If one band does not fit, its buckets are divided
among several pieces. If one bucket does not fit, it is divided into blocks, and a piece consists of one or two blocks.
A candidate pair is processed only in the first band in which both rows share a bucket, so no pair appears twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from lookalike.engines.stages.candidate_components import each_band
from lookalike.engines.stages.memory import KEYED, MEMBER, Allowance, CandidateCosts
from lookalike.engines.stages.signed_parts import SignedParts
from lookalike.flow.arrays import Mask, Rows
from lookalike.flow.buckets import GIANT_BUCKET, LARGEST_COUNTED, MOST_COUNTED, SMALL_BUCKET, Share
from lookalike.flow.distinct import distinct
from lookalike.kernel.protocol import Forest, Kernel

NONE = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Piece:
    """Some rows of the component, in ascending order, and the share of their pairs that is processed."""

    rows: Rows
    share: Share
    in_large: int | None = None
    """For a bucket that is divided into blocks: the number of its pairs in the first piece, and 0 in the other pieces.
    None for all other pieces.
    """
    stars_only: bool = False
    """True if rows are only compared with the first members of their buckets. Rows that are still unmerged after that
    are compared again with an index.
    """


def shares(
    kernel: Kernel, signed: SignedParts, rows: Rows, costs: CandidateCosts, allowance: Allowance, forest: Forest | None
) -> Iterator[Piece]:
    """Divides the component of these rows into pieces that fit into the allowance.

    If a forest is given, the caller must update it after each piece. Buckets whose members are already in the same
    component of the forest are skipped.
    """
    component = Component(kernel, signed, rows, costs, allowance, forest)
    known = _KnownPairs(allowance.tables // 16)
    waiting, since = _Demand(), 0
    for band in range(signed.bands):
        buckets = known.without_known(component.buckets(band))
        together = waiting.beside(buckets, component)
        if not component.has_room_for(together):
            if len(waiting.rows):
                yield Piece(waiting.rows, Share(since, band))
                buckets = buckets.unmerged(forest)  # the caller may have merged some of them
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
    """The members of all buckets, bucket after bucket, and the start of each bucket."""

    members: Rows
    starts: Rows

    @property
    def sizes(self) -> Rows:
        return np.diff(self.starts)

    def select(self, chosen: Mask) -> _Buckets:
        sizes = self.sizes
        return _Buckets(self.members[np.repeat(chosen, sizes)], np.concatenate([[0], np.cumsum(sizes[chosen])]))

    def unmerged(self, forest: Forest | None) -> _Buckets:
        """Returns the buckets whose members span more than one component of the forest."""
        if forest is None or not len(self.members):
            return self
        roots = forest.find(self.members)
        return self.select(np.minimum.reduceat(roots, self.starts[:-1]) != np.maximum.reduceat(roots, self.starts[:-1]))

    def between(self, first: int, last: int) -> Rows:
        return self.members[self.starts[first] : self.starts[last]]

    def sums(self, of_members: Rows) -> Rows:
        """Returns, for each bucket, the sum of the values of its members."""
        return np.diff(np.concatenate([[0], np.cumsum(of_members)])[self.starts])


class _KnownPairs:
    """Remembers buckets of two members, so that the same pair is not processed again in a later band.

    Most buckets have two members. At most `allowance` bytes are used. Further pairs are processed again, which takes
    time but does not change the result.
    """

    def __init__(self, allowance: int) -> None:
        self._most = allowance // 16  # 8 bytes per pair, twice while two lists are merged
        self._pairs = np.zeros(0, dtype=np.uint64)

    def without_known(self, buckets: _Buckets) -> _Buckets:
        """Returns the buckets without known pairs. New pairs are remembered."""
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
        return buckets.select(chosen)


@dataclass(frozen=True, eq=False)
class _Demand:
    """The memory that the buckets of some bands need: rows, bucket entries, and the bytes of the largest index."""

    rows: Rows = field(default_factory=lambda: NONE)
    bands: int = 0
    entries: int = 0
    index: int = 0

    def beside(self, buckets: _Buckets, component: Component) -> _Demand:
        """Returns the demand after the buckets of one more band are added."""
        index = int(component.indexes(buckets).max(initial=0))
        rows = distinct(np.append(self.rows, buckets.members))
        return _Demand(rows, self.bands + 1, self.entries + len(buckets.members), max(self.index, index))


@dataclass(frozen=True, eq=False)
class Component:
    """The rows of a component, their costs, and what they have to fit into."""

    kernel: Kernel
    signed: SignedParts
    rows: Rows
    costs: CandidateCosts
    allowance: Allowance
    forest: Forest | None

    def held(self, rows: Rows, bands: int = 1) -> Rows:
        """Returns the bytes of each row, including its keys.

        With a forest, only the keys of `bands` bands are loaded.
        """
        keys = KEYED * (bands if self.forest is not None else self.signed.bands)
        return self.costs.held[np.searchsorted(self.rows, rows)] + keys

    def indexes(self, buckets: _Buckets) -> Rows:
        """Returns, for each bucket, the bytes of the index that is used to compare its members.

        Small buckets need no index.

        All buckets except giant ones are processed in parallel, so the bytes of their indexes are multiplied by the
        number of threads.
        """
        bytes = buckets.sums(self.costs.index[np.searchsorted(self.rows, buckets.members)])
        bytes[buckets.sizes <= SMALL_BUCKET] = 0
        bytes[buckets.sizes <= GIANT_BUCKET] *= self.kernel.threads
        return bytes

    def has_room_for(self, demand: _Demand) -> bool:
        held = int(self.held(demand.rows, demand.bands).sum())
        return held + MEMBER * demand.entries + demand.index <= self.allowance.tables

    def buckets(self, band: int) -> _Buckets:
        """Returns the buckets of a band whose members are not yet in the same component of the forest."""
        outside = np.ones(self.signed.rows, dtype=bool)
        outside[self.rows] = False
        members, starts, count = [NONE], [np.zeros(1, dtype=np.int64)], 0
        for some, ends in each_band(self.kernel, self.signed, outside, range(band, band + 1), self.allowance.to_sort):
            members.append(some.astype(np.int64))
            starts.append(ends[1:] + count)
            count += len(some)
        return _Buckets(np.concatenate(members), np.concatenate(starts)).unmerged(self.forest)

    def pieces(self, buckets: _Buckets, band: int) -> Iterator[Piece]:
        """Divides the buckets of one band into pieces that fit."""
        index, held = self.indexes(buckets), buckets.sums(self.held(buckets.members) + MEMBER)
        fits = held + index <= self.allowance.tables
        allowance = self.allowance.tables - int(index[fits].max(initial=0))
        spent = np.concatenate([[0], np.cumsum(held)])
        first = 0
        while first < len(held):
            last = int(np.searchsorted(spent, spent[first] + allowance, side="right")) - 1
            last = min(
                last, first + int(np.argmin(np.append(fits[first:last], False)))
            )  # stop before the first bucket that does not fit
            if last > first or fits[first]:
                last = max(last, first + 1)
                yield Piece(np.sort(buckets.between(first, last)), Share(band, band + 1))
            else:
                last = first + 1
                yield from self.blocks(buckets.between(first, last), band)
            first = last

    def blocks(self, bucket: Rows, band: int) -> Iterator[Piece]:
        """Divides a bucket that is too large for memory into blocks. Yields each block and every pair of blocks.

        The pieces of `stars` come first. Pieces whose rows are already in the same component of the forest are skipped.
        """
        yield from self.stars(bucket, band)
        if not self.is_unmerged(bucket) or self.compared_before(bucket, band):
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
        """Yields pieces that compare the first member of a bucket with all others.

        For near-duplicates, this is enough.
        """
        if self.forest is None:
            return
        some = (np.cumsum(self.held(bucket) + MEMBER) - 1) // max(
            1, self.allowance.tables - int(self.held(bucket[:1])[0])
        )
        for members in np.split(bucket, np.flatnonzero(np.diff(some)) + 1):
            yield Piece(distinct(np.append(bucket[:1], members)), Share(band, band + 1), stars_only=True)

    def is_unmerged(self, rows: Rows) -> bool:
        """True if the rows span more than one component of the forest, or if there is no forest."""
        if self.forest is None:
            return True
        roots = self.forest.find(rows)
        return bool((roots != roots[0]).any())

    def compared_before(self, bucket: Rows, band: int) -> bool:
        """True if all members of the bucket were also in the same bucket in an earlier band."""
        return any(self._share_key(bucket, before) for before in range(band))

    def _share_key(self, bucket: Rows, band: int) -> bool:
        first = None
        for start, keys in self.signed.keys(band):
            low, high = np.searchsorted(bucket, [start, start + len(keys)])
            here = keys[bucket[low:high] - start]
            first = here[0] if first is None and len(here) else first
            if (here != first).any():
                return False
        return True
