"""The catalogue of an embedded index: a SQLite file that names everything that belongs to the index.

What the catalogue does not name does not exist: files of segments are complete before a transaction adds their names.
Edges and deleted rows are only ever appended, several per row of their tables, so that they are quick to load. Each
commit increases the version, by which readers notice changes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lookalike.errors import InputError, MalformedInput, OutputError
from lookalike.flow.arrays import Rows

FILE = "catalogue.sqlite"

FORMAT = 1
"""The version of docs/reference/index-format.md that this code follows."""

SCHEMA = """
CREATE TABLE entry (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE segment (name TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE recent (row INTEGER PRIMARY KEY, id, record BLOB NOT NULL, keys BLOB NOT NULL, text BLOB NOT NULL);
CREATE TABLE gone (step INTEGER PRIMARY KEY, rows BLOB NOT NULL);
CREATE TABLE edges (step INTEGER PRIMARY KEY, pairs BLOB NOT NULL);
"""

WAIT = 60.0
"""Seconds to wait for another process that writes to the catalogue."""


class RecentRow(NamedTuple):
    """A row that is not in a segment yet, as it is stored."""

    row: int
    id: int | str
    record: bytes
    keys: bytes
    text: bytes


class Catalogue:
    """An open catalogue. Only the process that holds the lock of the index writes to it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        with self._errors():
            self._db = sqlite3.connect(
                f"file:{_quoted(self.path)}?mode=rw",
                timeout=WAIT,
                isolation_level=None,
                check_same_thread=False,
                uri=True,
            )
            self._db.execute("PRAGMA synchronous=FULL")
            self._db.execute("PRAGMA cache_size=-4096")

    @classmethod
    def create(cls, folder: Path, entries: dict[str, Any]) -> None:
        """Creates the catalogue of a new, empty index."""
        db = sqlite3.connect(folder / FILE, isolation_level=None)
        try:
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=FULL")
            db.executescript(f"BEGIN; {SCHEMA}")
            first = {"format": FORMAT, "version": 0, "layout": 0, "next_row": 0, "next_id": 0, "next_segment": 0}
            db.executemany("INSERT INTO entry VALUES (?, ?)", list((first | {"settled": 0} | entries).items()))
            db.execute("COMMIT")
        finally:
            db.close()

    def entries(self) -> dict[str, Any]:
        with self._errors():
            return dict(self._db.execute("SELECT name, value FROM entry"))

    def version(self) -> int:
        """Returns the number of commits so far."""
        with self._errors():
            return int(self._db.execute("SELECT value FROM entry WHERE name = 'version'").fetchone()[0])

    def segments(self) -> list[str]:
        return [name for (name,) in self._db.execute("SELECT name FROM segment")]

    def recent(self, after: int = -1) -> list[RecentRow]:
        """Returns the recent rows after this one, in order."""
        found = self._db.execute("SELECT row, id, record, keys, text FROM recent WHERE row > ? ORDER BY row", (after,))
        return [RecentRow(*row) for row in found]

    def gone(self, after: int = 0) -> tuple[int, Rows]:
        """Returns the last step, and the rows that were deleted after the given one."""
        return self._numbers("SELECT step, rows FROM gone WHERE step > ? ORDER BY step", after)

    def edges(self, after: int = 0) -> tuple[int, npt.NDArray[np.int64]]:
        """Returns the last step, and the edges that were added after the given one."""
        step, numbers = self._numbers("SELECT step, pairs FROM edges WHERE step > ? ORDER BY step", after)
        return step, numbers.reshape(-1, 2)

    def _numbers(self, query: str, after: int) -> tuple[int, Rows]:
        rows = self._db.execute(query, (after,)).fetchall()
        return (rows[-1][0] if rows else after), np.frombuffer(b"".join(blob for _, blob in rows), "<i8").astype(
            np.int64
        )

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Makes all reads of the block see the same state."""
        with self._errors():
            self._db.execute("BEGIN")
            try:
                yield
            finally:
                self._db.execute("COMMIT")

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """Yields a transaction. It is durable when the block ends; if the block fails, nothing of it is."""
        with self._errors(writing=True):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield Transaction(self._db)
                self._db.execute("UPDATE entry SET value = value + 1 WHERE name = 'version'")
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def size(self) -> int:
        """Returns the size of the catalogue's files in bytes."""
        files = [self.path, Path(f"{self.path}-wal")]
        return sum(file.stat().st_size for file in files if file.exists())

    def shrink(self) -> None:
        """Returns unused space to the file system."""
        with self._errors(writing=True):
            self._db.execute("VACUUM")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def check(self) -> None:
        """Raises an error if SQLite finds damage."""
        with self._errors():
            (found,) = self._db.execute("PRAGMA integrity_check(1)").fetchone()
        if found != "ok":
            raise MalformedInput("damaged-catalogue", name=str(self.path), reason=str(found).splitlines()[-1])

    def close(self) -> None:
        self._db.close()

    @contextmanager
    def _errors(self, *, writing: bool = False) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            code = getattr(error, "sqlite_errorcode", 0) & 255
            if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
                raise MalformedInput("damaged-catalogue", name=str(self.path), reason=str(error)) from None
            if writing:
                raise OutputError("unwritable", path=self.path, reason=str(error)) from None
            raise InputError("unreadable", name=str(self.path), reason=str(error)) from None


class Transaction:
    """A transaction that is open for writing."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def set(self, **entries: Any) -> None:
        self._db.executemany("INSERT OR REPLACE INTO entry VALUES (?, ?)", list(entries.items()))

    def add_recent(self, rows: Sequence[RecentRow]) -> None:
        self._db.executemany("INSERT INTO recent VALUES (?, ?, ?, ?, ?)", rows)

    def remove_recent(self, until: int) -> None:
        """Removes recent rows before this one, which are now in a segment."""
        self._db.execute("DELETE FROM recent WHERE row < ?", (until,))

    def replace_segments(self, removed: Sequence[str], added: Sequence[str]) -> None:
        self._db.executemany("DELETE FROM segment WHERE name = ?", [(name,) for name in removed])
        self._db.executemany("INSERT INTO segment VALUES (?)", [(name,) for name in added])
        self._db.execute("UPDATE entry SET value = value + 1 WHERE name = 'layout'")

    def add_gone(self, rows: Rows) -> None:
        if len(rows):
            self._db.execute("INSERT INTO gone (rows) VALUES (?)", (rows.astype("<i8").tobytes(),))

    def replace_gone(self, rows: Rows) -> None:
        self._db.execute("DELETE FROM gone")
        self.add_gone(rows)

    def add_edges(self, edges: npt.NDArray[np.int64]) -> None:
        if len(edges):
            self._db.execute("INSERT INTO edges (pairs) VALUES (?)", (edges.astype("<i8").tobytes(),))

    def replace_edges(self, edges: npt.NDArray[np.int64]) -> None:
        self._db.execute("DELETE FROM edges")
        self.add_edges(edges)


def _quoted(path: Path) -> str:
    from urllib.parse import quote

    return quote(str(path.absolute()))
