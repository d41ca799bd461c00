"""Reads row groups of Parquet files in batches of bounded size, whatever the number and the size of their rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from lookalike.errors import MalformedInput
from lookalike.io.files import File
from lookalike.io.formats.parquet_steps import MANY_ROWS, STEP_ROWS, ColumnPages, GroupPages
from lookalike.io.nested import array_at
from lookalike.storage.budget import LEAST, Budget
from lookalike.storage.foreign_errors import reading

if TYPE_CHECKING:
    from lookalike.io.formats.large_pages import LargePages

BATCH_BYTES = 4 << 20
"""The approximate number of bytes per batch; the allocator does not reuse the memory of larger batches."""


LARGE, LEAST_LARGE = 16 << 20, 3 << 20
"""Pages with more bytes than this are not left to Arrow, which would hold them twice (`large_pages.py`). Within the
least budget, this is LEAST_LARGE."""


def large_page(budget: Budget | None) -> int:
    """The maximum size in bytes of a page that is left to Arrow, within this budget."""
    if budget is None or not budget.user_set:
        return LARGE
    return min(LARGE, max(LEAST_LARGE, (budget.limit - LEAST) // 16))


@dataclass
class Stretch:
    """Consecutive row groups that are read together: a single one, or several small ones."""

    row: int
    """The number of the first row, within the file."""
    groups: list[int] = field(default_factory=list)
    rows: int = 0
    bytes: int = 0
    """The size of all columns, decompressed, as the file declares it."""


@dataclass(frozen=True, eq=False)
class StretchReader:
    """Reads stretches of one file. Batches have about BATCH_BYTES, and at most `batch_rows` rows."""

    file: File
    parquet: pq.ParquetFile
    text: str
    """The name of the column of texts."""
    batch_rows: int
    by_text: bool
    """True if the size of the texts alone decides, because rows can be skipped: positions of skipped rows must not
    depend on the columns that are read."""

    def batches(self, stretch: Stretch, columns: Sequence[str] | None) -> Iterator[pa.RecordBatch]:
        """Yields the rows of a stretch, with these columns (default: all)."""
        if self.file.system is not None or len(stretch.groups) > 1:
            return self._by_arrow(stretch, columns)
        if stretch.rows <= MANY_ROWS and stretch.bytes <= large_page(self.file.budget):
            return self._by_arrow(stretch, columns)
        return self._by_pages(stretch, columns)

    def _by_pages(self, stretch: Stretch, columns: Sequence[str] | None) -> Iterator[pa.RecordBatch]:
        """Like `batches`, for a single row group, after a look at the sizes of its pages."""
        names = self.parquet.schema_arrow.names if columns is None else columns
        with reading(self.file.name):
            file = Path(self.file.path).open("rb", buffering=0)  # noqa: SIM115 - closed below
        with file:
            with reading(self.file.name):
                pages = GroupPages.of(self.parquet.metadata, stretch.groups[0], names, file.fileno())
            large = {column.column.path: column for column in pages.strings if self._is_large(column)}
            if self.text in large:
                with ExitStack() as stack:
                    read = {
                        name: stack.enter_context(closing(self._large_pages(column, file.fileno())))
                        for name, column in large.items()
                    }
                    yield from self._with_large_pages(stretch, names, read)
            else:
                yield from self._by_arrow(stretch, columns, None if self.by_text else pages)

    def _is_large(self, column: ColumnPages) -> bool:
        """True if the column has pages that are too large for Arrow, and can be read without it."""
        if column.pages is None or column.packed_levels or column.largest <= large_page(self.file.budget):
            return False
        from lookalike.io.formats.large_pages import has_long_strings, is_readable  # few files need it

        schema, name = self.parquet.schema_arrow, column.column.path
        if schema.names.count(name) != 1 or len(schema.names) != len(set(schema.names)):
            return False
        readable = is_readable(column.chunk, column.column, schema.field(name).type)
        return readable and has_long_strings(column.pages)

    def _with_large_pages(
        self, stretch: Stretch, names: Sequence[str], columns: dict[str, LargePages]
    ) -> Iterator[pa.RecordBatch]:
        """Yields batches of which the texts, and other columns with large pages, are not read by Arrow."""
        others = [name for name in names if name not in columns]
        rest: Iterator[pa.RecordBatch] | None = None
        left = stretch.rows
        while left > 0:
            arrays: dict[str, pa.Array] = {}
            with reading(self.file.name):
                texts = columns[self.text].next()
                rows = 0 if texts is None else len(texts)
                if others and 0 < rows <= left:
                    if rest is None:
                        rest = self.parquet.iter_batches(rows, row_groups=stretch.groups, columns=others)
                    else:
                        self.parquet.reader.set_batch_size(rows)
                    read = next(rest, None)
                    rows = rows if read is not None and read.num_rows == rows else 0
                    arrays = {} if read is None else dict(zip(read.schema.names, read.columns, strict=True))
                if not 0 < rows <= left:
                    raise damaged(self.file, stretch)
                arrays |= {name: column.take(rows) for name, column in columns.items() if name != self.text}
                left -= rows
                # Reading on tests the checksum of the last page.
                if left == 0 and any(column.next() is not None for column in columns.values()):
                    raise damaged(self.file, stretch)
            arrays[self.text] = texts
            del texts
            order = [name for name in self.parquet.schema_arrow.names if name in arrays]
            batch = pa.RecordBatch.from_arrays([arrays[name] for name in order], order)
            del arrays
            yield batch
            del batch  # a text may be huge

    def _large_pages(self, column: ColumnPages, file: int) -> LargePages:
        from lookalike.io.formats.large_pages import LargePages

        assert column.pages is not None
        kind = self.parquet.schema_arrow.field(column.column.path).type
        nullable = column.column.max_definition_level > 0
        codec = column.chunk.compression
        return LargePages(file, column.pages, codec, kind, nullable=nullable, most=BATCH_BYTES)

    def _by_arrow(
        self, stretch: Stretch, columns: Sequence[str] | None, pages: GroupPages | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Yields the rows of a stretch as Arrow reads them.

        Arrow reads a given number of rows, whatever their size: as many as the pages of BATCH_BYTES contain. If that is
        not known, it reads a few rows at a time, as many as the size of the previous rows suggests. They are combined
        into batches.
        """
        most = min(STEP_ROWS, self.batch_rows)
        guess = BATCH_BYTES * stretch.rows // max(stretch.bytes, 1)
        steps: Iterator[pa.RecordBatch] | None = None
        waiting: list[pa.RecordBatch] = []
        left, rows, size = stretch.rows, 0, 0
        while left > 0:
            known = None if pages is None else pages.rows_within(BATCH_BYTES, stretch.rows - left)
            step = max(1, min(most, guess)) if known is None else min(known, self.batch_rows)
            if steps is None:  # several threads read stretches at once, so Arrow needs no threads of its own
                steps = self.parquet.iter_batches(step, row_groups=stretch.groups, columns=columns, use_threads=False)
            else:
                self.parquet.reader.set_batch_size(step)
            with reading(self.file.name):
                read = next(steps, None)
            if read is None or read.num_rows > left:
                raise damaged(self.file, stretch)
            left -= read.num_rows
            added = (array_at(read, self.text) if self.by_text else read).nbytes
            guess = BATCH_BYTES * read.num_rows // max(added, 1)
            if waiting and (rows + read.num_rows > self.batch_rows or size + added > BATCH_BYTES):
                yield _taken(waiting)
                rows, size = 0, 0
            waiting.append(read)
            rows, size = rows + read.num_rows, size + added
            del read
            if size > BATCH_BYTES and left > 0:  # before another text is read, since this one may be huge
                yield _taken(waiting)
                rows, size = 0, 0
        yield _taken(waiting)


def damaged(file: File, stretch: Stretch) -> MalformedInput:
    """The error for a row group that has another number of rows than the footer declares."""
    return MalformedInput("damaged-row-group", name=file.name, group=stretch.groups[0], rows=stretch.rows)


def _taken(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    """Combines batches into one. The list is emptied, so that no text is in memory for longer than necessary."""
    if len(batches) == 1:
        return batches.pop()
    joined = pa.RecordBatch.from_struct_array(pa.concat_arrays([batch.to_struct_array() for batch in batches]))
    batches.clear()
    return joined
