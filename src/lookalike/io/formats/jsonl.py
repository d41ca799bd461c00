"""Reads JSON Lines. Arrow parses whole blocks; a block that Arrow rejects is parsed line by line to locate the error.

Both parsers give the same rows. Arrow accepts some input that is not JSON Lines (several values on a line, one value on
several lines, `Inf`), so blocks that may contain these are parsed line by line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.json

from lookalike.errors import MalformedInput
from lookalike.flow.documents import TEXT, TOKENS
from lookalike.io.columns import INTEGERS, broken_texts
from lookalike.io.file_source import COLUMN, ID, no_such_column
from lookalike.io.files import File, is_json
from lookalike.io.formats.json_bytes import is_deep, regular_lines
from lookalike.io.formats.json_columns import refuse_column_without_texts
from lookalike.io.formats.json_line import DEEPEST, Broken, item_of, parse, scrub, text_of, tokens_of
from lookalike.io.formats.json_types import INT64, NULL, Kind, join, kind_of
from lookalike.io.formats.line_blocks import BOM, Block, BlockScan, ended, read_blocks
from lookalike.io.formats.line_tools import Lines
from lookalike.io.nested import names_of, path_of, value_at
from lookalike.io.scan import Chunk, Malformed, OnError
from lookalike.io.workers import mapped
from lookalike.notices import Notice
from lookalike.storage.foreign_errors import reading

_FAST = ("string", "integer", "long", "boolean")
"""The kinds of values that Arrow and Python parse alike. Floats are excluded, because −0 and overflow are treated
differently.
"""
LONGEST = 1 << 30
"""The maximum number of bytes in a block that Arrow parses, because its parser counts bytes in 32 bits."""


class JsonLinesFormat:
    """Files with one JSON object per line."""

    name = "jsonl"
    cheap_to_reread = False
    reader_bytes = 0

    def __init__(
        self,
        files: Sequence[File],
        name: str,
        column: str,
        id: str | None,
        on_error: OnError,
        *,
        one_item: bool = False,
    ) -> None:
        self.files = files
        self.scans = [JsonLinesScan(file, self) for file in files]
        self.column = column
        self.id = id
        self.one_item = one_item
        self.text_type = TEXT
        self.token_type = pa.string()
        """The type of the first token; Arrow's parser requires one type for all tokens."""
        self.id_type = TEXT
        self.paths: dict[str, tuple[str, ...]] = {one: (one,) for one in (column, id) if one is not None}
        """The keys that lead to the texts and to the ids, which may be nested."""
        self._name = name
        self._kinds: dict[str, Kind] | None = None
        self._replaced = 0
        self._look(on_error)

    def _look(self, on_error: OnError) -> None:
        """Determines the types of texts and ids from the first text and the first id, usually on the first line."""
        text: Any = None
        id: Any = None
        seen: dict[str, None] = {}
        rows = 0
        for scan, number, line in self._lines():
            try:
                row = parse(line)
                if row is None:
                    continue
                self._find_paths(row)
                value = value_at(row, self.paths[self.column])
                if text is None and value is not None:
                    self.checked(value, isinstance(value, list))
                    text = value
            except Broken as broken:
                if on_error == "fail":
                    lines = (line for _, _, line in self._lines())
                    refuse_column_without_texts(lines, self._name, self.column, self.paths[self.column])
                    raise MalformedInput("malformed-row", where=scan.where(number), reason=broken.reason) from None
                continue
            rows += 1
            seen.update(dict.fromkeys(names_of(row)))
            if isinstance(text, list) and not text and value:
                text = value  # an empty list shows that texts are lists of tokens, but not the type of the tokens
            if id is None and self.id is not None:
                id = value_at(row, self.paths[self.id])
            if text not in (None, []) and (self.id is None or id is not None):
                break
        for column, option in ((self.column, COLUMN), (self.id, ID)):
            if rows and column is not None and column not in seen:
                raise no_such_column(column, list(seen), self._name, option)
        self.text_type = TOKENS if isinstance(text, list) else TEXT
        first = next((token for token in text if token is not None), "") if isinstance(text, list) else text
        self.token_type = pa.int64() if isinstance(first, int) else pa.string()
        if isinstance(id, int) and not isinstance(id, bool):
            self.id_type = INTEGERS

    def _find_paths(self, row: Mapping[str, Any]) -> None:
        """Determines whether the texts or the ids are nested, from the first row that has them."""
        for column, path in self.paths.items():
            if path == (column,):
                self.paths[column] = path_of(column, row) or path

    def checked(self, value: Any, is_list: bool) -> Any:
        """Returns a value of the text column as a text, token list or item; raises Broken if it is invalid."""
        return item_of(value) if self.one_item else tokens_of(value) if is_list else text_of(value)

    def _lines(self) -> Iterator[tuple[JsonLinesScan, int, bytes]]:
        for scan in self.scans:
            for block in read_blocks(scan.file, size=1 << 16):
                for number, line in block.lines():
                    yield scan, number, line

    def columns(self) -> list[str]:
        return list(self.kinds())

    def prepare(self, columns: Sequence[str]) -> None:
        for column in columns:
            if column not in (self.column, self.id) and column not in self.kinds():
                raise no_such_column(column, self.columns(), self._name)

    def kinds(self) -> dict[str, Kind]:
        """Returns the kinds of all columns, in order of first occurrence. The first call reads all files."""
        if self._kinds is None:
            kinds: dict[str, Kind] = {}
            for scan, _, line in self._lines():
                try:
                    row = scan.row(line)
                except Broken:
                    continue
                if row is None:
                    continue
                self._replaced += row.replaced
                for name, value in row.values.items():
                    kinds[name] = join(kinds.get(name, NULL), kind_of(value))
            # the named columns exist even if there are no rows
            for named, path in self.paths.items():
                if path == (named,):
                    kinds.setdefault(named, NULL)
            self._kinds = kinds
        return self._kinds

    def type_of(self, column: str) -> pa.DataType:
        if column == self.column:
            return self.text_type
        if column == self.id:
            return self.id_type
        return self.kinds()[column].to_arrow()

    @property
    def warnings(self) -> list[Notice]:
        return [Notice("surrogates-replaced", rows=self._replaced)] if self._replaced else []


def arrays_as_lines(files: Sequence[File], format: str) -> list[File]:
    """Returns the files, marked for conversion to lines if they are one array.

    With the format "json", any file may be an array; otherwise, only standard input and files named .json.
    """
    may_be_arrays = (format == "json" or file.temporary is not None or is_json(file.relative) for file in files)
    return [_array_as_lines(file) if may_be else file for file, may_be in zip(files, may_be_arrays, strict=True)]


def _array_as_lines(file: File) -> File:
    with file.open() as stream, reading(file.name):
        head = stream.read(1 << 12).removeprefix(BOM).lstrip()
    if not head.startswith(b"["):
        return file
    first = head[1:].lstrip()[:1]
    return replace(file, is_array=True, is_array_of_texts=first in (b'"', b"["))


@dataclass(frozen=True)
class Row:
    """One row: its values without lone surrogates, its checked text, its id, and whether surrogates were replaced."""

    values: dict[str, Any]
    text: Any
    id: Any
    replaced: bool


class JsonLinesScan(BlockScan):
    """A scan of one JSON Lines file."""

    def __init__(self, file: File, format: JsonLinesFormat) -> None:
        super().__init__(file)
        self.format = format

    def parse(self, block: Block, columns: Sequence[str]) -> Chunk:
        malformed = Malformed()
        return Chunk(block.at, self._read(block, columns, malformed)[0], malformed, block.next)

    def copy(
        self,
        keep: npt.NDArray[np.bool_],
        sink: BinaryIO,
        *,
        head: bool = True,
        end_lines: bool = False,
        threads: int = 1,
    ) -> int:
        def lines(block: Block) -> tuple[bytes, Lines]:
            return block.data, self._read(block, [self.format.column], Malformed())[1]

        row, blocks = 0, read_blocks(self.file)
        for data, (starts, ends, _) in mapped(lines, blocks, threads) if threads > 1 else map(lines, blocks):
            for i in np.flatnonzero(keep[row : row + len(starts)]):
                line = data[starts[i] : ends[i]]
                sink.write(ended(line) if end_lines else line)
            row += len(starts)
        return row

    def _read(self, block: Block, columns: Sequence[str], malformed: Malformed) -> tuple[pa.RecordBatch, Lines]:
        """Parses a block. Returns its rows, and their lines."""
        lines = regular_lines(block.data)
        if lines is not None and (lines[2] <= DEEPEST or not is_deep(block.data)):
            data = self._read_fast(block, columns, len(lines[0]))
            if data is not None:
                return data, lines
        return self._read_slowly(block, columns, malformed)

    def _read_fast(self, block: Block, columns: Sequence[str], rows: int) -> pa.RecordBatch | None:
        """Parses a block with Arrow. Returns None if its lines must be parsed one by one instead."""
        format = self.format
        types = {column: format.type_of(column) for column in columns}
        types[format.column] = format.text_type  # the text decides which lines are rows, even if it was not requested
        if not rows or len(block.data) > LONGEST or not all(map(self._is_fast, types)):
            return None
        parsed = dict(types)
        if format.text_type == TOKENS or format.one_item:
            token = format.token_type
            parsed[format.column] = pa.list_(token) if format.text_type == TOKENS else token
        try:
            table = pa.json.read_json(
                pa.BufferReader(block.data),
                read_options=pa.json.ReadOptions(use_threads=False, block_size=len(block.data) + 1),
                parse_options=pa.json.ParseOptions(
                    explicit_schema=self._schema(parsed), unexpected_field_behavior="ignore"
                ),
            )
            if table.num_rows != rows:
                return None
            arrays = {}
            for column, kind in types.items():
                array = self._parsed(table, column)
                arrays[column] = array if array.type == kind else array.cast(kind)
                if kind in (TEXT, TOKENS) and broken_texts(arrays[column]):
                    return None
        except (pa.ArrowException, MalformedInput):
            return None
        if format.id is not None and format.id in columns and arrays[format.id].null_count:
            return None
        return pa.RecordBatch.from_arrays([arrays[column] for column in columns], list(columns))

    def _schema(self, types: Mapping[str, pa.DataType]) -> pa.Schema:
        """Returns the schema for Arrow's parser, in which nested columns are fields of their objects."""
        fields: dict[str, Any] = {}
        for column, kind in types.items():
            *above, last = self.format.paths.get(column, (column,))
            inside = fields
            for step in above:
                inside = inside.setdefault(step, {})
            inside[last] = kind
        return pa.schema(_typed(fields))

    def _parsed(self, table: pa.Table, column: str) -> pa.Array:
        first, *inner = self.format.paths.get(column, (column,))
        array = table.column(first).combine_chunks()
        for step in inner:
            array = array.flatten()[array.type.get_field_index(step)]
        return array

    def _is_fast(self, column: str) -> bool:
        format = self.format
        return column in (format.column, format.id) or format.kinds()[column].name in _FAST

    def _read_slowly(self, block: Block, columns: Sequence[str], malformed: Malformed) -> tuple[pa.RecordBatch, Lines]:
        format = self.format
        values: dict[str, list[Any]] = {column: [] for column in columns}
        kinds = {column: format.kinds()[column] for column in columns if column not in (format.column, format.id)}
        starts, ends = [], []
        end = 0
        for number, line in block.lines():
            start, end = end, end + len(line)
            try:
                row = self.row(line)
            except Broken as broken:
                malformed.add(self.where(number), broken.reason)
                continue
            if row is None:
                continue
            starts.append(start)
            ends.append(end)
            for column, cells in values.items():
                if column == format.column:
                    cells.append(row.text)
                elif column == format.id:
                    cells.append(self._id_of(row, number))
                else:
                    cells.append(kinds[column].convert(row.values.get(column)))
        arrays = [pa.array(cells, format.type_of(column)) for column, cells in values.items()]
        by_name = dict(zip(values, arrays, strict=True))
        data = pa.RecordBatch.from_arrays([by_name[column] for column in columns], list(columns))
        return data, (np.array(starts, np.int64), np.array(ends, np.int64), 0)

    def row(self, line: bytes) -> Row | None:
        """Parses a line into a row; returns None for a blank line. Raises Broken for a malformed line."""
        values = parse(line)
        if values is None:
            return None
        paths = self.format.paths
        text = value_at(values, paths[self.format.column])
        if text is not None:
            text = self.format.checked(text, self.format.text_type == TOKENS)
        id = None if self.format.id is None else value_at(values, paths[self.format.id])
        shown, replaced = scrub(values) if b"\\u" in line else (values, False)
        return Row(shown, text, id, replaced)

    def _id_of(self, row: Row, number: int) -> int | str:
        column = self.format.id
        assert column is not None
        if row.id is None:
            raise MalformedInput("missing-id", where=self.where(number), column=column)
        if self.format.id_type == INTEGERS:
            if isinstance(row.id, int) and not isinstance(row.id, bool) and row.id in INT64:
                return row.id
            raise MalformedInput("id-not-an-integer", where=self.where(number), value=row.id)
        try:
            return text_of(row.id)
        except Broken as broken:
            where = self.where(number)
            raise MalformedInput("id-not-a-string", where=where, column=column, reason=broken.reason) from None

    def where(self, number: int) -> Notice:
        if self.file.is_array:
            return Notice("element", name=self.file.name, element=number - 1)
        return Notice("line", name=self.file.name, line=number)


def _typed(fields: Mapping[str, Any]) -> list[tuple[str, pa.DataType]]:
    """Returns the fields with their types. Dictionaries become structs."""
    return [(name, pa.struct(_typed(kind)) if isinstance(kind, dict) else kind) for name, kind in fields.items()]
