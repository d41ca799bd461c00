"""Reads the requested columns of Parquet files in batches of bounded size, whatever the size of the row groups."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import chain, islice
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from lookalike.errors import InputError, MalformedInput
from lookalike.flow.arrays import take
from lookalike.flow.documents import TEXT
from lookalike.flow.signature import COLUMN as SIGNATURE
from lookalike.io.columns import (
    broken_texts,
    check_dictionaries,
    check_ids,
    convert,
    id_type,
    item_type,
    refuse_only_signatures,
    refuse_signatures,
    simple_type,
    text_type,
)
from lookalike.io.file_source import COLUMN, ID, no_such_column
from lookalike.io.files import File
from lookalike.io.formats.parquet_footers import check_footer
from lookalike.io.formats.row_groups import BATCH_BYTES, Stretch, StretchReader, large_page
from lookalike.io.nested import array_at, field_at, names_in
from lookalike.io.scan import Chunk, Malformed, OnError, Parse, Position, parsed
from lookalike.io.temporary_copies import decompressed
from lookalike.io.workers import in_order
from lookalike.notices import Notice
from lookalike.storage.foreign_errors import brief, reading

LANE_BYTES = 4 * BATCH_BYTES
"""The minimum distance in bytes between two row groups at which threads start reading."""

PAGE_ROWS, PAGE_BYTES = 1024, 2 << 20
"""The limits on a page: it has at most PAGE_ROWS rows, unless it has fewer than PAGE_BYTES bytes. Writers close a page
after a number of bytes, but check this only every so many rows. The dictionary of a row group is also a page.
"""

READ_BYTES = 1 << 20
"""The number of bytes of a file that are read at once."""

TypeIn = Callable[[pa.DataType, str], pa.DataType | None]
"""A function that takes the type of a column and the name of its file, and returns the type to convert to."""


class ParquetFormat:
    """Parquet files. Texts and ids must have the same type in all files; other columns only need compatible types."""

    name = "parquet"
    warnings: Sequence[Notice] = ()

    @property
    def cheap_to_reread(self) -> bool:
        """True if all files are local and their codecs are fast (see `Source.cheap_to_reread`)."""
        for scan in self.scans:
            scan.check_footer()
        return all(scan.file.system is None and scan.codec not in ("GZIP", "BROTLI") for scan in self.scans)

    def __init__(
        self,
        files: Sequence[File],
        column: str,
        id: str | None,
        on_error: OnError,
        batch_rows: int,
        *,
        one_item: bool = False,
        any_type: bool = False,
    ) -> None:
        self.files = files
        self.column = column
        self.id = id
        self.types: dict[str, pa.DataType] = {}
        plain = [file if file.codec is None else decompressed(file) for file in files]
        self.scans = [ParquetScan(file, self, on_error, batch_rows) for file in plain]
        for scan in self.scans:
            for needed, option in ((column, COLUMN), (id, ID)):
                if needed is not None and needed not in scan.schema.names:
                    if field_at(scan.schema, needed) is None:
                        refuse_only_signatures(scan.schema, scan.file.name, id)
                        raise no_such_column(needed, names_in(scan.schema), scan.file.name, option)
                    scan.nested.add(needed)
                if needed is not None and scan.schema.names.count(needed) > 1:
                    raise MalformedInput("repeated-column", where=scan.file.name, column=needed)
            if column == SIGNATURE:
                refuse_signatures(scan.schema, scan.file.name)
        if id is not None:
            self.types[id] = self._agreed(id, lambda kind, where: id_type(kind, id, where))
        type_of = item_type if one_item else text_type
        self.types[column] = self._agreed(
            column, lambda kind, where: simple_type(kind) if any_type else type_of(kind, column, where)
        )
        self.reader_bytes = max((5 * scan.largest_page() // 2 for scan in self.scans), default=0)
        """The memory for the largest page that Arrow reads: compressed, decompressed, and as a dictionary."""

    def _agreed(self, column: str, type_in: TypeIn) -> pa.DataType:
        """Returns the type of the text or id column, which must be the same in all files."""
        agreed: pa.DataType | None = None
        first = ""
        for scan in self.scans:
            field = field_at(scan.schema, column) if column in scan.nested else scan.schema.field(column)
            assert field is not None
            kind = type_in(field.type, scan.file.name)
            if agreed is None:
                agreed, first = kind, scan.file.name
            elif kind is not None and kind != agreed:
                types = {"type": str(agreed), "other_type": str(kind)}
                raise MalformedInput("column-types-differ", column=column, first=first, other=scan.file.name, **types)
        return TEXT if agreed is None else agreed

    def columns(self) -> list[str]:
        return list(dict.fromkeys(name for scan in self.scans for name in scan.schema.names))

    def prepare(self, columns: Sequence[str]) -> None:
        for column in columns:
            if column not in self.types:
                self.types[column] = self._joined(column)

    def _joined(self, column: str) -> pa.DataType:
        """Returns the common type of another column in all files. In files without the column, its values are null."""
        joined: pa.Schema | None = None
        for scan in self.scans:
            places = scan.schema.get_all_field_indices(column)
            if not places:
                continue
            if len(places) > 1:
                raise MalformedInput("repeated-column", where=scan.file.name, column=column)
            field = pa.schema([pa.field(column, simple_type(scan.schema.field(column).type))])
            try:
                joined = field if joined is None else pa.unify_schemas([joined, field], promote_options="permissive")
            except pa.ArrowException as error:
                name, reason = scan.file.name, brief(error)
                raise MalformedInput("column-types-clash", column=column, name=name, reason=reason) from None
        if joined is None:
            raise no_such_column(column, self.columns(), self.scans[0].file.name)
        return joined.field(0).type


class ParquetScan:
    """A scan of one Parquet file.

    Positions are (stretch, batch within the stretch). Reading can start at any stretch.
    """

    first: Position = (0, 0)

    def __init__(self, file: File, format: ParquetFormat, on_error: OnError, batch_rows: int) -> None:
        self.file = file
        self.format = format
        self.on_error = on_error
        self.batch_rows = batch_rows
        self.nested: set[str] = set()
        """The columns of texts and ids that are fields of other columns."""
        self.metadata: pq.FileMetaData = None  # set below
        with closing(self._open()) as parquet:
            self.schema = parquet.schema_arrow
            self.metadata = parquet.metadata
        stored, text = self.metadata.schema, f"{format.column}."
        self.text_column = next((i for i in range(len(stored)) if f"{stored.column(i).path}.".startswith(text)), 0)
        """The number of the column of texts, or of the first column within it."""
        self.stretches: list[Stretch] = []
        self.starts: list[int] = []
        row = since = 0
        for index in range(self.metadata.num_row_groups):
            group = self.metadata.row_group(index)
            if not group.num_rows:
                continue
            rows, size = group.num_rows, max(group.total_byte_size, 0)
            if since >= LANE_BYTES:
                self.starts.append(row)
                since = 0
            last = self.stretches[-1] if self.stretches else None
            if last is None or since == 0 or last.rows + rows > batch_rows or last.bytes + size > BATCH_BYTES:
                last = Stretch(row)
                self.stretches.append(last)
            last.groups.append(index)
            last.rows += rows
            last.bytes += size
            row, since = row + rows, since + size
        # If rows can be skipped, their numbers are known only after reading.
        self.rows: int | None = row
        self.marks: list[tuple[int, Position]] = [(one.row, (i, 0)) for i, one in enumerate(self.stretches)]
        if on_error == "skip":
            self.rows, self.marks, self.starts = None, [], []

    def largest_page(self) -> int:
        """An upper bound for the size of a page that Arrow reads, if it has no more rows than PAGE_ROWS."""
        large, most = large_page(self.file.budget), 0
        for stretch in self.stretches:
            size = min(stretch.bytes, max(PAGE_BYTES, PAGE_ROWS * stretch.bytes // stretch.rows))
            if size > max(most, large) and self._reads_large_pages(stretch.groups[0]):
                size = large
            most = max(most, size)
        return most

    def _reads_large_pages(self, group: int) -> bool:
        """True if large pages of texts are not left to Arrow: see `large_pages.py`."""
        from lookalike.io.formats.large_pages import is_readable  # few files have large pages

        if self.file.system is not None or self.schema.names.count(self.format.column) != 1:
            return False
        with reading(self.file.name):
            check_footer(self.metadata, self.format.column, group)
        index = self.text_column
        chunk, kind = self.metadata.row_group(group).column(index), self.schema.field(self.format.column).type
        return is_readable(chunk, self.metadata.schema.column(index), kind)

    def check_footer(self) -> None:
        """Raises an error if the footer has wrong metadata about the texts of the first row group."""
        if self.stretches:
            with reading(self.file.name):
                check_footer(self.metadata, self.format.column, self.stretches[0].groups[0])

    @property
    def codec(self) -> str:
        """Returns the compression of the texts in the first row group.

        Call it only after `check_footer` or after reading texts, because Arrow crashes the process if the footer is
        wrong.
        """
        if not self.stretches:
            return "SNAPPY"
        return str(self.metadata.row_group(self.stretches[0].groups[0]).column(self.text_column).compression)

    def _open(self) -> pq.ParquetFile:
        known = self.metadata  # parsing the metadata of large files is slow
        with reading(self.file.name):
            if self.file.system is not None:
                return pq.ParquetFile(self.file.open_stored(), metadata=known, page_checksum_verification=True)
            # Read page by page, because reading a whole row group at once takes more memory and is not faster.
            return pq.ParquetFile(
                pa.OSFile(os.fsencode(self.file.path)),  # Arrow fails for names that are not UTF-8, unless encoded
                metadata=known,
                page_checksum_verification=True,
                pre_buffer=False,
                buffer_size=READ_BYTES,
            )

    def expected_rows(self, row_bytes: float) -> int:
        return sum(stretch.rows for stretch in self.stretches)

    def unparsed(self, columns: Sequence[str]) -> Iterator[tuple[int, Parse]]:
        return parsed(self, columns)

    def chunks(self, columns: Sequence[str], at: Position) -> Iterator[Chunk]:
        format = self.format
        # The text decides which rows are malformed, so it is read even if it was not requested.
        needed = list(dict.fromkeys([*columns, format.column] if self.on_error == "skip" else columns))
        stored = {*self.schema.names}
        there = [column for column in needed if column in stored or column in self.nested]
        present = {*there}
        for position, following, row, batch in self._batches(there, at[0]):
            arrays: dict[str, pa.Array] = {}
            for column in needed:
                if column not in present:
                    arrays[column] = pa.nulls(batch.num_rows, format.types[column])
                    continue
                arrays[column] = array_at(batch, column) if column in self.nested else batch.column(column)
                arrays[column] = convert(arrays[column], format.types[column], self.file.name, column)
                if column not in (format.column, format.id):  # texts and ids are checked by row
                    self._check_values(arrays[column], column)
            data = pa.RecordBatch.from_arrays([arrays[column] for column in columns], list(columns))
            malformed = Malformed()
            with reading(self.file.name):
                broken = broken_texts(arrays[format.column]) if format.column in arrays else []
            if broken:
                data = data.filter(_good(broken, batch.num_rows))
                for i, reason in broken:
                    malformed.add(self._where(row + i), reason)
            if format.id is not None and format.id in columns:
                check_ids(arrays[format.id], format.id, lambda i, row=row: self._where(row + i))  # type: ignore[misc]
            del batch, arrays
            yield Chunk(position, data, malformed, following)
            del data

    def _batches(
        self, columns: Sequence[str] | None, start: int, end: int | None = None
    ) -> Iterator[tuple[Position, Position | None, int, pa.RecordBatch]]:
        """Yields (position, next position or None, first row, data) for each batch of some stretches."""
        with closing(self._open()) as parquet:
            by_text = self.on_error == "skip"
            reader = StretchReader(self.file, parquet, self.format.column, self.batch_rows, by_text)
            for number, stretch in enumerate(self.stretches[start:end], start):
                row, last = stretch.row, stretch.row + stretch.rows
                for i, batch in enumerate(reader.batches(stretch, columns)):
                    for column, kind in enumerate(batch.schema.types):
                        if pa.types.is_dictionary(kind) or pa.types.is_nested(kind):
                            with reading(self.file.name):
                                check_dictionaries(batch.column(column))
                    here, row = row, row + batch.num_rows
                    # If no row can be skipped, it is already known where stretches start.
                    following = (number + 1, 0) if row == last and self.on_error == "skip" else None
                    yield (number, i), following, here, batch
                    del batch  # the text may be huge

    def _check_values(self, array: pa.Array, column: str) -> None:
        try:
            array.validate(full=True)
        except pa.ArrowInvalid as error:
            name, reason = self.file.name, brief(error)
            raise MalformedInput("damaged-column", name=name, column=column, reason=reason) from None

    def _where(self, row: int) -> Notice:
        return Notice("row", name=self.file.name, row=row)

    def kept(self, keep: npt.NDArray[np.bool_], threads: int = 1) -> Iterator[pa.RecordBatch]:
        """Yields the kept rows with all columns, in the schema of the file.

        Of `threads` threads, two in three are left to encode the rows, which takes about twice as long as reading.
        """
        threads //= 3
        simple = pa.schema([field.with_type(simple_type(field.type)) for field in self.schema])
        as_stored = simple.types == self.schema.types

        def taken(read: tuple[Position, Position | None, int, pa.RecordBatch]) -> tuple[int, pa.RecordBatch]:
            start, batch = read[2:]
            rows = np.flatnonzero(keep[start : start + batch.num_rows])
            if as_stored and batch.schema.types == simple.types:  # the usual case; see flow/arrays.py on `cast`
                data = pa.RecordBatch.from_arrays(take(batch, rows).columns, schema=self.schema)
            else:
                data = take(batch.cast(simple), rows).cast(self.schema)
            return start + batch.num_rows, data

        firsts = [stretch.row for stretch in self.stretches]
        ends = [*(firsts.index(row) for row in self.starts), len(firsts)]
        lanes = [self._batches(None, start, end) for start, end in zip([0, *ends[:-1]], ends, strict=True)]
        if self.on_error == "skip":  # such a file has one lane
            lanes = [self._without_malformed(lane, simple) for lane in lanes]
        size, most = (lambda read: 2 * read[3].nbytes), threads * LANE_BYTES
        made = in_order(lanes, taken, threads, bytes_of=size, most=most) if threads > 1 else map(taken, chain(*lanes))
        row = 0
        for end, batch in made:
            yield batch
            del batch
            row = end
        if row != len(keep):
            raise InputError("rows-changed", name=self.file.name, before=len(keep), rows=row)

    def _without_malformed(
        self, batches: Iterator[tuple[Position, Position | None, int, pa.RecordBatch]], simple: pa.Schema
    ) -> Iterator[tuple[Position, Position | None, int, pa.RecordBatch]]:
        """Yields batches without malformed rows, which have no numbers."""
        format, row = self.format, 0
        for position, following, _, batch in batches:
            texts = convert(array_at(batch, format.column), format.types[format.column], self.file.name, format.column)
            with reading(self.file.name):
                broken = broken_texts(texts)
            batch = batch.cast(simple).filter(_good(broken, len(texts)))
            yield position, following, row, batch
            row += batch.num_rows
            del batch

    def copy(
        self,
        keep: npt.NDArray[np.bool_],
        sink: BinaryIO,
        *,
        head: bool = True,
        end_lines: bool = False,
        threads: int = 1,
    ) -> int:
        from lookalike.io.writers import write_parquet  # needed only by `dedupe`

        batches = self.kept(keep, threads)
        first = list(islice(batches, 1))  # texts are read before the codec is requested
        write_parquet(chain(first, batches), sink, self.schema, self.codec, threads)
        return len(keep)


def _good(broken: Sequence[tuple[int, Notice]], rows: int) -> pa.Array:
    """Returns a mask of the rows that are not malformed."""
    good = np.ones(rows, bool)
    good[[i for i, _ in broken]] = False
    return pa.array(good)
