"""Compacts an embedded index: one segment that contains the remaining rows replaces all others.

The new segment is durable before the catalogue names it, in the commit that forgets the old segments, the rows that
were deleted, and their edges. Until then the old files stay, so a compaction needs as much space as the remaining rows,
and may be killed at any time.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from lookalike.corpus.segment import Segment
from lookalike.corpus.segment_merge import SegmentMerge
from lookalike.flow.progress import Progress
from lookalike.index.merging import Steps, can_merge, gone_in, remove_segments
from lookalike.storage.foreign_errors import writing
from lookalike.storage.whole_files import sync_folder

if TYPE_CHECKING:
    from lookalike.index.embedded import Embedded


def compact(store: Embedded, progress: Progress) -> None:
    """Drops deleted rows, which are settled already, and returns their space."""
    store.fold()
    gone = store.gone_rows
    groups = [group for group in _groups(store.segments) if len(group) > 1 or len(gone_in(group[0], gone))]
    if groups or len(gone):
        _replace(store, groups, progress)
    with writing(store.folder):
        store.catalogue.shrink()
    store.refresh()


def _groups(segments: list[Segment]) -> list[list[Segment]]:
    """Returns the segments that become one, which are all of them unless their rows span more than 32 bits."""
    groups: list[list[Segment]] = []
    for segment in segments:
        if groups and can_merge([*groups[-1], segment]):
            groups[-1].append(segment)
        else:
            groups.append([segment])
    return groups


def _replace(store: Embedded, groups: list[list[Segment]], progress: Progress) -> None:
    """Writes a segment per group, and commits them all at once."""
    old, new = [segment.name for segment in chain(*groups)], list[str]()
    total, done = sum(segment.nbytes for segment in chain(*groups)), 0
    try:
        with writing(store.folder):
            for group in groups:
                for size in _merge(store, group, new):
                    done = min(done + size, total)
                    progress("compact", done, total)
            sync_folder(store.segment_folder)
    except BaseException:
        remove_segments(store, new)
        raise
    edges = store.edges()
    with store.catalogue.writing() as transaction:
        transaction.replace_segments(old, new)
        transaction.replace_forest(edges[store.is_alive(edges).all(axis=1)] if len(edges) else edges)
        transaction.remove_recent(store.next_row)
    store.refresh()
    remove_segments(store, old)
    progress("compact", total, total)


def _merge(store: Embedded, group: list[Segment], new: list[str]) -> Steps:
    """Writes the remaining rows of some segments to a new one, whose name is appended to `new`, if there are any."""
    dropped = [gone_in(segment, store.gone_rows) for segment in group]
    if sum(map(len, dropped)) == sum(map(len, group)):
        return
    new.append(store.new_name())
    made = SegmentMerge(store.segment_folder, new[-1], store.kernel, group, dropped)
    try:
        yield from made.steps()
    except BaseException:
        made.close()
        raise
