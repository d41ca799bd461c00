"""Finds verified pairs that connect new rows with the components of an index, without listing all similar pairs.

One verified pair per pair of components is enough. So candidates are put into classes by the components of both rows,
and only one pair of each class is verified at first; if it is not similar, the next ones are, twice as many each time.
Buckets with many rows are looked at through their first rows, and only as a whole if they contain rows of further
components. So a family of near-copies is connected at about one comparison per new row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lookalike.flow import Shingles
from lookalike.flow.arrays import Hashes, Mask, Rows
from lookalike.index.components import Components
from lookalike.index.store import NO_EDGES, Edges, Store
from lookalike.kernel.protocol import Kernel

CAP = 32
"""The rows of each bucket that are looked at first."""

AT_ONCE = 1 << 15
"""The number of pairs that are verified at a time, at most."""

Sets = Callable[[Rows], Shingles]
"""A function that returns the sets of rows, which are distinct and ascend."""


@dataclass(eq=False)
class Uniting:
    """Connects rows with rows of the store. `components` is updated, and `edges` lists what was found."""

    store: Store
    kernel: Kernel
    fraction: tuple[int, int]
    """The Jaccard similarity that two sets must have, as a fraction."""
    components: Components
    sets: Sets
    words: Callable[[Rows], Hashes]
    """A function that returns the hashes of the words of rows."""

    def __post_init__(self) -> None:
        self.edges: list[Edges] = []

    def unite(self, rows: Rows, keys: Hashes, left_out: Mask) -> None:
        """Connects these rows with all rows of the store that are similar to them."""
        found = self.store.few_candidates(keys, left_out, CAP)
        self.link(rows[found.queries], found.rows)
        if len(found.cut_queries):
            self._large_buckets(rows, keys, found.cut_queries, found.cut_bands)

    def link(self, left: Rows, right: Rows) -> None:
        """Connects the rows of these candidate pairs that are similar."""
        same: Mask | None = None
        take = 1
        while True:
            one, other = self.components.of(left), self.components.of(right)
            apart = np.flatnonzero(one != other)
            if not len(apart):
                return
            left, right, one, other = left[apart], right[apart], one[apart], other[apart]
            same = (self._words(left) == self._words(right)).all(axis=1) if same is None else same[apart]
            low, high = np.minimum(one, other), np.maximum(one, other)
            order = np.lexsort((right, left, ~same, high, low))  # pairs with the same words are the first of a class
            starts = np.append(True, (np.diff(low[order]) != 0) | (np.diff(high[order]) != 0))
            rank = np.arange(len(order)) - np.maximum.accumulate(np.where(starts, np.arange(len(order)), 0))
            now = order[rank < take][:AT_ONCE]
            similar = same[now]
            unknown = np.flatnonzero(~similar)
            similar[unknown] = self._similar(left[now[unknown]], right[now[unknown]])
            self.join(left[now[similar]], right[now[similar]])
            rest = np.ones(len(left), bool)
            rest[now] = False
            left, right, same, take = left[rest], right[rest], same[rest], 2 * take

    def _large_buckets(self, rows: Rows, keys: Hashes, queries: Rows, bands: Rows) -> None:
        """Connects rows with the buckets of which only the first rows were looked at."""
        order = np.lexsort((queries, keys[queries, bands], bands))
        queries, bands = queries[order], bands[order]
        wanted = keys[queries, bands]
        starts = np.flatnonzero(np.append(True, (np.diff(bands) != 0) | (wanted[1:] != wanted[:-1])))
        for start, stop in zip(starts.tolist(), [*starts[1:].tolist(), len(queries)], strict=True):
            members = self.store.bucket(int(bands[start]), int(wanted[start]))
            mine, theirs = rows[queries[start:stop]], self.components.of(members)
            own = np.unique(self.components.of(mine))
            if len(own) == 1:
                further = members[theirs != own[0]]
                for at in range(0, len(further), AT_ONCE):
                    some = further[at : at + AT_ONCE]
                    self.link(np.repeat(mine[:1], len(some)), some) if len(mine) == 1 else self._all(mine, some)
            else:
                for at in range(0, len(members), max(1, AT_ONCE // len(mine))):
                    self._all(mine, members[at : at + max(1, AT_ONCE // len(mine))])

    def _all(self, left: Rows, right: Rows) -> None:
        """Links all pairs of a left and a right row that are still apart."""
        width = max(1, (1 << 22) // max(1, len(right)))
        for at in range(0, len(left), width):
            some = left[at : at + width]
            one, other = self.components.of(some), self.components.of(right)
            i, j = np.nonzero(one[:, None] != other[None, :])
            self.link(some[i], right[j])

    def join(self, left: Rows, right: Rows) -> None:
        """Keeps those verified pairs that merge two components."""
        if not len(left):
            return
        labels = np.stack([self.components.of(left), self.components.of(right)], axis=1)
        distinct, places = np.unique(labels, return_inverse=True)
        merging = spanning(places.reshape(-1, 2), len(distinct))
        edges = np.stack([left[merging], right[merging]], axis=1)
        self.components.join(edges)
        self.edges.append(edges)

    def _words(self, rows: Rows) -> Hashes:
        distinct, places = np.unique(rows, return_inverse=True)
        return self.words(distinct)[places]

    def _similar(self, left: Rows, right: Rows) -> Mask:
        """Returns whether the sets of each pair reach the threshold."""
        if not len(left):
            return np.zeros(0, bool)
        rows, places = np.unique(np.concatenate([left, right]), return_inverse=True)
        return are_similar(self.kernel, self.fraction, self.sets(rows), places[: len(left)], places[len(left) :])

    def all_edges(self) -> Edges:
        return np.concatenate(self.edges) if self.edges else NO_EDGES


def are_similar(kernel: Kernel, fraction: tuple[int, int], sets: Shingles, left: Rows, right: Rows) -> Mask:
    """Returns whether each pair of sets reaches this Jaccard similarity."""
    shared = kernel.intersections(sets, left, right)
    total = sets.sizes[left] + sets.sizes[right] - shared
    p, q = fraction
    reached: Mask = (total > 0) & (shared * q >= total * p)
    return reached


def spanning(edges: Edges, count: int) -> Rows:
    """Returns the places of the edges that merge two components if they are added in order."""
    parent = list(range(count))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = i = parent[parent[i]]
        return i

    kept = []
    for place, (one, other) in enumerate(edges.tolist()):
        a, b = root(one), root(other)
        if a != b:
            parent[max(a, b)] = min(a, b)
            kept.append(place)
    return np.array(kept, np.int64)
