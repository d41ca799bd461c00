"""Nested columns: `payload.text` is the field `text` of the column `payload`, unless a column has that very name."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import pyarrow as pa

from lookalike.io.source import Batch, Source


def path_of(name: str, columns: Collection[str]) -> tuple[str, ...]:
    """The column and the fields within it that a name stands for.

    >>> path_of("payload.text", ["id", "payload"]), path_of("payload.text", ["payload.text"])
    (('payload', 'text'), ('payload.text',))
    """
    parts = name.split(".")
    if name not in columns:
        for end in range(1, len(parts)):
            if (top := ".".join(parts[:end])) in columns:
                return top, *parts[end:]
    return (name,)


def field_at(schema: pa.Schema, name: str) -> pa.Field | None:
    """The field with this name, which may be nested; None if there is none."""
    first, *inner = path_of(name, schema.names)
    if first not in schema.names:
        return None
    field = schema.field(schema.names.index(first))
    for step in inner:
        if not pa.types.is_struct(field.type) or field.type.get_field_index(step) < 0:
            return None
        field = field.type.field(step)
    return field


def array_at(batch: pa.RecordBatch, name: str) -> pa.Array:
    """The column with this name, which may be nested. A field of a missing value is missing."""
    first, *inner = path_of(name, batch.schema.names)
    array = batch.column(first)
    for step in inner:
        array = array.flatten()[array.type.get_field_index(step)]
    return array


def has_column(source: Source, name: str) -> bool:
    """True if the source has a column of this name, which may be nested."""
    first, *inner = path_of(name, source.columns)
    if not inner or first not in source.columns:
        return first in source.columns
    head = next(iter(source.read([first], 0, 1)), None)
    return head is None or field_at(head.data.schema, name) is not None


def read_column(source: Source, name: str) -> Iterator[Batch]:
    """Reads one column of a source, which may be nested."""
    for batch in source.read([path_of(name, source.columns)[0]]):
        yield Batch(batch.start, pa.record_batch([array_at(batch.data, name)], [name]))


def value_at(row: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    """The value at a path in nested dictionaries; None if there is none."""
    value: Any = row
    for step in path:
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


def names_in(schema: pa.Schema) -> list[str]:
    """The names of all columns for messages. Instead of a nested column, its fields are named."""
    return [name for field in schema for name in _names(field.name, field.type)]


def names_of(row: Mapping[str, Any], prefix: str = "") -> list[str]:
    """The names of the values of a row, like `names_in`."""
    names = []
    for key, value in row.items():
        inner = isinstance(value, Mapping) and value
        names += names_of(value, f"{prefix}{key}.") if inner else [f"{prefix}{key}"]
    return names


def _names(name: str, kind: pa.DataType) -> list[str]:
    if not pa.types.is_struct(kind):
        return [name]
    return [inner for field in kind for inner in _names(f"{name}.{field.name}", field.type)]
