"""Keeps lookups in an embedded index quick: folds recent rows into segments, and merges segments.

Both happen in small steps after adds, so that no single add has to wait for long. What is unfinished when the index is
closed is started again later. A step that fails does not concern the add before it, which is durable already.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from lookalike.corpus.segment import Segment, files_of
from lookalike.corpus.segment_merge import SegmentMerge, are_adjacent
from lookalike.corpus.segment_writer import SegmentWriter
from lookalike.corpus.text_blocks import pack_texts
from lookalike.errors import LookalikeError
from lookalike.flow import Shingles
from lookalike.flow.arrays import Rows
from lookalike.flow.progress import Progress
from lookalike.index.catalogue import Transaction
from lookalike.index.ids import stored_ids
from lookalike.index.passages import joined
from lookalike.storage.foreign_errors import writing
from lookalike.storage.whole_files import sync_folder

if TYPE_CHECKING:
    from lookalike.index.embedded import Embedded

FOLDED = 4096
"""The number of recent rows that become a segment."""

FOLDED_BYTES = 16 << 20
"""The number of bytes of their texts at which they become a segment earlier."""

MERGED = 4
"""The number of adjacent segments of about the same size that are merged."""

MOST_MERGED = 64
"""The maximum number of segments that are merged at a time."""

OVERDUE = 4
"""If this many times as many rows or segments are waiting, they are not left for later adds."""

STEP = 256 << 10
"""The minimum number of bytes of a step."""

PER_BYTE = 4
"""The bytes of work per byte added. More than each row needs in all, which is copied once per size of segments."""

MOST_SPAN = 1 << 32
"""The rows of a segment are numbered with 32 bits."""

Steps = Generator[int, None, None]
"""Work that is done step by step. It yields the size of each step in bytes, about."""


class Upkeep:
    """The folding and merging that a writer carries out, one piece after each add."""

    def __init__(self, store: Embedded) -> None:
        self.store = store
        self.added = 0
        """The bytes added since the last piece."""
        self.postponed: str | None = None
        """Why the last piece failed, if it did."""
        self._fold: Steps | None = None
        self._merge: Steps | None = None
        self._retry_at = 0

    def piece(self, progress: Progress) -> None:
        """Does a piece of work, in proportion to what was added, and all that is overdue."""
        left, self.added, finished = max(STEP, PER_BYTE * self.added), 0, 0
        if self.store.next_row < self._retry_at:
            return
        try:
            while (left > 0 or self._is_overdue()) and (done := self._step()):
                left, finished = left - done, finished + done
                progress("merge", finished, None)
        except (LookalikeError, OSError) as error:
            self.abandon()
            self.postponed, self._retry_at = str(error), self.store.next_row + FOLDED

    def finish_fold(self) -> None:
        """Folds all recent rows, now."""
        for _ in self._fold or ():
            pass
        self._fold = None
        for _ in fold(self.store):
            pass

    def abandon(self) -> None:
        """Removes what is unfinished."""
        for job in (self._fold, self._merge):
            if job is not None:
                job.close()
        self._fold = self._merge = None

    def _step(self) -> int:
        """Does one step, and returns its size in bytes; 0 if nothing is to do."""
        if self._fold is None and _waits(self.store) >= 1:
            self._fold = fold(self.store)
        if self._fold is not None:
            done = next(self._fold, None)
            if done is None:
                self._fold, self.postponed = None, None
            return STEP if done is None else max(1, done)
        if self._merge is None and (due := due_merge([len(segment) for segment in self.store.segments])) is not None:
            chosen = self.store.segments[due.start : due.stop]
            self._merge = merge(self.store, chosen) if can_merge(chosen) else None
        if self._merge is None:
            return 0
        done = next(self._merge, None)
        if done is None:
            self._merge, self.postponed = None, None
        return STEP if done is None else max(1, done)

    def _is_overdue(self) -> bool:
        if _waits(self.store) >= OVERDUE:
            return True
        return due_merge([len(segment) for segment in self.store.segments], OVERDUE * MERGED) is not None


def _waits(store: Embedded) -> float:
    """Returns how many segments the recent rows would fill."""
    return max(len(store.recent) / FOLDED, store.recent.nbytes / FOLDED_BYTES)


def due_merge(sizes: Sequence[int], count: int = MERGED) -> range | None:
    """Returns which segments to merge, given their sizes in row order; None if there are not too many.

    Segments have levels, like digits: a segment of the next level has `MERGED` times as many rows. Adjacent segments
    are merged as soon as `count` of them have the same level and none between them has a greater one. So there are
    fewer than `count` per level, and each row is copied once per level at most.
    """
    levels = [math.floor(math.log(max(1, size), MERGED)) for size in sizes]
    for level in sorted(set(levels)):
        start = 0
        while start < len(levels):
            stop = start
            while stop < len(levels) and levels[stop] <= level:
                stop += 1
            same = [i for i in range(start, stop) if levels[i] == level]
            if len(same) >= count:
                return range(same[0], min(same[-1] + 1, same[0] + MOST_MERGED))
            start = stop + 1
    return None


def can_merge(segments: Sequence[Segment]) -> bool:
    """Returns whether the rows of segments can be those of one segment."""
    return are_adjacent(segments) and segments[-1].end - segments[0].first < MOST_SPAN


def fold(store: Embedded) -> Steps:
    """Moves the recent rows to a segment, step by step. Deleted ones move, too."""
    recent = store.recent
    rows, ids, texts = recent.rows.copy(), list(recent.ids), list(recent.texts)
    records, keys, passages = recent.all_records.copy(), recent.keys, list[Shingles]()
    if not len(rows):
        return
    name = store.new_name()
    with writing(store.folder):
        writer = SegmentWriter(store.segment_folder, name, store.kernel, int(rows[0]), text_ids=store.ids == "str")

    def steps() -> Iterator[int]:
        start = 0
        while start < len(rows):
            stop, size = start, 0
            while stop < len(rows) and size < STEP:
                size, stop = size + len(texts[stop]), stop + 1
            data = pa.py_buffer(b"".join(texts[start:stop]))
            offsets = np.append(0, np.cumsum([len(text) for text in texts[start:stop]]))
            some = pa.Array.from_buffers(pa.large_string(), stop - start, [None, pa.py_buffer(offsets), data])
            writer.add_texts(pack_texts(some))
            if store.contain:
                passages.append(store.passages_in(some))
            yield max(1, size)
            start = stop
        names = stored_ids(ids, store.ids)
        writer.add_ids(names)
        offsets = (rows - rows[0]).astype(np.uint32)
        is_whole = bool(offsets[-1] == len(offsets) - 1)
        whole = joined(passages) if store.contain else None
        writer.finish(records, keys, names, None if is_whole else offsets, whole)
        yield STEP

    def finish(transaction: Transaction) -> None:
        transaction.replace_segments([], [name])
        transaction.set(folded=int(rows[-1]) + 1)

    yield from written(store, name, steps(), finish, writer.close)
    store.has_folded = True


def merge(store: Embedded, segments: Sequence[Segment]) -> Steps:
    """Merges segments, step by step. Deleted rows stay."""
    name, nothing = store.new_name(), np.zeros(0, np.int64)
    with writing(store.folder):
        made = SegmentMerge(store.segment_folder, name, store.kernel, segments, [nothing] * len(segments))
    old = [segment.name for segment in segments]
    yield from written(store, name, made.steps(), lambda change: change.replace_segments(old, [name]), made.close)
    remove_segments(store, old)


def written(
    store: Embedded,
    name: str,
    steps: Iterator[int],
    change: Callable[[Transaction], None],
    close: Callable[[], None],
) -> Steps:
    """Writes a segment step by step, makes its files durable, and commits a change that names them.

    If that fails or is abandoned, the files are removed. But if the commit itself fails, they stay until the next
    writer opens the index, because only the catalogue knows whether it names them.
    """
    try:
        with writing(store.folder):
            yield from steps
            sync_folder(store.segment_folder)
    except BaseException:
        close()
        remove_segments(store, [name])
        raise
    with store.catalogue.writing() as transaction:
        change(transaction)
    store.refresh()


def remove_segments(store: Embedded, names: Sequence[str]) -> None:
    """Removes the files of segments that the catalogue does not name. Those who have them open can still read them."""
    for name in names:
        for path in files_of(store.segment_folder, name):
            path.unlink(missing_ok=True)


def gone_in(segment: Segment, gone: Rows) -> Rows:
    """Returns the positions of those rows of a segment that are gone. `gone` ascends."""
    low, high = np.searchsorted(gone, [segment.first, segment.end])
    positions = segment.positions_of(gone[low:high])
    return positions[positions >= 0]
