"""The chosen shingles of documents in PostgreSQL (`index/passages.py`): pages of the band after those of the plan, and
a table of those of recent rows, with a GIN index."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.corpus.token_lists import unpacked
from lookalike.flow import Documents, Shingles
from lookalike.flow.arrays import Hashes, Mask, Rows
from lookalike.index.passages import chosen
from lookalike.index.postgres.hits import MOST_PAGES, SegmentRow, in_pages, read_band
from lookalike.index.postgres.pages import KINDS, Signed, matches, pages_of_band, signed
from lookalike.index.postgres.session import Session
from lookalike.planning.resolve import ResolvedPlan

if TYPE_CHECKING:
    from lookalike.index.postgres.lookup import PostgresLookup

TABLE = """
CREATE TABLE recent_passage (row bigint PRIMARY KEY, shingles bigint[] NOT NULL);
CREATE INDEX ON recent_passage USING gin (shingles) WITH (fastupdate = off);
"""
"""The table that distinguishes an index that finds passages."""

INSERT = "INSERT INTO recent_passage VALUES (%s, %s::bigint[])"

FLAT = """
SELECT string_agg(int8send(row), ''::bytea ORDER BY row), string_agg(int8send(shingle), ''::bytea ORDER BY row)
FROM recent_passage, unnest(shingles) shingle
"""

FOUND = f"{FLAT} WHERE shingles && %s::bigint[] AND shingle = ANY(%s::bigint[])"

POSTING = "posting (segment, band, last, page, crc, keys, rows)"


def of_texts(store: PostgresLookup, texts: pa.Array, resolved: ResolvedPlan | None) -> Shingles | None:
    """Returns the chosen shingles of texts as they are stored; None if the index does not find passages."""
    if not store.contain or resolved is None:
        return None
    return chosen(store.kernel, Documents(unpacked(texts)), resolved)


def recent_rows(rows: Rows, passages: Shingles) -> Iterator[tuple[int, list[int]]]:
    """Yields the values of the columns of `recent_passage`."""
    for row, shingles in zip(rows.tolist(), passages, strict=True):
        yield row, signed(shingles).tolist()


def find(session: Session, band: int, shingles: Hashes) -> tuple[Rows, Rows]:
    """Returns the places of these shingles, and the rows for which they were chosen, in no order."""
    keys = signed(shingles)
    recent = FOUND, (keys.tolist(), keys.tolist())
    pieces, _, flat = in_pages(session, keys, np.full(len(keys), band), MOST_PAGES, recent)
    stored, rows = _flat(flat[0])
    order = np.argsort(stored, kind="stable")
    places, found = matches(stored[order], keys)
    none = np.zeros(0, np.int64)
    places = np.concatenate([none, *(here for here, _ in pieces), places])
    return places, np.concatenate([none, *(here for _, here in pieces), rows[order[found]]])


def all_recent(session: Session) -> tuple[Signed, Rows]:
    """Returns the chosen shingles of recent rows, and the rows, which ascend."""
    return _flat(session.rows(FLAT)[0])


def _flat(columns: Any) -> tuple[Signed, Rows]:
    rows, shingles = (np.frombuffer(data or b"", ">i8").astype(np.int64) for data in columns)
    return shingles, rows


def write(session: Session, segment: int, band: int, shingles: Signed, places: Rows) -> None:
    """Writes the pages of a segment. `places` are the rows, counted from its first one."""
    if len(shingles):
        session.copy(POSTING, KINDS, pages_of_band(segment, band, shingles, places))


def flattened(rows: Rows, passages: Shingles, wanted: Mask) -> tuple[Signed, Rows]:
    """Returns the chosen shingles of those rows that are wanted, and the rows."""
    owners = np.repeat(np.arange(len(rows)), passages.sizes)
    kept = wanted[owners]
    return signed(passages.values[kept]), rows[owners[kept]]


def merged(session: Session, segments: list[SegmentRow], band: int) -> tuple[Signed, Rows]:
    """Returns the chosen shingles of segments, and the rows, which ascend."""
    parts = [read_band(session, segment, band) for segment in segments]
    shingles, rows = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    order = np.argsort(rows, kind="stable")
    return shingles[order], rows[order]
