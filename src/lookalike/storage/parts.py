"""Durable parts: named tables with checksums. Each is written whole or not at all, when a stage has finished it.

They serve three purposes: spilling data that does not fit into memory, resuming interrupted runs, and passing data
between the tasks of a cluster. A store of parts has a key, made from the resolved plan and the input, so that parts of
different runs are never mixed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from lookalike.errors import InputError, InvalidOption, LookalikeError, MalformedInput, OutputError, PlanMismatch
from lookalike.notices import Notice
from lookalike.storage.arrow_pieces import picked, read_pieces
from lookalike.storage.foreign_errors import why
from lookalike.storage.sealed_files import SEAL, Damaged, check_sealed, read_sealed, writing_sealed
from lookalike.storage.whole_files import unfinished_files, write_whole

PART_ROWS = 1 << 16
"""The number of input rows per part, regardless of the reader's batch size."""

SUFFIX = ".part"
KEY = "KEY"
RESULT = "result"
"""The name prefix of parts that contain the result. If they exist, nothing needs to be computed."""

_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")


class Parts(Protocol):
    """A store of finished parts. Part names, such as stage-start-stop, consist of letters, digits, '-' and '_'."""

    @property
    def keeps(self) -> bool:
        """True if parts are stored. Otherwise callers need not compute a key."""
        ...

    def begin(self, key: str) -> None:
        """Sets the key of this run. Existing parts with another key are not used."""
        ...

    def get(self, name: str) -> pa.Table | None:
        """Returns the finished part with this name, or None."""
        ...

    def pick(self, name: str, columns: Sequence[str] | None = None, batch: int | None = None) -> pa.Table | None:
        """Returns some columns, or one record batch, of a finished part, or None.

        Only the first call checks the whole part.
        """
        ...

    def put(self, name: str, table: pa.Table) -> None: ...


class NoParts:
    """A store that keeps no parts."""

    keeps = False

    def begin(self, key: str) -> None:
        pass

    def get(self, name: str) -> pa.Table | None:
        return None

    def pick(self, name: str, columns: Sequence[str] | None = None, batch: int | None = None) -> pa.Table | None:
        return None

    def put(self, name: str, table: pa.Table) -> None:
        pass


class MemoryParts:
    """A store that keeps parts in memory."""

    keeps = True

    def __init__(self) -> None:
        self.key: str | None = None
        self.tables: dict[str, pa.Table] = {}

    def begin(self, key: str) -> None:
        if self.key is not None and self.key != key:
            self.tables.clear()
        self.key = key

    def get(self, name: str) -> pa.Table | None:
        return self.tables.get(name)

    def pick(self, name: str, columns: Sequence[str] | None = None, batch: int | None = None) -> pa.Table | None:
        table = self.tables.get(name)
        return None if table is None else picked(table, columns, batch)

    def put(self, name: str, table: pa.Table) -> None:
        self.tables[name] = table


@dataclass
class Disk:
    """The sizes in bytes of all parts ever written and of the parts stored now, and the maximum stored at any time."""

    written: int = 0
    now: int = 0
    largest: int = 0

    def add(self, bytes: int) -> None:
        self.written += bytes
        self.now += bytes
        self.largest = max(self.largest, self.now)


class DirectoryParts:
    """Parts as sealed Arrow files in a folder, `name.part`.

    A damaged part of an earlier run counts as missing: it is removed, reported in `warnings`, and computed again.
    A damaged part of this run raises an error. With `durable=False`, parts are only meant for this process and are not
    forced to the disk.
    """

    keeps = True

    def __init__(
        self, folder: str | Path, *, durable: bool = True, before_put: Callable[[], None] | None = None
    ) -> None:
        self.folder = Path(folder)
        self.durable = durable
        self.before_put = before_put
        """Called before a part becomes visible, to save the data that is required to resume from it."""
        self.warnings: list[Notice] = []
        self.disk = Disk()
        self.reused: set[str] = set()
        """The names of parts of earlier runs that this run has used."""
        self._own: set[str] = set()

    def begin(self, key: str) -> None:
        stamp = self.folder / KEY
        with self._writing():
            self.folder.mkdir(parents=True, exist_ok=True)
            if stamp.exists() and stamp.read_bytes() != key.encode():
                raise PlanMismatch("parts-of-another-run", folder=self.folder)
            write_whole(stamp, key.encode())
            self.count()

    def get(self, name: str) -> pa.Table | None:
        path = self._path(name)
        try:
            with pa.ipc.open_file(read_sealed(path)) as reader:
                table = reader.read_all()
        except FileNotFoundError:
            return None
        except (Damaged, pa.ArrowException):
            self._discard(path)
            return None
        except OSError as error:
            raise InputError("unreadable-part", path=path, reason=why(error)) from None
        if name not in self._own:
            self.reused.add(name)
        return table

    def pick(self, name: str, columns: Sequence[str] | None = None, batch: int | None = None) -> pa.Table | None:
        path = self._path(name)
        try:
            if name not in self._own and name not in self.reused:
                check_sealed(path)
                self.reused.add(name)
            return read_pieces(path, columns, batch, tail=SEAL.size)
        except FileNotFoundError:
            return None
        except (Damaged, pa.ArrowException):
            self._discard(path)
            return None
        except OSError as error:
            raise InputError("unreadable-part", path=path, reason=why(error)) from None

    def put(self, name: str, table: pa.Table) -> None:
        path = self._path(name)
        with self._writing():
            if self.before_put is not None:
                self.before_put()
            before = path.stat().st_size if path.exists() else 0
            with (
                writing_sealed(path, durable=self.durable) as sink,
                pa.ipc.new_file(pa.PythonFile(sink, "w"), table.schema) as writer,
            ):
                writer.write_table(table)
            self.disk.add(path.stat().st_size)
            self.disk.now -= before
        self._own.add(name)

    def count(self) -> None:
        """Sets `disk.now` to the size of all stored parts, including those of earlier runs."""
        self.disk.now = sum(file.stat().st_size for file in self.files())
        self.disk.largest = max(self.disk.largest, self.disk.now)

    def files(self) -> list[Path]:
        """Returns the paths of all stored parts, sorted."""
        return sorted(path for path in self.folder.glob(f"*{SUFFIX}") if _NAME.fullmatch(path.stem))

    def clean(self) -> None:
        """Removes unfinished files of interrupted runs."""
        with self._writing():
            for unfinished in unfinished_files(self.folder):
                unfinished.unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise InvalidOption("invalid-part-name", name=name)
        return self.folder / f"{name}{SUFFIX}"

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except (OSError, pa.ArrowException) as error:
            if isinstance(error, LookalikeError):
                raise
            raise OutputError("work-folder-unwritable", folder=self.folder, reason=why(error)) from None

    def _discard(self, path: Path) -> None:
        if path.stem in self._own:
            raise MalformedInput("part-damaged-in-use", path=path)
        with self._writing():
            self.disk.now -= path.stat().st_size
            path.unlink()
        self.warnings.append(Notice("part-replaced", path=path))
