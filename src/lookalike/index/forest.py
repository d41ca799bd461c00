"""The clusters of an index: connects new rows with one another and with those that are there."""

from __future__ import annotations

import numpy as np

from lookalike.flow.arrays import Hashes, Mask, Rows
from lookalike.flow.progress import Progress
from lookalike.flow.sketches import EMPTY
from lookalike.index.comparing import comparison
from lookalike.index.components import Components
from lookalike.index.store import NO_EDGES, Bulk, Edges, NewRows, Part, Store
from lookalike.index.uniting import Uniting
from lookalike.kernel.protocol import Kernel
from lookalike.planning.resolve import ResolvedPlan

AT_ONCE = 1 << 15
"""The number of rows of an add whose candidates are looked up at a time."""


def connect_few(
    store: Store, kernel: Kernel, plan: ResolvedPlan, components: Components, new: NewRows, left_out: Mask
) -> Edges:
    """Connects a few new rows with one another and with the rows of the store. Returns the edges."""

    def words(rows: Rows) -> Hashes:
        found = np.zeros((len(rows), 2), np.uint64)
        mine = rows >= new.rows[0]
        found[mine] = new.records["words"][rows[mine] - new.rows[0]]
        if not mine.all():
            found[~mine] = store.records(rows[~mine])["words"]
        return found

    compared = comparison(store, kernel, plan)
    fraction = compared.fraction(plan.threshold)
    uniting = Uniting(store, kernel, fraction, components, compared.at_or_in(new), words)
    if len(new.rows) > 1:
        filled = np.flatnonzero(~left_out)
        left, right = kernel.candidates(new.keys[filled])
        uniting.link(new.rows[filled[left]], new.rows[filled[right]])
    uniting.unite(new.rows, new.keys, left_out)
    return uniting.all_edges()


def connect_part(
    store: Store,
    bulk: Bulk,
    kernel: Kernel,
    plan: ResolvedPlan,
    components: Components,
    part: Part,
    progress: Progress,
    *,
    alone: bool,
) -> Edges:
    """Connects the rows of a part with one another and, unless they are `alone`, with the rows of the store."""
    empty = (part.records["flags"] & EMPTY) > 0
    words = np.ascontiguousarray(part.records["words"])
    first = kernel.copies(words, empty)
    copies = np.flatnonzero(first != np.arange(len(first)))
    copied = np.stack([first[copies], copies], axis=1) + part.first
    distinct = np.flatnonzero((first == np.arange(len(first))) & ~empty)
    keys = np.ascontiguousarray(part.keys[distinct])
    flags = kernel.bucketed(keys, np.zeros(len(keys), bool))
    chosen = np.flatnonzero(flags)
    found = NO_EDGES
    compared = comparison(store, kernel, plan)
    fraction = compared.fraction(plan.threshold)
    if len(chosen):
        sets = compared.within(part, distinct[chosen], progress)
        made = kernel.similar_components(np.ascontiguousarray(keys[chosen]), sets, *fraction)
        found = distinct[chosen][np.stack([made.left, made.right], axis=1)] + part.first
        del sets
    edges = [copied, found]
    components.join(np.concatenate(edges))
    if not alone:
        uniting = Uniting(
            store, kernel, fraction, components, compared.at,
            words=lambda rows: np.ascontiguousarray(store.records(rows)["words"]),
        )  # fmt: skip
        rows = part.first + distinct
        progress("connect", 0, len(rows))
        for start in range(0, len(distinct), AT_ONCE):
            here = slice(start, start + AT_ONCE)
            uniting.unite(rows[here], keys[here], np.zeros(len(rows[here]), bool))
            progress("connect", min(start + AT_ONCE, len(rows)), len(rows))
        edges.append(uniting.all_edges())
    bulk.connected(part)
    return np.concatenate(edges)
