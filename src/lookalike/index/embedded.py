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
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.corpus.segment import files_of
from lookalike.errors import OutputExists, WorkTaken
from lookalike.flow.arrays import Hashes
from lookalike.flow.progress import Progress, silent
from lookalike.index.catalogue import Catalogue, RecentRow, Transaction
from lookalike.index.embedded_lookup import EmbeddedLookup
from lookalike.index.embedded_state import SEGMENTS
from lookalike.index.merging import Upkeep, gone_in
from lookalike.index.passages import described
from lookalike.index.store import Bulk, Change, NewRows
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan
from lookalike.storage.foreign_errors import writing
from lookalike.storage.lock import Lock
from lookalike.storage.whole_folders import new_folder

REMOVED = 32
"""The number of recent rows that an add removes from the catalogue if they are in segments already."""


class Embedded(EmbeddedLookup):
    """An embedded index. `store.py` documents the methods."""

    _upkeep: Upkeep
    """What the writer does to keep lookups quick."""

    has_folded = True
    """False if no recent rows in the catalogue are in segments already."""

    @classmethod
    def create(cls, folder: Path, plan: Plan, resolved: ResolvedPlan | None = None, *, contain: bool = False) -> None:
        """Creates an empty index, whole or not at all. With `contain`, it finds passages."""
        if folder.exists():
            raise OutputExists("index-exists", path=folder)
        with writing(folder):
            try:
                with new_folder(folder) as unfinished:
                    (unfinished / SEGMENTS).mkdir()
                    decided = None if resolved is None else resolved.to_toml()
                    entries = {"plan": plan.to_toml(), "resolved": decided, "ids": None}
                    Catalogue.create(unfinished, entries | ({"contain": 1} if contain else {}))
            except OSError as error:
                if error.errno in (errno.EEXIST, errno.ENOTEMPTY):
                    raise OutputExists("index-exists", path=folder) from None
                raise

    @contextmanager
    def writing(self, keys: Hashes | None = None, ids: pa.Array | None = None) -> Iterator[None]:
        """Becomes the writer, and stays it until the index is closed."""
        self._check_in_place()
        if self._lock is None:
            self._become_writer()
        yield

    def reserve(self) -> None:
        """Does nothing: nobody else assigns numbers."""

    def start_bulk(self, *, text_ids: bool, most_bytes: int) -> Bulk:
        from lookalike.index.embedded_bulk import EmbeddedBulk

        self._upkeep.finish_fold()
        return EmbeddedBulk(self, text_ids, most_bytes)

    def _become_writer(self) -> None:
        with writing(self.folder):
            try:
                self._lock = Lock(self.folder)
            except WorkTaken as error:
                raise WorkTaken("index-in-use", folder=self.folder, by=error.values["by"]) from None
        self._upkeep = Upkeep(self)
        self.refresh()
        kept = {path.name for name in self.catalogue.segments() for path in files_of(Path(), name)}
        for path in self.segment_folder.iterdir():
            if path.name not in kept:
                path.unlink(missing_ok=True)

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
        self.noted(sum(len(row.text) + len(row.keys) for row in rows))

    def commit(self, change: Change) -> None:
        with self.catalogue.writing() as transaction:
            self._apply(transaction, change)
        self.refresh()

    def _apply(self, transaction: Transaction, change: Change) -> None:
        if self.has_folded:
            self.has_folded = transaction.remove_recent(int(self._entries["folded"]), REMOVED) == REMOVED
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

    def noted(self, nbytes: int) -> None:
        """Notes the size of what was added, by which `maintain` decides how much to do."""
        self._upkeep.added += nbytes

    def maintain(self, progress: Progress = silent) -> None:
        self._upkeep.piece(progress)

    def fold(self) -> None:
        """Moves all recent rows to a segment, now."""
        self._upkeep.finish_fold()

    def compact(self, progress: Progress) -> None:
        from lookalike.index.compacting import compact

        with self.writing():
            self._upkeep.abandon()
            compact(self, progress)

    def info(self) -> dict[str, Any]:
        dead = [len(gone_in(segment, self.gone_rows)) for segment in self.segments]
        live = self.catalogue.live_size() + sum(
            round(one.nbytes * (1 - gone / max(1, len(one)))) for one, gone in zip(self.segments, dead, strict=True)
        )
        every = self.catalogue.size() + sum(path.stat().st_size for path in self.segment_folder.iterdir())
        return {
            "documents": len(self),
            "deleted": len(self.gone_rows),
            "segments": len(self.segments),
            "recent": len(self.recent),
            "live_bytes": min(live, every),
            "dead_bytes": max(0, every - live),
            "bytes": every,
            "ids": self.ids,
            **described(self),
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
        taken = {path.stem for path in self.segment_folder.iterdir()}
        number = int(self._entries["next_segment"])
        while f"{number:06d}" in taken:
            number += 1
        return f"{number:06d}"

    def close(self) -> None:
        if self._lock is not None:
            self._upkeep.abandon()
        self.catalogue.close()
        for segment in self.segments + self.pending:
            segment.close()
        if self._lock is not None:
            self._lock.release(remove=True)
            self._lock = None


def _bytes(text: pa.Scalar) -> bytes:
    buffer = text.as_buffer()
    return b"" if buffer is None else bytes(buffer.to_pybytes())
