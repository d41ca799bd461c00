"""Stores texts as compressed durable parts, so that a resumed run need not read the input again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from lookalike.flow import Documents
from lookalike.io.source import Piece, Source
from lookalike.io.workers import HEAVY
from lookalike.storage.parts import Parts

PIECE = 32 << 20
"""The approximate number of bytes of text per part."""


class TextParts:
    """Stores the texts of rows, which are added in row order.

    No part crosses a multiple of `rows`, because a resumed run may start at any of these rows.
    """

    def __init__(self, parts: Parts, source: Source, rows: int, ahead: int = HEAVY) -> None:
        self.parts = parts
        self.source = source
        self.rows, self.ahead = rows, ahead
        self.starts: dict[int, list[int]] = {}
        """The first rows of the parts, grouped by the multiple of `rows` at or before them."""
        self._waiting: list[Documents] = []
        self._bytes = 0

    def keep(self, documents: Documents) -> Documents:
        """Returns the texts, which `place` will store."""
        return documents

    def place(self, kept: Documents, start: int) -> None:
        """Adds texts. Returns after all parts that are now complete have been written."""
        documents = Documents(kept.texts, start)
        while len(documents):
            room = self.rows - documents.start % self.rows
            here = Documents(documents.texts[:room], documents.start)
            documents = Documents(documents.texts[room:], documents.start + room)
            self._waiting.append(here)
            self._bytes += here.texts.nbytes
            if self._bytes >= PIECE or len(here) == room:
                self.finish()

    def finish(self) -> None:
        """Writes the texts that are not yet in a part to a new part."""
        if self._waiting:
            start = self._waiting[0].start
            texts = pa.concat_arrays([some.texts for some in self._waiting])
            self._waiting, self._bytes = [], 0
            self.parts.put(_name(start), packed(texts))
            self.starts.setdefault(start - start % self.rows, []).append(start)

    def documents(self, start: int, stop: int) -> Iterator[Documents]:
        """Yields the texts of rows `start` … `stop - 1`, in order."""
        for first in sorted(first for group in self.starts.values() for first in group):
            if first >= stop:
                return
            if self._ends(first) <= start:
                continue
            part = self.parts.get(_name(first))
            if part is None:  # damaged
                yield from self.source.documents(max(start, first), min(stop, self._ends(first)))
                continue
            texts = _unpacked(part)
            low, high = max(start - first, 0), min(stop - first, len(texts))
            if low < high:
                yield Documents(texts[low:high], first + low)

    def lanes(self, start: int, stop: int) -> Iterator[Iterable[Piece[Documents]]]:
        """Yields the texts of rows `start` … `stop - 1`, in one lane."""
        yield (Piece([texts].pop, texts.texts.nbytes, texts.start) for texts in self.documents(start, stop))

    def _ends(self, start: int) -> int:
        group = self.starts[start - start % self.rows]
        later = [other for other in group if other > start]
        return min(later, default=start - start % self.rows + self.rows)


def _name(start: int) -> str:
    return f"texts-{start:015d}"


def packed(texts: pa.Array) -> pa.Table:
    """Compresses texts into a table with a single cell."""
    sink = pa.BufferOutputStream()
    batch = pa.record_batch({"text": texts})
    with pa.ipc.new_stream(sink, batch.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as writer:
        writer.write_batch(batch)
    data = sink.getvalue()
    offsets = pa.py_buffer(memoryview(b"".join(n.to_bytes(8, "little") for n in (0, data.size))))
    return pa.table({"lz4": pa.Array.from_buffers(pa.large_binary(), 1, [None, offsets, data])})


def _unpacked(part: pa.Table) -> pa.Array:
    with pa.ipc.open_stream(part["lz4"][0].as_buffer()) as reader:
        return reader.read_all()["text"].combine_chunks()
