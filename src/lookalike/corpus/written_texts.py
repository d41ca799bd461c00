"""Reads texts of a file of text blocks that is still being written, in row order and with several threads.

Texts in memory would be quicker to read, but memory that a process uses for the first time costs more than
decompressing the blocks of the few rows that are needed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from operator import attrgetter, methodcaller
from pathlib import Path

import numpy as np
import pyarrow as pa

from lookalike.corpus.tailed_file import read_at
from lookalike.corpus.text_blocks import BlockTable, unpacked_block
from lookalike.flow import Documents
from lookalike.flow.arrays import Rows
from lookalike.io.source import Piece
from lookalike.io.workers import HEAVY, in_order
from lookalike.work.text_store import TextLanes

AT_ONCE = 1 << 20
"""The bytes of text that a thread reads at a time, about. A single block may be larger."""


class WrittenTexts:
    """The texts of the blocks that contain certain positions, by position."""

    ahead = HEAVY

    def __init__(self, path: Path, table: BlockTable, count: int, positions: Rows, threads: int) -> None:
        """Opens the file. `table` describes its blocks, and `count` is the number of texts in them."""
        self.name, self.threads = str(path), threads
        self._table, self._firsts = table, np.append(table["first"].astype(np.int64), count)
        self._positions = positions
        self._codec = pa.Codec("zstd")
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def documents(self, start: int, stop: int) -> Iterator[Documents]:
        load, size = methodcaller("load"), attrgetter("nbytes")
        return in_order(self.lanes(start, stop), load, self.threads, bytes_of=size, most=self.ahead)

    def lanes(self, start: int, stop: int) -> TextLanes:
        yield self._pieces(start, stop)

    def _pieces(self, start: int, stop: int) -> Iterator[Piece[Documents]]:
        low, high = np.searchsorted(self._positions, [start, stop])
        blocks = np.unique(np.searchsorted(self._firsts, self._positions[low:high], side="right") - 1)
        sizes = self._table["raw"][blocks].astype(np.int64)
        groups = (np.cumsum(sizes) - sizes) // AT_ONCE
        breaks = np.flatnonzero((np.diff(blocks) != 1) | (np.diff(groups) != 0)) + 1
        for first, last in pairwise([0, *breaks.tolist(), len(blocks)] if len(blocks) else []):
            some = slice(int(blocks[first]), int(blocks[last - 1]) + 1)
            yield Piece(partial(self._load, some), int(sizes[first:last].sum()), int(self._firsts[some.start]))

    def _load(self, blocks: slice) -> Documents:
        """Returns all texts of consecutive blocks."""
        entries, counts = self._table[blocks], np.diff(self._firsts[blocks.start : blocks.stop + 1]).tolist()
        place = int(entries["place"][0])
        data = memoryview(read_at(self._descriptor, int(entries["place"][-1] + entries["size"][-1]) - place, place))
        lengths, texts = [], []
        for number, (entry, count) in enumerate(zip(entries, counts, strict=True), blocks.start):
            at = int(entry["place"]) - place
            one = data[at : at + int(entry["size"])]
            raw = unpacked_block(self._codec, one, entry, name=self.name, number=number)
            lengths.append(np.frombuffer(raw, "<u4", count))
            texts.append(raw.slice(4 * count))
        offsets = np.zeros(sum(counts) + 1, np.int64)
        np.cumsum(np.concatenate(lengths), out=offsets[1:])
        content = texts[0] if len(texts) == 1 else pa.py_buffer(b"".join(texts))  # a single text may be huge
        array = pa.Array.from_buffers(pa.large_string(), len(offsets) - 1, [None, pa.py_buffer(offsets), content])
        return Documents(array, int(self._firsts[blocks.start]))

    def __del__(self) -> None:
        if hasattr(self, "_descriptor"):
            os.close(self._descriptor)
