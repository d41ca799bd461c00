"""What a client of an index in PostgreSQL has in memory: the plan, deleted rows and edges; and how it notices changes.

Every turn is a transaction that sees one state of the database. Clients commit in any order, so what is new is not what
has the greatest number: it is what the snapshot of the last turn did not contain.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from lookalike.errors import InputError, NoInput, PlanMismatch
from lookalike.flow.arrays import Mask, Rows
from lookalike.index.postgres.address import Address
from lookalike.index.postgres.session import Session
from lookalike.index.postgres.tables import FORMAT
from lookalike.index.store import NO_EDGES, Change, Edges
from lookalike.kernel.protocol import Kernel
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan

CHANGES = "SELECT step, xid::text::bigint, added, recent, gone, edges FROM change"

NO_SNAPSHOT = "1:1:"
"""A snapshot that contains no transaction."""

FACTS = """
SELECT n.oid::bigint, to_regclass('state') IS NOT NULL,
    has_schema_privilege(n.oid, 'USAGE'),
    CASE WHEN to_regclass('state') IS NULL OR NOT has_schema_privilege(n.oid, 'USAGE') THEN false
    ELSE has_table_privilege(to_regclass('change'), 'INSERT') AND NOT current_setting('transaction_read_only')::bool
    END, to_regclass('recent_passage') IS NOT NULL
FROM pg_namespace n WHERE nspname = %s
"""


class PostgresState:
    """The state of an index in PostgreSQL at the start of the current turn, or of the last one."""

    def __init__(self, address: Address, kernel: Kernel) -> None:
        self.address, self.kernel, self.name = address, kernel, address.shown
        self.session = Session(address)
        self.many_writers = True
        """False if this user may only read."""
        self.contain = False
        self.deletions = 0
        self._number = 0
        self._in_turn = False
        self._numbers: tuple[int, int] | None = None
        """The next row and the next id, if they are known in this turn."""
        self._plan = ""
        self._resolved: ResolvedPlan | None = None
        self._ids: str | None = None
        self._version = self._layout = -1
        self._settled = 0
        self._snapshot = NO_SNAPSHOT
        self._forget()
        with self.reading():
            pass

    def _forget(self) -> None:
        self._seen: dict[int, int] = {}
        """Steps that may be returned once more, and their transactions."""
        self._added = self._recent = 0
        self._gone: list[tuple[int, Rows]] = []
        """The rows that were deleted, by step."""
        self._gone_rows = np.zeros(0, np.int64)
        self._edges: list[Edges] = []
        self._edge_count = 0

    # Facts

    @property
    def plan(self) -> Plan:
        return Plan.from_toml(self._plan)

    @property
    def resolved(self) -> ResolvedPlan | None:
        return self._resolved

    @property
    def ids(self) -> str | None:
        return self._ids

    def __len__(self) -> int:
        return self._added - len(self._gone_rows)

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
        parts = [rows for step, rows in self._gone if step > self._settled]
        return np.unique(np.concatenate(parts)) if parts else np.zeros(0, np.int64)

    # Turns

    @contextmanager
    def reading(self) -> Iterator[None]:
        if self._in_turn:
            yield
            return
        self._connect()
        try:
            self._begin("READ ONLY")
            yield
        finally:
            self._in_turn = False
            self.session.end("ROLLBACK")

    def _connect(self) -> None:
        """Connects if that is necessary, and checks that the index is there."""
        if self.session.is_open:
            return
        self.session.connect()
        found = self.session.rows(FACTS, self.address.name)
        if not found:
            raise NoInput("no-such-index", folder=self.name)
        number, has_state, may_use, self.many_writers, self.contain = found[0]
        if not may_use:
            raise InputError(
                "postgres-no-permission", name=self.name, reason=f"the schema {self.address.name} is closed"
            )
        if not has_state:
            raise InputError("not-an-index-schema", name=self.name)
        if number != self._number:  # another index, perhaps of the same name
            self._number, self._version, self._layout = number, -1, -1

    def _begin(self, mode: str = "") -> None:
        """Starts a transaction, and notices what others have committed."""
        oldest = self._snapshot.partition(":")[0]
        new = f"xid >= '{oldest}'::xid8 AND NOT pg_visible_in_snapshot(xid, '{self._snapshot}')"
        found = self.session.script(
            f"BEGIN ISOLATION LEVEL REPEATABLE READ {mode};"
            "SELECT format, version, layout, settled, pg_current_snapshot()::text FROM state;"
            f"{CHANGES} WHERE {new} ORDER BY step"
        )
        self._in_turn, self._numbers = True, None
        ((format, version, layout, settled, snapshot),), changes = found
        if format != FORMAT:
            raise PlanMismatch("index-of-another-format", folder=self.name, format=format, known=FORMAT)
        if version != self._version:
            self._plan, resolved, self._ids = self.session.rows("SELECT plan, resolved, ids FROM state")[0]
            self._resolved = None if resolved is None else ResolvedPlan.from_toml(resolved)
        if layout != self._layout:
            self._forget()
            self.deletions += 1
            changes = self.session.rows(f"{CHANGES} ORDER BY step")
        if settled != self._settled:
            self.deletions += 1
        self._version, self._layout, self._settled, self._snapshot = version, layout, settled, snapshot
        self._notice(changes)
        oldest_open = int(snapshot.partition(":")[0])
        self._seen = {step: xid for step, xid in self._seen.items() if xid >= oldest_open}

    def _notice(self, changes: list[tuple[Any, ...]]) -> None:
        gone = []
        for step, xid, added, recent, lost, edges in changes:
            if step in self._seen:
                continue
            self._seen[step] = xid
            self._added += added
            self._recent += recent
            if lost is not None:
                gone.append(numbers(lost))
                self._gone.append((step, gone[-1]))
            if edges is not None:
                self._append_edges(numbers(edges).reshape(-1, 2))
        if gone:
            self._gone_rows = np.unique(np.concatenate([self._gone_rows, *gone]))
            self.deletions += 1

    def _append_edges(self, edges: Edges) -> None:
        self._edges.append(edges)
        self._edge_count += len(edges)

    def _note(self, steps: list[int], xid: int, change: Change, added: int, recent: int) -> None:
        """Notes a change that this client has committed, in these steps."""
        self._notice([(steps[0], xid, added, recent, packed(change.gone), packed(change.edges.reshape(-1)))])
        self._seen.update(dict.fromkeys(steps, xid))


def numbers(data: bytes) -> Rows:
    """Inverse of `packed`."""
    return np.frombuffer(data, "<i8").astype(np.int64)


def packed(numbers: npt.NDArray[np.int64]) -> bytes | None:
    """Returns numbers as they are stored; None if there are none."""
    return numbers.astype("<i8").tobytes() if len(numbers) else None
