"""Anything that holds baskets of items → blocks of them, as often as they are asked for.

A basket file has one basket a line. Lists in a column, two columns (basket, item) and Python's own lists become
Arrow lists. Items are texts or whole numbers; which of them decides how they come out, never what is counted.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
import pyarrow as pa

from lookalike.errors import InvalidOption, LookalikeError, MalformedInput, OutputError
from lookalike.flow.baskets import Lines, Lists
from lookalike.flow.documents import TOKENS
from lookalike.io.columns import not_utf8
from lookalike.io.files import File, size_of
from lookalike.io.filesource import FileSource
from lookalike.io.find import find_files
from lookalike.io.grouped import group_columns
from lookalike.io.lines import Block, is_utf8, read_blocks
from lookalike.io.open import Paths, open_source
from lookalike.io.scan import Malformed, OnError
from lookalike.io.source import Source
from lookalike.io.spool import STDIN, spool_stdin

FORMATS = ("baskets", "parquet", "jsonl", "csv", "tsv")
COLUMN = "items"
SEPARATORS = {"csv": ",", "tsv": "\t"}


class Baskets(Protocol):
    """Baskets that can be read more than once, block by block. `size` is about how many bytes a block has."""

    @property
    def name(self) -> str: ...

    @property
    def integers(self) -> bool | None:
        """Whether items are whole numbers; None where only the items can tell."""
        ...

    @property
    def malformed(self) -> Malformed: ...

    def blocks(self, size: int) -> Iterator[Lines | Lists]: ...

    def identity(self) -> str | None:
        """Changes when the data does; None for what is in memory."""
        ...

    @property
    def bytes(self) -> int:
        """The size of the files as they are stored; 0 for what is in memory."""
        ...


def open_baskets(
    data: Any,
    *,
    column: str | None = None,
    basket: str | None = None,
    separator: str | None = None,
    format: str | None = None,
    on_error: OnError = "fail",
) -> Baskets:
    """Baskets in whatever holds them.

    A string is a path, a glob, a folder, a URL or "-". Files named .parquet or .jsonl hold lists in `column` (default:
    items); all other files are basket files: one basket a line, items between white space, or between commas in .csv
    and tabs in .tsv, or whatever `separator` says. With `basket` the data is a table of two columns: `column` holds
    one item a row and `basket` says which basket it belongs to. Everything else is data: lists of lists, tables,
    iterators.
    """
    _check(column, basket, separator, format, on_error)
    if (paths := _paths_in(data)) is None:
        if separator is not None:
            raise InvalidOption("separator is for basket files; data in memory has its items apart already")
        return _in_memory(data, column, basket, on_error)
    stdin = "-" in paths
    if stdin and len(paths) > 1:
        raise InvalidOption("standard input ('-') cannot be read together with files; save it as a file first")
    if format is None:
        format = "baskets" if stdin else _by_name(find_files(paths).format)
    name = ", ".join(paths) if len(paths) <= 3 else f"{', '.join(paths[:2])} and {len(paths) - 2} more"
    if format in SEPARATORS and column is None and basket is None:
        separator, format = separator or SEPARATORS[format], "baskets"
    if format == "baskets":
        if column is not None or basket is not None:
            raise InvalidOption("column and basket are for tables; a basket file has none. Say which format= it is")
        files = [spool_stdin()] if stdin else find_files(paths, "lines").files
        return BasketFiles(STDIN if stdin else name, files, separator, on_error)
    if separator is not None:
        raise InvalidOption(f"separator is for basket files, and {name} is read as {format}")
    if basket is not None:
        return group_columns(Paths(paths), basket, column or COLUMN, format, on_error)
    source = open_source(Paths(paths), column=column or COLUMN, format=format, on_error=on_error)
    return SourceBaskets(source, _integers_in(source))


class BasketFiles:
    """Text files of one basket a line. An empty line is an empty basket."""

    integers = None

    def __init__(self, name: str, files: Sequence[File], separator: str | None, on_error: OnError) -> None:
        self.name = name
        self.files = files
        self.separator = separator
        self.on_error = on_error
        self.malformed = Malformed()
        self.bytes = size_of(files)

    def blocks(self, size: int) -> Iterator[Lines]:
        self.malformed = Malformed()
        for file in self.files:
            for block in read_blocks(file, size=size):
                yield Lines(block.data if self._is_plain(block) else self._mended(block, file), self.separator)

    def _is_plain(self, block: Block) -> bool:
        return is_utf8(block.data) and not (self.separator is not None and b'"' in block.data)

    def _mended(self, block: Block, file: File) -> bytes:
        """The lines of a block without those that are broken."""
        good = []
        for number, line in block.lines():
            reason = self._fault(line)
            if reason is None:
                good.append(line)
                continue
            message = f"{file.name}, line {number}: {reason}"
            if self.on_error == "fail":
                raise MalformedInput(
                    f"{message}. To leave such lines out and count them: --on-error skip / on_error='skip'."
                )
            self.malformed.add(message)
        return b"".join(good)

    def _fault(self, line: bytes) -> str | None:
        try:
            line.decode()
        except UnicodeDecodeError as error:
            return not_utf8(error)
        fields = () if self.separator is None else line.split(self.separator.encode())
        if any(field.strip().startswith(b'"') for field in fields):
            return (
                "an item begins with a quotation mark, and basket files know no quoting; "
                "if it is a table, name its columns with --column and --basket / column= and basket="
            )
        return None

    def identity(self) -> str:
        digest = hashlib.blake2b(digest_size=16)
        for file in self.files:
            digest.update(file.stamp().encode("utf-8", "surrogateescape") + b"\n")
        return digest.hexdigest()


class SourceBaskets:
    """A column of lists."""

    def __init__(self, source: Source, integers: bool | None) -> None:
        self.source = source
        self.name = source.name
        self.bytes = size_of(source.format.files) if isinstance(source, FileSource) else 0
        self.integers = integers

    @property
    def malformed(self) -> Malformed:
        return Malformed(self.source.malformed, [w.removeprefix("left out: ") for w in self.source.warnings])

    def blocks(self, size: int) -> Iterator[Lists]:
        for documents in self.source.documents():
            if not documents.has_tokens:
                column = self.source.column
                raise MalformedInput(
                    f"{self.name}: column {column!r} holds one text a row, not lists of items; if it holds one item a "
                    "row, name the column that says which basket it is in with --basket / basket="
                )
            yield Lists(without_nulls(documents.texts))

    def identity(self) -> str | None:
        return None if self.source.held else self.source.identity()


@dataclass
class ListBaskets:
    """Python's lists of lists (tuples, sets …) of whole numbers or texts; the first item says which."""

    rows: Iterable[Any]
    name: str
    integers: bool | None = None
    malformed: Malformed = field(default_factory=Malformed)
    bytes: int = 0

    ROWS: ClassVar[int] = 4096

    def blocks(self, size: int) -> Iterator[Lists]:
        rows, begin = iter(self.rows), 0
        while some := list(islice(rows, self.ROWS)):
            yield Lists(self._arrow(some, begin))
            begin += len(some)

    def identity(self) -> None:
        return None

    def _arrow(self, rows: Sequence[Any], begin: int) -> pa.Array:
        items: list[str] = []
        ends = [0]
        for number, row in enumerate(rows, begin):
            where = f"{self.name}, basket {number} (counted from 0)"
            if isinstance(row, str | bytes | Mapping) or not isinstance(row, Iterable):
                raise MalformedInput(f"{where}: expected a list of items, got {type(row).__name__}")
            items.extend(self._text(item, where) for item in row)
            ends.append(len(items))
        try:
            return pa.LargeListArray.from_arrays(pa.array(ends, pa.int64()), pa.array(items, pa.large_string()))
        except UnicodeEncodeError as error:
            raise MalformedInput(
                f"{self.name}: an item holds a lone surrogate, which is no character: {error}"
            ) from None

    def _text(self, item: Any, where: str) -> str:
        whole = isinstance(item, int | np.integer) and not isinstance(item, bool | np.bool_)
        if self.integers is None:
            self.integers = whole
        if whole is not self.integers or not (whole or isinstance(item, str)):
            raise MalformedInput(
                f"{where}: items must be all whole numbers or all texts, and {item!r:.80} is {type(item).__name__} "
                f"where others are {'whole numbers' if self.integers else 'texts'}"
            )
        if whole and not -(2**63) <= int(item) < 2**63:
            raise MalformedInput(f"{where}: {item} does not fit in 64 bits")
        return str(int(item)) if whole else str(item)


class Spooled:
    """Baskets that can be read only once, in a temporary file."""

    def __init__(self, baskets: ListBaskets) -> None:
        self.name = baskets.name
        self.malformed = baskets.malformed
        self._file = tempfile.TemporaryFile(prefix="lookalike-")  # noqa: SIM115 - it goes when this object does
        weakref.finalize(self, self._file.close)
        try:
            with pa.ipc.new_stream(self._file, pa.schema([("items", TOKENS)])) as writer:
                for block in baskets.blocks(0):
                    writer.write_batch(pa.record_batch([block.lists.cast(TOKENS)], names=["items"]))
        except OSError as error:
            if isinstance(error, LookalikeError):
                raise
            raise OutputError(
                f"{self.name} has to be read more than once, and there is no place for a copy: {error.strerror}. "
                "Point TMPDIR to a larger disk."
            ) from None
        self.integers = baskets.integers
        self.bytes = self._file.tell()

    def blocks(self, size: int) -> Iterator[Lists]:
        self._file.seek(0)
        with pa.ipc.open_stream(self._file) as reader:
            for batch in reader:
                yield Lists(batch.column(0))

    def identity(self) -> None:
        return None


def without_nulls(lists: pa.Array) -> pa.Array:
    """The lists without items that are null."""
    if not lists.values.null_count:
        return lists
    return pa.array([[item for item in row or () if item is not None] for row in lists.to_pylist()], TOKENS)


def _in_memory(data: Any, column: str | None, basket: str | None, on_error: OnError) -> Baskets:
    if basket is not None:
        return group_columns(data, basket, column or COLUMN, None, on_error)
    is_table = isinstance(data, Mapping | pa.Table | pa.RecordBatch | pa.RecordBatchReader | pa.Array | pa.ChunkedArray)
    if is_table or hasattr(data, "__arrow_c_stream__") or hasattr(data, "__array__"):
        integers = None
        if isinstance(schema := getattr(data, "schema", None), pa.Schema) and (column or COLUMN) in schema.names:
            integers = _holds_integers(schema.field(column or COLUMN).type)
        return SourceBaskets(open_source(data, column=column or COLUMN, on_error=on_error), integers)
    if isinstance(data, bytes | bytearray) or not isinstance(data, Iterable):
        raise InvalidOption(
            f"baskets must be a path, a table or lists of items, got {type(data).__name__}; a list of lists will do"
        )
    if isinstance(data, list | tuple) and data and isinstance(data[0], Mapping):
        return SourceBaskets(open_source(data, column=column or COLUMN, on_error=on_error), None)
    if column is not None:
        raise InvalidOption("column is for tables, and what was given is a list of baskets")
    name = "the list given" if isinstance(data, list) else f"the {type(data).__name__} given"
    return ListBaskets(data, name) if isinstance(data, list | tuple) else Spooled(ListBaskets(data, name))


def _check(column: Any, basket: Any, separator: Any, format: Any, on_error: Any) -> None:
    for option, value in (("column", column), ("basket", basket)):
        if value is not None and not isinstance(value, str):
            raise InvalidOption(f"{option} must be the name of a column, got {value!r}")
    if basket is not None and basket == (column or COLUMN):
        raise InvalidOption(
            f"column {basket!r} cannot hold both the items and their baskets; name another with column="
        )
    if separator is not None and not (
        isinstance(separator, str) and len(separator) == 1 and separator.isascii() and separator not in "\n\r\0"
    ):
        raise InvalidOption(f"separator must be one ASCII character that is no line end, got {separator!r}")
    if format is not None and format not in FORMATS:
        raise InvalidOption(f"format must be one of {', '.join(FORMATS)}, got {format!r}")
    if on_error not in ("fail", "skip"):
        raise InvalidOption(f"on_error must be 'fail' or 'skip', got {on_error!r}")


def _paths_in(data: Any) -> tuple[str, ...] | None:
    if isinstance(data, Paths):
        return data.paths
    if isinstance(data, str | os.PathLike):
        return Paths([data]).paths
    if isinstance(data, list | tuple) and data and all(isinstance(item, Path) for item in data):
        return Paths(data).paths
    return None


def _by_name(found: str) -> str:
    """The format that names of files stand for: those that say nothing are basket files."""
    return "baskets" if found in ("text", "lines") else found


def _integers_in(source: Source) -> bool | None:
    """Whether the items of Parquet are whole numbers; text formats leave that to the items."""
    scans = getattr(getattr(source, "format", None), "scans", [])
    schema = getattr(scans[0], "schema", None) if scans else None
    return _holds_integers(schema.field(source.column).type) if isinstance(schema, pa.Schema) else None


def _holds_integers(kind: pa.DataType) -> bool:
    element = getattr(kind, "value_type", kind)
    return bool(pa.types.is_integer(getattr(element, "value_type", element)))
