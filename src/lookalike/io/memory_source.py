"""A source over an Arrow table in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.errors import MalformedInput
from lookalike.flow import Documents
from lookalike.flow.arrays import call_function, to_numpy
from lookalike.flow.documents import TEXT, TOKENS
from lookalike.flow.signature import COLUMN as SIGNATURE
from lookalike.io.columns import (
    broken_texts,
    check_ids,
    convert,
    id_type,
    is_index,
    item_type,
    refuse_only_signatures,
    refuse_signatures,
    text_type,
)
from lookalike.io.file_source import COLUMN, ID, no_such_column
from lookalike.io.nested import array_at, field_at, names_in
from lookalike.io.scan import Malformed, OnError
from lookalike.io.source import Batch, Lanes, Piece, Source
from lookalike.notices import Notice

BLOCK = 256
"""The number of words of 64 bits per block of a checksum."""


class MemorySource:
    """A `Source` over a table. The constructor checks texts and ids, so that reading them cannot fail."""

    in_memory = cheap_to_reread = True
    reader_bytes = 0
    opened: Mapping[str, Any] | None = None
    """The arguments of `open_source`; None if the source was opened otherwise."""

    def __init__(
        self,
        table: pa.Table,
        name: str,
        *,
        column: str,
        id: str | None = None,
        on_error: OnError = "fail",
        batch_rows: int = 8192,
        malformed: Malformed | None = None,
        one_item: bool = False,
        any_type: bool = False,
        index: Any = None,
    ) -> None:
        self.name = name
        self.column = column
        self.id = id
        self.batch_rows = batch_rows
        self._malformed = malformed or Malformed()
        self.columns = [name for name in table.column_names if not is_index(name)]
        self.index = index
        """The labels of all rows, if the data is a pandas DataFrame; otherwise None."""
        for needed, option in ((column, COLUMN), (id, ID)):
            if needed is not None and needed not in table.column_names:
                refuse_only_signatures(table.schema, name, id)
                table = _with_nested(table, needed, name, option)
            if needed is not None and table.column_names.count(needed) > 1:
                raise MalformedInput("repeated-column", where=name, column=needed)
        if column == SIGNATURE:
            refuse_signatures(table.schema, name)
        self._given, self._any_type = table.schema, any_type
        if not any_type:
            kind = (item_type if one_item else text_type)(table.schema.field(column).type, column, name) or TEXT
            table = _with(table, column, _converted(table[column], kind, name, column))
            table = self._without_broken(table)
        if self._malformed.count and on_error == "fail":
            raise self._malformed.error()
        if id is not None and id != column:
            kind = id_type(table.schema.field(id).type, id, name) or TEXT
            table = _with(table, id, _converted(table[id], kind, name, id))
        if id is not None:
            check_ids(table[id].combine_chunks(), id, self._where)
        self.table = table

    def _without_broken(self, table: pa.Table) -> pa.Table:
        """Returns the table without rows whose text is not UTF-8. These rows are counted as malformed."""
        good = np.ones(table.num_rows, bool)
        row = 0
        for chunk in table[self.column].chunks:
            for i, reason in broken_texts(chunk):
                good[row + i] = False
                self._malformed.add(self._where(row + i), reason)
            row += len(chunk)
        if good.all():
            return table
        self.index = None if self.index is None else self.index[good]
        return table.filter(pa.array(good))

    def _where(self, row: int) -> Notice:
        return Notice("row", name=self.name, row=row)

    def stored_type(self, column: str) -> pa.DataType:
        """Returns the type of a column before conversion."""
        return self._given.field(column).type

    @property
    def malformed(self) -> int:
        return self._malformed.count

    @property
    def warnings(self) -> tuple[Notice, ...]:
        return tuple(self._malformed.first)

    def lanes(self, columns: Sequence[str], start: int = 0, stop: int | None = None) -> Lanes:
        return [map(Piece.of, self.read(columns, start, stop))]

    def total_rows(self) -> int:
        return int(self.table.num_rows)

    def expected_rows(self, rows: int, bytes: int) -> int:
        return self.total_rows()

    def read(self, columns: Sequence[str] | None = None, start: int = 0, stop: int | None = None) -> Iterator[Batch]:
        wanted = self.columns if columns is None else list(columns)
        for column in wanted:
            if self.table.column_names.count(column) != 1:
                if column in self.columns:
                    raise MalformedInput("repeated-column", where=self.name, column=column)
                raise no_such_column(column, self.columns, self.name)
        return self._read(wanted, start, stop)

    def _read(self, columns: Sequence[str], start: int, stop: int | None) -> Iterator[Batch]:
        length = None if stop is None else max(stop - start, 0)
        rows = min(self.batch_rows, max(self.table.num_rows, 1))
        for data in self.table.select(columns).slice(start, length).to_batches(max_chunksize=rows):
            if data.num_rows:
                yield Batch(start, data)
                start += data.num_rows

    def documents(self, start: int = 0, stop: int | None = None) -> Iterator[Documents]:
        for batch in self.read([self.column], start, stop):
            yield Documents(batch.data.column(0), batch.start)

    def check_unchanged(self) -> None:
        """Does nothing: rows in memory do not change."""

    def identity(self) -> str:
        """Returns a hash of the texts and ids, which does not depend on how they are divided into chunks."""
        return self.hash_of(lambda content: content)

    def hash_of(self, summary: Callable[[memoryview], Any]) -> str:
        """Returns a hash of the texts and ids, or of a summary of their characters."""
        digest = hashlib.blake2b(f"{self.column} {self.id}".encode(), digest_size=16)
        for column in dict.fromkeys([*([] if self._any_type else [self.column]), *([self.id] if self.id else [])]):
            digest.update(_hash(self.table[column].chunks, summary))
        return digest.hexdigest()


def checksum(source: Source) -> str:
    """Returns a hash that shows whether data in memory was changed by accident, much faster than `identity`."""
    return source.hash_of(_block_sums) if isinstance(source, MemorySource) else source.identity()


def _block_sums(content: memoryview) -> bytes:
    """Returns the sums of the words in each block of 2 KiB, and the remaining bytes."""
    whole = len(content) - len(content) % (8 * BLOCK)
    words = np.frombuffer(content[:whole], np.uint64)
    sums: bytes = words.reshape(-1, BLOCK).sum(axis=1, dtype=np.uint64).tobytes()
    return sums + content[whole:].tobytes()


def _hash(chunks: Sequence[pa.Array], summary: Callable[[memoryview], Any]) -> bytes:
    """Hashes the lengths and the bytes of all values separately, so that the hash does not depend on the chunks."""
    lengths, content = hashlib.blake2b(digest_size=16), hashlib.blake2b(digest_size=16)
    inner = b""
    if chunks and chunks[0].type == TOKENS:
        inner = _hash([chunk.flatten() for chunk in chunks], summary)
    for chunk in chunks:
        if chunk.type == TOKENS:
            lengths.update(_numbers(call_function("list_value_length", [chunk])))
        elif chunk.type == TEXT:
            lengths.update(_numbers(call_function("binary_length", [chunk])))
            ends = np.frombuffer(chunk.buffers()[1], np.int64)[chunk.offset : chunk.offset + len(chunk) + 1]
            if len(chunk) and chunk.buffers()[2] is not None:
                content.update(summary(memoryview(chunk.buffers()[2])[ends[0] : ends[-1]]))
        else:
            content.update(_numbers(chunk))
    return lengths.digest() + content.digest() + inner


def _numbers(array: pa.Array) -> bytes:
    whole = array.fill_null(-1) if array.null_count else array
    return bytes(to_numpy(whole).astype("<i8").tobytes())


def _converted(array: pa.ChunkedArray, kind: pa.DataType, name: str, column: str) -> pa.ChunkedArray:
    return pa.chunked_array([convert(chunk, kind, name, column) for chunk in array.chunks], kind)


def _with_nested(table: pa.Table, column: str, name: str, option: str) -> pa.Table:
    """Adds a column to the table that contains a field of a nested column.

    The new column is not listed in `columns`.
    """
    field = field_at(table.schema, column)
    if field is None:
        names = [one for one in names_in(table.schema) if not is_index(one)]
        raise no_such_column(column, names, name, option)
    chunks = [array_at(batch, column) for batch in table.to_batches()]
    return table.append_column(column, pa.chunked_array(chunks, field.type))


def _with(table: pa.Table, column: str, array: pa.ChunkedArray) -> pa.Table:
    place = table.column_names.index(column)
    return table.set_column(place, table.schema.field(column).with_type(array.type), array)
