"""Anything that holds documents → a source."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lookalike.errors import InputError, InvalidOption
from lookalike.io.files import File
from lookalike.io.filesource import FileSource, Format
from lookalike.io.find import FORMATS, check_format, find_files
from lookalike.io.guard import reading
from lookalike.io.scan import Malformed, OnError
from lookalike.io.source import Source
from lookalike.io.spool import STDIN, spool_stdin


@dataclass(frozen=True)
class Paths:
    """Several paths, globs, folders or URLs, read one after the other. (A bare list of strings is a list of texts.)"""

    paths: tuple[str, ...]

    def __init__(self, paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> None:
        several = [paths] if isinstance(paths, str | os.PathLike) else paths
        object.__setattr__(self, "paths", tuple(os.fspath(path) for path in several))
        if not self.paths:
            raise InvalidOption("name at least one file to read")


def open_source(
    data: Any,
    *,
    column: str = "text",
    id: str | None = None,
    format: str | None = None,
    on_error: OnError = "fail",
    batch_rows: int = 8192,
) -> Source:
    """A source over whatever holds the documents.

    A string is a path, a glob, a folder, a URL that fsspec knows, or "-" for standard input; `Paths` or a list of
    `pathlib.Path` are several of these. Everything else is data: a list or iterable of texts, of lists of
    tokens or of dictionaries, a NumPy array, a dictionary of columns, or an object with the Arrow PyCapsule interface.

    The format is told by the suffix (.parquet .jsonl .ndjson .csv .tsv .txt, each also with .gz .zst .bz2)
    unless `format` says it. A folder is searched for files of one format; with format="text" every file in it is
    a document. A text file is one document, or with format="lines" one document a line. A file with a suffix that
    means nothing here is one text document if it is UTF-8.

    With on_error="skip" rows that are malformed (broken JSON or UTF-8, a text that is a number, a wrong number of
    fields) are left out, counted and named; otherwise the first of them ends the reading. A file that is
    damaged as a whole, such as truncated gzip, always does.

    >>> source = open_source([{"id": "a", "text": "one"}, {"id": "b", "text": "two"}], id="id")
    >>> [batch.data["id"].to_pylist() for batch in source.read(["id"])]
    [['a', 'b']]
    """
    check_format(format)
    if on_error not in ("fail", "skip"):
        raise InvalidOption(f"on_error must be 'fail' or 'skip', got {on_error!r}")
    if not isinstance(batch_rows, int) or batch_rows < 1:
        raise InvalidOption(f"batch_rows must be at least 1, got {batch_rows!r}")
    if not isinstance(column, str) or not isinstance(id, str | None):
        raise InvalidOption(f"column and id must be names of columns, got {column!r} and {id!r}")
    if id == column:
        raise InvalidOption(
            f"column {column!r} cannot hold both the texts and the ids; name another with --id / id=, "
            "or none: then documents go by their position"
        )
    paths = _paths_in(data)
    if paths is None:
        from lookalike.io.memory import MemorySource
        from lookalike.io.objects import to_table

        malformed = Malformed()
        table, name = to_table(data, column, malformed)
        return MemorySource(
            table, name, column=column, id=id, on_error=on_error, batch_rows=batch_rows, malformed=malformed
        )
    if "-" in paths:
        if len(paths) > 1:
            raise InvalidOption("standard input ('-') cannot be read together with files; save it as a file first")
        file = spool_stdin()
        files, warnings, format = [file], [], format or _sniff(file)
        name = STDIN
    else:
        found = find_files(paths, format)
        files, warnings, format = found.files, found.warnings, found.format
        name = ", ".join(paths) if len(paths) <= 3 else f"{', '.join(paths[:2])} and {len(paths) - 2} more"
    if format == "text" and id is None:
        from lookalike.io.text import PATH

        id = PATH if column != PATH else None
    opened = _opened(format, files, name, column=column, id=id, on_error=on_error, batch_rows=batch_rows)
    return FileSource(name, opened, column=column, id=id, on_error=on_error, batch_rows=batch_rows, warnings=warnings)


def _paths_in(data: Any) -> tuple[str, ...] | None:
    """The paths, if that is what the data is."""
    if isinstance(data, Paths):
        return data.paths
    if isinstance(data, str | Path):
        return Paths([data]).paths
    if isinstance(data, list | tuple) and data and all(isinstance(item, Path) for item in data):
        return Paths(data).paths
    return None


def _opened(
    format: str, files: Sequence[File], name: str, *, column: str, id: str | None, on_error: OnError, batch_rows: int
) -> Format:
    """The files in their format, of which only the module that reads it is imported."""
    if format == "parquet":
        from lookalike.io.parquet import ParquetFormat

        return ParquetFormat(files, column, id, on_error, batch_rows)
    if format == "jsonl":
        from lookalike.io.jsonl import JsonLinesFormat

        return JsonLinesFormat(files, name, column, id, on_error)
    if format in ("csv", "tsv"):
        from lookalike.io.delimited import DelimitedFormat

        return DelimitedFormat(format, files, column, id)
    if format == "lines":
        from lookalike.io.lines import LinesFormat

        return LinesFormat(files, name)
    if format == "text":
        from lookalike.io.text import TextFormat

        return TextFormat(files, name, on_error)
    raise InvalidOption(f"format {format!r} has a name but no reader")


def _sniff(file: File) -> str:
    """The format of standard input, where its beginning leaves no doubt."""
    from lookalike.io.lines import BOM

    with file.open() as stream, reading(file.name):
        head = stream.read(1 << 16)
    if head.startswith(b"PAR1"):
        return "parquet"
    if not head or head.removeprefix(BOM).lstrip().startswith(b"{"):  # nothing at all is no lines of JSON
        return "jsonl"
    raise InputError(f"standard input does not tell its format; say --format / format= one of {', '.join(FORMATS)}")
