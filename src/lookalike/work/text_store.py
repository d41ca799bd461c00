"""Keeps texts that later stages need again: in memory up to a limit, otherwise in a temporary file.

Parsing JSON or decompressing gzip twice would dominate a run, so such texts are written to a temporary file without a
name. Several threads decode Parquet on disk faster than its texts could be written and read back, so its texts are only
kept in memory, and those that do not fit are read again.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from operator import attrgetter, methodcaller
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from lookalike.flow import Documents
from lookalike.io.source import Piece, Source
from lookalike.io.workers import HEAVY, in_order

TextLanes = Iterable[Iterable[Piece[Documents]]]
"""Texts of rows, for several threads: see `Source.lanes`."""


@dataclass(frozen=True, eq=False)
class Kept:
    """Texts of consecutive rows: in memory, or in the temporary file."""

    texts: pa.Array | None
    """None if the bytes of the texts are in the temporary file."""
    rows: int
    size: int
    offsets: pa.Buffer | None = None
    position: int = 0


class TextStore:
    """Keeps the texts of rows. Texts that were not kept are read again from the source.

    Rows of in-memory sources, and lists of tokens, are not kept. `threads` is the number of threads that read the
    source.
    """

    def __init__(self, source: Source, memory: int, threads: int = 1, ahead: int = HEAVY) -> None:
        self.source = source
        self.threads, self.ahead = threads, ahead
        self.memory = -1 if source.in_memory else memory
        self.batches: list[tuple[int, Kept]] = []
        """The first rows of the texts that are kept, ascending, and these texts."""
        self.file: BinaryIO | None = None
        self.written = 0
        self.held = 0
        """The bytes of text in memory."""
        self._is_closed = False
        self._keeping = threading.Lock()

    def keep(self, documents: Documents) -> Kept | None:
        """Keeps the texts of some rows, if possible. Several threads may call it at the same time.

        `place` must be called with what it returns, in row order. If the disk is full, all kept texts are dropped, and
        rows are read from the source.
        """
        if documents.has_tokens or self.memory < 0:
            return None
        size = documents.texts.nbytes
        with self._keeping:
            if size <= self.memory:
                self.memory -= size
                self.held += size
                return Kept(documents.texts, len(documents), size)
            if self.source.cheap_to_reread:
                self.memory = -1  # keep only the rows added so far
            if self.memory < 0:
                return None
            try:
                return self._spill(documents.texts)
            except OSError:
                self.close()
                return None

    def place(self, kept: Kept | None, start: int) -> None:
        """Notes the number of the first row of texts that were kept."""
        with self._keeping:  # another thread may find that the disk is full
            if kept is not None and not self._is_closed:
                self.batches.append((start, kept))

    def shrink(self, most: int) -> None:
        """Moves texts to the file, or drops those that are cheap to read again, until `most` bytes are in memory.

        Call it after all texts were kept and placed.
        """
        while self.held > most:
            place = max(i for i, (_, kept) in enumerate(self.batches) if kept.texts is not None)
            start, kept = self.batches.pop(place)
            self.held -= kept.size
            if not self.source.cheap_to_reread and kept.texts is not None:
                try:
                    self.batches.insert(place, (start, self._spill(kept.texts)))
                except OSError:  # the disk is full
                    self.close()
        self.memory = min(self.memory, 0)

    def close(self) -> None:
        """Drops all kept texts; from now on, all rows are read from the source."""
        self.batches.clear()
        self.memory, self.held, self._is_closed = -1, 0, True
        if self.file is not None:
            self.file.close()
            self.file = None

    def documents(self, start: int, stop: int) -> Iterator[Documents]:
        """Yields the texts of rows `start` … `stop - 1`, in order."""
        return in_order(
            self.lanes(start, stop),
            methodcaller("load"),
            self.threads,
            depth=4,
            bytes_of=attrgetter("nbytes"),
            made_bytes=attrgetter("texts.nbytes"),
            most=self.ahead,
        )

    def lanes(self, start: int, stop: int) -> Iterator[Iterable[Piece[Documents]]]:
        """Yields the texts of rows `start` … `stop - 1`, in lanes. Rows that are not kept are read from the source."""
        return self._lanes(self.batches, start, stop)

    def last_lanes(self, start: int, stop: int) -> Iterator[Iterable[Piece[Documents]]]:
        """Works like `lanes`, but each text is dropped once it was used, so that its memory can be used again."""
        batches, self.batches = deque(self.batches), []
        self.memory, self.held = min(self.memory, 0), 0
        return self._lanes(_drained(batches), start, stop)

    def _lanes(
        self, batches: Iterable[tuple[int, Kept]], start: int, stop: int
    ) -> Iterator[Iterable[Piece[Documents]]]:
        for first, kept in batches:
            end = min(first + kept.rows, stop)
            if end <= start or first >= stop:
                continue
            if start < first:
                yield from self._read(start, first)
                start = first
            yield [Piece(partial(self._load, kept, first, start, end), kept.size * (end - start) // kept.rows, start)]
            start = end
        if start < stop:
            yield from self._read(start, stop)

    def _read(self, start: int, stop: int) -> TextLanes:
        for lane in self.source.lanes([self.source.column], start, stop):
            yield map(_texts_of, lane)

    def _spill(self, texts: pa.Array) -> Kept:
        import tempfile  # slow to import, and small inputs are not spilled

        if self.file is None:
            self.file = tempfile.TemporaryFile(prefix="lookalike-", buffering=0)  # noqa: SIM115 - lives as long as this
        position = self.written
        _, offsets, data = texts.buffers()
        places = np.frombuffer(offsets or bytes(8), np.int64, len(texts) + 1, 8 * texts.offset)
        left = memoryview(data or b"")[places[0] : places[-1]]
        while left:
            left = left[self.file.write(left) :]
        size = int(places[-1] - places[0])
        self.written += size
        return Kept(None, len(texts), size, pa.py_buffer(places - places[0]), position)

    def _load(self, kept: Kept, first: int, start: int, end: int) -> Documents:
        """The texts of rows `start` … `end - 1`. `first` is the first row that was kept with them."""
        texts = kept.texts
        if texts is None:
            assert self.file is not None
            data = bytearray(kept.size)
            view, position = memoryview(data), kept.position
            while view:
                got = os.preadv(self.file.fileno(), [view], position)
                if got == 0:
                    raise OSError(f"the temporary file of texts ends at {position}, before the end of row {end - 1}")
                view, position = view[got:], position + got
            texts = pa.Array.from_buffers(pa.large_string(), kept.rows, [None, kept.offsets, pa.py_buffer(data)])
        return Documents(texts[start - first : end - first], start)


def _drained(batches: deque[tuple[int, Kept]]) -> Iterator[tuple[int, Kept]]:
    while batches:
        yield batches.popleft()


class LastTexts:
    """The texts of a store that are read for the last time, in row order: see `TextStore.last_lanes`."""

    def __init__(self, store: TextStore) -> None:
        self.store, self.ahead = store, store.ahead

    def lanes(self, start: int, stop: int) -> TextLanes:
        return self.store.last_lanes(start, stop)

    def documents(self, start: int, stop: int) -> Iterator[Documents]:
        return self.store.documents(start, stop)


def _texts_of(piece: Piece[pa.RecordBatch]) -> Piece[Documents]:
    """Returns the texts of rows whose only column is that of the texts."""

    def load() -> Documents:
        assert piece.start is not None
        return Documents(piece.load().column(0), piece.start)

    return Piece(load, piece.nbytes, piece.start)
