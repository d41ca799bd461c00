"""Combines files of one format in one source, with consecutive row numbers across all files."""

from __future__ import annotations

import bisect
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, Protocol

import pyarrow as pa

from lookalike.errors import InputError, NoSuchColumn
from lookalike.flow import Documents
from lookalike.io.files import File
from lookalike.io.nested import field_at
from lookalike.io.scan import NAMED, Chunk, FileRows, OnError, Parse, RowsInOrder, Scan
from lookalike.io.source import Batch, Lanes, Piece, RowPiece
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
        for lane in self.lanes(columns, start, stop):
            for piece in lane:
                data = piece.load()
                del piece  # so that the memory of a huge text is freed before the next one is read
                rows = data.num_rows
                for low in range(0, rows, self.batch_rows):
                    yield Batch(start + low, data if rows <= self.batch_rows else data.slice(low, self.batch_rows))
                del data
                start += rows

    def lanes(self, columns: Sequence[str], start: int = 0, stop: int | None = None) -> Lanes:
        self.format.prepare(columns)
        base = 0  # the row number of the first row of the file
        for nth, file in enumerate(self.rows):
            if stop is not None and base >= stop:
                return
            if file.rows is None:
                if stop is None and start <= base:
                    yield from (self._unparsed(file, columns) for file in self.rows[nth:])
                else:  # the number of rows of each file decides what is read of the next
                    yield self._one_by_one(self.rows[nth:], columns, base, start, stop)
                return
            low, high = max(start - base, 0), file.rows if stop is None else min(file.rows, stop - base)
            cuts = [row for row in file.scan.starts if low < row < high]
            for first, end in zip([low, *cuts], [*cuts, high], strict=True):
                if first < end:
                    yield self._between(file, columns, base, first, end)
            base += file.rows

    def _one_by_one(
        self, files: Sequence[FileRows], columns: Sequence[str], base: int, start: int, stop: int | None
    ) -> Iterator[RowPiece]:
        for file in files:
            if stop is not None and base >= stop:
                return
            yield from self._between(file, columns, base, max(start - base, 0), None if stop is None else stop - base)
            if file.rows is None:  # `stop` was reached
                return
            base += file.rows

    def _between(
        self, file: FileRows, columns: Sequence[str], base: int, low: int, high: int | None
    ) -> Iterator[RowPiece]:
        """Reads and parses rows `low` … `high - 1` of a file."""
        row, at = file.marks[bisect.bisect_right(file.marks, low, key=itemgetter(0)) - 1]
        for chunk in file.scan.chunks(columns, at):
            self._count_malformed(file, chunk)
            before, row = row, row + chunk.data.num_rows
            if chunk.next is not None:
                file.mark(row, chunk.next)
            first, end = max(low, before), row if high is None else min(row, high)
            if first < end:
                data = chunk.data if end - first == row - before else chunk.data.slice(first - before, end - first)
                pieces = [Piece([data].pop, data.nbytes, base + first)]
                del chunk, data
                yield pieces.pop()  # not kept here, because a text may be huge
            if high is not None and row >= high:
                return
        file.rows = row

    def _unparsed(self, file: FileRows, columns: Sequence[str]) -> Iterator[RowPiece]:
        """Reads a file. Its rows are parsed when they are loaded, possibly by several threads."""
        found = RowsInOrder(file)
        for number, (size, parse) in enumerate(file.scan.unparsed(columns)):
            yield Piece(partial(self._parsed, file, found, number, parse), size)
            found.chunks += 1
            del parse  # a line may be huge
        found.end()

    def _parsed(self, file: FileRows, found: RowsInOrder, number: int, parse: Parse) -> pa.RecordBatch:
        chunk = parse()
        self._count_malformed(file, chunk)
        found.add(number, chunk)
        return chunk.data

    def _count_malformed(self, file: FileRows, chunk: Chunk) -> None:
        if chunk.malformed.count:
            if self.on_error == "fail":
                raise chunk.malformed.error()
            file.malformed[chunk.at] = chunk.malformed

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
