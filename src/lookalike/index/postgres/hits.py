"""Finds the postings of band keys in PostgreSQL: in the pages of all segments, and among recent rows.

Up to `ONE_BY_ONE` queries are looked up key by key, in one round trip, or two if a bucket has several pages.
More queries read whole bands, of which they would need most pages anyway.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from lookalike.flow.arrays import Hashes, Rows
from lookalike.index.postgres.pages import Signed, matches, opened, signed
from lookalike.index.postgres.session import Session, Statement

ONE_BY_ONE = 256
"""The maximum number of queries that are looked up key by key."""

PAGES_AT_ONCE = 1 << 14
"""The number of pages of a band that are read at a time."""

MOST_PAGES = 1 << 30
"""All pages of a bucket."""

FIRST_PAGES = """
SELECT q.place, s.segment, s.first, p.page, p.last = q.key, p.keys, p.rows
FROM unnest(%s::int[], %s::int[], %s::bigint[]) q (place, band, key)
CROSS JOIN segment s
CROSS JOIN LATERAL (
    SELECT page, last, keys, rows FROM posting
    WHERE segment = s.segment AND band = q.band AND last >= q.key ORDER BY last, page LIMIT 1
) p
WHERE position(int8send(q.key) IN p.keys) > 0
"""

MORE_PAGES = """
SELECT q.place, q.first, p.keys, p.rows, p.page - q.page >= q.most
FROM unnest(%s::int[], %s::int[], %s::bigint[], %s::int[], %s::bigint[], %s::int[], %s::bigint[])
    q (place, segment, first, band, key, page, most)
CROSS JOIN LATERAL (
    (
        SELECT page, keys, rows FROM posting
        WHERE segment = q.segment AND band = q.band AND last = q.key AND page > q.page ORDER BY page LIMIT q.most
    ) UNION ALL (
        SELECT page, keys, rows FROM (
            SELECT page, keys, rows FROM posting
            WHERE segment = q.segment AND band = q.band AND last > q.key ORDER BY last, page LIMIT 1
        ) after WHERE position(int8send(q.key) IN after.keys) > 0
    )
) p
"""

RECENT = """
SELECT string_agg(int8send(row), ''::bytea ORDER BY row), string_agg(array_send(keys), ''::bytea ORDER BY row)
FROM recent WHERE
"""

SEGMENTS = "SELECT segment, first, rows, bands, pages FROM segment ORDER BY segment"

BAND = "SELECT keys, rows FROM posting WHERE segment = %s AND band = %s ORDER BY last, page OFFSET %s LIMIT %s"


class SegmentRow(NamedTuple):
    """A segment. `pages` is the number of pages of all bands."""

    segment: int
    first: int
    rows: int
    bands: int
    pages: int


class RecentKeys(NamedTuple):
    """Rows that are not in a segment, ascending, and their keys."""

    rows: Rows
    keys: Signed


class Hits(NamedTuple):
    """Postings that were found: the query, the band and the row of each, in no order; and what is cut."""

    queries: Rows
    bands: Rows
    rows: Rows
    cut_queries: Rows
    cut_bands: Rows

    @classmethod
    def of(cls, pieces: list[tuple[Rows, Rows, Rows]], cut: list[tuple[int, int]]) -> Hits:
        none = np.zeros(0, np.int64)
        queries, bands, rows = (np.concatenate([none, *(piece[i] for piece in pieces)]) for i in range(3))
        cuts = np.array(sorted(set(cut)), np.int64).reshape(-1, 2)
        return cls(queries, bands, rows, cuts[:, 0], cuts[:, 1])


def find(session: Session, keys: Hashes, asking: Rows, bands: Rows, *, most: int = MOST_PAGES, cap: int = 0) -> Hits:
    """Looks up the keys of these queries in these bands.

    For a few queries, up to `most` pages per segment are read after the first one of a bucket. For many, up to
    `cap` postings of a bucket are (default: all).
    """
    if not len(asking) or not len(bands):
        return Hits.of([], [])
    if len(asking) > ONE_BY_ONE:
        return _band_by_band(session, signed(keys), asking, bands, cap or 1 << 62)
    return _key_by_key(session, signed(keys), asking, bands, most)


def recent_keys(session: Session) -> RecentKeys:
    """Returns all recent rows that are not empty."""
    return _as_keys(*session.rows(f"{RECENT} keys <> '{{}}'")[0])


def _as_keys(rows: bytes | None, keys: bytes | None) -> RecentKeys:
    """Parses what `RECENT` returns: numbers, and arrays in the format of `array_send`."""
    if rows is None or keys is None:
        return RecentKeys(np.zeros(0, np.int64), np.zeros((0, 0), np.int64))
    numbers = np.frombuffer(rows, ">i8").astype(np.int64)
    bands = (len(keys) // len(numbers) - 20) // 12
    arrays = np.frombuffer(keys, [("head", ">i4", 5), ("items", [("size", ">i4"), ("key", ">i8")], (bands,))])
    return RecentKeys(numbers, arrays["items"]["key"].astype(np.int64))


def _key_by_key(session: Session, wanted: Signed, asking: Rows, bands: Rows, most: int) -> Hits:
    queries, columns = np.repeat(asking, len(bands)), np.tile(bands, len(asking))
    keys = wanted[queries, columns]
    asked = f"{RECENT} keys && %s::bigint[]", (np.unique(keys).tolist(),)
    found, cut, recent = in_pages(session, keys, columns, most, asked)
    pieces = [(queries[places], columns[places], rows) for places, rows in found]
    cuts = [(int(queries[place]), int(columns[place])) for place in cut]
    return Hits.of([*pieces, *_in_recent(_as_keys(*recent[0]), wanted, asking, bands)], cuts)


def in_pages(
    session: Session, keys: Signed, bands: Rows, most: int, recent: Statement
) -> tuple[list[tuple[Rows, Rows]], list[int], list[tuple[Any, ...]]]:
    """Looks up keys, each in its band, and runs a statement about recent rows in the same round trip.

    Returns the places of keys and the rows that have them; the places of those of which further pages were left out;
    and what the statement returned.
    """
    pages, answer = session.together([(FIRST_PAGES, ([*range(len(keys))], bands.tolist(), keys.tolist())), recent])
    pieces, further, cut = [], [], []
    for place, segment, first, page, goes_on, page_keys, page_rows in pages:
        pieces.append(_in_page(page_keys, page_rows, first, keys, place))
        if goes_on:
            further.append((place, segment, first, int(bands[place]), int(keys[place]), page, most))
    if further:
        for place, first, page_keys, page_rows, is_last in session.rows(
            MORE_PAGES, *map(list, zip(*further, strict=True))
        ):
            pieces.append(_in_page(page_keys, page_rows, first, keys, place))
            if is_last:
                cut.append(place)
    return pieces, cut, answer


def _in_page(page_keys: bytes, page_rows: bytes, first: int, keys: Signed, place: int) -> tuple[Rows, Rows]:
    stored, rows = opened(page_keys, page_rows, first)
    low, high = np.searchsorted(stored, keys[place], side="left"), np.searchsorted(stored, keys[place], side="right")
    return np.full(int(high - low), place), rows[low:high]


def _in_recent(recent: RecentKeys, wanted: Signed, asking: Rows, bands: Rows) -> Iterator[tuple[Rows, Rows, Rows]]:
    if not len(recent.rows):
        return
    for band in bands.tolist():
        order = np.argsort(recent.keys[:, band], kind="stable")
        queries, places = matches(recent.keys[order, band], wanted[asking, band])
        if len(queries):
            yield asking[queries], np.full(len(queries), band), recent.rows[order[places]]


def _band_by_band(session: Session, wanted: Signed, asking: Rows, bands: Rows, cap: int) -> Hits:
    pieces, cut = [*_in_recent(recent_keys(session), wanted, asking, bands)], []
    for segment in (SegmentRow(*row) for row in session.rows(SEGMENTS)):
        for band in bands.tolist():
            stored, rows = read_band(session, segment, band)
            order = np.argsort(wanted[asking, band], kind="stable")
            keys = wanted[asking[order], band]
            low, high = np.searchsorted(stored, keys, side="left"), np.searchsorted(stored, keys, side="right")
            cut += [(int(asking[order[place]]), band) for place in np.flatnonzero(high - low > cap).tolist()]
            sizes = np.minimum(high - low, cap)
            queries = np.repeat(asking[order], sizes)
            within = np.arange(len(queries)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            pieces.append((queries, np.full(len(queries), band), rows[np.repeat(low, sizes) + within]))
    return Hits.of(pieces, cut)


def read_band(session: Session, segment: SegmentRow, band: int) -> tuple[Signed, Rows]:
    """Returns all postings of a band of a segment: the keys, ascending, and the rows."""
    keys, rows, start = [], [], 0
    while True:
        pages = session.rows(BAND, segment.segment, band, start, PAGES_AT_ONCE)
        keys += [page[0] for page in pages]
        rows += [page[1] for page in pages]
        start += len(pages)
        if len(pages) < PAGES_AT_ONCE:
            return opened(b"".join(keys), b"".join(rows), segment.first)


def keys_of(session: Session, rows: Rows, bands: int) -> Hashes:
    """Returns the keys of rows. It reads all postings, because they are ordered by key."""
    found = np.zeros((len(rows), bands), np.int64)
    order = np.argsort(rows)

    def put(stored: Rows, keys: Signed, band: int) -> None:
        places = np.searchsorted(rows[order], stored)
        mine = (places < len(rows)) & (rows[order][np.minimum(places, len(rows) - 1)] == stored)
        found[order[places[mine]], band] = keys[mine]

    recent = recent_keys(session)
    segments = [SegmentRow(*row) for row in session.rows(SEGMENTS)] if len(rows) else []
    for band in range(bands if len(rows) else 0):
        if len(recent.rows):
            put(recent.rows, recent.keys[:, band], band)
        for segment in segments:
            keys, stored = read_band(session, segment, band)
            put(stored, keys, band)
    return found.view(np.uint64)
