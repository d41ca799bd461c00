"""Chooses survivors in rounds of local minima. A node is the rank of a document; a smaller rank is preferred.

An edge (high, low) means: the document `high` is removed if `low` survives. The answer is the one that is found by
visiting all documents in order of preference. In a round, every node without edges to smaller nodes survives, and all
larger nodes with an edge to it are removed:

    to_both_ends   edges                 → to the smaller end; to the larger end, only that there is an edge
    find_survivors edges by smaller node → edges to survivors are taken; those to removed nodes are dropped
    find_removed   edges by larger node  → of several taken edges, only the most preferred stays; nodes are finished if
                                           no open edge could lead to a survivor that is preferred to this one

The number of rounds is that of the longest path on which ranks increase, which is short unless documents are revisions
in order. So the edges that are left after some rounds are divided by component, and each component is decided in one
task, node by node. `flow/stars.py` and `kernel.removing_pairs` decide all edges in this way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from lookalike.engines.spark.corpus import part_name
from lookalike.engines.spark.hash_columns import mixed
from lookalike.engines.spark.shuffle import opened, written
from lookalike.engines.spark.staging import Staging
from lookalike.flow.arrays import Mask, Rows, to_numpy
from lookalike.flow.preference import Preference
from lookalike.kernel.protocol import Kernel

Batches = Iterable[pa.RecordBatch]
Edges = dict[str, Rows]
"""The columns of edges: high, low, shared and total (sizes of intersection and union), and their state."""

COLUMNS = ("high", "low", "shared", "total", "state")
CHOSEN = "chosen"
"""The stage that contains one edge per removed document, to the survivor that replaces it."""

OPEN, NEW, TAKEN = 0, 1, 2
"""States of an edge: whether `low` survives is not known; it is known since this round; it was known before."""


def read_edges(staging: Staging, names: Sequence[str]) -> Edges:
    """Reads edges. Edges without a state are open."""
    tables = [staging.get(name) for name in names]
    edges = {name: np.concatenate([to_numpy(table[name]) for table in tables]) for name in COLUMNS[:4]}
    states = [
        to_numpy(table["state"]) if "state" in table.column_names else np.full(len(table), OPEN, np.int64)
        for table in tables
    ]
    return edges | {"state": np.concatenate(states)}


def taken_and_left(edges: Edges) -> tuple[Edges, Edges]:
    """Returns the edges of finished nodes, and the other edges that can still matter, given all edges of their nodes.

    The input is as after `survivors_known`; in the output, no edge is new.
    """
    edges = selected(edges, np.lexsort((edges["low"], edges["high"])))
    high, low, state = edges["high"], edges["low"], edges["state"]
    if not len(high):
        return edges, edges
    starts = np.flatnonzero(np.diff(high, prepend=-1))
    sizes = np.diff(np.append(starts, len(high)))
    survivors = np.where(state == OPEN, np.iinfo(np.int64).max, low)
    best = np.repeat(np.minimum.reduceat(survivors, starts), sizes)
    matters = (low == best) | ((state == OPEN) & (low < best))
    waits = np.repeat(np.logical_or.reduceat(matters & (state == OPEN), starts), sizes)
    # The node was known to be removed at the start of this round, so that edges to it were dropped.
    known = np.repeat(np.logical_or.reduceat(state == TAKEN, starts), sizes)
    edges["state"] = np.where(state == OPEN, OPEN, TAKEN)
    finished: Mask = known & ~waits
    return selected(edges, matters & finished), selected(edges, matters & ~finished)


def survivors_known(edges: Edges, waiting: Rows, removed: Rows) -> Edges:
    """Returns the edges that can still matter, given all edges to some smaller nodes.

    `waiting` are nodes with edges to smaller nodes; those in `removed` have an edge to a survivor.
    """
    low, state = edges["low"], edges["state"]
    survives = ~np.isin(low, waiting)
    state = np.where(survives & (state == OPEN), NEW, state)
    return selected(edges | {"state": state}, ~np.isin(low, removed))


def decide(kernel: Kernel, edges: Edges) -> Edges:
    """Returns the edge that removes each removed node, given all edges that can still matter."""
    edges = selected(edges, np.lexsort((edges["low"], edges["high"])))  # so that a retried task gives the same part
    nodes, at = np.unique(np.concatenate([edges["low"], edges["high"]]), return_inverse=True)
    low, high = np.split(at.astype(np.int64), 2)
    by = kernel.removing_pairs(Preference.of_input(len(nodes)), low, high)
    return selected(edges, by[by >= 0])


def selected(edges: Edges, which: Rows | Mask) -> Edges:
    return {name: values[which] for name, values in edges.items()}


# The tasks. Edges are read from the parts of earlier stages, and every round stores its own parts.


def to_both_ends(staging: Staging, names: Sequence[str], addresses: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    for number in _numbers(batches):
        edges = read_edges(staging, [names[number]])
        yield from sent_by(edges["low"], edges, addresses)
        nodes, first = np.unique(edges["high"], return_index=True)
        taken = np.zeros(len(nodes), np.int64)
        taken[np.isin(nodes, edges["high"][edges["state"] != OPEN])] = TAKEN
        told = selected(edges, first) | {"low": np.full(len(nodes), -1), "state": taken}
        yield from sent_by(nodes, told, addresses)


def find_survivors(addresses: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    for _, table in opened(batches):
        edges = _columns(table)
        told = edges["low"] < 0
        waiting, state = edges["high"][told], edges["state"][told]
        edges = survivors_known(selected(edges, ~told), waiting, waiting[state == TAKEN])
        yield from sent_by(edges["high"], edges, addresses)


def find_removed(staging: Staging, stage: str, nth: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    for address, table in opened(batches):
        finished, left = taken_and_left(_columns(table))
        yield _kept(staging, chosen_part(nth, address), finished, part_name(stage, address), left)


def decide_here(
    kernel: Kernel, staging: Staging, names: Sequence[str], nth: int, batches: Batches
) -> Iterator[pa.RecordBatch]:
    """Decides all edges in one task."""
    for _ in _numbers(batches):
        yield _kept(staging, chosen_part(nth, 0), decide(kernel, read_edges(staging, names)))


def by_larger_node(
    staging: Staging, names: Sequence[str], addresses: int, batches: Batches
) -> Iterator[pa.RecordBatch]:
    """Sends edges and components to the larger end of each edge. A component is the smallest node in it."""
    for number in _numbers(batches):
        table = staging.get(names[number])
        if "shared" in table.column_names:
            edges = read_edges(staging, [names[number]])
        else:
            node, root = to_numpy(table["high"]), to_numpy(table["low"])
            edges = {"high": node, "low": np.full(len(node), -1), "shared": root, "total": root, "state": root}
        yield from sent_by(edges["high"], edges, addresses)


def by_component(addresses: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    for _, table in opened(batches):
        edges = _columns(table)
        told = edges["low"] < 0
        order = np.argsort(edges["high"][told])
        nodes, roots = edges["high"][told][order], edges["shared"][told][order]
        edges = selected(edges, ~told)  # each of their larger ends is linked to the smallest node of its component
        yield from sent_by(roots[np.searchsorted(nodes, edges["high"])], edges, addresses)


def decide_components(kernel: Kernel, staging: Staging, nth: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    for address, table in opened(batches):
        yield _kept(staging, chosen_part(nth, address), decide(kernel, _columns(table)))


def chosen_part(nth: int, address: int) -> str:
    return part_name(CHOSEN, (nth << 32) + address)


def sent_by(nodes: Rows, edges: Edges, addresses: int) -> Iterator[pa.RecordBatch]:
    """Yields edges as shuffle blocks, addressed by a hash of these nodes."""
    table = pa.table({name: np.ascontiguousarray(edges[name]) for name in COLUMNS})
    return written(table, (mixed(nodes) % np.uint64(addresses)).astype(np.int32))


def _columns(table: pa.Table) -> Edges:
    return {name: to_numpy(table[name]) for name in COLUMNS}


def _numbers(batches: Batches) -> Iterator[int]:
    for batch in batches:
        yield from batch.column(0).to_pylist()


def _kept(staging: Staging, chosen: str, finished: Edges, name: str = "", left: Edges | None = None) -> pa.RecordBatch:
    """Stores the edges of finished nodes, and those that are left."""
    columns = [column for column in COLUMNS if column != "state"]
    staging.put(chosen, pa.table({column: np.ascontiguousarray(finished[column]) for column in columns}))
    edges = 0
    if left is not None:
        staging.put(name, pa.table({column: np.ascontiguousarray(left[column]) for column in COLUMNS}))
        edges = len(left["high"])
    counts = {"chosen": len(finished["high"]), "edges": edges}
    return pa.RecordBatch.from_pydict({name: pa.array([count], pa.int64()) for name, count in counts.items()})
