"""Finds the connected components of edges by large-star and small-star (Kiveris et al., 2014).

An edge (high, low) links the larger of two rows to the smaller one. In a large star, every node links its larger
neighbours to the smallest row among itself and its neighbours. In a small star, every node links itself and its smaller
neighbours to the smallest neighbour. No step changes the components. The rounds end when nothing changes: every row is
then linked to the smallest row of its component.
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
"""The maximum number of rounds. Their number grows with the logarithm of the longest chain, so more rounds indicate a
bug.
"""


def large_star(node: Rows, other: Rows) -> tuple[Rows, Rows]:
    """Returns the edges (high, low) after a large star.

    The input must have all edges of its nodes, in both directions.
    """
    order = np.lexsort((other, node))
    node, other = node[order], other[order]
    low = np.minimum(node, _least(node, other))
    upwards = other > node
    return other[upwards], low[upwards]


def small_star(high: Rows, low: Rows) -> tuple[Rows, Rows]:
    """Returns the edges (high, low) after a small star.

    The input must have all edges from its nodes to smaller nodes.
    """
    order = np.lexsort((low, high))
    high, low = high[order], low[order]
    least = _least(high, low)
    moved = low != least
    return np.concatenate([low[moved], high]), np.concatenate([least[moved], least])


def _least(group: Rows, value: Rows) -> Rows:
    """Returns, for each row, the smallest value in its group. Rows must be sorted by group, then by value."""
    starts = np.flatnonzero(np.diff(group, prepend=group[:1] - 1))
    return np.repeat(value[starts], np.diff(np.append(starts, len(group))))


# The tasks. Edges are read from the parts of earlier stages, and every round stores its own parts.


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
    """Yields the distinct edges as shuffle blocks, addressed by a hash of `one`."""
    edges = np.unique(np.stack([one, other], axis=1), axis=0)
    table = pa.table({name: np.ascontiguousarray(edges[:, i]) for i, name in enumerate(names)})
    return written(table, (mixed(edges[:, 0]) % np.uint64(addresses)).astype(np.int32))


def _kept(staging: Staging, name: str, high: Rows, low: Rows) -> pa.RecordBatch:
    high, low = np.ascontiguousarray(high), np.ascontiguousarray(low)
    staging.put(name, pa.table({"high": high, "low": low}))
    # Different edges have equal checks with probability 2⁻⁵⁰. The sum over 4,096 addresses has at most 62 bits.
    check = int(mixed(high, mixed(low)).sum() % np.uint64(1 << 50))
    return pa.RecordBatch.from_pydict(
        {"edges": pa.array([len(high)], pa.int64()), "check": pa.array([check], pa.int64())}
    )
