"""Reads baskets of items from files or memory, in blocks. The baskets can be read more than once.

A basket file has one basket per line. Lists in a column, two columns (basket, item) and Python lists become Arrow
lists. Items are texts or whole numbers; this affects how results show them, but not how they are counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
import pyarrow as pa

from lookalike.errors import InvalidOption, MalformedInput, NoInput, NoSuchColumn
from lookalike.flow.baskets import ITEMS, Lines, Lists
from lookalike.flow.checks import check_one_of, check_true_or_false
from lookalike.flow.documents import TOKENS
from lookalike.io.columns import holds_integers
from lookalike.io.dialect import Dialect
from lookalike.io.file_names import refuse_file_names
from lookalike.io.file_source import FileSource
from lookalike.io.files import TABLES, format_of, size_of
from lookalike.io.find_files import find_files, is_pipe, name_of
from lookalike.io.formats.basket_lines import SEPARATORS, BasketFiles, separator_of
from lookalike.io.formats.json_line import lone_surrogate
from lookalike.io.lazy_tables import loaded
from lookalike.io.memory_source import MemorySource
from lookalike.io.open import check_column, open_plain, open_rows, paths_in
from lookalike.io.scan import ON_ERROR, Malformed, OnError
from lookalike.notices import Notice
from lookalike.storage.spill import Scratch

if TYPE_CHECKING:
    from lookalike.io.grouped_rows import Pairs

FORMATS = ("baskets", *TABLES)


class Baskets(Protocol):
    """Baskets that can be read more than once, in blocks. Blocks of lines have about `size` bytes."""

    @property
    def name(self) -> str: ...

    @property
    def integers(self) -> bool | None:
        """True if items are whole numbers, False if they are texts; None if this is not known before reading."""
        ...

    @property
    def malformed(self) -> Malformed: ...

    @property
    def warnings(self) -> Sequence[Notice]:
        """Warnings about files, such as files that were skipped."""
        ...

    def blocks(self, size: int) -> Iterator[Lines | Lists]: ...

    def identity(self) -> str | None:
        """Returns a hash that changes when the data changes; None for data that cannot change."""
        ...

    @property
    def bytes(self) -> int:
        """The size of the files (or of a temporary copy) in bytes; 0 for data in memory."""
        ...


def open_baskets(
    data: Any,
    *,
    column: str | None = None,
    basket: str | None = None,
    separator: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
    transpose: bool = False,
    format: str | None = None,
    on_error: OnError = "fail",
) -> Baskets:
    """Opens baskets in files or in memory.

    A string is a path, a glob, a folder, a URL or "-". Files named .parquet or .jsonl contain lists in `column`
    (default: items). All other files are basket files with one basket per line, whose items are separated by
    `separator` (default: white space, commas in .csv, tabs in .tsv). With `basket`, the data is a table of two columns:
    `column` contains one item per row, and `basket` the name of its basket. All other data is in memory: lists of
    lists, tables or iterators. `transpose` swaps items and baskets: each item becomes the set of the baskets that
    contain it.
    """
    _check(column, basket, transpose, format, on_error)
    dialect = Dialect(separator, quote, encoding)
    paths = paths_in(data)
    data = loaded(data)
    if paths is None:
        dialect.check("it", None)
    else:
        named = format = format or format_by_name(paths)
        if format in SEPARATORS and column is None and basket is None:
            dialect, format = replace(dialect, separator=dialect.separator or SEPARATORS[format]), "baskets"
        if format == "baskets" and (column is not None or basket is not None):
            raise InvalidOption("basket-file-has-no-columns", options=("column", "basket"))
        dialect.check(name_of(paths), format)
    if basket is not None or transpose:
        return _grouped(data, column, basket, dialect, transpose, format, on_error)
    if paths is None and not _is_table(data):
        lists = _lists(data, column)
        return lists if _can_be_read_again(data) else Spooled(lists)
    if format == "baskets":
        assert paths is not None
        found = find_files(paths, named, lambda file: "baskets")  # a folder of .csv files is searched for .csv only
        files = dialect.applied(found.files)
        return BasketFiles(found.name, files, dialect.separator or separator_of(files), on_error, found.warnings)
    return SourceBaskets(_open_lists(data, column, dialect=dialect, format=format, on_error=on_error))


def _grouped(
    data: Any,
    column: str | None,
    basket: str | None,
    dialect: Dialect,
    transpose: bool,
    format: str | None,
    on_error: OnError,
) -> GroupedBaskets:
    """Opens baskets that must be grouped first: from a table with one item per row, or by transposing."""
    from lookalike.io.grouped_rows import named_lists, pairs_in_lists, pairs_in_rows

    if basket is not None:
        rows = open_rows(data, column=column, basket=basket, dialect=dialect, format=format, on_error=on_error)
        sets, items = (rows.column, basket) if transpose else (basket, rows.column)
        return GroupedBaskets(rows, pairs_in_rows(rows, sets, items), holds_integers(rows.stored_type(items)))
    if paths_in(data) is None and not _is_table(data):
        lists = _lists(data, column)
        return GroupedBaskets(lists, pairs_in_lists(_numbered(lists.blocks(0))), integers=True)
    how: dict[str, Any] = {"dialect": dialect, "format": format, "on_error": on_error}
    source = open_plain(data, **how) if format == "baskets" else _open_lists(data, column, **how)
    return GroupedBaskets(
        source, pairs_in_lists(named_lists(source)), integers=True
    )  # rows are identified by their row numbers


def _open_lists(data: Any, column: str | None, **how: Any) -> FileSource | MemorySource:
    """Opens a column of lists. The elements of a JSON array of lists have no name; they are read as the column text."""
    try:
        return open_plain(data, column=column or ITEMS, **how)
    except NoSuchColumn as error:
        if column is not None or error.values["columns"] != ("text",) or "-" in (paths_in(data) or "-"):
            raise
        source = open_plain(data, column="text", **how)
        if not isinstance(source, FileSource) or not all(file.is_array_of_texts for file in source.files):
            raise
    return source


class SourceBaskets:
    """Baskets in a column of lists."""

    def __init__(self, source: FileSource | MemorySource) -> None:
        self.source = source
        self.name = source.name
        self.bytes = size_of(source.files) if isinstance(source, FileSource) else 0
        self.integers = holds_integers(source.stored_type(source.column))

    @property
    def malformed(self) -> Malformed:
        return _skipped(self.source)

    @property
    def warnings(self) -> Sequence[Notice]:
        return _other_warnings(self.source)

    def blocks(self, size: int) -> Iterator[Lists]:
        from lookalike.io.grouped_rows import named_lists

        for _, lists in named_lists(self.source):
            yield Lists(without_nulls(lists))

    def identity(self) -> str | None:
        return None if self.source.in_memory else self.source.identity()


class GroupedBaskets:
    """Baskets grouped from (basket, item) pairs."""

    def __init__(self, origin: FileSource | MemorySource | ListBaskets, pairs: Pairs, integers: bool | None) -> None:
        from lookalike.io.grouped_rows import Grouped

        self.name = origin.name
        self.integers = integers
        self._grouped = Grouped(origin.name, pairs)
        self.bytes = self._grouped.bytes
        self.malformed = origin.malformed if isinstance(origin, ListBaskets) else _skipped(origin)
        self.warnings = origin.warnings if isinstance(origin, ListBaskets) else _other_warnings(origin)

    def blocks(self, size: int) -> Iterator[Lists]:
        for sets in self._grouped.parts():
            yield Lists(sets.lists)

    def identity(self) -> None:
        return None  # the temporary copy cannot change


@dataclass
class ListBaskets:
    """Baskets in an iterable. Items are either whole numbers or texts, depending on the first item."""

    rows: Iterable[Any]
    name: str
    integers: bool | None = None
    malformed: Malformed = field(default_factory=Malformed)
    bytes: int = 0

    warnings: ClassVar[Sequence[Notice]] = ()
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
            if isinstance(row, str | bytes | Mapping) or not isinstance(row, Iterable):
                raise MalformedInput("basket-not-a-list", where=self._where(number), type=type(row).__name__)
            items.extend(self._text(item, number) for item in row)
            ends.append(len(items))
        try:
            return pa.LargeListArray.from_arrays(pa.array(ends, pa.int64()), pa.array(items, pa.large_string()))
        except UnicodeEncodeError as error:
            raise MalformedInput("unreadable-item", name=self.name, reason=lone_surrogate(error)) from None

    def _where(self, number: int) -> Notice:
        return Notice("basket", name=self.name, basket=number)

    def _text(self, item: Any, number: int) -> str:
        whole = isinstance(item, int | np.integer) and not isinstance(item, bool | np.bool_)
        if not (whole or isinstance(item, str)):
            raise MalformedInput("not-an-item", where=self._where(number), value=item, type=type(item).__name__)
        if self.integers is None:
            self.integers = whole
        if whole is not self.integers:
            raise MalformedInput("mixed-items", where=self._where(number), value=item)
        if whole and not -(2**63) <= int(item) < 2**63:
            raise MalformedInput("item-too-large", where=self._where(number), value=item)
        return str(int(item)) if whole else str(item)


class Spooled:
    """A copy, in a temporary file, of baskets that can be read only once."""

    warnings: Sequence[Notice] = ()

    def __init__(self, baskets: ListBaskets) -> None:
        self.name = baskets.name
        self.malformed = baskets.malformed
        self.bytes = 0
        self._scratch = Scratch()
        self._blocks = 0
        for block in baskets.blocks(0):
            self._scratch.put(str(self._blocks), pa.table([block.lists.cast(TOKENS)], names=["items"]))
            self.bytes += block.lists.nbytes
            self._blocks += 1
        self.integers = baskets.integers

    def blocks(self, size: int) -> Iterator[Lists]:
        for number in range(self._blocks):
            table = self._scratch.pick(str(number))
            assert table is not None
            yield Lists(table.column(0).combine_chunks())

    def identity(self) -> None:
        return None


def _skipped(source: FileSource | MemorySource) -> Malformed:
    return Malformed(source.malformed, [notice for notice in source.warnings if notice.code == "row-skipped"])


def _other_warnings(source: FileSource | MemorySource) -> tuple[Notice, ...]:
    return tuple(notice for notice in source.warnings if notice.code != "row-skipped")


def without_nulls(lists: pa.Array) -> pa.Array:
    """Removes null items from lists."""
    if not lists.values.null_count:
        return lists
    return pa.array([[item for item in row or () if item is not None] for row in lists.to_pylist()], TOKENS)


def _numbered(blocks: Iterator[Lists]) -> Iterator[tuple[pa.Array, pa.Array]]:
    start = 0
    for block in blocks:
        yield pa.array(np.arange(start, start + len(block.lists))), block.lists
        start += len(block.lists)


def _is_table(data: Any) -> bool:
    """True if the data is a table or an array, whose baskets are in a column."""
    if isinstance(data, Mapping | pa.Table | pa.RecordBatch | pa.RecordBatchReader | pa.Array | pa.ChunkedArray):
        return True
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__array__"):
        return True
    return isinstance(data, list | tuple) and bool(data) and isinstance(data[0], Mapping)


def _can_be_read_again(data: Any) -> bool:
    """True for lists and tuples, unless they contain iterators, which can be read only once."""
    return isinstance(data, list | tuple) and not any(issubclass(kind, Iterator) for kind in {*map(type, data)})


def _lists(data: Any, column: str | None) -> ListBaskets:
    if isinstance(data, bytes | bytearray) or not isinstance(data, Iterable):
        raise InvalidOption("not-baskets", type=type(data).__name__)
    if column is not None:
        raise InvalidOption("column-of-listed-baskets")
    if isinstance(data, list | tuple):
        refuse_file_names(data)
    return ListBaskets(data, "the list given" if isinstance(data, list) else f"the {type(data).__name__} given")


def _check(column: Any, basket: Any, transpose: Any, format: Any, on_error: Any) -> None:
    check_column("column", column)
    check_column("basket", basket)
    check_true_or_false("transpose", transpose)
    if format is not None:
        check_one_of("format", format, FORMATS)
    check_one_of("on_error", on_error, ON_ERROR)


def format_by_name(paths: Sequence[str]) -> str:
    """Returns the format of the files, according to their names.

    Files with unknown suffixes, and standard input, are basket files.
    """
    if "-" in paths:
        return "baskets"
    files = [path for path in paths if not is_pipe(path)]
    try:
        found = find_files(files).format if files else format_of(paths[0])  # opens no pipe, which can be read only once
    except NoInput:  # a folder of files with unknown suffixes
        found = find_files(files, "baskets").format
    return "baskets" if found in (None, "text", "lines") else found
