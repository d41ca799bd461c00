"""A minimal replacement for Spark that runs tasks one after another in this process, to test the stages without a
cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

Batches = list[pa.RecordBatch]
Work = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]


@dataclass(frozen=True)
class Frame:
    """A DataFrame: partitions, each a list of batches of Arrow data."""

    partitions: list[Batches]

    def mapInArrow(self, work: Work, schema: str) -> Frame:  # noqa: N802
        return Frame([list(work(iter(batches))) for batches in self.partitions])

    def repartitionById(self, partitions: int, column: str) -> Frame:  # noqa: N802
        found: list[Batches] = [[] for _ in range(partitions)]
        for batch in (batch for batches in self.partitions for batch in batches):
            for i, number in enumerate(batch.column(column).to_pylist()):
                found[number].append(batch.slice(i, 1))
        return Frame(found)

    def groupBy(self) -> Frame:  # noqa: N802
        return self

    def sum(self, *names: str) -> Frame:
        sums = [sum(row[i] for row in self.collect()) for i in range(len(names))]
        return Frame([[pa.RecordBatch.from_arrays([pa.array([value]) for value in sums], list(names))]])

    def distinct(self) -> Frame:
        return self

    def limit(self, rows: int) -> Frame:
        return self

    def collect(self) -> list[tuple[Any, ...]]:
        batches = [batch for batches in self.partitions for batch in batches]
        return [tuple(row.values()) for batch in batches for row in batch.to_pylist()]


@dataclass(frozen=True)
class Serial:
    """A session."""

    conf: dict[str, str] = field(default_factory=lambda: {"spark.master": "local"})

    def range(self, start: int, end: int, step: int, partitions: int) -> Frame:
        batches = [pa.record_batch({"id": pa.array([number], pa.int64())}) for number in range(start, end, step)]
        return Frame([[batch] for batch in batches] or [[]])
