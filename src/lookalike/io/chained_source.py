"""Combines a reference and new rows in one source, so that new rows can be compared with the reference."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import pyarrow as pa

from lookalike.errors import InvalidOption
from lookalike.flow import Documents
from lookalike.flow.arrays import cast
from lookalike.io.source import Batch, Lanes, Piece, Source
from lookalike.notices import Notice

POSITION = "position"
"""The name of the id column if only the reference has ids; the ids of new rows are then their positions."""


class ChainedSource:
    """The rows of `reference`, followed by the rows of `new`, with the columns of `new`.

    In rows of the reference, all columns except texts and ids are null.

    Ids of different types become texts. If neither side has ids, rows are identified by their position in the chain.
    """

    def __init__(self, reference: Source, new: Source) -> None:
        self.reference, self.new = reference, new
        self.name = f"{new.name} against {reference.name}"
        self.column = new.column
        self.id = new.id or (POSITION if reference.id else None)
        self.in_memory = reference.in_memory and new.in_memory
        self.cheap_to_reread = reference.cheap_to_reread and new.cheap_to_reread
        self.reader_bytes = max(reference.reader_bytes, new.reader_bytes)
        self._kinds: tuple[pa.DataType, pa.DataType] | None = None
        self._rows: int | None = None

    @property
    def columns(self) -> list[str]:
        return self.new.columns

    @property
    def malformed(self) -> int:
        return self.reference.malformed + self.new.malformed

    @property
    def warnings(self) -> tuple[Notice, ...]:
        return self.reference.warnings + self.new.warnings

    @property
    def reference_rows(self) -> int:
        """The number of rows in the reference. If it is unknown, the reference is read."""
        if self._rows is None:
            known = self.reference.total_rows()
            rows = self.reference.read([self.reference.column]) if known is None else ()
            self._rows = sum(map(len, rows)) if known is None else known
        return self._rows

    def total_rows(self) -> int | None:
        rows, more = self.reference.total_rows(), self.new.total_rows()
        return None if rows is None or more is None else rows + more

    def expected_rows(self, rows: int, bytes: int) -> int:
        return sum(side.expected_rows(rows, bytes) for side in (self.reference, self.new))

    def read(self, columns: Sequence[str] | None = None, start: int = 0, stop: int | None = None) -> Iterator[Batch]:
        return self._read(self.columns if columns is None else columns, start, stop)

    def _read(self, columns: Sequence[str], start: int, stop: int | None) -> Iterator[Batch]:
        known = self.reference.total_rows()
        first = self.reference_rows if known is None and start else known
        if first is None or start < first:
            for batch in self._side(self.reference, columns, start, stop):
                yield batch
                if stop is not None and batch.start + len(batch) >= stop:
                    return
        first = self.reference_rows
        if stop is None or stop > first:
            for batch in self._side(self.new, columns, max(start - first, 0), None if stop is None else stop - first):
                yield Batch(batch.start + first, batch.data)

    def lanes(self, columns: Sequence[str], start: int = 0, stop: int | None = None) -> Lanes:
        rows = self.reference.total_rows()
        if rows is None or (self.id is not None and None in (self.reference.id, self.new.id)):
            yield map(Piece.of, self.read(columns, start, stop))  # ids, or the first new row, depend on row numbers
            return
        for source, first in ((self.reference, 0), (self.new, rows)):
            low, high = max(start - first, 0), None if stop is None else stop - first
            if (source is self.new or low < rows) and (high is None or high > 0):
                for lane in source.lanes(self._stored(source, columns), low, high):
                    yield map(partial(self._piece, source, columns, first), lane)

    def _piece(
        self, source: Source, columns: Sequence[str], first: int, piece: Piece[pa.RecordBatch]
    ) -> Piece[pa.RecordBatch]:
        """Returns rows of one side, whose first row is `first`, with the column names and types of the chain."""

        def load() -> pa.RecordBatch:
            return self._converted(source, columns, Batch(piece.start or 0, piece.load())).data

        return Piece(load, piece.nbytes, None if piece.start is None else first + piece.start)

    def _side(self, source: Source, columns: Sequence[str], start: int, stop: int | None) -> Iterator[Batch]:
        """Reads one side, with the column names and types of the chain."""
        for batch in source.read(self._stored(source, columns), start, stop):
            yield self._converted(source, columns, batch)

    def _stored(self, source: Source, columns: Sequence[str]) -> list[str]:
        """The columns of one side that are needed for these columns of the chain."""
        names = {self.column: source.column, **({self.id: source.id} if self.id else {})}
        there = [names.get(name, name) for name in columns if source is self.new or name in names]
        return [*dict.fromkeys([name for name in there if name is not None] or [source.column])]

    def _converted(self, source: Source, columns: Sequence[str], batch: Batch) -> Batch:
        """Returns rows of one side, with the column names and types of the chain."""
        names = {self.column: source.column, **({self.id: source.id} if self.id else {})}
        texts, ids = self._types()
        made = []
        for name in columns:
            if name == self.id and source.id is None:
                made.append(cast(pa.array(np.arange(batch.start, batch.start + len(batch)), pa.int64()), ids))
            elif source is self.new or name in names:
                column = batch.data.column(names.get(name) or name)
                made.append(cast(column, ids) if name == self.id else column)
            else:
                made.append(pa.nulls(len(batch), self._type_of(name)))
            if name == self.column and made[-1].type != texts:
                kinds = {"type": str(made[-1].type), "other": str(texts)}
                raise InvalidOption("reference-of-another-kind", column=name, name=source.name, **kinds)
        return Batch(batch.start, pa.record_batch(made, names=list(columns)))

    def _types(self) -> tuple[pa.DataType, pa.DataType]:
        """Returns the types of the text and id columns, determined from the first row of each side."""
        if self._kinds is None:
            texts, ids = [], []
            for source in (self.reference, self.new):
                columns = [source.column] + ([source.id] if source.id else [])
                first = next(iter(source.read(columns, 0, 1)), None)
                if first is not None:
                    texts.append(first.data.column(0).type)
                    ids.append(first.data.column(1).type if source.id else pa.int64())
            same = len({*ids}) == 1
            self._kinds = texts[0] if texts else pa.large_string(), ids[0] if same else pa.large_string()
        return self._kinds

    def _type_of(self, name: str) -> pa.DataType:
        first = next(iter(self.new.read([name], 0, 1)), None)
        return pa.null() if first is None else first.data.column(0).type

    def documents(self, start: int = 0, stop: int | None = None) -> Iterator[Documents]:
        for batch in self.read([self.column], start, stop):
            yield Documents(batch.data.column(0), batch.start)

    def check_unchanged(self) -> None:
        self.reference.check_unchanged()
        self.new.check_unchanged()

    def identity(self) -> str:
        both = f"{self.reference.identity()} {self.new.identity()}"
        return hashlib.blake2b(both.encode(), digest_size=16).hexdigest()
