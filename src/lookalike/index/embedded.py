"""The embedded backend: a folder with a SQLite catalogue and segments.

    catalogue.sqlite    names everything that belongs to the index; see catalogue.py
    segments/           files that never change; see corpus/segment.py
    LOCK                the process that writes

A writer makes the files of a segment durable, then their names, and then commits the catalogue. Files that the
catalogue does not name are left over from a process that was killed, and the next writer removes them. A reader keeps
the files of its snapshot open, so that a compaction may remove them meanwhile.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.corpus.segment import RECORD, Records, Segment, files_of, id_keys, picked
from lookalike.errors import InputError, NoInput, OutputExists, PlanMismatch, WorkTaken
from lookalike.flow.arrays import Hashes, Mask, Rows, call_function, cast, take, to_numpy
from lookalike.flow.progress import Progress
from lookalike.index.catalogue import FILE, FORMAT, Catalogue, RecentRow, Transaction
from lookalike.index.merging import is_fold_due, write_recent
from lookalike.index.recent import Recent
from lookalike.index.store import NO_EDGES, Candidates, Change, Edges, FewCandidates, NewRows
from lookalike.kernel.protocol import Kernel
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan
from lookalike.storage.foreign_errors import writing
from lookalike.storage.lock import Lock
from lookalike.storage.whole_files import sync_folder
from lookalike.storage.whole_folders import new_folder

SEGMENTS = "segments"

MOST_HITS = 1 << 22
"""The number of candidates that are found at a time, about."""

TEXT_IDS = pa.large_string()


def is_index(folder: Path) -> bool:
    return (folder / FILE).is_file()


class Embedded:
    """An embedded index, open for reading; `lock` makes it the writer. `store.py` documents the methods."""

    def __init__(self, folder: Path, kernel: Kernel) -> None:
        self.folder, self.kernel, self.name = folder, kernel, str(folder)
        _check(folder)
        self.catalogue = Catalogue(folder)
        self._entries: dict[str, Any] = {}
        self._resolved: ResolvedPlan | None = None
        self._version = self._layout = -1
        self.segments: list[Segment] = []
        self.pending: list[Segment] = []
        """Segments of rows that are being added. Their texts can be read."""
        self.connected: list[Segment] = []
        """Those of them whose rows are connected, and are candidates of the rows that follow."""
        self.recent = Recent(0)
        self._gone: list[Rows] = []
        self._gone_rows = np.zeros(0, np.int64)
        self._gone_step = self._edge_step = 0
        self._edges: list[Edges] = []
        self._lock: Lock | None = None
        self.refresh()

    @classmethod
    def create(cls, folder: Path, plan: Plan) -> None:
        """Creates an empty index, whole or not at all."""
        if folder.exists():
            raise OutputExists.at(folder)
        with writing(folder):
            try:
                with new_folder(folder) as unfinished:
                    (unfinished / SEGMENTS).mkdir()
                    Catalogue.create(unfinished, {"plan": plan.to_toml(), "resolved": None, "ids": None})
            except OSError as error:
                if error.errno in (errno.EEXIST, errno.ENOTEMPTY):
                    raise OutputExists.at(folder) from None
                raise

    # Facts

    @property
    def plan(self) -> Plan:
        return Plan.from_toml(self._entries["plan"])

    @property
    def resolved(self) -> ResolvedPlan | None:
        return self._resolved

    @property
    def ids(self) -> str | None:
        found: str | None = self._entries["ids"]
        return found

    @property
    def next_row(self) -> int:
        return int(self._entries["next_row"])

    @property
    def next_id(self) -> int:
        return int(self._entries["next_id"])

    def __len__(self) -> int:
        return sum(map(len, self.segments)) + len(self.recent) - len(self._gone_rows)

    # State

    def refresh(self) -> None:
        if self.catalogue.version() == self._version:
            return
        with self.catalogue.reading():
            entries = self.catalogue.entries()
            if entries.get("format") != FORMAT:
                raise PlanMismatch(
                    "index-of-another-format", folder=self.folder, format=entries.get("format"), known=FORMAT
                )
            if entries["resolved"] is not None and self._entries.get("resolved") is None:
                self._resolved = ResolvedPlan.from_toml(entries["resolved"])
            elif entries["resolved"] is None:
                self._resolved = None
            if entries["layout"] != self._layout:
                self._reload()
            if self._resolved is not None and len(self.recent) == 0:
                self.recent = Recent(self._resolved.bands)
            self.recent.extend(self.catalogue.recent(self.recent.last))
            self._gone_step, gone = self.catalogue.gone(self._gone_step)
            self._edge_step, edges = self.catalogue.edges(self._edge_step)
        if len(gone):
            self._gone.append(gone)
            self._gone_rows = np.unique(np.concatenate([self._gone_rows, gone]))
        if len(edges):
            self._edges.append(edges)
        self._entries, self._version, self._layout = entries, entries["version"], entries["layout"]

    def _reload(self) -> None:
        """Opens the current segments, and forgets everything that is not in segments."""
        names, open_already = (
            self.catalogue.segments(),
            {segment.name: segment for segment in self.segments + self.pending},
        )
        segments = [open_already.get(name) or Segment(self.folder / SEGMENTS, name, self.kernel) for name in names]
        self.segments = sorted(segments, key=lambda segment: segment.first)
        self.recent = Recent(self._resolved.bands if self._resolved is not None else 0)
        self._gone, self._gone_rows, self._edges = [], np.zeros(0, np.int64), []
        self._gone_step = self._edge_step = 0

    def lock(self) -> None:
        if self._lock is not None:
            return
        with writing(self.folder):
            try:
                self._lock = Lock(self.folder)
            except WorkTaken as error:
                raise WorkTaken("index-in-use", folder=self.folder, by=error.values["by"]) from None
        self.refresh()
        kept = {path.name for name in self.catalogue.segments() for path in files_of(Path(), name)}
        for path in (self.folder / SEGMENTS).iterdir():
            if path.name not in kept:
                path.unlink(missing_ok=True)

    # Reading

    def candidates(self, keys: Hashes, left_out: Mask) -> Iterator[Candidates]:
        start, found = 0, [_Looked(segment, keys, left_out) for segment in self.segments]
        while start < len(keys):
            stop = min([len(keys), *(one.until(start) for one in found)])
            pieces = [one.taken(stop) for one in found]
            queries, rows = self.recent.find(keys[start:stop], left_out[start:stop])
            yield self._alive_pairs([*pieces, (queries + start, rows)])
            start = stop

    def few_candidates(self, keys: Hashes, left_out: Mask, cap: int) -> FewCandidates:
        pieces, cut = [], []
        for segment in self.segments + self.connected:
            hits = segment.find(keys, left_out, cap=cap)
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

    def _alive_pairs(self, pieces: list[tuple[Rows, Rows]]) -> Candidates:
        queries, rows = (np.concatenate([piece[i] for piece in pieces]) for i in (0, 1))
        if len(self._gone_rows):
            alive = self.is_alive(rows)
            queries, rows = queries[alive], rows[alive]
        if sum(len(piece[0]) > 0 for piece in pieces) > 1:
            order = np.lexsort((rows, queries))
            queries, rows = queries[order], rows[order]
        return Candidates(queries, rows)

    def is_alive(self, rows: Rows) -> Mask:
        if not len(self._gone_rows):
            return np.ones(rows.shape, bool)
        found = np.minimum(np.searchsorted(self._gone_rows, rows), len(self._gone_rows) - 1)
        alive: Mask = self._gone_rows[found] != rows
        return alive

    def _located(self, rows: Rows) -> Iterator[tuple[Segment | None, Rows, Rows]]:
        """Yields each segment (None for recent rows), the places in `rows` of its rows, and their positions in it."""
        left = np.arange(len(rows))
        if len(self.recent) and len(left):
            at = np.minimum(np.searchsorted(self.recent.rows, rows), len(self.recent) - 1)
            mine = self.recent.rows[at] == rows
            if mine.any():
                yield None, left[mine], at[mine]
                left = left[~mine]
        for segment in self.segments + self.pending:
            if not len(left):
                return
            mine = (rows[left] >= segment.first) & (rows[left] < segment.end)
            if mine.any():
                yield segment, left[mine], segment.positions_of(rows[left[mine]])
                left = left[~mine]

    def records(self, rows: Rows) -> Records:
        records = np.zeros(len(rows), RECORD)
        for segment, places, positions in self._located(rows):
            records[places] = self.recent.records(positions) if segment is None else segment.records(positions)
        return records

    def texts_of(self, rows: Rows) -> pa.Array:
        parts = [
            (places, self.recent.texts_at(positions) if segment is None else segment.texts.take(positions))
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
                parts.append((places, pa.array(ids, self.id_type)))
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

    def edges(self) -> Edges:
        if len(self._edges) > 1:
            self._edges = [np.concatenate(self._edges)]
        return self._edges[0] if self._edges else NO_EDGES

    def dirty(self) -> Rows:
        settled = self._entries["settled"]
        return self._gone_rows if settled == 0 else self.catalogue.gone(settled)[1]

    # Writing

    def add(self, new: NewRows, change: Change) -> None:
        if not len(self.recent) and change.resolved is not None:
            self._resolved = change.resolved
        texts, ids, keys = new.texts, new.ids.to_pylist(), np.ascontiguousarray(new.keys)
        rows = [
            RecentRow(row, ids[i], new.records[i].tobytes(), keys[i].tobytes(), _bytes(texts[i]))
            for i, row in enumerate(new.rows.tolist())
        ]
        with self.catalogue.writing() as transaction:
            transaction.add_recent(rows)
            transaction.set(next_row=int(new.rows[-1]) + 1)
            self._apply(transaction, change)
        self.refresh()

    def commit(self, change: Change) -> None:
        with self.catalogue.writing() as transaction:
            self._apply(transaction, change)
        self.refresh()

    def _apply(self, transaction: Transaction, change: Change) -> None:
        transaction.add_gone(change.gone)
        transaction.add_edges(change.edges)
        if change.settled:
            transaction.set(settled=self._gone_step)
        if change.next_id is not None and change.next_id != self.next_id:
            transaction.set(next_id=change.next_id)
        if change.ids is not None:
            transaction.set(ids=change.ids)
        if change.resolved is not None:
            transaction.set(resolved=change.resolved.to_toml())

    def maintain(self) -> None:
        if is_fold_due(self):
            self.fold()

    def fold(self) -> None:
        """Moves all recent rows to a segment, deleted ones too: only `compact` drops rows."""
        if not len(self.recent):
            return
        name, last = self.new_name(), self.recent.last
        with writing(self.folder):
            write_recent(self, self.folder / SEGMENTS, name)
            sync_folder(self.folder / SEGMENTS)
        with self.catalogue.writing() as transaction:
            transaction.remove_recent(last + 1)
            transaction.replace_segments([], [name])
            transaction.set(next_segment=int(name) + 1)
        self.refresh()

    def info(self) -> dict[str, Any]:
        live, stored = len(self), sum(map(len, self.segments)) + len(self.recent)
        segments = sum(segment.nbytes for segment in self.segments)
        dead = round(segments * (stored - live) / max(1, stored))
        return {
            "documents": live,
            "deleted": stored - live,
            "segments": len(self.segments),
            "recent": len(self.recent),
            "live_bytes": segments - dead + self.catalogue.size(),
            "dead_bytes": dead,
            "bytes": segments + self.catalogue.size(),
            "ids": self.ids,
            "plan": None if self._resolved is None else self._resolved.to_toml(),
        }

    def verify(self, progress: Progress) -> None:
        self.catalogue.check()
        done = 0
        for segment in self.segments:
            for _ in segment.verify():
                progress("verify", done := done + 1, None)

    def new_name(self) -> str:
        """Returns an unused name for a segment."""
        taken = {path.stem for path in (self.folder / SEGMENTS).iterdir()}
        number = int(self._entries["next_segment"])
        while f"{number:06d}" in taken:
            number += 1
        return f"{number:06d}"

    def close(self) -> None:
        self.catalogue.close()
        for segment in self.segments + self.pending:
            segment.close()
        if self._lock is not None:
            self._lock.release(remove=True)
            self._lock = None


@dataclass
class _Looked:
    """The lookup of many queries in one segment, which proceeds in steps of bounded size."""

    segment: Segment
    keys: Hashes
    left_out: Mask
    _next: int = 0
    _queries: Rows = field(default_factory=lambda: np.zeros(0, np.int64))
    _rows: Rows = field(default_factory=lambda: np.zeros(0, np.int64))

    def until(self, start: int) -> int:
        """Returns the first query that is not looked up yet, which is after `start`."""
        if self._next <= start:
            hits = self.segment.find(self.keys, self.left_out, start=start, most=MOST_HITS)
            self._queries, self._rows, self._next = hits.queries, self.segment.rows_at(hits.positions), hits.next
        return self._next

    def taken(self, stop: int) -> tuple[Rows, Rows]:
        """Returns the pairs of queries before this one, which have not been taken before."""
        here = int(np.searchsorted(self._queries, stop))
        pairs = self._queries[:here], self._rows[:here]
        self._queries, self._rows = self._queries[here:], self._rows[here:]
        return pairs


def _check(folder: Path) -> None:
    """Raises an error if there is no index at this path."""
    if not folder.exists():
        raise NoInput("no-such-index", folder=folder)
    if not folder.is_dir():
        raise InputError("index-is-a-file", folder=folder)
    if not is_index(folder):
        raise InputError("not-an-index", folder=folder)


def _bytes(text: pa.Scalar) -> bytes:
    buffer = text.as_buffer()
    return b"" if buffer is None else bytes(buffer.to_pybytes())
