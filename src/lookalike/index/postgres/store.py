"""The PostgreSQL backend: creates an index, and lets several clients change it at the same time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from lookalike.errors import InvalidOption, LookalikeError, OutputExists
from lookalike.flow.arrays import Hashes, Rows
from lookalike.flow.progress import Progress, silent
from lookalike.flow.sketches import EMPTY
from lookalike.index.postgres import locks, passages, upkeep
from lookalike.index.postgres.address import Address
from lookalike.index.postgres.lookup import PostgresLookup
from lookalike.index.postgres.pages import signed
from lookalike.index.postgres.session import Session, Statement
from lookalike.index.postgres.state import packed
from lookalike.index.postgres.tables import FORMAT, TABLES
from lookalike.index.store import Bulk, Change, Conflict, NewRows
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan

EDGES_AT_ONCE = 1 << 20
"""The number of edges, or of deleted rows, that are stored together."""

MOST_TEXT = 1 << 29
"""The maximum number of bytes of a text: PostgreSQL accepts values of up to 1 GB, and sends some twice as long."""

EXISTS = """
SELECT count(n.oid), count(c.oid) FROM pg_namespace n LEFT JOIN pg_class c ON c.relnamespace = n.oid WHERE nspname = %s
"""

LZ4 = "SELECT 1 FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY(enumvals)"

INSERT_DOCUMENT = "INSERT INTO document (row, id, name, record, text) VALUES (%s, %s, %s, %s, %s)"

INSERT_RECENT = "INSERT INTO recent VALUES (%s, %s::bigint[])"

NEXT_NUMBERS = """
SELECT (SELECT last_value + is_called::int FROM next_row),
    greatest(
        (SELECT least(last_value, 9223372036854775806) + is_called::int FROM next_id),
        (SELECT max(id) - (max(id) = 9223372036854775807)::int FROM document) + 1
    )
"""
"""The next row and the next id. No id after the largest integer is assigned, so the numbers do not overflow."""

RAISE_ID = "SELECT setval('next_id', %s, false) FROM next_id WHERE last_value - 1 + is_called::int < %s - 1"


class Postgres(PostgresLookup):
    """An index in PostgreSQL. `store.py` in the parent package documents the methods."""

    _is_alone = False
    """True in a turn for writing that has the index alone."""
    _has_id = False
    """True in a turn that adds one document with a given id."""
    _is_writing = False

    @classmethod
    def create(
        cls, address: Address, plan: Plan, resolved: ResolvedPlan | None = None, *, contain: bool = False
    ) -> None:
        """Creates an empty index, whole or not at all. With `contain`, it finds passages."""
        session, name = Session(address), address.name
        session.connect()
        try:
            schemas, relations = session.rows(EXISTS, name)[0]
            if relations:
                raise OutputExists("index-exists", path=address.shown)
            compression = "COMPRESSION lz4" if session.rows(LZ4) else ""
            session.script("BEGIN" if schemas else f'BEGIN; CREATE SCHEMA "{name}"')
            session.script(TABLES.format(compression=compression) + (passages.TABLE if contain else ""))
            values = FORMAT, plan.to_toml(), None if resolved is None else resolved.to_toml()
            session.commit([("INSERT INTO state (format, plan, resolved) VALUES (%s, %s, %s)", values)])
        except Conflict:  # another client has created it at the same time
            raise OutputExists("index-exists", path=address.shown) from None
        finally:
            session.close()

    @property
    def next_row(self) -> int:
        return self._next_numbers()[0]

    @property
    def next_id(self) -> int:
        return self._next_numbers()[1]

    def _next_numbers(self) -> tuple[int, int]:
        if self._numbers is None or not self._in_turn:
            row, id = self.session.rows(NEXT_NUMBERS)[0]
            self._numbers = row, id
        return self._numbers

    # Turns

    @property
    def is_writer(self) -> bool:
        return self._is_writing

    @contextmanager
    def writing(self, keys: Hashes | None = None, ids: pa.Array | None = None) -> Iterator[None]:
        self._connect()
        self._is_alone, self._has_id = keys is None, ids is not None
        locking = locks.whole_index(self._number) if keys is None else locks.one_document(self._number, keys, ids)
        with self._turn(locking):
            yield
        if upkeep.is_due(self):
            self._keep_up()

    @contextmanager
    def _turn(self, locking: str) -> Iterator[None]:
        try:
            self.session.script(locking)
            self._begin()
            self._is_writing = True
            yield
        finally:
            self._in_turn = self._is_writing = False
            self._before = (1 << 63) - 1
            self.session.end(f"ROLLBACK; {locks.RELEASE}")

    def fold(self) -> None:
        """Moves recent rows to a segment."""
        if self._in_turn:
            upkeep.fold(self)
        else:
            with self.writing():
                upkeep.fold(self)

    def _keep_up(self) -> None:
        """Moves recent rows to a segment, unless another client is busy. Then that one, or a later turn, will."""
        try:
            if self.session.script(locks.whole_index(self._number, wait=False))[0][0][0]:
                with self._turn("SELECT 1"):
                    if upkeep.is_due(self):  # otherwise, another client has done it meanwhile
                        upkeep.fold(self)
        except (LookalikeError, Conflict):  # what was added is durable; a later turn tries again
            self.session.end(locks.RELEASE)

    def reserve(self) -> None:
        if self._is_alone:
            self._numbers = None
        elif self._has_id or self.ids == "str":
            self._numbers = self.session.rows("SELECT nextval('next_row')")[0][0], 0
        else:
            row, id = self.session.rows("SELECT nextval('next_row'), nextval('next_id')")[0]
            self._numbers = row, id

    # Writing

    def start_bulk(self, *, text_ids: bool, most_bytes: int) -> Bulk:
        from lookalike.index.postgres.bulk import PostgresBulk

        self._before = self.next_row
        return PostgresBulk(self, most_bytes)

    def add(self, new: NewRows, change: Change) -> None:
        statements = self._deletions(change)
        statements += [(INSERT_DOCUMENT, row) for row in documents(new.rows, new.ids, new.records, new.texts)]
        statements += [(INSERT_RECENT, row) for row in recent(new.rows, new.keys, new.records["flags"])]
        if (found := passages.of_texts(self, new.texts, self.resolved)) is not None:
            statements += [(passages.INSERT, row) for row in passages.recent_rows(new.rows, found)]
        last = int(new.rows[-1])
        self._commit(change, statements, len(new.rows), len(new.rows), next_row=last + 1 if self._is_alone else None)

    def commit(self, change: Change) -> None:
        self._commit(change, self._deletions(change))

    def _deletions(self, change: Change) -> list[Statement]:
        every = change.gone.tolist()
        parts = [every[start : start + EDGES_AT_ONCE] for start in range(0, len(every), EDGES_AT_ONCE)]
        return [("DELETE FROM document WHERE row = ANY(%s)", (part,)) for part in parts]

    def _commit(
        self, change: Change, statements: list[Statement], added: int = 0, recent: int = 0, next_row: int | None = None
    ) -> None:
        """Makes statements and a change durable."""
        appended = changes(change, added, recent)
        statements = [*appended, *statements]
        if change.settled:
            statements.append(("UPDATE state SET settled = (SELECT max(step) FROM change), version = version + 1", ()))
        if change.ids is not None or change.resolved is not None:
            resolved = None if change.resolved is None else change.resolved.to_toml()
            text = "UPDATE state SET ids = coalesce(%s, ids), resolved = coalesce(%s, resolved), version = version + 1"
            statements.append((text, (change.ids, resolved)))
        if next_row is not None:
            statements.append(("SELECT setval('next_row', %s, false)", (next_row,)))
        if change.next_id is not None and (self._is_alone or self._has_id):
            statements.append((RAISE_ID, (change.next_id, change.next_id)))
        found = self.session.commit(statements)[: len(appended)]
        self._note([step for ((step, _),) in found], found[0][0][1], change, added, recent)
        self._resolved = change.resolved or self._resolved
        self._ids = change.ids or self._ids
        if change.settled:
            self._settled = found[-1][0][0]

    def maintain(self, progress: Progress = silent) -> None:
        """Does nothing within the turn. `writing` moves recent rows when it has released its locks."""

    # Everything

    def compact(self, progress: Progress) -> None:
        upkeep.compact(self, progress)

    def info(self) -> dict[str, Any]:
        return upkeep.info(self)

    def verify(self, progress: Progress) -> None:
        from lookalike.index.postgres.checks import verify

        verify(self, progress)

    def close(self) -> None:
        self.session.close()


def changes(change: Change, added: int, recent: int) -> list[Statement]:
    """Returns the statements that append a change, in several rows if it is large. Each returns its step."""
    text = "INSERT INTO change (added, recent, gone, edges) VALUES (%s, %s, %s, %s) RETURNING step, xid::text::bigint"
    found: list[Statement] = []
    for start in range(0, max(1, len(change.gone), len(change.edges)), EDGES_AT_ONCE):
        gone, edges = change.gone[start : start + EDGES_AT_ONCE], change.edges[start : start + EDGES_AT_ONCE]
        found.append((text, (added, recent, packed(gone), packed(edges.reshape(-1)))))
        added = recent = 0
    return found


def documents(rows: Rows, ids: pa.Array, records: Any, texts: pa.Array) -> Iterator[tuple[Any, ...]]:
    """Yields the values of the columns row, id, name, record and text of `document`."""
    is_number = pa.types.is_integer(ids.type)
    raw, size = records.tobytes(), records.dtype.itemsize
    for place, (row, id) in enumerate(zip(rows.tolist(), ids.to_pylist(), strict=True)):
        buffer = texts[place].as_buffer()
        text = b"" if buffer is None else memoryview(buffer)
        if len(text) > MOST_TEXT:
            raise InvalidOption("document-too-large-for-postgres", size=len(text), most=MOST_TEXT)
        record = raw[place * size : (place + 1) * size]
        yield (row, id, None, record, text) if is_number else (row, None, id.encode(), record, text)


def recent(rows: Rows, keys: Hashes, flags: Any) -> Iterator[tuple[int, list[int]]]:
    """Yields the values of the columns of `recent`. Empty documents have no keys."""
    empty = (flags & EMPTY) > 0
    for row, some, is_empty in zip(rows.tolist(), signed(keys).tolist(), empty.tolist(), strict=True):
        yield row, [] if is_empty else some
