"""What a reader of an embedded index sees: the state of the catalogue at its last refresh, and the open segments."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from lookalike.corpus.segment import Segment, record_type
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


def is_index(folder: Path) -> bool:
    return (folder / FILE).is_file()


class EmbeddedState:
    """The state of an embedded index. Only one process may write.

    It keeps the files of its segments open, so others may remove them meanwhile.
    """

    many_writers = False

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
        self._gone_step = self._edge_step = self._edge_count = 0
        self._edges: list[Edges] = []
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

    @property
    def is_writer(self) -> bool:
        return self._lock is not None

    @contextmanager
    def reading(self) -> Iterator[None]:
        if self._lock is None:
            self.refresh()
        yield

    def refresh(self) -> None:
        """Notices what was committed."""
        if self.catalogue.version() == self._version:
            return
        gone_before = self._gone_rows
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
                self.recent = Recent(self._resolved.bands, self.record)
            self.recent.extend(self.catalogue.recent(self.recent.last))
            self._gone_step, gone = self.catalogue.gone(self._gone_step)
            self._edge_step, edges = self.catalogue.edges(self._edge_step)
        if len(gone):
            self._gone.append(gone)
            self._gone_rows = np.unique(np.concatenate([self._gone_rows, gone]))
        if len(edges):
            self._edges.append(edges)
            self._edge_count += len(edges)
        if not np.array_equal(gone_before, self._gone_rows):
            self.deletions += 1
        self._entries, self._version, self._layout = entries, entries["version"], entries["layout"]

    def _reload(self) -> None:
        """Opens the current segments, and forgets everything that is not in segments."""
        names, open_already = (
            self.catalogue.segments(),
            {segment.name: segment for segment in self.segments + self.pending},
        )
        segments = [open_already.get(name) or Segment(self.folder / SEGMENTS, name, self.kernel) for name in names]
        self.segments = sorted(segments, key=lambda segment: segment.first)
        self.recent = Recent(self._resolved.bands if self._resolved is not None else 0, self.record)
        self._gone, self._gone_rows, self._edges = [], np.zeros(0, np.int64), []
        self._gone_step = self._edge_step = self._edge_count = 0

    def is_alive(self, rows: Rows) -> Mask:
        if not len(self._gone_rows):
            return np.ones(rows.shape, bool)
        found = np.minimum(np.searchsorted(self._gone_rows, rows), len(self._gone_rows) - 1)
        alive: Mask = self._gone_rows[found] != rows
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
        return self._gone_rows if settled == 0 else self.catalogue.gone(settled)[1]


def _check(folder: Path) -> None:
    """Raises an error if there is no index at this path."""
    if not folder.exists():
        raise NoInput("no-such-index", folder=folder)
    if not folder.is_dir():
        raise InputError("index-is-a-file", folder=folder)
    if not is_index(folder):
        raise InputError("not-an-index", folder=folder)
