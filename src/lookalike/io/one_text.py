"""Reads a single text from a file, compressed or not, from a URL, or from standard input."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lookalike.errors import InputError, InvalidOption, MalformedInput
from lookalike.io.dialect import Dialect
from lookalike.io.file_names import names_file
from lookalike.io.files import SUFFIXES, TABLES, format_of
from lookalike.io.find_files import find_files
from lookalike.io.misread import not_in_utf8
from lookalike.storage.foreign_errors import reading


def read_text(path: str | os.PathLike[str], encoding: str | None = None) -> str:
    """Reads the text of a file, or of standard input (`-`). The default encoding is UTF-8."""
    name, dialect = os.fspath(path), Dialect(encoding=encoding)
    refuse_table(name)
    found = find_files([name], "text", lambda file: "text")
    if len(found.files) != 1 or Path(name).is_dir():
        raise InputError("folder-instead-of-file", name=name)
    (file,) = dialect.applied(found.files)
    with file.open() as stream, reading(file.name):
        raw = stream.read()
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise MalformedInput("text-not-utf8", name=file.name, reason=not_in_utf8(error)) from None


def text_of(given: Any, encoding: str | None = None) -> Any:
    """Returns a text or a list of tokens unchanged, and reads the text of a `Path`. Raises an error for other values.

    The name of a file is refused, because it is also a text.
    """
    if names_file(given):
        refuse_table(given)
        raise InvalidOption("file-name-instead-of-text", name=given)
    if isinstance(given, bytes | bytearray) or not isinstance(given, Iterable | Path):
        raise InvalidOption("not-a-text", type=type(given).__name__)
    return read_text(given, encoding) if isinstance(given, Path) else given


def refuse_table(name: str) -> None:
    """Raises an error if the file has the name of a table, because a table contains many texts."""
    if (format := format_of(name, SUFFIXES)) in TABLES:
        raise InvalidOption("table-instead-of-text", name=name, format=format)
