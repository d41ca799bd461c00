"""Reads one text: a file of any name, compressed or not, an address, or standard input."""

from __future__ import annotations

import os
from pathlib import Path

from lookalike.errors import InputError, InvalidOption, MalformedInput
from lookalike.io.files import SUFFIXES, format_of
from lookalike.io.find_files import find_files
from lookalike.storage.foreign_errors import reading

TABLES = ("parquet", "jsonl", "csv", "tsv")


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a UTF-8 file, or of standard input (`-`)."""
    name = os.fspath(path)
    refuse_table(name)
    found = find_files([name], "text", lambda file: "text")
    if len(found.files) != 1 or Path(name).is_dir():
        raise InputError("folder-instead-of-file", name=name)
    file = found.files[0]
    with file.open() as stream, reading(file.name):
        raw = stream.read()
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = f"{error.object[error.start]:#04x}"
        raise MalformedInput("text-not-utf8", name=file.name, byte=byte, offset=error.start) from None


def refuse_table(name: str) -> None:
    """Raises an error if the file is a table, by its name: a table has many texts."""
    if (format := format_of(name, SUFFIXES)) in TABLES:
        raise InvalidOption("table-instead-of-text", name=name, format=format)
