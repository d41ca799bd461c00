"""Detects a column of JSON Lines that contains no texts at all, in contrast to a single malformed row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import islice

from lookalike.errors import MalformedInput
from lookalike.io.formats.json_line import Broken, parse
from lookalike.io.nested import names_of, path_of, value_at

SAMPLE = 100
"""The number of lines that are parsed."""


def refuse_column_without_texts(lines: Iterable[bytes], where: str, column: str, path: tuple[str, ...]) -> None:
    """Raises an error if the column at `path` contains only numbers or only objects.

    The error lists columns with texts.
    """
    rows = []
    for line in islice(lines, SAMPLE):
        with suppress(Broken):
            rows.append(parse(line) or {})
    values = [value for row in rows if (value := value_at(row, path)) is not None]
    objects = all(isinstance(value, Mapping) for value in values)
    if len(values) < 2 or not (objects or all(isinstance(value, int | float) for value in values)):
        return
    names = dict.fromkeys(name for row in rows for name in names_of(row))
    texts = [
        name for name in names if any(isinstance(value_at(row, path_of(name, row) or (name,)), str) for row in rows)
    ]
    about = {"kind": "objects" if objects else "numbers", "columns": tuple(texts) or None}
    raise MalformedInput("column-without-texts", where=where, column=column, **about)
