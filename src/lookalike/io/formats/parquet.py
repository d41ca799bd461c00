"""Reads Parquet, one row group at a time, and only the requested columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from lookalike.errors import InputError, MalformedInput
from lookalike.flow.documents import TEXT
from lookalike.io.columns import broken_texts, check_ids, convert, id_type, item_type, simple_type, text_type
from lookalike.io.file_source import COLUMN, ID, no_such_column
from lookalike.io.files import File
from lookalike.io.formats.parquet_footers import check_footer
from lookalike.io.scan import Chunk, Malformed, OnError, Position
from lookalike.io.temporary_copies import decompressed
from lookalike.notices import Notice
from lookalike.storage.arrow_files import open_arrow
from lookalike.storage.foreign_errors import brief, reading

BATCH_BYTES = 4 << 20
"""The approximate number of bytes of text per batch; the allocator does not reuse the memory of larger batches."""

LANE_BYTES = 4 * BATCH_BYTES
"""The least number of bytes of text between two row groups at which threads start reading."""

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
        return all(scan.cheap_to_reread for scan in self.scans)

    def __init__(
        self,
        files: Sequence[File],
        column: str,
        id: str | None,
        on_error: OnError,
        batch_rows: int,
        *,
        one_item: bool = False,
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
                    raise no_such_column(needed, scan.schema.names, scan.file.name, option)
                if needed is not None and scan.schema.names.count(needed) > 1:
                    raise MalformedInput("repeated-column", where=scan.file.name, column=needed)
        if id is not None:
            self.types[id] = self._agreed(id, lambda kind, where: id_type(kind, id, where))
        type_of = item_type if one_item else text_type
        self.types[column] = self._agreed(column, lambda kind, where: type_of(kind, column, where))

    def _agreed(self, column: str, type_in: TypeIn) -> pa.DataType:
        """The type of the text or id column, which must be the same in all files."""
        agreed: pa.DataType | None = None
        first = ""
        for scan in self.scans:
            kind = type_in(scan.schema.field(column).type, scan.file.name)
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
        """The common type of another column in all files. In files without the column, its values are null."""
        joined: pa.Schema | None = None
        for scan in self.scans:
            if column not in scan.schema.names:
                continue
            if scan.schema.names.count(column) > 1:
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
    """A scan of one Parquet file. Positions are (row group, batch within it); reading can start at any row group."""

    first: Position = (0, 0)

    def __init__(self, file: File, format: ParquetFormat, on_error: OnError, batch_rows: int) -> None:
        self.file = file
        self.format = format
        self.on_error = on_error
        with reading(file.name), closing(self._open()) as parquet:
            self.schema = parquet.schema_arrow
            self.metadata = parquet.metadata
            groups = [self.metadata.row_group(i) for i in range(parquet.num_row_groups)]
            self.groups = [(i, group.num_rows) for i, group in enumerate(groups) if group.num_rows]
            if format.column in self.schema.names:
                check_footer(self.metadata, format.column, [i for i, _ in self.groups])
            leaves = [i for i, name in enumerate(_leaves(parquet.schema)) if name == format.column]
            texts = [[groups[i].column(leaf) for leaf in leaves] for i, _ in self.groups]
            sizes = [sum(chunk.total_uncompressed_size for chunk in chunks) for chunks in texts]
            fitting = [_fitting_rows(groups[i], size) for (i, _), size in zip(self.groups, sizes, strict=True)]
            self.batch_rows = min([batch_rows, *fitting])
            self.codec = texts[0][0].compression if texts and leaves else "SNAPPY"
            self.codecs = {chunk.compression for chunks in texts for chunk in chunks}
        self.rows: int | None = None
        self.marks: list[tuple[int, Position]] = []
        self.starts: list[int] = []
        if on_error == "fail":
            starts = np.cumsum([0, *(rows for _, rows in self.groups)]).tolist()
            self.rows = starts[-1]
            self.marks = [(row, (i, 0)) for i, row in enumerate(starts[:-1])]
            self.starts = _apart(starts, sizes)

    @property
    def cheap_to_reread(self) -> bool:
        """True if the file is local and its codec is fast (see `Source.cheap_to_reread`)."""
        return self.file.local_path is not None and not {"GZIP", "BROTLI"} & self.codecs

    def _open(self) -> pq.ParquetFile:
        known = getattr(self, "metadata", None)  # parsing the metadata of large files is slow
        path = self.file.local_path
        if path is None:
            stored = self.file.open_stored()
            with reading(self.file.name):
                return pq.ParquetFile(stored, metadata=known, page_checksum_verification=True)
        with reading(self.file.name):
            with path.open("rb"):
                pass  # reports problems with the path better than Arrow
            # Read page by page: reading a whole row group at once takes more memory and is not faster.
            return pq.ParquetFile(
                open_arrow(path),
                metadata=known,
                page_checksum_verification=True,
                pre_buffer=False,
                buffer_size=READ_BYTES,
            )

    def expected_rows(self, row_bytes: float) -> int:
        return sum(rows for _, rows in self.groups)

    def chunks(self, columns: Sequence[str], at: Position) -> Iterator[Chunk]:
        format = self.format
        # The text decides which rows are malformed, so it is read even if it was not requested.
        needed = list(dict.fromkeys([*columns, format.column] if self.on_error == "skip" else columns))
        for position, following, row, batch in self._batches([c for c in needed if c in self.schema.names], at[0]):
            arrays = {column: self._array(batch, column) for column in needed}
            malformed = Malformed()
            good = self._good_rows(arrays[format.column], row, malformed) if format.column in arrays else None
            data = pa.RecordBatch.from_arrays([arrays[column] for column in columns], list(columns))
            data = data if good is None else data.filter(good)
            if format.id is not None and format.id in columns:
                check_ids(arrays[format.id], format.id, lambda i, row=row: self._where(row + i))  # type: ignore[misc]
            yield Chunk(position, data, malformed, following)

    def _batches(
        self, columns: Sequence[str] | None, group: int
    ) -> Iterator[tuple[Position, Position | None, int, pa.RecordBatch]]:
        """Yields (position, next position or None, first row, data) for each batch, starting at a row group."""
        row = sum(rows for _, rows in self.groups[:group])
        with closing(self._open()) as parquet:
            for g, (index, rows) in enumerate(self.groups[group:], group):
                stream = parquet.iter_batches(
                    self.batch_rows,
                    row_groups=[index],
                    columns=columns,
                    use_threads=columns is None,  # Arrow's threads are not faster for few columns
                )
                left, number = rows, 0
                while left > 0:
                    with reading(self.file.name):
                        batch = next(stream, None)
                    if batch is None or batch.num_rows > left:
                        raise MalformedInput("damaged-row-group", name=self.file.name, group=index, rows=rows)
                    left -= batch.num_rows
                    yield (g, number), None if left else (g + 1, 0), row, batch
                    row += batch.num_rows
                    number += 1

    def _array(self, batch: pa.RecordBatch, column: str) -> pa.Array:
        kind = self.format.types[column]
        if column not in self.schema.names:
            return pa.nulls(batch.num_rows, kind)
        array = convert(batch.column(column), kind, self.file.name, column)
        if column not in (self.format.column, self.format.id):  # texts and ids are checked by row
            try:
                array.validate(full=True)
            except pa.ArrowInvalid as error:
                name, reason = self.file.name, brief(error)
                raise MalformedInput("damaged-column", name=name, column=column, reason=reason) from None
        return array

    def _good_rows(self, texts: pa.Array, row: int, malformed: Malformed) -> pa.Array | None:
        """A mask of the rows that are not malformed; None if no row is malformed."""
        with reading(self.file.name):
            broken = broken_texts(texts)
        if not broken:
            return None
        for i, reason in broken:
            malformed.add(self._where(row + i), reason)
        good = np.ones(len(texts), bool)
        good[[i for i, _ in broken]] = False
        return pa.array(good)

    def _where(self, row: int) -> Notice:
        return Notice("row", name=self.file.name, row=row)

    def kept(self, keep: npt.NDArray[np.bool_]) -> Iterator[pa.RecordBatch]:
        """Yields the kept rows with all columns, in the schema of the file."""
        format = self.format
        simple = pa.schema([field.with_type(simple_type(field.type)) for field in self.schema])
        place = self.schema.names.index(format.column)
        row = 0
        for _, _, first, batch in self._batches(None, 0):
            good = None
            if self.on_error == "skip":
                texts = convert(batch.column(place), format.types[format.column], self.file.name, format.column)
                good = self._good_rows(texts, first, Malformed())
            batch = _in_schema(batch, simple)
            batch = batch if good is None else batch.filter(good)
            yield _in_schema(batch.filter(pa.array(keep[row : row + batch.num_rows])), self.schema)
            row += batch.num_rows
        if row != len(keep):
            raise InputError("rows-changed", name=self.file.name, before=len(keep), rows=row)

    def copy(self, keep: npt.NDArray[np.bool_], sink: BinaryIO, *, head: bool = True, end_lines: bool = False) -> int:
        from lookalike.io.writers import write_parquet  # needed only by `dedupe`

        write_parquet(self.kept(keep), sink, self.schema, self.codec)
        return len(keep)


def _in_schema(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    arrays = [
        array if array.type == field.type else array.cast(field.type)
        for array, field in zip(batch.columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _fitting_rows(group: pq.RowGroupMetaData, texts: int) -> int:
    """The number of rows per batch that keeps texts below BATCH_BYTES, and all columns below 8 × BATCH_BYTES."""
    bytes_per_row = max(texts, group.total_byte_size // 8, 1) / max(group.num_rows, 1)
    return max(1, int(BATCH_BYTES / max(bytes_per_row, 1)))


def _leaves(schema: pq.ParquetSchema) -> Iterator[str]:
    """The name of the top-level column of each leaf column."""
    return (schema.column(i).path.split(".")[0] for i in range(len(schema)))


def _apart(starts: Sequence[int], sizes: Sequence[int]) -> list[int]:
    """The first rows of row groups that have at least LANE_BYTES of text between them."""
    apart, since = [], 0
    for start, size in zip(starts[1:-1], sizes, strict=False):
        since += size
        if since >= LANE_BYTES:
            apart.append(start)
            since = 0
    return apart
