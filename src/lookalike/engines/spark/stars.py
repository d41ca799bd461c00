"""Edges → connected components, by large-star and small-star (Kiveris et al., 2014).

An edge (high, low) links the larger of two rows to the smaller one. In the large star every node links its larger
neighbours to the smallest row of its neighbourhood; in the small star it links its smaller ones. No step changes the
components. A round that changes nothing is the last: every row is then linked to the smallest row of its component.
`results/clusters.py` computes the same components in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from lookalike.engines.spark.corpus import part_name
from lookalike.engines.spark.hash_columns import mixed
from lookalike.engines.spark.shuffle import opened, written
from lookalike.engines.spark.staging import Staging
from lookalike.flow.arrays import Rows, to_numpy
from lookalike.results.clusters import connected_components

Batches = Iterable[pa.RecordBatch]

MOST_ROUNDS = 100
"""The number of rounds grows with the logarithm of the longest chain; more rounds than this indicate a bug."""


def large_star(node: Rows, other: Rows) -> tuple[Rows, Rows]:
    """Edges (high, low) after a large star. The input has every edge in both directions, and all edges of its nodes."""
    order = np.lexsort((other, node))
    node, other = node[order], other[order]
    low = np.minimum(node, _least(node, other))
    upwards = other > node
    return other[upwards], low[upwards]


def small_star(high: Rows, low: Rows) -> tuple[Rows, Rows]:
    """Edges (high, low) after a small star. The input has all edges from its nodes to smaller ones."""
    order = np.lexsort((low, high))
    high, low = high[order], low[order]
    least = _least(high, low)
    moved = low != least
    return np.concatenate([low[moved], high]), np.concatenate([least[moved], least])


def _least(group: Rows, value: Rows) -> Rows:
    """The first value of the group of each row. Rows are sorted by group, then by value."""
    starts = np.flatnonzero(np.diff(group, prepend=group[:1] - 1))
    return np.repeat(value[starts], np.diff(np.append(starts, len(group))))


# The tasks. Edges are read from the parts of earlier stages; every round stores its own parts.


def to_both_ends(staging: Staging, names: Sequence[str], addresses: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for number in batch.column(0).to_pylist():
            edges = staging.get(names[number])
            high, low = to_numpy(edges["high"]), to_numpy(edges["low"])
            node, other = np.concatenate([high, low]), np.concatenate([low, high])
            yield from _written(("node", "other"), node, other, addresses)


def large(addresses: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    for _, table in opened(batches):
        high, low = large_star(to_numpy(table["node"]), to_numpy(table["other"]))
        yield from _written(("high", "low"), high, low, addresses)


def small(staging: Staging, stage: str, batches: Batches) -> Iterator[pa.RecordBatch]:
    for address, table in opened(batches):
        edges = np.unique(np.stack(small_star(to_numpy(table["high"]), to_numpy(table["low"])), axis=1), axis=0)
        yield _kept(staging, part_name(stage, address), edges[:, 0], edges[:, 1])


def connect_here(staging: Staging, names: Sequence[str], stage: str, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Connects all edges in one task, without rounds."""
    for _ in (number for batch in batches for number in batch.column(0).to_pylist()):
        edges = pa.concat_tables([staging.get(name) for name in names])
        high, low = to_numpy(edges["high"]), to_numpy(edges["low"])
        rows, at = np.unique(np.concatenate([high, low]), return_inverse=True)
        labels = connected_components(len(rows), at[: len(high)], at[len(high) :])
        linked = np.flatnonzero(labels != np.arange(len(rows)))
        yield _kept(staging, part_name(stage, 0), rows[linked], rows[labels[linked]])


def _written(names: tuple[str, str], one: Rows, other: Rows, addresses: int) -> Iterator[pa.RecordBatch]:
    """Distinct edges as shuffle blocks, by the address of their first row."""
    edges = np.unique(np.stack([one, other], axis=1), axis=0)
    table = pa.table({name: np.ascontiguousarray(edges[:, i]) for i, name in enumerate(names)})
    return written(table, (mixed(edges[:, 0]) % np.uint64(addresses)).astype(np.int32))


def _kept(staging: Staging, name: str, high: Rows, low: Rows) -> pa.RecordBatch:
    high, low = np.ascontiguousarray(high), np.ascontiguousarray(low)
    staging.put(name, pa.table({"high": high, "low": low}))
    # Edges with equal sums of hashes are equal, except in one case of 2⁵⁰. Sums over 4,096 addresses have 62 bits.
    check = int(mixed(high, mixed(low)).sum() % np.uint64(1 << 50))
    return pa.RecordBatch.from_pydict(
        {"edges": pa.array([len(high)], pa.int64()), "check": pa.array([check], pa.int64())}
    )
