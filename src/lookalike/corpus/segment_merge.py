"""Merges segments into one, in steps of bounded size, and leaves out the rows that were deleted.

Texts are copied in their compressed blocks unless rows of the block are left out. Postings are merged by reading some
pages of every segment at a time, so memory depends on the number of segments, not on their size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.corpus.page_writers import PostingsWriter, RecordsWriter
from lookalike.corpus.segment import Segment
from lookalike.corpus.text_blocks import BLOCK, TextBlocks, TextBlocksWriter, pack_texts
from lookalike.flow.arrays import Hashes, Rows, take
from lookalike.kernel.protocol import Kernel

PAGES = 64
"""The number of pages of postings that are read from a segment at a time."""

RECORDS = 8192
"""The number of records that are read at a time."""

FORCED = 1 << 20
"""The bytes of work that forcing a file to the disk counts as, about."""


class SegmentMerge:
    """A segment that contains the rows of others, which are in ascending order of rows.

    `dropped` are the positions of the rows to leave out, ascending, per segment.
    """

    def __init__(
        self, folder: Path, name: str, kernel: Kernel, segments: Sequence[Segment], dropped: Sequence[Rows]
    ) -> None:
        self.segments, self.dropped, first = segments, dropped, segments[0]
        self.bands, self.text_ids = first.bands, first.text_ids
        paths = [folder / f"{name}{suffix}" for suffix in (".texts", ".rows", ".keys", ".ids")]
        self.texts = TextBlocksWriter(paths[0], paced=True)
        self.records = RecordsWriter(paths[1], kernel, first.record)
        self.postings = PostingsWriter(paths[2], kernel)
        self.ids = TextBlocksWriter(paths[3], paced=True) if self.text_ids else None
        kept = np.cumsum([0] + [len(one) - len(gone) for one, gone in zip(segments, dropped, strict=True)])
        self._starts = kept[:-1]

    @property
    def nbytes(self) -> int:
        """The bytes of work that all steps have together, about."""
        return sum(segment.nbytes for segment in self.segments)

    def steps(self) -> Iterator[int]:
        """Writes the segment step by step, and yields the number of bytes of each step. It is durable at the end."""
        yield from self._blocks(self.texts, [segment.texts for segment in self.segments])
        if self.ids is not None:
            yield from self._blocks(self.ids, [segment.ids for segment in self.segments if segment.ids is not None])
        yield from self._records()
        for band in range(len(self.segments[0].counts)):
            yield from self._band(band)
        for finish in self._finishing():
            finish()
            yield FORCED

    def close(self) -> None:
        """Closes the files without finishing them."""
        for writer in (self.texts, self.records, self.postings, self.ids):
            if writer is not None:
                writer.file.close()

    def _blocks(self, to: TextBlocksWriter, sources: Sequence[TextBlocks]) -> Iterator[int]:
        """Copies blocks. Those that lose texts, or are small, are compressed again together with their neighbours."""
        loose, size = list[pa.Array](), 0
        for blocks, dropped in zip(sources, self.dropped, strict=True):
            for block, entry in enumerate(blocks.table):
                first, count, raw = int(entry["first"]), blocks.count_of(block), int(entry["raw"])
                low, high = np.searchsorted(dropped, [first, first + count])
                if size >= BLOCK or (size >= BLOCK // 2 and low == high):
                    to.add(pack_texts(pa.concat_arrays(loose)))
                    loose, size = [], 0
                if low == high and size == 0 and raw >= BLOCK // 2:
                    to.copy(blocks.compressed(block), count, raw, int(entry["crc"]))
                elif high - low < count:
                    kept = np.delete(np.arange(count), dropped[low:high] - first)
                    loose.append(take(blocks.documents(block).texts, kept))
                    size += loose[-1].nbytes
                yield raw
        if loose:
            to.add(pack_texts(pa.concat_arrays(loose)))

    def _records(self) -> Iterator[int]:
        for segment, dropped in zip(self.segments, self.dropped, strict=True):
            for start in range(0, len(segment), RECORDS):
                stop = min(start + RECORDS, len(segment))
                low, high = np.searchsorted(dropped, [start, stop])
                self.records.add(segment.records(np.delete(np.arange(start, stop), dropped[low:high] - start)))
                yield (stop - start) * segment.record.itemsize

    def _band(self, band: int) -> Iterator[int]:
        """Merges the postings of a band. Positions ascend from segment to segment, so equal keys stay in order."""
        cursors = [
            _Cursor(segment, band, dropped, int(start))
            for segment, dropped, start in zip(self.segments, self.dropped, self._starts, strict=True)
        ]
        while True:
            size = sum(cursor.fill() for cursor in cursors)
            ends = [(int(one.keys[-1]), i) for i, one in enumerate(cursors) if one.has_more]
            parts = [one.until(min(ends), i) if ends else one.until(None, i) for i, one in enumerate(cursors)]
            keys = np.concatenate([keys for keys, _ in parts])
            order = np.argsort(keys, kind="stable")
            self.postings.add(keys[order], np.concatenate([positions for _, positions in parts])[order])
            yield size
            if not ends:
                self.postings.end_band()
                return

    def _finishing(self) -> list[Callable[[], None]]:
        first, offsets = self._rows()
        facts = {"first": first, "bands": self.bands, "ids": "str" if self.text_ids else "int"}
        if "signature" in (self.segments[0].record.names or ()):
            facts["slots"] = self.segments[0].record["signature"].shape[0]
        finishing: list[Callable[[], None]] = [partial(self.records.finish, facts, offsets), self.postings.finish]
        return finishing + [blocks.finish for blocks in (self.texts, self.ids) if blocks is not None]

    def _rows(self) -> tuple[int, npt.NDArray[np.uint32] | None]:
        """Returns the number of the first row, and the offsets of all rows, or None if they are consecutive."""
        first, before, is_whole, parts = -1, -1, True, []
        for segment, dropped in zip(self.segments, self.dropped, strict=True):
            rows = segment.rows_at(np.delete(np.arange(len(segment)), dropped))
            if len(rows):
                first = int(rows[0]) if first < 0 else first
                is_whole &= before in (-1, int(rows[0]) - 1) and int(rows[-1] - rows[0]) == len(rows) - 1
                before = int(rows[-1])
                parts.append((rows - first).astype(np.uint32))
        return first, None if is_whole else np.concatenate(parts)


@dataclass(eq=False)
class _Cursor:
    """The postings of one segment in a band, read some pages at a time, with the positions in the new segment."""

    segment: Segment
    band: int
    dropped: Rows
    start: int
    keys: Hashes = field(default_factory=lambda: np.zeros(0, np.uint64))
    positions: npt.NDArray[np.uint32] = field(default_factory=lambda: np.zeros(0, np.uint32))
    page: int = 0

    @property
    def has_more(self) -> bool:
        return self.page < self.segment.postings.pages[self.band]

    def fill(self) -> int:
        """Reads further postings if there are none at hand. Returns the number of bytes read."""
        size = 0
        while not len(self.keys) and self.has_more:
            stop = min(self.page + PAGES, self.segment.postings.pages[self.band])
            keys, positions = self.segment.read_band(self.band, self.page, stop)
            size += 12 * len(keys)
            self.page = stop
            before = np.searchsorted(self.dropped, positions)
            if len(self.dropped):
                kept = self.dropped[np.minimum(before, len(self.dropped) - 1)] != positions
                keys, positions, before = keys[kept], positions[kept], before[kept]
            self.keys, self.positions = keys, (positions.astype(np.int64) + (self.start - before)).astype(np.uint32)
        return size

    def until(self, end: tuple[int, int] | None, place: int) -> tuple[Hashes, npt.NDArray[np.uint32]]:
        """Takes the postings that come before all that no segment has read yet (None: all).

        `end` is the key that a segment has read last, and the place of that segment. Further postings of this segment,
        and of later ones, may have the same key.
        """
        stop = len(self.keys)
        if end is not None:
            key, last = end
            stop = int(np.searchsorted(self.keys, np.uint64(key), side="right" if place <= last else "left"))
        taken = self.keys[:stop], self.positions[:stop]
        self.keys, self.positions = self.keys[stop:], self.positions[stop:]
        return taken


def are_adjacent(segments: Sequence[Segment]) -> bool:
    """Returns whether segments are in order, and no rows of one are among those of another."""
    return all(one.end <= other.first for one, other in pairwise(segments))
