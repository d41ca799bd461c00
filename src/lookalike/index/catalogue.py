"""The catalogue of an embedded index: a SQLite file that names everything that belongs to the index.

What the catalogue does not name does not exist: files of segments are complete before a transaction adds their names.
Edges and deleted rows are appended, several per row of their tables, so that they are quick to load; only a compaction
replaces them. Each commit increases the version, by which readers notice changes.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lookalike.errors import InputError, MalformedInput, OutputError
from lookalike.flow.arrays import Rows
from lookalike.notices import Notice

FILE = "catalogue.sqlite"

FORMAT = 2
"""The version of docs/reference/index-format.md that this code follows."""

SCHEMA = """
CREATE TABLE entry (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE segment (name TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE recent (row INTEGER PRIMARY KEY, id, record BLOB NOT NULL, keys BLOB NOT NULL, text BLOB NOT NULL);
CREATE TABLE gone (step INTEGER PRIMARY KEY, rows BLOB NOT NULL);
CREATE TABLE edges (step INTEGER PRIMARY KEY, pairs BLOB NOT NULL);
"""

FIRST = {
    "format": FORMAT,
    "version": 0,
    "layout": 0,
    "forest": 0,
    "folded": 0,
    "settled": 0,
    "next_row": 0,
    "next_id": 0,
    "next_segment": 0,
}
"""The entries of a new index."""

MOST = 1 << 17
"""The maximum number of numbers in a row of the tables `gone` and `edges`."""

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
        mode = "mode=rw"
        if _is_read_only(folder):
            _check_log(self.path)
            mode = "mode=ro&immutable=1"  # nobody writes, so readers need no file to coordinate with writers
        with _errors(self.path):
            self._db = sqlite3.connect(
                f"file:{_quoted(self.path)}?{mode}",
                timeout=WAIT,
                isolation_level=None,
                check_same_thread=False,
                uri=True,
            )
            self._db.execute("PRAGMA synchronous=FULL")
            self._db.execute("PRAGMA cache_size=-4096")
        self._opened = _identity(self.path)

    def is_in_place(self) -> bool:
        """Returns whether the file at the path is still the one that was opened.

        SQLite would go on writing to a file that was removed, without an error.
        """
        return _identity(self.path) == self._opened

    @classmethod
    def create(cls, folder: Path, entries: dict[str, Any]) -> None:
        """Creates the catalogue of a new, empty index."""
        path = folder / FILE
        with _errors(path, writing=True), closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=FULL")
            db.executescript(f"BEGIN; {SCHEMA}")
            db.executemany("INSERT INTO entry VALUES (?, ?)", list((FIRST | entries).items()))
            db.execute("COMMIT")

    def entries(self) -> dict[str, Any]:
        with _errors(self.path):
            return dict(self._db.execute("SELECT name, value FROM entry"))

    def version(self) -> int:
        """Returns the number of commits so far."""
        with _errors(self.path):
            return int(self._db.execute("SELECT value FROM entry WHERE name = 'version'").fetchone()[0])

    def segments(self) -> list[str]:
        return [name for (name,) in self._db.execute("SELECT name FROM segment")]

    def recent(self, after: int = -1) -> list[RecentRow]:
        """Returns the recent rows after this one, in order."""
        found = self._db.execute("SELECT row, id, record, keys, text FROM recent WHERE row > ? ORDER BY row", (after,))
        return [RecentRow(*row) for row in found]

    def gone(self, after: int = 0) -> list[tuple[int, Rows]]:
        """Returns the rows that were deleted after this step, with their steps, in order."""
        found = self._db.execute("SELECT step, rows FROM gone WHERE step > ? ORDER BY step", (after,))
        return [(step, np.frombuffer(blob, "<i8").astype(np.int64)) for step, blob in found]

    def edges(self, after: int = 0) -> tuple[int, npt.NDArray[np.int64]]:
        """Returns the last step, and the edges that were added after the given one."""
        rows = self._db.execute("SELECT step, pairs FROM edges WHERE step > ? ORDER BY step", (after,)).fetchall()
        numbers = np.frombuffer(b"".join(blob for _, blob in rows), "<i8").astype(np.int64)
        return (rows[-1][0] if rows else after), numbers.reshape(-1, 2)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Makes all reads of the block see the same state."""
        with _errors(self.path):
            self._db.execute("BEGIN")
            try:
                yield
            finally:
                self._db.execute("COMMIT")

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """Yields a transaction. It is durable when the block ends; if the block fails, nothing of it is."""
        with _errors(self.path, writing=True):
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

    def live_size(self) -> int:
        """Returns the number of bytes of its pages that are in use."""
        names = ("page_count", "freelist_count", "page_size")
        with _errors(self.path):
            count, unused, page = (int(self._db.execute(f"PRAGMA {name}").fetchone()[0]) for name in names)
        return (count - unused) * page

    def shrink(self) -> None:
        """Returns unused space to the file system. Readers may go on meanwhile.

        If one of them is reading at this moment, the log is left for the next commit.
        """
        with _errors(self.path, writing=True):
            if int(self._db.execute("PRAGMA freelist_count").fetchone()[0]):
                self._db.execute("VACUUM")
            self._db.execute("PRAGMA busy_timeout=1000")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._db.execute(f"PRAGMA busy_timeout={WAIT * 1000:.0f}")

    def check(self) -> None:
        """Raises an error if SQLite finds damage."""
        with _errors(self.path):
            (found,) = self._db.execute("PRAGMA integrity_check(1)").fetchone()
        if found != "ok":
            raise MalformedInput("damaged-catalogue", name=str(self.path), reason=str(found).splitlines()[-1])

    def close(self) -> None:
        self._db.close()


class Transaction:
    """A transaction that is open for writing."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def set(self, **entries: Any) -> None:
        self._db.executemany("INSERT OR REPLACE INTO entry VALUES (?, ?)", list(entries.items()))

    def add_recent(self, rows: Sequence[RecentRow]) -> None:
        self._db.executemany("INSERT INTO recent VALUES (?, ?, ?, ?, ?)", rows)

    def remove_recent(self, before: int, most: int = -1) -> int:
        """Removes recent rows before this one, which are in segments now; the first `most` of them (default: all).

        Returns how many were removed.
        """
        first = "SELECT row FROM recent WHERE row < ? ORDER BY row LIMIT ?"
        return self._db.execute(f"DELETE FROM recent WHERE row IN ({first})", (before, most)).rowcount

    def replace_segments(self, removed: Sequence[str], added: Sequence[str]) -> None:
        self._db.executemany("DELETE FROM segment WHERE name = ?", [(name,) for name in removed])
        self._db.executemany("INSERT INTO segment VALUES (?)", [(name,) for name in added])
        self._increase("layout")
        for name in added:
            self._db.execute("UPDATE entry SET value = max(value, ?) WHERE name = 'next_segment'", (int(name) + 1,))

    def add_gone(self, rows: Rows) -> None:
        self._append("INSERT INTO gone (rows) VALUES (?)", rows)

    def add_edges(self, edges: npt.NDArray[np.int64]) -> None:
        self._append("INSERT INTO edges (pairs) VALUES (?)", edges.reshape(-1))

    def replace_forest(self, edges: npt.NDArray[np.int64]) -> None:
        """Replaces all edges, and forgets the rows that were deleted, because no segment contains them any more."""
        self._db.execute("DELETE FROM gone")
        self._db.execute("DELETE FROM edges")
        self._increase("forest")
        self.set(settled=0)
        self.add_edges(edges)

    def _append(self, statement: str, numbers: Rows) -> None:
        for start in range(0, len(numbers), MOST):
            self._db.execute(statement, (numbers[start : start + MOST].astype("<i8").tobytes(),))

    def _increase(self, name: str) -> None:
        self._db.execute("UPDATE entry SET value = value + 1 WHERE name = ?", (name,))


@contextmanager
def _errors(path: Path, *, writing: bool = False) -> Iterator[None]:
    """Wraps calls of SQLite, and raises its errors as ours, which name the file."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 255
        if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY) and not (
            writing or os.access(path.parent, os.W_OK)
        ):
            raise InputError("index-needs-permission", folder=path.parent) from None
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise MalformedInput("damaged-catalogue", name=str(path), reason=str(error)) from None
        reason = Notice("no-space-left") if code == sqlite3.SQLITE_FULL else str(error)
        if writing:
            raise OutputError("unwritable", path=path, reason=reason) from None
        raise InputError("unreadable", name=str(path), reason=reason) from None


def _is_read_only(folder: Path) -> bool:
    """Returns whether a folder is on a file system that cannot be changed."""
    return hasattr(os, "statvfs") and bool(os.statvfs(folder).f_flag & os.ST_RDONLY)


def _check_log(path: Path) -> None:
    """Raises an error if there are commits in the log of a catalogue, which cannot be read without writing."""
    log = Path(f"{path}-wal")
    if log.exists() and log.stat().st_size:
        raise InputError("index-copied-while-open", folder=path.parent)


def _identity(path: Path) -> tuple[int, int] | None:
    """Returns what distinguishes a file from all others; None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _quoted(path: Path) -> str:
    from urllib.parse import quote

    return quote(str(path.absolute()))
