"""Nested columns: `payload.text` is the field `text` of the column `payload`, unless a column has exactly that name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from lookalike.io.source import Batch, Source


def path_of(name: str, level: Any) -> tuple[str, ...] | None:
    """Returns the keys that lead to a name in a row, a schema or a struct type; None if the name is not found.

    Keys may contain dots, so a name can have several paths. The path with the longest first key is used.

    >>> path_of("payload.text", {"id": 1, "payload": {"text": "a"}}), path_of("p.a.b", {"p": {"a.b": "c"}})
    (('payload', 'text'), ('p', 'a.b'))
    """
    for first, rest in _splits(name):
        inside = _inside(level, first)
        if inside is _NOTHING:
            continue
        if not rest:
            return (first,)
        if (inner := path_of(rest, inside)) is not None:
            return first, *inner
    return None


_NOTHING = object()


def _splits(name: str) -> Iterator[tuple[str, str]]:
    """Yields each way to split a name at a dot into a first key and the remaining name, longest first key first."""
    yield name, ""
    at = len(name)
    while (at := name.rfind(".", 0, at)) >= 0:
        if rest := name[at + 1 :]:
            yield name[:at], rest


def _inside(level: Any, key: str) -> Any:
    """Returns the value of a key in a row, or the type of a field in a schema or struct type; `_NOTHING` if missing."""
    if isinstance(level, Mapping):
        return level.get(key, _NOTHING)
    if isinstance(level, pa.Schema):
        return level.field(level.names.index(key)).type if key in level.names else _NOTHING
    if isinstance(level, pa.StructType) and level.get_field_index(key) >= 0:
        return level.field(key).type
    return _NOTHING


def field_at(schema: pa.Schema, name: str) -> pa.Field | None:
    """Returns the field with this name, which may be nested; None if there is none."""
    path = path_of(name, schema)
    if path is None:
        return None
    field = schema.field(schema.names.index(path[0]))
    for step in path[1:]:
        field = field.type.field(step)
    return field


def array_at(batch: pa.RecordBatch, name: str) -> pa.Array:
    """Returns the column with this name, which may be nested and must exist. A field of a missing value is missing."""
    first, *inner = path_of(name, batch.schema) or (name,)
    array = batch.column(first)
    for step in inner:
        array = array.flatten()[array.type.get_field_index(step)]
    return array


def has_column(source: Source, name: str) -> bool:
    """True if the source has a column with this name, which may be nested."""
    return _column_with(source, name) is not None


def read_columns(source: Source, names: Sequence[str], stop: int | None = None) -> Iterator[Batch]:
    """Reads columns of a source, up to row `stop`. Columns may be nested and must exist."""
    stored = dict.fromkeys(_column_with(source, name) or name for name in names)
    for batch in source.read([*stored], 0, stop):
        yield Batch(batch.start, pa.record_batch([array_at(batch.data, name) for name in names], list(names)))


def _column_with(source: Source, name: str) -> str | None:
    """Returns the column with this name, or the column that contains a field with this name; None if there is none."""
    for first, rest in _splits(name):
        if first in source.columns:
            head = next(iter(source.read([first], 0, 1)), None) if rest else None
            if head is None or path_of(name, head.data.schema) is not None:
                return first
    return None


def value_at(row: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    """Returns the value at a path in nested dictionaries; None if there is none."""
    value: Any = row
    for step in path:
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


def names_in(schema: pa.Schema) -> list[str]:
    """Returns the names of all columns for messages. A nested column is replaced by its fields."""
    return [name for field in schema for name in _names(field.name, field.type)]


def names_of(row: Mapping[str, Any], prefix: str = "") -> list[str]:
    """Returns the names of the values of a row, with nested values as in `names_in`."""
    names = []
    for key, value in row.items():
        inner = isinstance(value, Mapping) and value
        names += names_of(value, f"{prefix}{key}.") if inner else [f"{prefix}{key}"]
    return names


def _names(name: str, kind: pa.DataType) -> list[str]:
    if not pa.types.is_struct(kind):
        return [name]
    return [inner for field in kind for inner in _names(f"{name}.{field.name}", field.type)]
