"""Determines column types from JSON values, regardless of the order of values and of block boundaries.

A column of JSON Lines has the narrowest type that can represent all its values:

    null < boolean
    null < integer < float               integers that floats represent exactly
    null < integer < long                all 64-bit integers
    null < string
    null < list of …                     lists and objects are joined part by part
    null < object of …

If no type can represent all values (such as a number and a text), or if values are nested too deeply or have too many
keys, the column contains the JSON text of each value, so that nothing is lost.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from lookalike.flow.documents import TEXT

DEEPEST = 16
WIDEST = 256
"""The maximum number of keys of an object. Objects with more keys, and values nested deeper than DEEPEST, are kept as
JSON text."""

INT64 = range(-(2**63), 2**63)
EXACT = 2**53
"""The largest integer up to which floats represent every integer exactly."""


class HugeInteger(str):
    """The digits of an integer that has more digits than Python converts by default."""

    __slots__ = ()


@dataclass(frozen=True)
class Kind:
    """A column type. `name` is null, boolean, integer, long, float, string, list, object or json."""

    name: str
    element: Kind | None = None
    fields: dict[str, Kind] = field(default_factory=dict)

    def to_arrow(self) -> pa.DataType:
        if self.name == "list":
            assert self.element is not None
            return pa.large_list(self.element.to_arrow())
        if self.name == "object" and self.fields:
            return pa.struct([(name, kind.to_arrow()) for name, kind in self.fields.items()])
        return _ARROW[self.name]

    def convert(self, value: Any) -> Any:
        """Converts a parsed JSON value to a Python value for an Arrow array of this kind."""
        if value is None:
            return None
        if self.name == "list":
            assert self.element is not None
            return [self.element.convert(item) for item in value]
        if self.name == "object" and self.fields:
            return {name: kind.convert(value.get(name)) for name, kind in self.fields.items()}
        if self.name == "float":
            return float(value)
        if self.name in ("json", "object"):
            return json_text(value)
        return value


_ARROW = {
    "null": pa.null(),
    "boolean": pa.bool_(),
    "integer": pa.int64(),
    "long": pa.int64(),
    "float": pa.float64(),
    "string": TEXT,
    "json": TEXT,
    "object": TEXT,  # objects without any keys, because Parquet has no empty structs
}

NULL, BOOLEAN, INTEGER, LONG, FLOAT, STRING, JSON = (
    Kind(name) for name in ("null", "boolean", "integer", "long", "float", "string", "json")
)


def kind_of(value: Any, depth: int = 0) -> Kind:
    """Returns the kind of one parsed JSON value."""
    if value is None:
        return NULL
    if isinstance(value, bool):
        return BOOLEAN
    if isinstance(value, int):
        return INTEGER if abs(value) <= EXACT else LONG if value in INT64 else JSON
    if isinstance(value, float):
        return FLOAT
    if isinstance(value, HugeInteger):
        return JSON
    if isinstance(value, str):
        return STRING
    if depth >= DEEPEST or (isinstance(value, dict) and len(value) > WIDEST):
        return JSON
    if isinstance(value, dict):
        return Kind("object", fields={name: kind_of(item, depth + 1) for name, item in value.items()})
    element = NULL
    for item in value:
        element = join(element, kind_of(item, depth + 1))
    return Kind("list", element)


def join(a: Kind, b: Kind) -> Kind:
    """Returns the narrowest kind that can represent the values of both kinds."""
    if a == b or b.name == "null":
        return a
    if a.name == "null":
        return b
    if {a.name, b.name} == {"integer", "float"}:
        return FLOAT
    if {a.name, b.name} == {"integer", "long"}:
        return LONG
    if a.name == b.name == "list":
        assert a.element is not None
        assert b.element is not None
        return Kind("list", join(a.element, b.element))
    if a.name == b.name == "object":
        names = [*a.fields, *(name for name in b.fields if name not in a.fields)]
        if len(names) > WIDEST:
            return JSON
        return Kind("object", fields={name: join(a.fields.get(name, NULL), b.fields.get(name, NULL)) for name in names})
    return JSON


def json_text(value: Any) -> str:
    """Returns the value as JSON text, with huge integers as written in the input."""
    if isinstance(value, HugeInteger):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json_text(str(name))}: {json_text(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(json_text, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
