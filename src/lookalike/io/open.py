"""Opens documents in files or in memory as a source, describes how a source was opened, and opens it again."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike.errors import InvalidOption, MalformedInput, NoInput
from lookalike.flow.baskets import ITEMS
from lookalike.flow.checks import check_one_of, check_whole
from lookalike.io.columns import ids_name_baskets
from lookalike.io.file_source import FileSource, Format
from lookalike.io.files import FORMATS, size_of
from lookalike.io.find_files import Found, find_files
from lookalike.io.scan import ON_ERROR, Malformed, OnError
from lookalike.io.source import Source, is_source
from lookalike.notices import Notice
from lookalike.notices.readable import printable

if TYPE_CHECKING:
    from lookalike.io.dialect import Dialect
    from lookalike.io.memory_source import MemorySource
    from lookalike.io.tokenized_source import Tokenizer


@dataclass(frozen=True)
class Paths:
    """Several paths, globs, folders or URLs, read in order. (A plain list of strings is a list of texts.)"""

    paths: tuple[str, ...]

    def __init__(self, paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> None:
        several = [paths] if isinstance(paths, str | os.PathLike) else paths
        object.__setattr__(self, "paths", tuple(os.fspath(path) for path in several))
        if not self.paths:
            raise InvalidOption("no-paths")
        if "" in self.paths:
            raise InvalidOption("empty-input")


def open_source(
    data: Any,
    *,
    column: str | None = None,
    id: str | None = None,
    basket: str | None = None,
    separator: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
    transpose: bool = False,
    format: str | None = None,
    on_error: OnError = "fail",
    batch_rows: int = 8192,
    tokenizer: Tokenizer | None = None,
    inherited: Collection[str] = (),
    any_type: bool = False,
) -> Source:
    """Opens documents, in files or in memory, as a source. A source that is already open is returned unchanged.

    A string is a path, a glob, a folder, a URL that fsspec supports, or "-" for standard input; `Paths` or a list of
    `pathlib.Path` names several of these. Anything else is data in memory: an iterable of texts, of token lists or of
    dictionaries, texts or sets by id (a dictionary, or tuples), a NumPy array, a dictionary of columns, a table of
    pandas, Polars (also lazy), pyarrow (also a dataset), DuckDB or Hugging Face, or any other object with the Arrow
    PyCapsule interface.

    `format` is the file format (default: from the suffix, .parquet .jsonl .ndjson .csv .tsv .txt, each also with .gz
    .zst .bz2). A folder is searched for files of one format; with format="text", every file in it is a document. A text
    file is one document, or with format="lines" one document per line. A file with an unknown suffix is one text
    document if it is UTF-8. A .json file is JSON Lines, or one array of objects, texts or token lists.

    `separator` is the character between the fields of .csv and .tsv files. By default, it is a comma in .csv or, if the
    header then lacks the column, the character that divides the first lines evenly; in .tsv, it is a tab. `quote` is
    the character around fields (default: '"'; "none" for no quoting). `encoding` is that of text files (default:
    UTF-8).

    Sets are documents that are lists of tokens. With format="baskets", each line is a set of items, which are separated
    by `separator` (default: white space, commas in .csv, tabs in .tsv). With `basket`, the data is a table with one
    item per row: `column` contains the item, and `basket` the name of its set. `transpose` swaps sets and items: each
    item becomes the set of the baskets that contain it.

    Of `column` and `id`, those listed in `inherited` were set for another input. They are ignored if this data has no
    columns: text files, files of lines or baskets, and lists of texts.

    A `tokenizer` is any function that takes a text and returns its tokens. The documents are then lists of tokens.

    With `any_type`, `column` need not contain texts. It is read unchanged, and not used as documents.

    With on_error="skip", malformed rows (broken JSON or UTF-8, a number instead of a text, a wrong number of fields)
    are skipped, counted and reported; otherwise the first malformed row raises an error. A damaged file, such as
    truncated gzip, always raises an error.

    >>> source = open_source([{"id": "a", "text": "one"}, {"id": "b", "text": "two"}], id="id")
    >>> [batch.data["id"].to_pylist() for batch in source.read(["id"])]
    [['a', 'b']]
    """
    paths = paths_in(data)
    if paths is None and is_source(data):  # for example standard input, which can be read only once
        opened: Source = data
        return opened
    dialect = None
    if any(option is not None for option in (separator, quote, encoding)):
        from lookalike.io.dialect import Dialect

        dialect = Dialect(separator, quote, encoding)
    how: dict[str, Any] = {"dialect": dialect, "format": format, "on_error": on_error, "batch_rows": batch_rows}
    source: FileSource | MemorySource
    if basket is not None:
        if id is not None:
            raise InvalidOption("basket-and-id")
        from lookalike.io.set_source import grouped

        rows = open_rows(data, column=column, basket=basket, **how)
        source = grouped(rows, transpose=transpose, batch_rows=batch_rows)
    else:
        source = open_plain(data, column=column, id=id, inherited=inherited, any_type=any_type, **how)
        if transpose:
            from lookalike.io.set_source import transposed

            source = transposed(source, batch_rows=batch_rows)
    source.opened = {
        "column": column, "id": id, "basket": basket, "separator": separator, "quote": quote, "encoding": encoding,
        "transpose": transpose, "format": format, "on_error": on_error, "paths": paths, "any_type": any_type,
    }  # fmt: skip
    return source if tokenizer is None else _tokenized(source, tokenizer, sets=basket is not None or transpose)


def describe(source: Source) -> str:
    """Describes a source in JSON: the options for reading it and, if its files can be reopened, their paths and size.

    Modification times are not included, so that copying a file does not change a result.
    """
    opened = getattr(source, "opened", None)
    if opened is None:
        return ""
    about = {name: value for name, value in opened.items() if value not in (None, False)}
    # standard input cannot be read again, and a URL may contain a password
    if any(path == "-" or ("://" in path and "@" in path) for path in about.get("paths", ())):
        del about["paths"]
    if "paths" in about:
        about |= {"paths": list(about["paths"]), "bytes": size_of(getattr(source, "files", ()))}
    return json.dumps(about)


def refuse_one_iterator(*inputs: Any) -> None:
    """Raises an error if two inputs are the same iterator, because the second would be empty."""
    iterators = [id(one) for one in inputs if isinstance(one, Iterator)]
    if len({*iterators}) < len(iterators):
        raise InvalidOption("iterator-used-twice")


def reopen(described: str, data: Any = None, **options: Any) -> tuple[Source, tuple[Notice, ...]]:
    """Opens the source of a description, or `data` if given, with the described options. Also returns warnings.

    `options` that are not None override the options of the description.
    """
    about = _parsed(described)
    paths, size = about.pop("paths", None), about.pop("bytes", None)
    tokenizer = about.pop("tokenizer", None)
    if tokenizer is not None and options.get("tokenizer") is None:
        raise InvalidOption("result-of-a-tokenizer", name=tokenizer)
    chosen = about | {name: value for name, value in options.items() if value is not None}
    if data is not None:
        return open_source(data, **chosen), ()
    if not paths:
        raise NoInput("result-without-files")
    source = open_source(Paths(paths), **chosen)
    changed = size not in (None, size_of(getattr(source, "files", ())))
    return source, (Notice("input-differs-from-result", name=source.name),) if changed else ()


def _parsed(described: str) -> dict[str, Any]:
    try:
        about = json.loads(described or "{}")
    except json.JSONDecodeError as error:
        raise MalformedInput("damaged-description", reason=str(error)) from None
    if not isinstance(about, dict):
        raise MalformedInput("damaged-description", reason=f"{described:.80}")
    return about


def _tokenized(source: FileSource | MemorySource, tokenizer: Tokenizer, *, sets: bool) -> Source:
    from lookalike.io.tokenized_source import TokenizedSource, name_of

    if sets:
        raise InvalidOption("tokenizer-of-sets")
    tokenized = TokenizedSource(source, tokenizer)
    tokenized.opened = {**(source.opened or {}), "tokenizer": name_of(tokenizer)}
    return tokenized


def open_rows(
    data: Any,
    *,
    column: str | None,
    basket: str,
    dialect: Dialect | None = None,
    format: str | None = None,
    on_error: OnError = "fail",
    batch_rows: int = 8192,
) -> FileSource | MemorySource:
    """Opens a table with one item per row. The texts of the source are the items, and its ids name their sets."""
    if format in ("text", "lines", "baskets"):
        raise InvalidOption("basket-needs-table", format=format)
    with ids_name_baskets():
        return open_plain(
            data, column=column or ITEMS, id=basket, dialect=dialect, format=format, on_error=on_error,
            batch_rows=batch_rows, one_item=True,
        )  # fmt: skip


def open_plain(
    data: Any,
    *,
    column: str | None = None,
    id: str | None = None,
    dialect: Dialect | None = None,
    format: str | None = None,
    on_error: OnError = "fail",
    batch_rows: int = 8192,
    one_item: bool = False,
    inherited: Collection[str] = (),
    any_type: bool = False,
) -> FileSource | MemorySource:
    """Opens the data without grouping its rows.

    With `one_item`, `column` has one item per row, and `id` names its set. `inherited` and `any_type` are as in
    `open_source`.
    """
    if format is not None:
        check_one_of("format", format, FORMATS)
    check_one_of("on_error", on_error, ON_ERROR)
    check_whole("batch_rows", batch_rows, 1)
    for option, name in (("column", column), ("basket" if one_item else "id", id)):
        if name is not None:
            check_column(option, name)
    paths = paths_in(data)
    found = None if paths is None else find_files(paths, format)
    if inherited and found is not None and found.format in ("text", "lines", "baskets"):
        column, id = (None if "column" in inherited else column), (None if "id" in inherited else id)
    if format == "baskets":
        if column is not None or id is not None:
            raise InvalidOption("basket-file-has-no-columns", options=("column", "id"))
        column = ITEMS
    column = column or "text"
    if id == column:
        code = "one-column-for-items-and-baskets" if one_item else "one-column-for-texts-and-ids"
        raise InvalidOption(code, column=column)
    if found is None:
        if format == "baskets":
            raise InvalidOption("baskets-format-in-memory")
        from lookalike.io.memory_source import MemorySource
        from lookalike.io.python_objects import to_table

        malformed = Malformed()
        made = to_table(data, column, malformed, id)
        if "id" in inherited and not made.has_columns:
            id = None
        if dialect is not None:
            dialect.check(made.name, None)
        return MemorySource(
            made.table, made.name, column=column, id=id or made.id, on_error=on_error, batch_rows=batch_rows,
            malformed=malformed, one_item=one_item, any_type=any_type, index=made.index,
        )  # fmt: skip
    if dialect is not None:
        dialect.check(found.name, found.format)
    if one_item and found.format == "text":
        raise InvalidOption("basket-needs-table", format=found.format)
    if found.format == "text" and id is None:
        from lookalike.io.formats.text import PATH

        id = PATH if column != PATH else None
    how: dict[str, Any] = {"on_error": on_error, "batch_rows": batch_rows}
    opened = partial(_opened, found, column=column, dialect=dialect, one_item=one_item, any_type=any_type, **how)
    how |= {"column": column, "warnings": found.warnings}
    if any("=" in file.relative for file in found.files):  # folders such as year=2024
        from lookalike.io.partitions import open_partitioned

        return open_partitioned(found.name, opened, id, **how)
    return FileSource(found.name, opened(id=id), id=id, **how)


def check_column(option: str, value: Any) -> None:
    if not isinstance(value, str | None) or (value is not None and printable(value) != value) or value == "":
        raise InvalidOption("not-a-column-name", option=option, value=value)


def paths_in(data: Any) -> tuple[str, ...] | None:
    """Returns the paths if the data consists of paths; otherwise None."""
    if isinstance(data, Paths):
        return data.paths
    if isinstance(data, str | os.PathLike):
        return Paths([data]).paths
    if not isinstance(data, list | tuple) or all(issubclass(kind, str) for kind in {*map(type, data)}):
        return None
    return Paths(data).paths if all(isinstance(item, str | Path) for item in data) else None


def _opened(
    found: Found,
    *,
    column: str,
    id: str | None,
    dialect: Dialect | None,
    on_error: OnError,
    batch_rows: int,
    one_item: bool,
    any_type: bool,
) -> Format:
    """Opens files in their format. Only the module of that format is imported."""
    format, name = found.format, found.name
    files = found.files if dialect is None else dialect.applied(found.files)
    if format == "parquet":
        from lookalike.io.formats.parquet import ParquetFormat

        return ParquetFormat(files, column, id, on_error, batch_rows, one_item=one_item, any_type=any_type)
    if format in ("jsonl", "json"):
        from lookalike.io.formats.jsonl import JsonLinesFormat, arrays_as_lines

        return JsonLinesFormat(arrays_as_lines(files, format), name, column, id, on_error, one_item=one_item)
    if format in ("csv", "tsv"):
        from lookalike.io.formats.delimited import DelimitedFormat

        how = {} if dialect is None else {"delimiter": dialect.separator, "quote": dialect.quote}
        return DelimitedFormat(format, files, column, id, **how)
    if format == "lines":
        from lookalike.io.formats.lines import LinesFormat

        return LinesFormat(files, name)
    if format == "text":
        from lookalike.io.formats.text import TextFormat

        return TextFormat(files, name, on_error)
    from lookalike.io.formats.basket_lines import BasketsFormat, separator_of

    separator = None if dialect is None else dialect.separator
    return BasketsFormat(files, name, separator or separator_of(files))
