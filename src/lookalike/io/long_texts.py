"""Writes a row with a long text as JSON Lines or CSV, piece by piece: a Python string may take four times the bytes.

The bytes are the same as those of `writers.py`, which converts whole batches.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import pyarrow as pa

from lookalike.errors import MalformedInput
from lookalike.io.text_values import values_by_column
from lookalike.storage.foreign_errors import brief

PIECE = 1 << 18
"""The approximate number of bytes of a text that are converted at once."""


def write_json_row(row: pa.RecordBatch, sink: BinaryIO, json_of: Callable[[Any], str]) -> None:
    """Writes a JSON object and a line end. `json_of` returns the JSON of a value that is not a long text."""
    columns = dict(zip(row.schema.names, range(row.num_columns), strict=True))  # of equal names, the last one counts
    for nth, (name, column) in enumerate(columns.items()):
        sink.write(f"{', ' if nth else '{'}{json.dumps(name, ensure_ascii=False)}: ".encode())
        cell = row.select([column])
        if _is_long(cell):
            sink.write(b'"')
            for piece in _pieces(cell):
                sink.write(json.dumps(piece, ensure_ascii=False)[1:-1].encode())
            sink.write(b'"')
        else:
            sink.write(json_of(values_by_column(cell)[0][0]).encode())
    sink.write(b"}\n")


def write_delimited_row(
    row: pa.RecordBatch, sink: BinaryIO, delimiter: str, special: re.Pattern[str], cell_of: Callable[[Any], str]
) -> None:
    """Writes a line. `cell_of` returns the text of a value; texts with `special` characters are quoted."""
    for column in range(row.num_columns):
        sink.write(delimiter.encode() if column else b"")
        cell = row.select([column])
        is_long = _is_long(cell)
        text = "" if is_long else cell_of(values_by_column(cell)[0][0])
        quote = b'"' if any(map(special.search, _pieces(cell) if is_long else [text])) else b""
        sink.write(quote)
        for piece in _pieces(cell) if is_long else [text]:
            sink.write((piece.replace('"', '""') if quote else piece).encode())
        sink.write(quote)
    sink.write(b"\n")


def _is_long(cell: pa.RecordBatch) -> bool:
    """True for a single value that is a long text."""
    kind, value = cell.schema.field(0).type, cell.column(0)
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    return bool(is_text and value.nbytes > 2 * PIECE and value[0].is_valid)


def _pieces(cell: pa.RecordBatch) -> Iterator[str]:
    """Yields a long text in pieces, which end between two characters."""
    data = memoryview(cell.column(0)[0].as_buffer())
    start = 0
    while start < len(data):
        stop = min(start + PIECE, len(data))
        while stop < len(data) and data[stop] & 0xC0 == 0x80 and stop > start + PIECE - 4:  # within a character
            stop -= 1
        try:
            yield bytes(data[start:stop]).decode()
        except UnicodeDecodeError as error:
            raise MalformedInput("column-not-writable", column=cell.schema.names[0], reason=brief(error)) from None
        start = stop
