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
from lookalike.flow.progress import Progress
from lookalike.index.catalogue import Catalogue, RecentRow, Transaction
from lookalike.index.embedded_lookup import EmbeddedLookup
from lookalike.index.embedded_state import SEGMENTS
from lookalike.index.merging import is_fold_due, write_recent
from lookalike.index.store import Bulk, Change, NewRows
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan
from lookalike.storage.foreign_errors import writing
from lookalike.storage.lock import Lock
from lookalike.storage.whole_files import sync_folder
from lookalike.storage.whole_folders import new_folder


class Embedded(EmbeddedLookup):
    """An embedded index. `store.py` documents the methods."""

    @classmethod
    def create(cls, folder: Path, plan: Plan, resolved: ResolvedPlan | None = None) -> None:
        """Creates an empty index, whole or not at all."""
        if folder.exists():
            raise OutputExists.at(folder)
        with writing(folder):
            try:
                with new_folder(folder) as unfinished:
                    (unfinished / SEGMENTS).mkdir()
                    decided = None if resolved is None else resolved.to_toml()
                    Catalogue.create(unfinished, {"plan": plan.to_toml(), "resolved": decided, "ids": None})
            except OSError as error:
                if error.errno in (errno.EEXIST, errno.ENOTEMPTY):
                    raise OutputExists.at(folder) from None
                raise

    @contextmanager
    def writing(self, keys: Hashes | None = None, ids: pa.Array | None = None) -> Iterator[None]:
        """Becomes the writer, and stays it until the index is closed."""
        if self._lock is None:
            self._become_writer()
        yield

    def reserve(self) -> None:
        """Does nothing: nobody else assigns numbers."""

    def start_bulk(self, *, text_ids: bool, most_bytes: int) -> Bulk:
        from lookalike.index.embedded_bulk import EmbeddedBulk

        self.fold()
        return EmbeddedBulk(self, text_ids, most_bytes)

    def _become_writer(self) -> None:
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


def _bytes(text: pa.Scalar) -> bytes:
    buffer = text.as_buffer()
    return b"" if buffer is None else bytes(buffer.to_pybytes())
