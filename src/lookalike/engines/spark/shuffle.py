"""Shuffle blocks: tables that are divided by address and shuffled by Spark. The stages use no other shuffles.

For Spark, a block is one row. It contains everything that one task sends to another, as Arrow bytes. Otherwise Spark
would process a row per key, with sixteen keys per document, at some microseconds per key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.flow.arrays import to_arrow

SCHEMA = "address int, payload binary"
ARROW = pa.schema([("address", pa.int32()), ("payload", pa.binary())])

Batches = Iterable[pa.RecordBatch]


def written(table: pa.Table, address: npt.NDArray[np.integer]) -> Iterator[pa.RecordBatch]:
    """Divides the rows of a table into shuffle blocks, one per address. The rows of a block keep their order."""
    if not table.num_rows:
        return
    order = np.argsort(address, kind="stable")
    table = table.take(to_arrow(order.astype(np.int64))).combine_chunks()
    ordered = address[order]
    starts = np.concatenate([[0], np.flatnonzero(np.diff(ordered)) + 1, [len(ordered)]])
    for start, stop in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table.slice(start, stop - start))
        payload = pa.array([sink.getvalue().to_pybytes()], pa.binary())
        yield pa.RecordBatch.from_arrays([pa.array([int(ordered[start])], pa.int32()), payload], schema=ARROW)


def opened(batches: Batches) -> list[tuple[int, pa.Table]]:
    """Returns the tables that a task received, with their addresses: usually one, and none if nothing was sent."""
    found: dict[int, list[pa.Table]] = {}
    for batch in batches:
        for address, payload in zip(batch.column(0).to_pylist(), batch.column(1), strict=True):
            found.setdefault(address, []).append(pa.ipc.open_stream(payload.as_buffer()).read_all())
    return [(address, pa.concat_tables(found.pop(address)).combine_chunks()) for address in sorted(found)]


def sent(frame: Any, addresses: int) -> Any:
    """Repartitions shuffle blocks, so that all blocks with the same address reach the same task."""
    by_number = getattr(frame, "repartitionById", None)  # Spark 4.1; by hash, some tasks would get several addresses
    return by_number(addresses, "address") if by_number else frame.repartition(addresses, "address")
