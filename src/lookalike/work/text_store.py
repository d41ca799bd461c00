"""Keeps texts that later stages need again: in memory up to a limit, otherwise in a temporary file.

Parsing JSON or decompressing gzip twice would dominate a run, so such texts are written to a temporary file without a
name. Several threads decode Parquet on disk faster than its texts could be written and read back, so its texts are only
kept in memory, and those that do not fit are read again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from lookalike.flow import Documents
from lookalike.io.read_ahead import HEAVY, batches
from lookalike.io.source import Source

MEMORY = 256 << 20
"""The maximum number of bytes of text that stay in memory."""


@dataclass(frozen=True)
class Spilled:
    """A batch whose bytes are in the temporary file; the offsets of its texts stay in memory."""

    start: int
    offsets: pa.Buffer
    rows: int
    position: int
    size: int


class TextStore:
    """Keeps the texts of rows, which are added in row order. Texts that were not kept are read again from the source.

    Rows of in-memory sources, and lists of tokens, are not kept. `threads` is the number of threads that read the
    source.
    """

    def __init__(self, source: Source, memory: int = MEMORY, threads: int = 1, ahead: int = HEAVY) -> None:
        self.source = source
        self.threads, self.ahead = threads, ahead
        self.memory = -1 if source.in_memory else memory
        self.batches: list[Documents | Spilled] = []
        self.first: int | None = None
        self.file: BinaryIO | None = None
        self.written = 0

    def add(self, documents: Documents) -> None:
        """Keeps a batch, if possible.

        If the disk is full, all kept texts are dropped, and rows are read from the source.
        """
        if documents.has_tokens or self.memory < 0:
            return
        if self.first is None:
            self.first = documents.start
        size = documents.texts.nbytes
        if size <= self.memory:
            self.memory -= size
            self.batches.append(documents)
            return
        if self.source.cheap_to_reread:
            self.memory = -1  # keep only the rows added so far
            return
        try:
            self.batches.append(self._spill(documents))
        except OSError:
            self.close()

    def close(self) -> None:
        """Drops all kept texts; from now on, all rows are read from the source."""
        self.batches.clear()
        self.first, self.memory = None, -1
        if self.file is not None:
            self.file.close()
            self.file = None

    def documents(self, start: int, stop: int) -> Iterator[Documents]:
        """Yields the texts of rows `start` … `stop - 1`, in order."""
        first = stop if self.first is None else min(self.first, stop)
        if start < first:
            yield from self._read(start, first)
        end = first
        for batch in self.batches:
            rows = batch.rows if isinstance(batch, Spilled) else len(batch)
            end = batch.start + rows
            if batch.start < stop and end > start:
                kept = self._load(batch) if isinstance(batch, Spilled) else batch
                low, high = max(start - batch.start, 0), min(stop - batch.start, rows)
                yield Documents(kept.texts[low:high], batch.start + low)
        if max(start, end) < stop:
            yield from self._read(max(start, end), stop)

    def _read(self, start: int, stop: int) -> Iterator[Documents]:
        for batch in batches(self.source, [self.source.column], start, stop, self.threads, self.ahead):
            yield Documents(batch.data.column(0), batch.start)

    def _spill(self, documents: Documents) -> Spilled:
        import tempfile  # slow to import, and small inputs are not spilled

        if self.file is None:
            self.file = tempfile.TemporaryFile(prefix="lookalike-", buffering=0)  # noqa: SIM115 - lives as long as this
        texts, position = documents.texts, self.written
        _, offsets, data = texts.buffers()
        places = np.frombuffer(offsets or bytes(8), np.int64, len(texts) + 1, 8 * texts.offset)
        left = memoryview(data or b"")[places[0] : places[-1]]
        while left:
            left = left[self.file.write(left) :]
        size = int(places[-1] - places[0])
        self.written += size
        return Spilled(documents.start, pa.py_buffer(places - places[0]), len(texts), position, size)

    def _load(self, batch: Spilled) -> Documents:
        assert self.file is not None
        data = bytearray(batch.size)
        view, position = memoryview(data), batch.position
        while view:
            got = os.preadv(self.file.fileno(), [view], position)
            if got == 0:
                raise OSError(f"the temporary file of texts ends at {position}, expected {batch.position + batch.size}")
            view, position = view[got:], position + got
        buffers = [None, batch.offsets, pa.py_buffer(data)]
        return Documents(pa.Array.from_buffers(pa.large_string(), batch.rows, buffers), batch.start)
