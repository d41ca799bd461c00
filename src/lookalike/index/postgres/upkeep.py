"""Keeps lookups in an index in PostgreSQL quick: moves recent rows to segments, merges those, and drops dead rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.flow import Shingles
from lookalike.flow.arrays import Hashes, Rows
from lookalike.flow.progress import Progress
from lookalike.flow.sketches import EMPTY
from lookalike.index.passages import described
from lookalike.index.postgres import passages
from lookalike.index.postgres.hits import SEGMENTS, SegmentRow, read_band, recent_keys
from lookalike.index.postgres.pages import KINDS, Signed, page_count, pages_of, pages_of_band
from lookalike.index.store import Change

if TYPE_CHECKING:
    from lookalike.index.postgres.store import Postgres

FOLDED = 1 << 14
"""The number of recent rows that become a segment."""

FAN_IN = 8
"""The number of segments of similar size that are merged into one."""

MOST_MERGED = 1 << 22
"""Segments are merged as long as they have fewer rows than this together, so that a merge takes seconds."""

POSTING = "posting (segment, band, last, page, crc, keys, rows)"


def is_due(store: Postgres) -> bool:
    return store._recent >= FOLDED


def write_segment(store: Postgres, rows: Rows, keys: Hashes, flags: Any, chosen: Shingles | None = None) -> None:
    """Writes the postings of rows that are not empty. `rows` ascend. `chosen` are their chosen shingles."""
    filled = (flags & EMPTY) == 0
    flat = None if chosen is None else passages.flattened(rows, chosen, filled)
    _write_segment(store, rows[filled], np.ascontiguousarray(keys[filled]), flat)


def _write_segment(store: Postgres, rows: Rows, keys: Hashes, chosen: tuple[Signed, Rows] | None) -> None:
    if len(rows):
        number = _new_segment(store, int(rows[0]), len(rows), keys.shape[1], keys.shape[1] * page_count(len(rows)))
        pages = pages_of(number, keys, rows - rows[0], store.kernel.threads)
        store.session.copy(POSTING, KINDS, pages)
        if chosen is not None:
            passages.write(store.session, number, keys.shape[1], chosen[0], chosen[1] - rows[0])


def _new_segment(store: Postgres, first: int, rows: int, bands: int, pages: int) -> int:
    text = "INSERT INTO segment (first, rows, bands, pages) VALUES (%s, %s, %s, %s) RETURNING segment"
    return int(store.session.rows(text, first, rows, bands, pages)[0][0])


def fold(store: Postgres) -> None:
    """Moves recent rows to a segment, merges segments of similar size, and joins the changes so far."""
    _fold_recent(store)
    segments = [SegmentRow(*row) for row in store.session.rows(SEGMENTS)]
    for group in groups_to_merge(segments):
        merge(store, group)
    _rewrite_changes(store, drop=False)


def _fold_recent(store: Postgres, *, drop: bool = False) -> None:
    """Moves recent rows to a segment. With `drop`, those that were deleted are left out."""
    found, chosen = recent_keys(store.session), passages.all_recent(store.session) if store.contain else None
    rows, keys = found.rows, found.keys
    if drop:
        alive = store.is_alive(rows)
        rows, keys = rows[alive], keys[alive]
        if chosen is not None:
            alive = store.is_alive(chosen[1])
            chosen = chosen[0][alive], chosen[1][alive]
    _write_segment(store, rows, keys.view(np.uint64), chosen)
    store.session.do("DELETE FROM recent")
    if store.contain:
        store.session.do("DELETE FROM recent_passage")


def groups_to_merge(segments: list[SegmentRow]) -> Iterator[list[SegmentRow]]:
    """Yields the segments that should become one: FAN_IN or more of the same tier of sizes."""
    tiers: dict[int, list[SegmentRow]] = {}
    for segment in segments:
        tiers.setdefault(max(segment.rows // FOLDED, 1).bit_length() // 3, []).append(segment)
    for _, group in sorted(tiers.items()):
        if len(group) >= FAN_IN and sum(segment.rows for segment in group) < MOST_MERGED:
            yield group
            return


def merge(store: Postgres, segments: list[SegmentRow]) -> None:
    """Replaces segments by one that has their rows, except deleted ones."""
    session, bands = store.session, segments[0].bands
    first = min(segment.first for segment in segments)
    new = 0
    for band in range(bands):
        parts = [read_band(session, segment, band) for segment in segments]
        keys, rows = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
        order = np.argsort(rows, kind="stable")
        order = order[store.is_alive(rows[order])]
        if not len(order):
            break
        if not new:
            new = _new_segment(store, first, len(order), bands, bands * page_count(len(order)))
        session.copy(POSTING, KINDS, pages_of_band(new, band, keys[order], rows[order] - first))
    if new and store.contain:
        shingles, rows = passages.merged(session, segments, bands)
        alive = store.is_alive(rows)
        passages.write(session, new, bands, shingles[alive], rows[alive] - first)
    numbers = [segment.segment for segment in segments]
    session.do("DELETE FROM posting WHERE segment = ANY(%s)", numbers)
    session.do("DELETE FROM segment WHERE segment = ANY(%s)", numbers)


def _rewrite_changes(store: Postgres, *, drop: bool) -> None:
    """Replaces all changes by two, and commits. With `drop`, deleted rows and their edges are forgotten."""
    from lookalike.index.postgres.store import changes

    dirty = store.dirty()
    settled = np.setdiff1d(store._gone_rows, dirty)
    edges = store.edges()
    added = len(store) + len(store._gone_rows)
    if drop:
        edges, added, settled, dirty = edges[store.is_alive(edges).all(axis=1)], len(store), settled[:0], dirty[:0]
    statements = [("DELETE FROM change", ()), *changes(Change(settled, edges), added, 0)]
    statements.append(
        ("UPDATE state SET settled = (SELECT max(step) FROM change), layout = layout + 1, version = version + 1", ())
    )
    statements += changes(Change(dirty), 0, 0) if len(dirty) else []
    store.session.commit(statements)


def compact(store: Postgres, progress: Progress) -> None:
    """Removes deleted rows from all segments, merges them, and lets PostgreSQL use their space again."""
    with store.writing():
        _fold_recent(store, drop=True)
        segments = [SegmentRow(*row) for row in store.session.rows(SEGMENTS)]
        for done, group in enumerate(_by_size(segments)):
            merge(store, group)
            progress("compact", done + 1, None)
        _rewrite_changes(store, drop=not len(store.dirty()))
    for table in _tables(store):
        store.session.do(f"VACUUM (ANALYZE) {table}")


def _by_size(segments: list[SegmentRow]) -> Iterator[list[SegmentRow]]:
    """Yields consecutive segments with fewer than MOST_MERGED rows together, or one segment."""
    group: list[SegmentRow] = []
    for segment in segments:
        if group and sum(one.rows for one in group) + segment.rows >= MOST_MERGED:
            yield group
            group = []
        group.append(segment)
    if group:
        yield group


def _tables(store: Postgres) -> tuple[str, ...]:
    tables = ("document", "recent", "posting", "segment", "change", "state")
    return (*tables, "recent_passage") if store.contain else tables


def info(store: Postgres) -> dict[str, Any]:
    session = store.session
    sizes = ", ".join(f"pg_total_relation_size('{table}')" for table in _tables(store))
    total = sum(session.rows(f"SELECT {sizes}")[0])
    segments, recent = session.rows("SELECT (SELECT count(*) FROM segment), (SELECT count(*) FROM recent)")[0]
    deleted = len(store._gone_rows)
    dead = round(total * deleted / max(1, deleted + len(store)))
    return {
        "documents": len(store),
        "deleted": deleted,
        "segments": segments,
        "recent": recent,
        "live_bytes": total - dead,
        "dead_bytes": dead,
        "bytes": total,
        "ids": store.ids,
        **described(store),
        "plan": None if store.resolved is None else store.resolved.to_toml(),
    }
