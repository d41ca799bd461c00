"""The clusters of an index: connects new rows, and settles components that lost rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lookalike.flow.arrays import Hashes, Mask, Rows
from lookalike.flow.progress import Progress
from lookalike.flow.sketches import EMPTY
from lookalike.index.comparing import comparison
from lookalike.index.components import Components
from lookalike.index.search import first_equal
from lookalike.index.store import NO_EDGES, Bulk, Edges, NewRows, Part, Store
from lookalike.index.uniting import Uniting
from lookalike.kernel.protocol import Kernel
from lookalike.planning.resolve import ResolvedPlan

FEW = 1024
"""Up to this many rows are connected one by one; more are put into a table of sets."""

AT_ONCE = 4096
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
        for start in range(0, len(distinct), AT_ONCE * 64):
            here = slice(start, start + AT_ONCE * 64)
            uniting.unite(rows[here], keys[here], np.zeros(len(rows[here]), bool))
            progress("connect", min(start + AT_ONCE * 64, len(rows)), len(rows))
        edges.append(uniting.all_edges())
    bulk.connected(part)
    return np.concatenate(edges)


def settle(store: Store, kernel: Kernel, plan: ResolvedPlan, progress: Progress) -> tuple[Components, Edges]:
    """Returns the components of all rows that are alive, and the edges that connect what deleted rows had connected."""
    every, dead = store.edges(), store.dirty()
    alive = every[store.is_alive(every).all(axis=1)] if len(every) else every
    components = Components(kernel, alive)
    if not len(dead) or len(alive) == len(every):
        return components, NO_EDGES
    before = Components(kernel, every)
    members, labels = before.members()
    affected = np.isin(labels, np.unique(before.of(dead))) & store.is_alive(members)
    rows, labels = members[affected], labels[affected]
    fragments = components.of(rows)
    loose = rows[_is_loose(labels, fragments)]
    if not len(loose):
        return components, NO_EDGES
    if len(loose) <= FEW:
        compared = comparison(store, kernel, plan)
        uniting = Uniting(
            store, kernel, compared.fraction(plan.threshold), components, compared.at,
            words=lambda some: np.ascontiguousarray(store.records(some)["words"]),
        )  # fmt: skip
        uniting.unite(loose, compared.keys_at(loose), np.zeros(len(loose), bool))
        return components, uniting.all_edges()
    split = np.unique(labels[np.isin(rows, loose)])
    found = []
    for group in _groups(labels, split):
        edges = _connect_rows(store, kernel, plan, rows[group], fragments[group], progress)
        components.join(edges)
        found.append(edges)
    return components, np.concatenate(found)


def _is_loose(labels: Rows, fragments: Rows) -> Mask:
    """Returns whether each row is outside of the largest fragment of its former component."""
    _, place, size = np.unique(fragments, return_inverse=True, return_counts=True)
    order = np.lexsort((-size[place], labels))  # the largest fragment of each component first
    starts = np.append(True, np.diff(labels[order]) != 0)
    largest = np.empty(len(order), np.int64)
    largest[order] = fragments[order][np.maximum.accumulate(np.where(starts, np.arange(len(order)), 0))]
    loose: Mask = fragments != largest
    return loose


def _groups(labels: Rows, wanted: Rows, most: int = 1 << 18) -> Iterator[Rows]:
    """Yields the places of the rows of some components, several small components at a time."""
    group: list[Rows] = []
    order = np.argsort(labels, kind="stable")
    bounds = np.searchsorted(labels[order], wanted, side="left"), np.searchsorted(labels[order], wanted, side="right")
    for low, high in zip(*bounds, strict=True):
        group.append(order[low:high])
        if sum(map(len, group)) >= most:
            yield np.sort(np.concatenate(group))
            group.clear()
    if group:
        yield np.sort(np.concatenate(group))


def _connect_rows(
    store: Store, kernel: Kernel, plan: ResolvedPlan, rows: Rows, fragments: Rows, progress: Progress
) -> Edges:
    """Connects rows with one another. Rows of the same fragment are known to be connected."""
    words = np.ascontiguousarray(store.records(rows)["words"])
    first = first_equal(words)
    copies = np.flatnonzero(first != np.arange(len(first)))
    copied = np.stack([rows[first[copies]], rows[copies]], axis=1)
    distinct = np.flatnonzero(first == np.arange(len(first)))
    known = Components(kernel, np.concatenate([copied, np.stack([fragments, rows], axis=1)]))
    compared = comparison(store, kernel, plan)
    keys, sets = compared.keys_at(rows[distinct]), compared.at(rows[distinct])
    labels = known.of(rows[distinct])
    _, representative, inverse = np.unique(labels, return_index=True, return_inverse=True)
    made = kernel.similar_components(keys, sets, *compared.fraction(plan.threshold), known=representative[inverse])
    progress("connect", len(rows), len(rows))
    found = rows[distinct][np.stack([made.left, made.right], axis=1)]
    return _without_circles(kernel, np.stack([fragments, rows], axis=1), np.concatenate([copied, found]))


def _without_circles(kernel: Kernel, known: Edges, edges: Edges) -> Edges:
    """Returns those edges that merge two components, beyond what is known."""
    from lookalike.index.uniting import spanning

    components = Components(kernel, known)
    distinct, places = np.unique(components.of(edges.reshape(-1)), return_inverse=True)
    return edges[spanning(places.reshape(-1, 2), len(distinct))]
