"""What a reader of an embedded index sees: the state of the catalogue at its last refresh, and the open segments."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from lookalike.corpus.segment import Segment, record_type
from lookalike.corpus.text_blocks import BlockCache
from lookalike.errors import InputError, NoInput, PlanMismatch
from lookalike.flow.arrays import Mask, Rows
from lookalike.index.catalogue import FILE, FORMAT, Catalogue
from lookalike.index.recent import Recent
from lookalike.index.store import NO_EDGES, Edges
from lookalike.kernel.protocol import Kernel
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan
from lookalike.storage.lock import Lock

SEGMENTS = "segments"

TRIES = 20
"""The number of times to read the catalogue if others remove segments meanwhile, before that counts as an error."""


def is_index(folder: Path) -> bool:
    return (folder / FILE).is_file()


class EmbeddedState:
    """The state of an embedded index. Only one process may write.

    It keeps the files of its segments open, so others may remove them meanwhile.
    """

    many_writers = False

    _edge_step: int
    _edge_count: int
    gone_rows: Rows
    """All deleted rows, ascending."""

    def __init__(self, folder: Path, kernel: Kernel) -> None:
        _check(folder)
        self.kernel, self.name = kernel, str(folder)
        self.folder = folder.absolute()
        """Absolute, because the process may change its directory, where another index may have the same name."""
        self.catalogue = Catalogue(self.folder)
        self._entries: dict[str, Any] = {}
        self._resolved: ResolvedPlan | None = None
        self._version = self._layout = self._forest = -1
        self.cache = BlockCache()
        self.segments: list[Segment] = []
        self.pending: list[Segment] = []
        """Segments of rows that are being added. Their texts can be read."""
        self.connected: list[Segment] = []
        """Those of them whose rows are connected, and are candidates of the rows that follow."""
        self.recent = Recent(0)
        self._forget_forest()
        self.deletions = 0
        self._lock: Lock | None = None
        self.refresh()

    # Facts

    @property
    def plan(self) -> Plan:
        return Plan.from_toml(self._entries["plan"])

    @property
    def resolved(self) -> ResolvedPlan | None:
        return self._resolved

    @cached_property
    def record(self) -> np.dtype[np.void]:
        """The type of records."""
        plan = Plan.from_toml(self.catalogue.entries()["plan"])
        return record_type(0 if plan.verify == "exact" else plan.hashes)

    @property
    def contain(self) -> bool:
        return bool(self._entries.get("contain"))

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
        return sum(map(len, self.segments)) + len(self.recent) - len(self.gone_rows)

    @property
    def segment_folder(self) -> Path:
        return self.folder / SEGMENTS

    # State

    @property
    def is_writer(self) -> bool:
        return self._lock is not None

    @contextmanager
    def reading(self) -> Iterator[None]:
        if self._lock is None:
            self._check_in_place()
            self.refresh()
        yield

    def _check_in_place(self) -> None:
        """Raises an error if the index was removed, or another one was put in its place, since it was opened."""
        if not self.catalogue.is_in_place():
            raise InputError("index-replaced", folder=self.folder)

    def refresh(self) -> None:
        """Notices what was committed."""
        for _ in range(TRIES):
            if self.catalogue.version() == self._version:
                return
            try:
                with self.catalogue.reading():
                    self._read()
                return
            except NoInput:  # a segment was merged, and its files removed, since its name was read
                continue
        with self.catalogue.reading():
            self._read()

    def _read(self) -> None:
        """Reads what has changed in the catalogue since the last time."""
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
            self._open_segments()
        if self._resolved is not None and self.recent.bands == 0:
            self.recent = Recent(self._resolved.bands, self.record)
        self.recent.drop_before(entries["folded"])
        self.recent.extend(self.catalogue.recent(max(self.recent.last, entries["folded"] - 1)))
        if entries["forest"] != self._forest:
            self._forget_forest()
            self.deletions += 1
        gone = self.catalogue.gone(self._gone_step)
        self._edge_step, edges = self.catalogue.edges(self._edge_step)
        if gone:
            self._gone += gone
            new = np.unique(np.concatenate([rows for _, rows in gone]))
            self.gone_rows = np.insert(self.gone_rows, np.searchsorted(self.gone_rows, new), new)
        if len(edges):
            self._edges.append(edges)
            self._edge_count += len(edges)
        if entries["settled"] != self._entries.get("settled"):
            self.deletions += 1
        self._entries, self._version = entries, entries["version"]
        self._layout, self._forest = entries["layout"], entries["forest"]

    def _open_segments(self) -> None:
        """Opens the current segments, and forgets the others."""
        known = {segment.name: segment for segment in self.segments + self.pending}
        names = self.catalogue.segments()
        segments = [known.get(name) or self._segment(name) for name in names]
        self.segments = sorted(segments, key=lambda segment: segment.first)

    def _segment(self, name: str) -> Segment:
        return Segment(self.segment_folder, name, self.kernel, self.cache)

    def _forget_forest(self) -> None:
        self._gone: list[tuple[int, Rows]] = []
        """The rows of each deletion, with its step."""
        self.gone_rows = np.zeros(0, np.int64)
        self._edges: list[Edges] = []
        self._edge_step, self._edge_count = 0, 0

    @property
    def _gone_step(self) -> int:
        return self._gone[-1][0] if self._gone else 0

    def is_alive(self, rows: Rows) -> Mask:
        if not len(self.gone_rows):
            return np.ones(rows.shape, bool)
        found = np.minimum(np.searchsorted(self.gone_rows, rows), len(self.gone_rows) - 1)
        alive: Mask = self.gone_rows[found] != rows
        return alive

    def edges(self, start: int = 0) -> Edges:
        if start == 0 and len(self._edges) > 1:
            self._edges = [np.concatenate(self._edges)]
        first, parts = self._edge_count, [NO_EDGES]
        for part in reversed(self._edges):
            if first <= start:
                break
            first -= len(part)
            parts.append(part)
        return np.concatenate(parts[::-1])[max(0, start - first) :]

    def dirty(self) -> Rows:
        settled = self._entries["settled"]
        if settled == 0:
            return self.gone_rows
        unsettled = [rows for step, rows in self._gone if step > settled]
        return np.unique(np.concatenate(unsettled)) if unsettled else np.zeros(0, np.int64)


def _check(folder: Path) -> None:
    """Raises an error if there is no index at this path."""
    if not folder.exists():
        raise NoInput("no-such-index", folder=folder)
    if not folder.is_dir():
        raise InputError("index-is-a-file", folder=folder)
    if not is_index(folder):
        raise InputError("not-an-index", folder=folder)
