"""Gives tasks their texts, part by part. Tasks open the input files or staged files themselves, without Spark.

A part has at most `step` consecutive rows, and row // step is the number of a row's part. So a task can find the right
parts from row numbers alone, and no text is sent through a shuffle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from lookalike.engines.spark.staging import Staging
from lookalike.flow import Documents
from lookalike.flow.arrays import Rows, take
from lookalike.io.source import Batch, Source

DOCUMENTS = "documents"
"""The stage that contains the staged texts."""


class Corpus(Protocol):
    """Rows that are divided into parts. A corpus is sent to the tasks, so it must be picklable."""

    @property
    def step(self) -> int: ...

    @property
    def column(self) -> str: ...

    @property
    def id(self) -> str | None: ...

    def parts(self) -> Sequence[int]: ...

    def read(self, part: int, columns: Sequence[str]) -> Iterator[Batch]: ...


@dataclass(frozen=True)
class Files:
    """A source whose files all machines can open."""

    source: Source
    rows: int
    step: int

    @property
    def column(self) -> str:
        return self.source.column

    @property
    def id(self) -> str | None:
        return self.source.id

    def parts(self) -> Sequence[int]:
        return range(-(-self.rows // self.step))

    def read(self, part: int, columns: Sequence[str]) -> Iterator[Batch]:
        return self.source.read(columns, part * self.step, min((part + 1) * self.step, self.rows))


@dataclass(frozen=True)
class Staged:
    """Rows in staging, one Parquet file per part. They came from a DataFrame or from the driver's memory."""

    staging: Staging
    step: int
    column: str
    id: str | None
    numbers: tuple[int, ...]

    def parts(self) -> Sequence[int]:
        return self.numbers

    def read(self, part: int, columns: Sequence[str]) -> Iterator[Batch]:
        table = self.staging.get(part_name(DOCUMENTS, part), list(dict.fromkeys(columns)))
        start = part * self.step
        for batch in table.combine_chunks().to_batches():
            yield Batch(start, batch)
            start += batch.num_rows


def part_name(stage: str, number: int) -> str:
    return f"{stage}/{number:018d}"


def wanted_texts(corpus: Corpus, part: int, rows: Rows) -> Iterator[tuple[Rows, Documents]]:
    """Yields the texts of these rows (ascending) of a part in batches, each with its row numbers."""
    for batch in corpus.read(part, [corpus.column]):
        low, high = np.searchsorted(rows, [batch.start, batch.start + len(batch)])
        if low < high:
            here = rows[low:high]
            texts = Documents(batch.data.column(corpus.column)).texts
            yield here, Documents(take(texts, here - batch.start))


@dataclass(frozen=True)
class AsSource:
    """Adapts a corpus to the methods of a source that a survey needs: texts in row order, and the number of rows."""

    corpus: Corpus
    rows: int

    @property
    def column(self) -> str:
        return self.corpus.column

    def documents(self, start: int = 0, stop: int | None = None) -> Iterator[Documents]:
        """Yields all documents, or those in a range of rows. Rows that are in no part are skipped."""
        for part in self.corpus.parts():
            if (part + 1) * self.corpus.step <= start or (stop is not None and part * self.corpus.step >= stop):
                continue
            for batch in self.corpus.read(part, [self.column]):
                low = max(0, start - batch.start)
                high = len(batch) if stop is None else max(0, min(len(batch), stop - batch.start))
                if low < high:
                    yield Documents(batch.data.column(self.column)[low:high], batch.start + low)

    def total_rows(self) -> int:
        return self.rows

    def expected_rows(self, rows: int, bytes: int) -> int:
        return self.rows


def put_documents(staging: Staging, part: int, table: pa.Table) -> None:
    staging.put(part_name(DOCUMENTS, part), table, compression="lz4")


def stage_source(source: Source, staging: Staging, step: int) -> int:
    """Writes the rows of an in-memory source to staging, where tasks can read them. Returns the number of rows."""
    columns = [source.column] + ([source.id] if source.id and source.id != source.column else [])
    held: list[pa.RecordBatch] = []
    rows = part = 0
    for batch in source.read(columns):
        data: Any = batch.data
        while data.num_rows:
            room = step - rows % step
            held.append(data.slice(0, room))
            rows += held[-1].num_rows
            data = data.slice(room)
            if rows % step == 0:
                put_documents(staging, part, pa.Table.from_batches(held))
                held, part = [], part + 1
    if held:
        put_documents(staging, part, pa.Table.from_batches(held))
    return rows
