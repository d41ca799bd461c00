"""Combines files of one format in one source, with consecutive row numbers across all files."""

from __future__ import annotations

import bisect
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, Protocol

import pyarrow as pa

from lookalike.errors import InputError, NoSuchColumn
from lookalike.flow import Documents
from lookalike.io.files import File
from lookalike.io.nested import field_at
from lookalike.io.scan import NAMED, FileRows, OnError, Scan
from lookalike.io.source import Batch
from lookalike.notices import Notice


class Format(Protocol):
    """A group of open files of one format: their columns, and their scans (usually one per file)."""

    @property
    def name(self) -> str: ...

    @property
    def files(self) -> Sequence[File]: ...

    @property
    def scans(self) -> Sequence[Scan]: ...

    def columns(self) -> list[str]: ...

    @property
    def cheap_to_reread(self) -> bool:
        """See `Source.cheap_to_reread`."""
        ...

    @property
    def reader_bytes(self) -> int:
        """See `Source.reader_bytes`."""
        ...

    def prepare(self, columns: Sequence[str]) -> None:
        """Determines the types of the given columns. Raises NoSuchColumn if a column is in none of the files."""
        ...

    @property
    def warnings(self) -> Sequence[Notice]: ...


class FileSource:
    """A `Source` over files of any format."""

    in_memory = False
    opened: Mapping[str, Any] | None = None
    """The arguments of `open_source`, including `paths` if there are any; None if the source was opened otherwise."""

    def __init__(
        self,
        name: str,
        format: Format,
        *,
        column: str,
        id: str | None,
        on_error: OnError = "fail",
        batch_rows: int = 8192,
        warnings: Sequence[Notice] = (),
    ) -> None:
        self.name = name
        self.format = format
        self.files = format.files
        self.reader_bytes = format.reader_bytes
        self.column = column
        self.id = id
        self.on_error = on_error
        self.batch_rows = batch_rows
        self.rows = [FileRows(scan, scan.rows, list(scan.marks) or [(0, scan.first)]) for scan in format.scans]
        self._warnings = tuple(warnings)
        self._stamps = [file.stamp() for file in self.files]
        format.prepare([column])
        if id is not None:
            if format.name in ("text", "lines") and id not in format.columns():  # other formats have checked the column
                raise no_such_column(id, format.columns(), name, ID)
            format.prepare([id])

    @property
    def columns(self) -> list[str]:
        return self.format.columns()

    def stored_type(self, column: str) -> pa.DataType | None:
        """Returns the type of a column in the first file; None if the format does not store types."""
        schema = getattr(self.format.scans[0], "schema", None) if self.format.scans else None
        field = field_at(schema, column) if isinstance(schema, pa.Schema) else None
        return None if field is None else field.type

    @property
    def malformed(self) -> int:
        return sum(some.count for rows in self.rows for some in rows.malformed.values())

    @property
    def warnings(self) -> tuple[Notice, ...]:
        found = [rows.malformed[at] for rows in self.rows for at in sorted(rows.malformed)]
        named = [notice for some in found for notice in some.first]
        return (*self._warnings, *self.format.warnings, *named[:NAMED])

    @property
    def cheap_to_reread(self) -> bool:
        return self.format.cheap_to_reread

    def starts(self) -> list[int]:
        starts: list[int] = []
        base = 0
        for rows in self.rows:
            starts.extend(base + row for row in (0, *rows.scan.starts) if base + row > 0)
            if rows.rows is None:
                break
            base += rows.rows
        return starts

    def total_rows(self) -> int | None:
        total = 0
        for rows in self.rows:
            if rows.rows is None:
                return None
            total += rows.rows
        return total

    def expected_rows(self, rows: int, bytes: int) -> int:
        return sum(scan.expected_rows((bytes + rows) / rows) for scan in self.format.scans)

    def read(self, columns: Sequence[str] | None = None, start: int = 0, stop: int | None = None) -> Iterator[Batch]:
        columns = self.columns if columns is None else columns
        self.format.prepare(columns)
        base = 0  # the row number of the first row of the file
        for file in self.rows:
            if stop is not None and base >= stop:
                return
            if file.rows is not None and base + file.rows <= start:
                base += file.rows
                continue
            row, at = file.marks[bisect.bisect_right(file.marks, max(start - base, 0), key=itemgetter(0)) - 1]
            row += base
            for chunk in file.scan.chunks(columns, at):
                if chunk.malformed.count:
                    if self.on_error == "fail":
                        raise chunk.malformed.error()
                    file.malformed[chunk.at] = chunk.malformed
                before, row = row, row + chunk.data.num_rows
                if chunk.next is not None:
                    file.mark(row - base, chunk.next)
                end = row if stop is None else min(row, stop)
                for low in range(max(start, before), end, self.batch_rows):
                    yield Batch(low, chunk.data.slice(low - before, min(self.batch_rows, end - low)))
                if stop is not None and row >= stop:
                    return
                del chunk  # so that the memory of a huge text is freed before the next one is read
            file.rows = row - base
            base = row

    def documents(self, start: int = 0, stop: int | None = None) -> Iterator[Documents]:
        for batch in self.read([self.column], start, stop):
            yield Documents(batch.data.column(0), batch.start)
            del batch

    def check_unchanged(self) -> None:
        if [file.stamp() for file in self.files] != self._stamps:
            raise InputError("input-changed", name=self.name)

    def identity(self) -> str:
        digest = hashlib.blake2b(digest_size=16)
        separator = getattr(self.format, "separator", None) or ""
        for part in (self.format.name, separator, self.column, self.id or "", self.on_error):
            digest.update(f"{len(part)} {part}\n".encode())
        for file in self.format.files:
            stamp = file.stamp() if file.encoding is None else f"{file.stamp()} {file.encoding}"
            digest.update(stamp.encode("utf-8", "surrogateescape") + b"\n")
        return digest.hexdigest()


COLUMN, ID = "column", "id"


def no_such_column(column: str, columns: Sequence[str], where: str, option: str = COLUMN) -> NoSuchColumn:
    return NoSuchColumn.named(column, list(columns), where, option)
