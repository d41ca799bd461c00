"""Lookups in an index in PostgreSQL: candidates, records, texts and ids of rows, and the rows of ids."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.corpus.segment import Records, record_type
from lookalike.errors import InputError
from lookalike.flow import Shingles
from lookalike.flow.arrays import Hashes, Mask, Rows, to_arrow
from lookalike.index.postgres.hits import MOST_PAGES, ONE_BY_ONE, Hits, find, keys_of
from lookalike.index.postgres.passages import find as find_passages
from lookalike.index.postgres.state import PostgresState
from lookalike.index.store import Candidates, FewCandidates

SHINGLES_AT_ONCE = 1 << 12
"""The number of shingles that are looked up at a time, but at least those of one query."""

AT_ONCE = 1 << 16
"""The number of rows that a statement names, at most."""

RECORDS = """
SELECT string_agg(record, ''::bytea ORDER BY place)
FROM unnest(%s::bigint[]) WITH ORDINALITY q (row, place) JOIN document USING (row)
"""

TEXTS = """
SELECT text FROM unnest(%s::bigint[]) WITH ORDINALITY q (row, place) JOIN document USING (row) ORDER BY place
"""

NUMBERS = """
SELECT string_agg(int8send(id), ''::bytea ORDER BY place)
FROM unnest(%s::bigint[]) WITH ORDINALITY q (row, place) JOIN document USING (row)
"""

NAMES = """
SELECT name FROM unnest(%s::bigint[]) WITH ORDINALITY q (row, place) JOIN document USING (row) ORDER BY place
"""

ROWS_OF_NUMBERS = """
SELECT place::int, row FROM unnest(%s::bigint[]) WITH ORDINALITY q (id, place) JOIN document USING (id) WHERE row < %s
"""

ROWS_OF_NAMES = """
SELECT place::int, row FROM unnest(%s::bytea[]) WITH ORDINALITY q (digest, place) JOIN document USING (digest)
WHERE row < %s
"""

ALL_ROWS = """
SELECT string_agg(int8send(row), ''::bytea ORDER BY row) FROM (
    SELECT row FROM document WHERE row > %s ORDER BY row LIMIT 1048576
) block
"""


class PostgresLookup(PostgresState):
    """An index in PostgreSQL, open for reading. `store.py` documents the methods."""

    _before = (1 << 63) - 1
    """Rows from this one on are being added, and are not found by their ids yet."""

    def candidates(self, keys: Hashes, left_out: Mask) -> Iterator[Candidates]:
        bands = np.arange(keys.shape[1])
        for start in range(0, len(keys), ONE_BY_ONE):
            asking = start + np.flatnonzero(~left_out[start : start + ONE_BY_ONE])
            hits = find(self.session, keys, asking, bands, most=1 if len(asking) > 1 else MOST_PAGES)
            large = np.unique(hits.cut_queries)
            for group in np.split(asking, np.searchsorted(asking, large)) if len(large) else ():
                if len(group) and group[0] in large:  # this query has many candidates
                    yield self._pairs(find(self.session, keys, group[:1], bands))
                    group = group[1:]
                if len(group):
                    yield self._pairs(hits, np.isin(hits.queries, group))
            if not len(large):
                yield self._pairs(hits)

    def with_passages(self, asked: Shingles) -> Iterator[Candidates]:
        band = 0 if self.resolved is None else self.resolved.bands
        start = 0
        while start < len(asked):
            stop = int(np.searchsorted(asked.offsets, asked.offsets[start] + SHINGLES_AT_ONCE, side="right")) - 1
            stop = max(stop, start + 1)
            shingles = asked.values[asked.offsets[start] : asked.offsets[stop]]
            owners = np.repeat(np.arange(start, stop), asked.sizes[start:stop])
            if len(shingles):
                places, rows = find_passages(self.session, band, shingles)
                yield self._once(owners[places], rows)
            start = stop

    def few_candidates(self, keys: Hashes, left_out: Mask, cap: int) -> FewCandidates:
        asking, bands = np.flatnonzero(~left_out), np.arange(keys.shape[1])
        hits = find(self.session, keys, asking, bands, most=1, cap=cap)
        return FewCandidates(*self._pairs(hits), hits.cut_queries, hits.cut_bands)

    def bucket(self, band: int, key: int) -> Rows:
        keys = np.zeros((1, band + 1), np.uint64)
        keys[0, band] = key
        rows = np.unique(find(self.session, keys, np.array([0]), np.array([band]), most=MOST_PAGES).rows)
        return rows[self.is_alive(rows)]

    def _pairs(self, hits: Hits, wanted: Mask | None = None) -> Candidates:
        """Returns each pair once, in order."""
        queries, rows = (hits.queries, hits.rows) if wanted is None else (hits.queries[wanted], hits.rows[wanted])
        return self._once(queries, rows)

    def _once(self, queries: Rows, rows: Rows) -> Candidates:
        alive = self.is_alive(rows)
        pairs = np.stack([queries[alive], rows[alive]], axis=1)
        if len(pairs):
            order = np.lexsort((pairs[:, 1], pairs[:, 0]))
            pairs = pairs[order]
            pairs = pairs[np.append(True, (np.diff(pairs, axis=0) != 0).any(axis=1))]
        return Candidates(np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1]))

    def records(self, rows: Rows) -> Records:
        data = b"".join(found or b"" for ((found,),) in self._asked(RECORDS, rows))
        self._check_found(len(data) // self.record.itemsize, rows)
        return np.frombuffer(data, self.record).copy()

    @cached_property
    def record(self) -> np.dtype[np.void]:
        """The type of records."""
        return record_type(0 if self.plan.verify == "exact" else self.plan.hashes)

    def keys_of(self, rows: Rows) -> Hashes:
        return keys_of(self.session, rows, 0 if self.resolved is None else self.resolved.bands)

    def texts_of(self, rows: Rows) -> pa.Array:
        return strings([text for some in self._asked(TEXTS, rows) for (text,) in some], self, rows)

    def ids_of(self, rows: Rows) -> pa.Array:
        if self.ids == "str":
            return strings([name for some in self._asked(NAMES, rows) for (name,) in some], self, rows)
        data = b"".join(found or b"" for ((found,),) in self._asked(NUMBERS, rows))
        self._check_found(len(data) // 8, rows)
        return to_arrow(np.frombuffer(data, ">i8").astype(np.int64))

    def _asked(self, statement: str, rows: Rows) -> Iterator[Any]:
        """Yields what a statement returns for these rows, several rows at a time."""
        for start in range(0, len(rows), AT_ONCE):
            yield self.session.rows(statement, rows[start : start + AT_ONCE].tolist())

    def _check_found(self, found: int, rows: Rows) -> None:
        """Raises an error if rows are missing, which only happens outside of a turn."""
        if found != len(rows):
            raise InputError("documents-deleted-meanwhile", name=self.name)

    def rows_of(self, ids: pa.Array) -> Rows:
        found = np.full(len(ids), -1, np.int64)
        is_number = pa.types.is_integer(ids.type)
        for start in range(0, len(ids), AT_ONCE):
            some = ids[start : start + AT_ONCE].to_pylist()
            wanted = some if is_number else [digest(name) for name in some]
            statement = ROWS_OF_NUMBERS if is_number else ROWS_OF_NAMES
            for place, row in self.session.rows(statement, wanted, self._before):
                found[start + place - 1] = row
        return found

    def all_rows(self) -> Rows:
        parts, last = [np.zeros(0, np.int64)], -1
        while (data := self.session.rows(ALL_ROWS, last)[0][0]) is not None:
            parts.append(np.frombuffer(data, ">i8").astype(np.int64))
            last = int(parts[-1][-1])
        return np.concatenate(parts)


def digest(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()


def strings(values: list[bytes], store: PostgresLookup, rows: Rows) -> pa.Array:
    """Returns UTF-8 texts as an array."""
    store._check_found(len(values), rows)
    offsets = np.zeros(len(values) + 1, np.int64)
    np.cumsum([len(value) for value in values], out=offsets[1:])
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(values))]
    return pa.Array.from_buffers(pa.large_string(), len(values), buffers)
