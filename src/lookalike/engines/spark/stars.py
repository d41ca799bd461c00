"""Edges → connected components, by large-star and small-star (Kiveris et al., 2014).

Edges hang on the larger of two rows. In the large star every node hands its larger neighbours to the smallest row
around; in the small star its smaller ones. Each step keeps what hangs together, and in the end every row hangs on
the smallest of its component: that is when a round changes nothing. The twin is `flow/clusters.py`.
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
"""The number of rounds grows with the logarithm of the longest chain; so many mean that something is wrong."""


def large_star(node: Rows, other: Rows) -> tuple[Rows, Rows]:
    """Of every edge both directions, all of a node here → edges (high, low)."""
    order = np.lexsort((other, node))
    node, other = node[order], other[order]
    low = np.minimum(node, _least(node, other))
    upwards = other > node
    return other[upwards], low[upwards]


def small_star(high: Rows, low: Rows) -> tuple[Rows, Rows]:
    """All edges of a node to smaller ones here → edges (high, low)."""
    order = np.lexsort((low, high))
    high, low = high[order], low[order]
    least = _least(high, low)
    handed = low != least
    return np.concatenate([low[handed], high]), np.concatenate([least[handed], least])


def _least(group: Rows, value: Rows) -> Rows:
    """The first value of each group, for all of it; sorted by both."""
    starts = np.flatnonzero(np.diff(group, prepend=group[:1] - 1))
    return np.repeat(value[starts], np.diff(np.append(starts, len(group))))


# The tasks. Edges come from the parts of earlier stages; a round leaves parts of its own.


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
    """All edges in one task, where they fit: no rounds are needed then."""
    for _ in (number for batch in batches for number in batch.column(0).to_pylist()):
        edges = pa.concat_tables([staging.get(name) for name in names])
        high, low = to_numpy(edges["high"]), to_numpy(edges["low"])
        rows, at = np.unique(np.concatenate([high, low]), return_inverse=True)
        labels = connected_components(len(rows), at[: len(high)], at[len(high) :])
        hangs = np.flatnonzero(labels != np.arange(len(rows)))
        yield _kept(staging, part_name(stage, 0), rows[hangs], rows[labels[hangs]])


def _written(names: tuple[str, str], one: Rows, other: Rows, addresses: int) -> Iterator[pa.RecordBatch]:
    """By the address of the first of the two, each edge once."""
    edges = np.unique(np.stack([one, other], axis=1), axis=0)
    table = pa.table({name: np.ascontiguousarray(edges[:, i]) for i, name in enumerate(names)})
    return written(table, (mixed(edges[:, 0]) % np.uint64(addresses)).astype(np.int32))


def _kept(staging: Staging, name: str, high: Rows, low: Rows) -> pa.RecordBatch:
    high, low = np.ascontiguousarray(high), np.ascontiguousarray(low)
    staging.put(name, pa.table({"high": high, "low": low}))
    # Equal sums of hashes: equal edges, but for one case in 2⁵⁰. The sum over 4,096 addresses has 62 bits.
    check = int(mixed(high, mixed(low)).sum() % np.uint64(1 << 50))
    return pa.RecordBatch.from_pydict(
        {"edges": pa.array([len(high)], pa.int64()), "check": pa.array([check], pa.int64())}
    )
