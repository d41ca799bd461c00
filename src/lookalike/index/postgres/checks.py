"""Reads a whole index in PostgreSQL and checks it."""

from __future__ import annotations

import zlib

import numpy as np

from lookalike.corpus.token_lists import is_packed
from lookalike.errors import MalformedInput
from lookalike.flow.arrays import Rows
from lookalike.flow.progress import Progress
from lookalike.flow.sketches import EMPTY
from lookalike.index.postgres.hits import SEGMENTS, SegmentRow, recent_keys
from lookalike.index.postgres.pages import POSTINGS, opened
from lookalike.index.postgres.passages import all_recent
from lookalike.index.postgres.store import Postgres

AT_ONCE = 1024
"""The number of documents that are read at a time."""

PAGES = "SELECT last, page, crc, keys, rows FROM posting WHERE segment = %s AND band = %s ORDER BY last, page"


def verify(store: Postgres, progress: Progress) -> None:
    """Raises MalformedInput if a page is damaged, or the tables contradict one another."""
    rows, done = store.all_rows(), 0
    _check(store, "document", len(rows) == len(store), "the number of documents is wrong")
    filled = []
    for start in range(0, len(rows), AT_ONCE):
        some = rows[start : start + AT_ONCE]
        records, texts = store.records(some), store.texts_of(some)
        sizes = np.diff(np.frombuffer(texts.buffers()[1], np.int64, len(some) + 1))
        if store.plan.verify == "exact" and not is_packed(texts):  # or texts are not kept as they were given
            _check(store, "document", (records["size"] == sizes).all(), "a text has another size")
        filled.append(some[(records["flags"] & EMPTY) == 0])
        progress("verify", done := done + 1, None)
    wanted = np.concatenate([np.zeros(0, np.int64), *filled])
    segments = [SegmentRow(*row) for row in store.session.rows(SEGMENTS)]
    bands = store.resolved.bands if store.resolved is not None else 0
    recent = recent_keys(store.session).rows
    for band in range(bands):
        parts = [recent, *(_checked_band(store, segment, band) for segment in segments)]
        found = np.sort(np.concatenate(parts))
        _check(store, "posting", np.array_equal(found[store.is_alive(found)], wanted), "postings are missing")
        progress("verify", done := done + 1, None)

    if store.contain and bands:
        parts = [all_recent(store.session)[1], *(_checked_pages(store, segment, bands) for segment in segments)]
        found = np.unique(np.concatenate(parts))
        _check(store, "posting", np.array_equal(found[store.is_alive(found)], wanted), "passages are missing")
        progress("verify", done + 1, None)


def _checked_band(store: Postgres, segment: SegmentRow, band: int) -> Rows:
    """Returns the rows of a band of a segment."""
    rows = _checked_pages(store, segment, band)
    _check(store, "posting", len(rows) == segment.rows, "the number of postings is wrong")
    return rows


def _checked_pages(store: Postgres, segment: SegmentRow, band: int) -> Rows:
    found = [np.zeros(0, np.int64)]
    for last, page, crc, keys, rows in store.session.rows(PAGES, segment.segment, band):
        _check(store, "posting", zlib.crc32(rows, zlib.crc32(keys)) == crc, f"a wrong checksum in page {page}")
        stored, numbers = opened(keys, rows, segment.first)
        is_sorted = (
            len(stored) == len(numbers) <= POSTINGS and int(stored[-1]) == last and (stored[1:] >= stored[:-1]).all()
        )
        _check(store, "posting", bool(is_sorted), f"page {page} is not sorted")
        found.append(numbers)
    return np.concatenate(found)


def _check(store: Postgres, table: str, is_right: bool, reason: str) -> None:
    if not is_right:
        raise MalformedInput("damaged-segment", name=f"the table {table} of {store.name}", reason=reason)
