"""Settles clusters after deletions: connects again what deleted rows had connected, if it is similar.

The edges of a deleted row count until they are settled, so that adds need not know which components fall apart. Then
the largest fragment of each affected component stays, and only the rows outside of it are compared with others: first
with one row of that fragment, since families of near-copies are connected by that alone, and then with all candidates.
They are compared batch by batch, so memory does not depend on the size of a component.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lookalike.flow.arrays import Hashes, Rows
from lookalike.flow.progress import Progress
from lookalike.index.comparing import comparison, keeps_texts
from lookalike.index.components import Components
from lookalike.index.store import NO_EDGES, Edges, Store
from lookalike.index.uniting import Uniting, are_similar
from lookalike.kernel.protocol import Kernel
from lookalike.planning.resolve import ResolvedPlan

MOST_ROWS = 4096
"""The maximum number of rows that are compared at a time."""

MOST_BYTES = 4 << 20
"""The number of bytes of their texts, about. They are read more than once, so their blocks should stay in memory."""

MOST_SIGNATURES = 1 << 16
"""The number of rows without texts that are compared at a time. Finding their keys reads all postings."""


def settle(store: Store, kernel: Kernel, plan: ResolvedPlan, progress: Progress) -> tuple[Components, Edges]:
    """Returns the components of all rows that are alive, and the edges that connect what deleted rows had connected."""
    every, dead = store.edges(), store.dirty()
    alive = every[store.is_alive(every).all(axis=1)] if len(every) else every
    components = Components(kernel, alive)
    if not len(dead) or len(alive) == len(every):
        return components, NO_EDGES
    before = Components(kernel, counting(store, every))
    members, labels = before.members()
    affected = np.isin(labels, np.unique(before.of(dead))) & store.is_alive(members)
    rows, labels = members[affected], labels[affected]
    hubs = _hubs(labels, components.of(rows), rows)
    loose = components.of(rows) != components.of(hubs)
    settling = Settling(store, kernel, plan, components)
    settling.connect(rows[loose], hubs[loose], progress)
    return components, settling.uniting.all_edges()


def counting(store: Store, edges: Edges) -> Edges:
    """Returns the edges that count: those of rows that are alive, and of deleted rows that are not settled yet."""
    if not len(edges):
        return edges
    counts = store.is_alive(edges)
    if not counts.all():
        counts |= np.isin(edges, store.dirty())
    return edges[counts.all(axis=1)]


def _hubs(labels: Rows, fragments: Rows, rows: Rows) -> Rows:
    """Returns, for each row, the first row of the largest fragment of its former component, which `labels` name."""
    _, first, place, size = np.unique(fragments, return_index=True, return_inverse=True, return_counts=True)
    order = np.lexsort((first[place], -size[place], labels))  # the largest fragment of each component first
    starts = np.append(True, np.diff(labels[order]) != 0)[: len(order)]
    hubs = np.empty(len(order), np.int64)
    hubs[order] = rows[first[place]][order][np.maximum.accumulate(np.where(starts, np.arange(len(order)), 0))]
    return hubs


@dataclass(eq=False)
class Settling:
    """Connects rows that deletions have cut off."""

    store: Store
    kernel: Kernel
    plan: ResolvedPlan
    components: Components

    def __post_init__(self) -> None:
        self.compared = comparison(self.store, self.kernel, self.plan)
        self.uniting = Uniting(
            self.store, self.kernel, self.compared.fraction(self.plan.threshold), self.components, self.compared.at,
            words=lambda rows: np.ascontiguousarray(self.store.records(rows)["words"]),
        )  # fmt: skip

    def connect(self, rows: Rows, hubs: Rows, progress: Progress) -> None:
        """Connects each row with its hub if they are similar, and otherwise with all rows that are similar to it.

        A row is skipped as soon as it is connected with its hub in any way. Its similar rows belong to the same former
        component, so they are compared with all others themselves, unless they are connected with the hub, too.
        """
        order = np.lexsort((rows, hubs))
        rows, hubs, done = rows[order], hubs[order], 0
        for batch in self._batches(rows):
            some, centres = rows[batch], hubs[batch]
            apart = self.components.of(some) != self.components.of(centres)
            some, centres = some[apart], centres[apart]
            if len(some):
                keys = self.compared.keys_at(some)
                self._to_hubs(some, centres, keys)
                left = np.flatnonzero(self.components.of(some) != self.components.of(centres))
                self.uniting.unite(some[left], np.ascontiguousarray(keys[left]), np.zeros(len(left), bool))
            done += len(batch)
            progress("connect", done, len(rows))

    def _to_hubs(self, rows: Rows, hubs: Rows, keys: Hashes) -> None:
        """Connects those rows with their hubs that share a bucket with them and are similar."""
        centres, place = np.unique(hubs, return_inverse=True)
        near = np.flatnonzero((keys == self.compared.keys_at(centres)[place]).any(axis=1))
        if not len(near):
            return
        every, places = np.unique(np.concatenate([rows[near], hubs[near]]), return_inverse=True)
        left, right = places[: len(near)], places[len(near) :]
        similar = are_similar(self.kernel, self.uniting.fraction, self.compared.at(every), left, right)
        self.uniting.join(rows[near[similar]], hubs[near[similar]])

    def _batches(self, rows: Rows) -> Iterator[Rows]:
        """Yields the places of rows, in batches whose texts are not too large together."""
        if not keeps_texts(self.plan):
            yield from np.array_split(np.arange(len(rows)), len(rows) // MOST_SIGNATURES + 1)
            return
        for start in range(0, len(rows), MOST_ROWS):
            sizes = np.cumsum(self.store.records(rows[start : start + MOST_ROWS])["size"], dtype=np.int64)
            low = 0
            while low < len(sizes):
                before = int(sizes[low - 1]) if low else 0
                high = max(low + 1, int(np.searchsorted(sizes, before + MOST_BYTES, side="right")))
                yield np.arange(start + low, start + high)
                low = high
