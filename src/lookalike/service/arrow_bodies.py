"""Reads documents from an Arrow stream that somebody else has sent, without trusting it.

Before any value is read, every batch is validated completely: offsets of a forged batch could point anywhere. Streams
with compressed buffers are refused, because a small body could become a huge table. The compression is only recorded in
the metadata of a message, a FlatBuffer, which Arrow has verified before this module reads it.
"""

from __future__ import annotations

import struct

import pyarrow as pa
import pyarrow.ipc

from lookalike.errors import MalformedInput, ServiceError
from lookalike.storage.foreign_errors import brief

ID, TEXT = "id", "text"

HEADER, COMPRESSION = 2, 3
"""The places of fields in FlatBuffers: the header of a Message, and the compression of a RecordBatch."""

BATCHES = ("record batch", "dictionary")


def read_arrow(body: bytes, most: int) -> pa.Table:
    """Returns the columns text and, if there is one, id of an Arrow stream with at most `most` rows."""
    try:
        _refuse_compression(body)
        with pa.ipc.open_stream(pa.py_buffer(body)) as reader:
            _check_columns(reader.schema)
            batches = []
            for batch in reader:
                batch.validate(full=True)
                batches.append(batch)
                if sum(one.num_rows for one in batches) > most:
                    raise ServiceError("too-many-documents", most=most)
            table = pa.Table.from_batches(batches, reader.schema.remove_metadata())
        return _plain(table)
    except (pa.ArrowException, OSError, ValueError) as error:  # Arrow also raises OSError for bytes that end early
        if isinstance(error, MalformedInput):
            raise
        raise MalformedInput("body-not-arrow", reason=brief(error)) from None


def _check_columns(schema: pa.Schema) -> None:
    names = schema.names
    if sorted(names) not in ([TEXT], [ID, TEXT]):
        raise MalformedInput("unexpected-columns", columns=names)
    for name in names:
        kind = schema.field(name).type
        is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
        if not is_text and not (name == ID and pa.types.is_integer(kind)):
            wanted = "strings" if name == TEXT else "strings or integers"
            raise MalformedInput("unexpected-column-type", column=name, expected=wanted, type=str(kind))


def _plain(table: pa.Table) -> pa.Table:
    """Returns the table with the types that an index uses. Missing values are refused, not replaced."""
    columns = {}
    for name in table.column_names:
        column = table[name]
        if column.null_count:
            kind = f"{column.null_count} missing values"
            raise MalformedInput("unexpected-column-type", column=name, expected="no missing values", type=kind)
        columns[name] = column.cast(pa.int64() if pa.types.is_integer(column.type) else pa.large_string())
    return pa.table(columns)


def _refuse_compression(body: bytes) -> None:
    """Raises an error if a message of the stream has compressed buffers."""
    messages = pa.ipc.MessageReader.open_stream(pa.py_buffer(body))
    for message in messages:
        if message.type in BATCHES:
            metadata = message.metadata.to_pybytes()
            header = _table_at(metadata, _field(metadata, _table_at(metadata, 0), HEADER))
            if message.type == BATCHES[1]:
                raise MalformedInput(
                    "unexpected-column-type", column=TEXT, expected="strings", type="a dictionary of values"
                )
            if _field(metadata, header, COMPRESSION):
                raise MalformedInput("arrow-compressed")


def _table_at(data: bytes, place: int) -> int:
    """Returns the place of the table to which an offset refers."""
    return place + int(struct.unpack_from("<I", data, place)[0])


def _field(data: bytes, table: int, number: int) -> int:
    """Returns the place of a field of a table; 0 if the table does not have it."""
    entries = table - int(struct.unpack_from("<i", data, table)[0])
    size = int(struct.unpack_from("<H", data, entries)[0])
    where = 4 + 2 * number
    offset = int(struct.unpack_from("<H", data, entries + where)[0]) if where < size else 0
    return table + offset if offset else 0
