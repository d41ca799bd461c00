"""Lookups in an embedded index: candidates, records, texts and ids of rows, and the rows of ids."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
import pyarrow as pa

from lookalike.corpus.segment import Records, Segment, id_keys, picked
from lookalike.corpus.token_lists import unpacked
from lookalike.errors import InputError
from lookalike.flow import Documents, Shingles
from lookalike.flow.arrays import Hashes, Mask, Rows, call_function, cast, take, to_numpy
from lookalike.index.embedded_state import EmbeddedState
from lookalike.index.ids import stored_ids
from lookalike.index.passages import chosen
from lookalike.index.recent_passages import RecentPassages
from lookalike.index.store import Candidates, FewCandidates
from lookalike.kernel.stored import Hits

MOST_HITS = 1 << 22
"""The number of candidates that are found at a time, about."""

Finds = Callable[..., Hits]
"""A function that looks up keys from `start` on, until about `most` hits are found."""

AHEAD = 8
"""The candidates of a query whose records and texts the system is told to fetch, so that it fetches them all at once.

If they are in memory already, which is the usual case, this costs a microsecond each.
"""

TEXT_IDS = pa.large_string()


class EmbeddedLookup(EmbeddedState):
    """An embedded index, open for reading. `store.py` documents the methods."""

    def candidates(self, keys: Hashes, left_out: Mask) -> Iterator[Candidates]:
        if len(keys) == 1:  # the usual case: a single query is never divided into steps
            yield self._of_one(keys, left_out)
            return
        for start, stop, pieces in self._in_steps(len(keys), lambda one: partial(one.find, keys, left_out)):
            queries, rows = self.recent.find(keys[start:stop], left_out[start:stop])
            yield self._alive_pairs([*pieces, (queries + start, rows)])

    def with_passages(self, asked: Shingles) -> Iterator[Candidates]:
        shingles = asked.values
        owners = np.append(np.repeat(np.arange(len(asked)), asked.sizes), len(asked))
        waiting = Candidates(np.zeros(0, np.int64), np.zeros(0, np.int64))  # those of the query that is looked up
        for start, stop, pieces in self._in_steps(len(shingles), lambda one: partial(one.find_passages, shingles)):
            places, rows = self._recent_passages.find(self.recent, shingles[start:stop])
            found = [(owners[queries], some) for queries, some in [*pieces, (places + start, rows)]]
            queries, rows = self._alive_pairs([(waiting.queries, waiting.rows), *found], is_ordered=False)
            new = np.append(True, (np.diff(queries) != 0) | (np.diff(rows) != 0))[: len(rows)]
            done = int(np.searchsorted(queries[new], owners[stop]))
            yield Candidates(queries[new][:done], rows[new][:done])
            waiting = Candidates(queries[new][done:], rows[new][done:])

    def passages_in(self, texts: pa.Array) -> Shingles:
        """Returns the chosen shingles of texts as they are stored."""
        assert self.resolved is not None
        return chosen(self.kernel, Documents(unpacked(texts)), self.resolved)

    @cached_property
    def _recent_passages(self) -> RecentPassages:
        return RecentPassages(self.passages_in)

    def _in_steps(
        self, count: int, finding: Callable[[Segment], Finds]
    ) -> Iterator[tuple[int, int, list[tuple[Rows, Rows]]]]:
        """Looks up many keys in all segments, in steps of bounded size. Yields the keys of a step, and what they find.

        `finding` returns the method of a segment that looks up the keys.
        """
        start, found = 0, [_Looked(segment, finding(segment)) for segment in self.segments]
        while start < count:
            stop = min([count, *(one.until(start) for one in found)])
            yield start, stop, [one.taken(stop) for one in found]
            start = stop

    def _of_one(self, keys: Hashes, left_out: Mask) -> Candidates:
        pieces = [self.recent.find(keys, left_out)]
        for segment in self.segments:
            hits = segment.find(keys, left_out)
            if len(hits.positions):
                segment.will_need(hits.positions[:AHEAD])
                pieces.append((hits.queries, segment.rows_at(hits.positions)))
        return self._alive_pairs(pieces)

    def few_candidates(self, keys: Hashes, left_out: Mask, cap: int) -> FewCandidates:
        pieces, cut = [], []
        for segment in self.segments + self.connected:
            hits = segment.find(keys, left_out, cap=cap)
            if len(hits.positions):
                pieces.append((hits.queries, segment.rows_at(hits.positions)))
                cut.append((hits.cut_queries, hits.cut_bands))
        pieces.append(self.recent.find(keys, left_out))
        queries, bands = (np.concatenate([one[i] for one in cut] or [np.zeros(0, np.int64)]) for i in (0, 1))
        return FewCandidates(*self._alive_pairs(pieces), queries, bands)

    def bucket(self, band: int, key: int) -> Rows:
        wanted = np.array([[key]], np.uint64)
        parts = []
        for segment in self.segments + self.connected:
            hits = segment.find(wanted, band=band, most=1 << 62)
            parts.append(segment.rows_at(hits.positions))
        rows = np.concatenate([*parts, self.recent.bucket(band, key)])
        return rows[self.is_alive(rows)]

    def _alive_pairs(self, pieces: list[tuple[Rows, Rows]], *, is_ordered: bool = True) -> Candidates:
        """Combines pairs of a query and a row. Within a piece, they are in order unless `is_ordered` is False."""
        queries, rows = (np.concatenate([piece[i] for piece in pieces]) for i in (0, 1))
        if len(self.gone_rows):
            alive = self.is_alive(rows)
            queries, rows = queries[alive], rows[alive]
        if sum(len(piece[0]) > 0 for piece in pieces) > 1 or not is_ordered:
            order = np.lexsort((rows, queries))
            queries, rows = queries[order], rows[order]
        return Candidates(queries, rows)

    def _located(self, rows: Rows) -> Iterator[tuple[Segment | None, Rows, Rows]]:
        """Yields each segment (None for recent rows), the places in `rows` of its rows, and their positions in it."""
        left = np.arange(len(rows))
        if len(self.recent) and len(left):
            at = np.minimum(np.searchsorted(self.recent.rows, rows), len(self.recent) - 1)
            mine = self.recent.rows[at] == rows
            if mine.any():
                yield None, left[mine], at[mine]
                left = left[~mine]
        for segment in self.segments + self.pending if len(left) else ():
            mine = (rows[left] >= segment.first) & (rows[left] < segment.end)
            if mine.any():
                positions = segment.positions_of(rows[left[mine]])
                if positions.min() < 0:
                    raise InputError("documents-deleted-meanwhile", name=self.name)
                yield segment, left[mine], positions
                left = left[~mine]
        if len(left):  # a compaction has removed them; that only happens outside of a turn
            raise InputError("documents-deleted-meanwhile", name=self.name)

    def records(self, rows: Rows) -> Records:
        records = np.zeros(len(rows), self.record)
        for segment, places, positions in self._located(rows):
            records[places] = self.recent.records(positions) if segment is None else segment.records(positions)
        return records

    def keys_of(self, rows: Rows) -> Hashes:
        keys = np.zeros((len(rows), self.recent.bands), np.uint64)
        for segment, places, positions in self._located(rows):
            keys[places] = self.recent.keys_at(positions) if segment is None else segment.keys_of(positions)
        return keys

    def texts_of(self, rows: Rows) -> pa.Array:
        parts = [
            (places, self.recent.texts_at(positions) if segment is None else segment.texts_at(positions))
            for segment, places, positions in self._located(rows)
        ]
        return picked(parts, len(rows), pa.large_string())

    def ids_of(self, rows: Rows) -> pa.Array:
        parts = []
        for segment, places, positions in self._located(rows):
            if segment is not None:
                parts.append((places, segment.ids_at(positions)))
            else:
                ids = [self.recent.ids[i] for i in positions.tolist()]
                parts.append((places, stored_ids(ids, self.ids)))
        return picked(parts, len(rows), self.id_type)

    @property
    def id_type(self) -> pa.DataType:
        """The Arrow type of ids."""
        return TEXT_IDS if self.ids == "str" else pa.int64()

    def rows_of(self, ids: pa.Array) -> Rows:
        found = np.full(len(ids), -1, np.int64)
        if not len(ids):
            return found
        keys = id_keys(ids, self.kernel)
        for segment in self.segments:
            hits = segment.find_ids(keys)
            rows, queries = segment.rows_at(hits.positions), hits.queries
            right = self.is_alive(rows)
            if segment.text_ids and right.any():
                stored = segment.ids_at(hits.positions)
                same = call_function("equal", [stored, take(ids, queries)])
                right &= to_numpy(cast(same, pa.uint8())) > 0
            found[queries[right]] = rows[right]
        if len(self.recent):
            for place, id in enumerate(ids.to_pylist()):
                if (row := self.recent.row_of(id)) >= 0:
                    found[place] = row
        found[found >= 0] = np.where(self.is_alive(found[found >= 0]), found[found >= 0], -1)
        return found

    def all_rows(self) -> Rows:
        parts = [segment.rows_at(np.arange(len(segment))) for segment in self.segments]
        rows = np.concatenate([*parts, self.recent.rows])
        return rows[self.is_alive(rows)]


@dataclass
class _Looked:
    """The lookup of many queries in one segment, which proceeds in steps of bounded size."""

    segment: Segment
    find: Finds
    _next: int = 0
    _queries: Rows = field(default_factory=lambda: np.zeros(0, np.int64))
    _rows: Rows = field(default_factory=lambda: np.zeros(0, np.int64))

    def until(self, start: int) -> int:
        """Returns the first query that is not looked up yet, which is after `start`."""
        if self._next <= start:
            hits = self.find(start=start, most=MOST_HITS)
            self._queries, self._rows, self._next = hits.queries, self.segment.rows_at(hits.positions), hits.next
        return self._next

    def taken(self, stop: int) -> tuple[Rows, Rows]:
        """Returns the pairs of queries before this one, which have not been taken before."""
        here = int(np.searchsorted(self._queries, stop))
        pairs = self._queries[:here], self._rows[:here]
        self._queries, self._rows = self._queries[here:], self._rows[here:]
        return pairs
