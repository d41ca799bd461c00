"""Guesses the separator of a CSV file from its first lines."""

from __future__ import annotations

import csv

from lookalike.io.files import File
from lookalike.io.formats.line_blocks import BOM
from lookalike.storage.foreign_errors import reading

LIKELY = ",\t;|"
"""Common separators of delimited files, most frequent first."""
UNLIKELY = "%#~^:!&*"
"""Rare separators, tried last."""
HEAD = 50
"""The number of lines from which the separator is guessed."""


def guess_separator(file: File) -> str:
    """Returns the character that splits most of the first lines into equally many fields (default: comma)."""
    with file.open() as stream, reading(file.name):
        head = stream.read(1 << 16).removeprefix(BOM).decode(errors="replace").splitlines(keepends=True)[: HEAD + 1]
    lines = head[:HEAD]
    best, most = ",", 0.5
    for sign in LIKELY + UNLIKELY:
        try:
            widths = [len(fields) for fields in csv.reader(lines, delimiter=sign) if fields]
        except csv.Error:
            continue
        if not widths or widths[0] < 2:
            continue
        agree = sum(width == widths[0] for width in widths) / len(widths)
        if agree > most + 0.01:
            best, most = sign, agree
    return best
