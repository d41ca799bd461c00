"""Adds many rows to an index in PostgreSQL, in one transaction that has the index alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import attrgetter, methodcaller

import numpy as np
import pyarrow as pa

from lookalike.corpus.segment import Records
from lookalike.corpus.segment_writer import records_of
from lookalike.engines.stages.signed_rows import SignedRows
from lookalike.flow import Documents, Shingles
from lookalike.flow.arrays import Hashes, Rows
from lookalike.index.passages import joined as joined_passages
from lookalike.index.postgres import upkeep
from lookalike.index.postgres.passages import recent_rows
from lookalike.index.postgres.store import Postgres, documents, recent
from lookalike.index.short_signatures import Short
from lookalike.index.store import Change
from lookalike.index.store import Part as AnyPart
from lookalike.io.source import Piece
from lookalike.io.workers import HEAVY, in_order
from lookalike.work.text_store import TextLanes

MOST_ROWS = 1 << 20
"""The maximum number of rows of a segment that one add writes, about."""

PER_PASSAGE = 48
"""The bytes of memory per chosen shingle until a part is written: itself and its row, and sorted copies."""

FEW = 1 << 12
"""A part of up to this many rows becomes recent rows instead of a segment."""


@dataclass(eq=False)
class Part:
    """Consecutive rows, whose documents are in the database and whose keys are not yet."""

    first: int
    records: Records
    keys: Hashes
    held: HeldTexts
    passages: Shingles | None

    def texts_of(self, places: Rows) -> HeldTexts:
        return self.held


@dataclass(eq=False)
class HeldTexts:
    """The texts of a part, which stay in memory until its rows are connected."""

    held: list[Documents]
    threads: int
    ahead: int = HEAVY

    def documents(self, start: int, stop: int) -> Iterator[Documents]:
        load, size = methodcaller("load"), attrgetter("nbytes")
        return in_order(self.lanes(start, stop), load, self.threads, bytes_of=size, most=self.ahead)

    def lanes(self, start: int, stop: int) -> TextLanes:
        yield self._pieces(start, stop)

    def _pieces(self, start: int, stop: int) -> Iterator[Piece[Documents]]:
        for whole in self.held:
            low, high = max(start - whole.start, 0), min(stop - whole.start, len(whole))
            if low < high:
                some = Documents(whole.texts[low:high], whole.start + low)
                yield Piece([some].pop, some.texts.nbytes, some.start)


@dataclass(eq=False)
class PostgresBulk:
    """Rows that are being added. `keep` is called by workers, everything else in row order."""

    store: Postgres
    most_bytes: int
    """The maximum number of bytes of texts of a part, about. They stay in memory until its rows are connected."""
    _rows: list[SignedRows] = field(default_factory=list)
    _records: list[Records] = field(default_factory=list)
    _held: list[Documents] = field(default_factory=list)
    _texts: list[pa.Array] = field(default_factory=list)
    _passages: list[Shingles] = field(default_factory=list)
    _bytes: int = 0
    _part: int = 0
    """The number of rows of the current part."""
    _added: int = 0
    _recent: int = 0

    def keep(self, documents: Documents) -> Documents:
        return documents

    def place(self, kept: Documents, start: int) -> None:
        self._held.append(Documents(kept.texts, self._part + sum(map(len, self._texts))))
        self._texts.append(kept.texts)
        self._bytes += kept.texts.nbytes

    def add(
        self, signed: SignedRows, ids: pa.Array, signatures: Short | None, passages: Shingles | None
    ) -> AnyPart | None:
        """Adds the rows whose texts were placed last. Returns a part if it is full."""
        texts = pa.concat_arrays(self._texts)
        self._texts.clear()
        rows = np.arange(self._next, self._next + len(texts))
        records = records_of(signed.sketches, ids, signatures)
        new = documents(rows, ids, records, texts)
        kinds = ["int8", "int8", "bytea", "bytea", "bytea"]
        self.store.session.copy("document (row, id, name, record, text)", kinds, new)
        self._rows.append(SignedRows(signed.sketches, ids))
        self._records.append(records)
        if passages is not None:
            self._passages.append(passages)
            self._bytes += PER_PASSAGE * len(passages.values)
        self._part += len(texts)
        return self.finish() if self._part >= MOST_ROWS or self._bytes >= self.most_bytes else None

    def finish(self) -> AnyPart | None:
        """Returns the current part, if it has rows."""
        from lookalike.engines.stages.first_pass import joined

        if not self._rows:
            return None
        whole = joined(self._rows)
        texts = HeldTexts(self._held, self.store.kernel.threads)
        passages = joined_passages(self._passages) if self._passages else None
        part = Part(self._first, np.concatenate(self._records), whole.sketches.keys, texts, passages)
        self._added += self._part
        self._rows, self._records, self._held, self._passages, self._bytes, self._part = [], [], [], [], 0, 0
        return part

    @property
    def _first(self) -> int:
        """The number of the first row of the current part."""
        return self.store.next_row + self._added

    @property
    def _next(self) -> int:
        """The number of the next row."""
        return self._first + self._part

    def connected(self, part: AnyPart) -> None:
        assert isinstance(part, Part)
        rows = np.arange(part.first, part.first + len(part.keys))
        if len(rows) <= FEW:
            new = recent(rows, part.keys, part.records["flags"])
            self.store.session.copy("recent", ["int8", "int8[]"], new)
            if part.passages is not None:
                some = recent_rows(rows, part.passages)
                self.store.session.copy("recent_passage", ["int8", "int8[]"], some)
            self._recent += len(rows)
        else:
            upkeep.write_segment(self.store, rows, part.keys, part.records["flags"], part.passages)

    def commit(self, change: Change) -> None:
        self.store._commit(change, self.store._deletions(change), self._added, self._recent, next_row=self._next)

    def abandon(self) -> None:
        """Does nothing: the transaction of the turn is rolled back."""
