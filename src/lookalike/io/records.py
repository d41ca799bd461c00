"""Reads tables of any format with all columns as texts, so that records can be compared field by field."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from lookalike.errors import InputError, InvalidOption, MalformedInput
from lookalike.flow.arrays import call_function, cast
from lookalike.flow.checks import check_one_of
from lookalike.flow.documents import TEXT
from lookalike.io.columns import is_index
from lookalike.io.dialect import Dialect
from lookalike.io.file_source import Format
from lookalike.io.files import FORMATS, File
from lookalike.io.find_files import find_files
from lookalike.io.formats.delimited import DELIMITERS, DelimitedFormat, DelimitedScan
from lookalike.io.formats.jsonl import JsonLinesFormat, arrays_as_lines
from lookalike.io.formats.line_blocks import BOM, read_blocks
from lookalike.io.formats.parquet import ParquetFormat
from lookalike.io.formats.separators import guess_separator
from lookalike.io.open import paths_in
from lookalike.io.partitions import file_source
from lookalike.io.python_objects import to_table
from lookalike.io.scan import ON_ERROR, Malformed, OnError
from lookalike.notices import Notice
from lookalike.storage.foreign_errors import brief, reading


@dataclass(frozen=True, eq=False)
class Records:
    """All rows of a table, with every column as texts. A value that consists of white space becomes null."""

    name: str
    columns: dict[str, pa.Array]
    rows: int
    malformed: int = 0
    warnings: tuple[Notice, ...] = ()
    files: tuple[File, ...] = ()
    integers: frozenset[str] = frozenset()
    """The columns that are whole numbers in the data, so that ids can be returned as such."""


def read_records(
    data: Any,
    *,
    format: str | None = None,
    separator: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
    on_error: OnError = "fail",
) -> Records:
    """Reads a whole table into memory. `data` is a path, a list of paths, standard input ("-"), or a table in memory.

    The default separator of a .csv file is the character that splits its first lines into equal numbers of fields.

    >>> read_records([{"name": "Ann", "age": 41}, {"name": " ", "age": 7}]).columns["name"].to_pylist()
    ['Ann', None]
    """
    if format is not None:
        check_one_of("format", format, FORMATS)
    dialect = Dialect(separator, quote, encoding)
    check_one_of("on_error", on_error, ON_ERROR)
    paths = paths_in(data)
    if paths is None:
        if isinstance(data, list | tuple) and data and type(data[0]) is tuple:
            raise InvalidOption("records-without-columns", name=f"the {type(data).__name__} given")
        made = to_table(data, "text", Malformed())
        dialect.check(made.name, None)
        if not made.has_columns:
            raise InvalidOption("records-without-columns", name=made.name)
        table = made.table
        if any(map(is_index, table.column_names)):
            table = table.drop_columns([name for name in table.column_names if is_index(name)])
        return Records(made.name, _texts(table, made.name), table.num_rows, integers=_integers(table))
    found = find_files(paths, format, lambda file: "csv")
    dialect.check(found.name, found.format)
    name, files, warnings = found.name, tuple(found.files), tuple(found.warnings)
    opened = _open(found.format, dialect.applied(files), name, dialect, on_error)
    if opened is None:
        table = _without_texts(files, name)
        return Records(name, _texts(table, name), table.num_rows, warnings=warnings, files=files)
    source = file_source(name, opened[0], column=opened[1], id=None, on_error=on_error)
    batches = [batch.data for batch in source.read(source.columns)]
    table = pa.Table.from_batches(batches) if batches else pa.table({column: [] for column in source.columns})
    if isinstance(opened[0], AnyJsonLines):
        table = opened[0].unquoted(table)
    warnings += source.warnings
    stored = source.stored_type(source.column)  # the column that a source requires was read as texts
    integers = _integers(table) | (
        {source.column.strip()} if stored is not None and pa.types.is_integer(stored) else set()
    )
    return Records(name, _texts(table, name), table.num_rows, source.malformed, warnings, files, integers)


def _open(
    format: str, files: Sequence[File], name: str, dialect: Dialect, on_error: OnError
) -> tuple[Format, str] | None:
    """Opens the files. Also returns the name of one of their columns, which a source requires.

    Returns None for Parquet files without a column of texts or whole numbers, from which no source can be created.
    """
    if format in DELIMITERS:
        delimiter = dialect.separator or (guess_separator(files[0]) if format == "csv" else DELIMITERS[format])
        first = DelimitedScan(files[0], delimiter, None, dialect.quote).header[0]
        return DelimitedFormat(format, files, first, None, delimiter=delimiter, quote=dialect.quote), first
    if format == "parquet":
        with files[0].open() as stream, reading(files[0].name):
            schema = pq.read_schema(pa.BufferReader(stream.read()))
        anchor = next((field.name for field in schema if _is_plain(field.type)), None)
        if anchor is None:
            return None
        return ParquetFormat(files, anchor, None, on_error, 8192, one_item=True), anchor
    if format in ("jsonl", "json"):
        files = arrays_as_lines(files, format)
        if any(file.is_array_of_texts for file in files):
            raise InvalidOption("records-without-columns", name=name)
        anchor = _first_key(files, name)
        return AnyJsonLines(files, name, anchor, None, on_error, one_item=True), anchor
    raise InputError("format-without-columns", name=name, format=format)


class AnyJsonLines(JsonLinesFormat):
    """JSON Lines whose columns may have any type. All values of the text column are converted to texts."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.text_type = TEXT

    def checked(self, value: Any, is_list: bool) -> Any:
        return super().checked(value, is_list) if isinstance(value, str) else _as_text(value)

    def unquoted(self, table: pa.Table) -> pa.Table:
        """Converts columns of mixed types, which were read as JSON texts, to plain texts."""
        for place, column in enumerate(table.column_names):
            kind = self.kinds()[column]
            if column == self.column or "json" not in (kind.name, kind.element and kind.element.name):
                continue
            values = [_as_text(_decoded(value)) for value in table[column].to_pylist()]
            table = table.set_column(place, column, [pa.array(values, TEXT)])
        return table


def _decoded(value: Any) -> Any:
    if isinstance(value, list):
        return [_decoded(one) for one in value]
    try:
        return None if value is None else json.loads(value)
    except ValueError:
        return value  # a number with more digits than Python can convert


def _as_text(value: Any) -> str | None:
    """Converts a value to a text. The elements of a list are joined by spaces; None and NaN become None.

    >>> _as_text("7a"), _as_text(7), _as_text(["a", None, 7]), _as_text(float("nan"))
    ('7a', '7', 'a 7', None)
    """
    if value is None or value != value:
        return None
    return " ".join(str(one) for one in value if one is not None) if isinstance(value, list) else str(value)


def _without_texts(files: Sequence[File], name: str) -> pa.Table:
    """Reads Parquet files that have no column of texts or whole numbers, only columns such as dates and floats."""
    tables = []
    for file in files:
        with file.open() as stream, reading(file.name):
            tables.append(pq.read_table(pa.BufferReader(stream.read())))
    try:
        return pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowException as error:
        raise MalformedInput("tables-clash", name=name, reason=brief(error)) from None


def _is_plain(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _is_plain(kind.value_type)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_integer(kind))


def _first_key(files: Sequence[File], name: str) -> str:
    for file in files:
        for block in read_blocks(file, size=1 << 16):
            for _, line in block.lines():
                try:
                    row = json.loads(line.removeprefix(BOM) or b"null")
                except ValueError:
                    continue  # the reader will report this line as malformed
                if isinstance(row, dict):
                    for kind in (str, int, float, list, dict):
                        for key, value in row.items():
                            if isinstance(value, kind):
                                return str(key)
    raise MalformedInput("no-values", name=name)


def _integers(table: pa.Table) -> frozenset[str]:
    return frozenset(field.name.strip() for field in table.schema if pa.types.is_integer(field.type))


def _texts(table: pa.Table, name: str) -> dict[str, pa.Array]:
    names = [column.strip() for column in table.column_names]
    for column in names:
        if names.count(column) > 1:
            raise MalformedInput("repeated-column", where=name, column=column)
    return {column.strip(): _text(table[column], column, name) for column in table.column_names}


def _text(values: pa.ChunkedArray, column: str, name: str) -> pa.Array:
    """Converts a column to texts without surrounding white space. Empty texts and NaN become null."""
    whole = values.combine_chunks() if values.num_chunks != 1 else values.chunk(0)
    if pa.types.is_list(whole.type) or pa.types.is_large_list(whole.type):
        whole = pa.array([_as_text(row) for row in whole.to_pylist()], TEXT)
    elif pa.types.is_nested(whole.type) or pa.types.is_binary(whole.type):
        whole = pa.array([None if row is None else str(row) for row in whole.to_pylist()], TEXT)
    elif pa.types.is_floating(whole.type):
        nothing = call_function("is_nan", [cast(whole, pa.float64())])
        whole = call_function("if_else", [nothing, pa.scalar(None, whole.type), whole])
    try:
        texts = call_function("utf8_trim_whitespace", [cast(whole, TEXT)])
    except pa.ArrowException:
        raise MalformedInput("column-not-text", name=name, column=column, type=str(whole.type)) from None
    return call_function(
        "if_else", [call_function("equal", [texts, pa.scalar("", TEXT)]), pa.scalar(None, TEXT), texts]
    )
