"""Adds many rows to an embedded index: workers compress the texts, and segments are committed together at the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from lookalike.corpus.segment import Records, Segment
from lookalike.corpus.segment_writer import SegmentWriter, records_of
from lookalike.corpus.text_blocks import BlockTable, Packed, pack_texts
from lookalike.corpus.written_texts import WrittenTexts
from lookalike.engines.stages.signed_rows import SignedRows
from lookalike.flow import Documents, Shingles
from lookalike.flow.arrays import Hashes, Rows
from lookalike.index.embedded import Embedded
from lookalike.index.passages import joined as joined_passages
from lookalike.index.short_signatures import Short
from lookalike.index.store import Change
from lookalike.index.store import Part as AnyPart
from lookalike.storage.foreign_errors import writing
from lookalike.storage.whole_files import sync_folder

if TYPE_CHECKING:
    from concurrent.futures import Future

MOST_ROWS = 1 << 20
"""The maximum number of rows of a segment that one add writes, about."""

PER_PASSAGE = 56
"""The bytes of memory per chosen shingle while a segment is finished: itself and its row, sorted copies, and pages."""


@dataclass(eq=False)
class Part:
    """The rows of one finished segment, which are not committed yet."""

    first: int
    records: Records
    keys: Hashes
    ids: pa.Array
    path: Path
    """The file of texts, which another thread may still be finishing."""
    table: BlockTable
    threads: int

    def texts_of(self, places: Rows) -> WrittenTexts:
        return WrittenTexts(self.path, self.table, len(self.records), places, self.threads)


@dataclass(frozen=True, eq=False)
class Compressed:
    """Texts that a worker has compressed."""

    packed: Packed
    size: int
    """The size of the texts."""

    @property
    def nbytes(self) -> int:
        return sum(block.size for block in self.packed.blocks)


@dataclass(eq=False)
class EmbeddedBulk:
    """Rows that are being added. `keep` is called by workers, everything else in row order."""

    store: Embedded
    text_ids: bool
    most_bytes: int
    """The maximum number of bytes of texts of a segment, about. The sets of all its candidates must fit into memory."""
    _writer: SegmentWriter | None = None
    _finishing: tuple[str, Future[Segment]] | None = None
    """The name of a segment that a thread finishes, and the segment."""
    _rows: list[SignedRows] = field(default_factory=list)
    _signatures: list[Short] = field(default_factory=list)
    _passages: list[Shingles] = field(default_factory=list)
    _bytes: int = 0
    _next: int = -1
    _is_over: bool = False
    """True from the commit on. If it fails, only the catalogue knows whether it names the segments, so they stay."""

    def keep(self, documents: Documents) -> Compressed:
        return Compressed(pack_texts(documents.texts), documents.texts.nbytes)

    def place(self, kept: Compressed, start: int) -> None:
        with writing(self.store.folder):
            self._open().add_texts(kept.packed)
        self._bytes += kept.size

    def add(
        self, signed: SignedRows, ids: pa.Array, signatures: Short | None, passages: Shingles | None
    ) -> Part | None:
        """Adds the rows whose texts were placed last. Returns a part if its segment is finished."""
        self._rows.append(SignedRows(signed.sketches, ids))
        self._signatures += [] if signatures is None else [signatures]
        if passages is not None:
            self._passages.append(passages)
            self._bytes += PER_PASSAGE * len(passages.values)
        with writing(self.store.folder):
            self._open().add_ids(ids)
        is_full = self._open().texts.count >= MOST_ROWS or self._bytes >= self.most_bytes
        return self.finish() if is_full else None

    def finish(self) -> Part | None:
        """Finishes the current segment, if it has rows."""
        from lookalike.engines.stages.first_pass import joined

        if not self._rows:
            return None
        whole = joined(self._rows)
        signatures = np.concatenate(self._signatures) if self._signatures else None
        passages = joined_passages(self._passages) if self._passages else None
        for some in (self._rows, self._signatures, self._passages):
            some.clear()
        writer = self._open()
        assert whole.ids is not None
        records = records_of(whole.sketches, whole.ids, signatures)
        path, table, threads = writer.texts.file.path, writer.texts.table(), self.store.kernel.threads
        part = Part(writer.first, records, whole.sketches.keys, whole.ids, path, table, threads)
        is_first = len(self.store) == 0 and self._next < 0
        self._next, self._writer, self._bytes = writer.first + len(records), None, 0
        self._start_finishing(writer, part, passages)
        if not is_first:  # the rows of the first part are connected without reading its segment
            self._finish()
        return part

    def _start_finishing(self, writer: SegmentWriter, part: Part, passages: Shingles | None) -> None:
        """Sorts and writes the postings in another thread, which the connecting of the rows does not need."""
        from concurrent.futures import ThreadPoolExecutor  # slow to import

        def finish() -> Segment:
            try:
                writer.finish(part.records, part.keys, part.ids, passages=passages)
            except BaseException:
                writer.close()
                raise
            return Segment(self.store.segment_folder, writer.name, self.store.kernel, self.store.cache)

        thread = ThreadPoolExecutor(1, "lookalike-segment")
        self._finishing = writer.name, thread.submit(finish)
        thread.shutdown(wait=False)

    def _finish(self) -> None:
        """Waits for the segment that a thread finishes."""
        if self._finishing is not None:
            with writing(self.store.folder):
                self.store.pending.append(self._finishing[1].result())
            self._finishing = None

    def connected(self, part: AnyPart) -> None:
        self._finish()
        self.store.connected += [segment for segment in self.store.pending if segment.first == part.first]

    def commit(self, change: Change) -> None:
        store, names = self.store, [segment.name for segment in self.store.pending]
        with writing(store.folder):
            sync_folder(store.segment_folder)
        self._is_over = True
        with store.catalogue.writing() as transaction:
            transaction.replace_segments([], names)
            transaction.set(next_row=max(self._next, store.next_row))
            store._apply(transaction, change)
        store.refresh()
        store.noted(sum(segment.nbytes for segment in store.pending))
        store.pending.clear()
        store.connected.clear()

    def abandon(self) -> None:
        """Removes the files of an add that failed."""
        from lookalike.corpus.segment import files_of

        names = [segment.name for segment in self.store.pending]
        if self._finishing is not None:
            name, finished = self._finishing
            names.append(name)
            if finished.exception() is None:
                finished.result().close()
            self._finishing = None
        if self._writer is not None:
            self._writer.close()
            names.append(self._writer.name)
        for segment in self.store.pending:
            segment.close()
        self.store.pending.clear()
        self.store.connected.clear()
        for name in [] if self._is_over else names:
            for path in files_of(self.store.segment_folder, name):
                path.unlink(missing_ok=True)

    def _open(self) -> SegmentWriter:
        if self._writer is None:
            first = self.store.next_row if self._next < 0 else self._next
            folder, name = self.store.segment_folder, self.store.new_name()
            self._writer = SegmentWriter(folder, name, self.store.kernel, first, text_ids=self.text_ids)
        return self._writer
