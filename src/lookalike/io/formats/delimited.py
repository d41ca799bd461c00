"""Reads CSV and TSV as rows of strings. A row with more or fewer fields than the header is malformed."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.errors import MalformedInput
from lookalike.flow.documents import TEXT
from lookalike.io.dialect import NO_QUOTES
from lookalike.io.file_source import COLUMN, ID, no_such_column
from lookalike.io.files import File
from lookalike.io.formats.delimited_lines import HugeRecord, RecordLines, huge_fields
from lookalike.io.formats.line_blocks import BOM, ended
from lookalike.io.scan import Chunk, Malformed, Parse, Position, parsed, rows_by_size
from lookalike.notices import Notice

CHUNK_ROWS = 4096
CHUNK_BYTES = 4 << 20
DELIMITERS = {"csv": ",", "tsv": "\t"}


class DelimitedFormat:
    """Files of comma- or tab-separated values, which may be quoted. Blank lines are not rows."""

    cheap_to_reread = False
    reader_bytes = 0
    warnings: Sequence[Notice] = ()

    def __init__(
        self,
        name: str,
        files: Sequence[File],
        column: str,
        id: str | None,
        *,
        delimiter: str | None = None,
        quote: str | None = None,
    ) -> None:
        self.name = name
        self.files = files
        self.separator = "".join(filter(None, (delimiter, quote)))
        """The separator and quotation mark if they differ from the defaults. They are part of the identity of a
        source."""
        if delimiter is None and name == "csv":
            self.scans = [_with_separator_of(file, column, id, quote) for file in files]
        else:
            self.scans = [DelimitedScan(file, delimiter or DELIMITERS[name], id, quote) for file in files]
        for scan in self.scans:
            for needed, option in ((column, COLUMN), (id, ID)):
                if needed is not None and needed not in scan.header:
                    raise no_such_column(needed, scan.header, scan.file.name, option)
                if needed is not None and scan.named.count(needed) > 1:
                    raise MalformedInput("repeated-column", where=scan.file.name, column=needed)

    def columns(self) -> list[str]:
        return list(dict.fromkeys(column for scan in self.scans for column in scan.header))

    def prepare(self, columns: Sequence[str]) -> None:
        there = dict.fromkeys(self.columns())
        for column in columns:
            if column not in there:
                raise no_such_column(column, [*there], self.scans[0].file.name)


@dataclass(frozen=True)
class Record:
    """One row: its number in the file, its fields, and its unparsed bytes."""

    number: int
    fields: Sequence[str | bytes]
    raw: bytes


class DelimitedScan:
    """A scan of one CSV or TSV file."""

    rows = None

    def __init__(self, file: File, delimiter: str, id: str | None, quote: str | None = None) -> None:
        self.file = file
        self.delimiter = delimiter
        self.quote = quote
        self.id = id
        self.marks: list[tuple[int, Position]] = []
        self.starts: list[int] = []
        # The default limit of 131,072 characters per field is too small for texts. The limit applies to the whole
        # process.
        csv.field_size_limit(sys.maxsize)
        self.named, self.head, self.first = self._read_header()
        self.header = _distinct(self.named)

    def _read_header(self) -> tuple[list[str], bytes, Position]:
        with self.file.open() as stream:
            feed = RecordLines(stream, self.file, 0, 1)
            for fields in self._records(feed):
                if isinstance(fields, Notice):
                    raise MalformedInput("malformed-header", name=self.file.name, reason=fields)
                if fields:
                    names = [name if isinstance(name, str) else name.decode() for name in fields]
                    return names, b"".join(feed.raw).removeprefix(BOM), (feed.offset, feed.line, 0)
        raise MalformedInput("empty-delimited-file", name=self.file.name)

    def expected_rows(self, row_bytes: float) -> int:
        return rows_by_size(self.file, row_bytes)

    def unparsed(self, columns: Sequence[str]) -> Iterator[tuple[int, Parse]]:
        return parsed(self, columns)

    def chunks(self, columns: Sequence[str], at: Position) -> Iterator[Chunk]:
        known = {column: place for place, column in enumerate(self.header)}
        places = [known.get(column) for column in columns]
        for start, records, malformed, following in self._read(at):
            arrays = [
                pa.nulls(len(records), TEXT)
                if place is None
                else pa.array([record.fields[place] for record in records], TEXT)
                for place in places
            ]
            if self.id is not None and self.id in columns:
                for record in records:
                    if not record.fields[self.header.index(self.id)]:  # an empty field is null in CSV
                        where = Notice("numbered-row", name=self.file.name, row=record.number)
                        raise MalformedInput("missing-id", where=where, column=self.id)
            records.clear()  # a record may be huge
            yield Chunk(start, pa.RecordBatch.from_arrays(arrays, list(columns)), malformed, following)
            del arrays

    def copy(
        self,
        keep: npt.NDArray[np.bool_],
        sink: BinaryIO,
        *,
        head: bool = True,
        end_lines: bool = False,
        threads: int = 1,
    ) -> int:
        if head:
            sink.write(ended(self.head) if end_lines else self.head)
        row = 0
        for _, records, _, _ in self._read(self.first, with_raw=True):
            for record, kept in zip(records, keep[row : row + len(records)], strict=False):
                if kept:
                    sink.write(ended(record.raw) if end_lines else record.raw)
            row += len(records)
        return row

    def _read(
        self, at: Position, *, with_raw: bool = False
    ) -> Iterator[tuple[Position, list[Record], Malformed, Position]]:
        offset, line, number = at
        with self.file.open_at(offset) as stream:
            feed = RecordLines(stream, self.file, offset, line)
            records: list[Record] = []
            malformed = Malformed()
            for fields in self._records(feed):
                if not fields:
                    continue
                number += 1
                if not isinstance(fields, Notice) and len(fields) != len(self.header):
                    fields = Notice("wrong-number-of-fields", expected=len(self.header), got=len(fields))
                if isinstance(fields, Notice):
                    malformed.add(Notice("row-at-line", name=self.file.name, row=number, line=feed.begun), fields)
                else:
                    records.append(Record(number, fields, b"".join(feed.raw) if with_raw else b""))
                del fields
                feed.raw.clear()
                if len(records) >= CHUNK_ROWS or feed.offset - at[0] >= CHUNK_BYTES:
                    following = (feed.offset, feed.line, number)
                    yield at, records, malformed, following
                    at, records, malformed = following, [], Malformed()
            if records or malformed.count:
                yield at, records, malformed, (feed.offset, feed.line, number)

    def _records(self, feed: RecordLines) -> Iterator[Sequence[str | bytes] | Notice]:
        """Yields the fields of each record, or the reason why the record is malformed."""
        quote = self.quote or '"'
        how: dict[str, Any] = {"quotechar": quote}
        if self.quote == NO_QUOTES:
            how = {"quoting": csv.QUOTE_NONE}
        reader = csv.reader(feed, delimiter=self.delimiter, strict=True, **how)
        while True:
            feed.begin()
            try:
                fields = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                if "end of data" in str(error):
                    yield Notice("unclosed-quote", lines=feed.line - feed.begun)
                else:
                    yield Notice("broken-quoting", reason=str(error))
                continue
            except HugeRecord:
                reader = csv.reader(feed, delimiter=self.delimiter, strict=True, **how)
                marks = None if self.quote == NO_QUOTES else quote.encode()
                yield huge_fields(feed, self.delimiter.encode(), marks)
                continue
            yield feed.broken or fields
            del fields


def _with_separator_of(file: File, column: str, id: str | None, quote: str | None) -> DelimitedScan:
    """Returns a scan of a .csv file, separated by commas.

    If the file then lacks the column, the separator is guessed from its first lines.
    """
    from lookalike.io.formats.separators import guess_separator

    try:
        scan = DelimitedScan(file, ",", id, quote)
        if column in scan.header:
            return scan
    except MalformedInput:  # the header may be quoted, or separated by another character
        pass
    return DelimitedScan(file, guess_separator(file), id, quote)


def _distinct(names: list[str]) -> list[str]:
    """Makes names unique by adding numbers to repeated names."""
    distinct: list[str] = []
    given, used = {*names}, set[str]()
    numbers: dict[str, int] = {}
    for name in names:
        unused, number = name, numbers.get(name, 1)
        while unused in used or (unused != name and unused in given):
            number += 1
            unused = f"{name}_{number}"
        numbers[name] = number
        distinct.append(unused)
        used.add(unused)
    return distinct
