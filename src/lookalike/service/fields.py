"""Checks the members of JSON bodies and query strings against their declarations, and describes them for OpenAPI."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import NoneType
from typing import Any, get_args, get_origin

from lookalike.errors import InvalidOption
from lookalike.notices.naming import http
from lookalike.requests.option import Declared, complete

KINDS: dict[type[Any], tuple[str, str]] = {
    str: ("string", "a string"),
    bool: ("boolean", "true or false"),
    int: ("integer", "an integer"),
    float: ("number", "a number"),
    list: ("array", "an array"),
    dict: ("object", "an object"),
    NoneType: ("null", "null"),
}
"""The name of each JSON type in a schema, and in words."""

LARGEST = 2**53 - 1
"""The greatest row or size in a request: the greatest integer that all programs that read JSON represent exactly."""


def of_body(verb: str, fields: Mapping[str, Declared], given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the members of a body that were given, after checking their names and types. null counts as not given."""
    checked = complete(verb, fields, given)
    for name, value in checked.items():
        if value is not None and name in given:
            check_type(name, value, fields[name])
    return {name: value for name, value in checked.items() if name in given and value is not None}


def check_type(name: str, value: Any, field: Declared) -> None:
    """Raises an error if a value is not of a declared type."""
    if not _fits(value, field):
        raise InvalidOption("wrong-type", option=name, expected=expected(field), given=in_words(value))
    texts = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    if any(isinstance(text, str) and has_surrogate(text) for text in texts):
        raise InvalidOption("surrogate-in-option", option=name)


def _fits(value: Any, field: Declared) -> bool:
    if field.choices:
        return not isinstance(value, bool) and value in field.choices
    for kind in _types(field):
        plain = get_origin(kind) or kind
        if plain is float and isinstance(value, int | float) and not isinstance(value, bool):
            return True
        if plain in KINDS and isinstance(value, plain) and not (plain is int and isinstance(value, bool)):
            items = get_args(kind)
            return plain is not list or items[0] is Any or all(isinstance(item, items[0]) for item in value)
    return False


def _types(field: Declared) -> list[Any]:
    """Returns the declared types that JSON has. A type that is written as a string also accepts a name."""
    return [kind for kind in field.types if (get_origin(kind) or kind) in KINDS] or [str]


def has_surrogate(text: str) -> bool:
    """True if the text contains a lone surrogate, which JSON can express but no file can store."""
    if text.isascii():
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def expected(field: Declared) -> str:
    """Describes the types of a field in words."""
    words = [" or ".join(map(repr, field.choices))] if field.choices else []
    for kind in () if field.choices else _types(field):
        plain = get_origin(kind) or kind
        if plain is list and get_args(kind)[0] is str:
            words.append("an array of strings")
        elif plain in KINDS and plain is not NoneType:
            words.append(KINDS[plain][1])
    return " or ".join(words)


def in_words(value: Any) -> str:
    """Describes the type of a value, without the value: it may be a text."""
    return KINDS.get(type(value), ("", type(value).__name__))[1]


def of_query_string(verb: str, fields: Mapping[str, Declared], given: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Returns the options in a query string, converted to their declared types, with the defaults of the others."""
    values: dict[str, Any] = {}
    for name, value in given:
        if name in values:
            raise InvalidOption("not-in-query-string", option=name)
        values[name] = _converted(name, value, fields[name]) if name in fields else value
    checked = complete(verb, fields, values)
    for name, value in values.items():
        check_type(name, value, fields[name])
    return checked


def _converted(name: str, value: str, field: Declared) -> Any:
    if field.type is bool:
        return {"true": True, "false": False}.get(value, value)
    if int in field.types:
        try:
            number = int(value) if value.removeprefix("-").isdecimal() and value.isascii() and len(value) < 20 else None
        except ValueError:
            number = None
        if number is None:
            raise InvalidOption("wrong-type", option=name, expected=expected(field), given=in_words(value))
        return number
    if float in field.types:
        try:
            share = float(value) if value.isascii() and "_" not in value else math.nan
        except ValueError:
            share = math.nan
        if not math.isfinite(share):
            raise InvalidOption("wrong-type", option=name, expected=expected(field), given=in_words(value))
        return share
    return value


def schema(field: Declared) -> dict[str, Any]:
    """Returns the JSON schema of a field."""
    parts = [_schema_of(kind) for kind in _types(field)]
    if field.choices:
        parts = [{"enum": list(field.choices)}]
    made = parts[0] if len(parts) == 1 else {"anyOf": parts} if parts else {}
    described = {**made, "description": field.option.sentence(http)}
    default = field.option.default
    if isinstance(default, bool | int | float | str) and field.option.shown is None:
        described["default"] = default
    return described


def _schema_of(kind: Any) -> dict[str, Any]:
    plain = get_origin(kind) or kind
    made: dict[str, Any] = {"type": KINDS[plain][0]}
    if plain is list:
        (item,) = get_args(kind)
        made["items"] = {} if item is Any else _schema_of(item)
    return made


def object_schema(fields: Mapping[str, Declared], **refined: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the JSON schema of an object with these members. `refined` adds to the schemas of some of them."""
    members = {name: {**schema(field), **refined.get(name, {})} for name, field in fields.items()}
    members = {name: one if fields[name].required else _or_null(one) for name, one in members.items()}
    required = [name for name, field in fields.items() if field.required]
    made: dict[str, Any] = {"type": "object", "properties": members, "additionalProperties": False}
    return made | ({"required": required} if required else {})


def _or_null(described: dict[str, Any]) -> dict[str, Any]:
    """Returns the schema of a member for which null means that it is not given."""
    if "anyOf" in described:
        kinds = described["anyOf"]
        return described if {"type": "null"} in kinds else {**described, "anyOf": [*kinds, {"type": "null"}]}
    found = dict(described)
    if "enum" in found:
        found["enum"] = [*found["enum"], None]
    if isinstance(found.get("type"), str):
        found["type"] = [found["type"], "null"]
    return found


def parameters(fields: Mapping[str, Declared], **refined: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Describes the options of a query string for OpenAPI."""
    made = []
    for name, field in fields.items():
        described = {**schema(field), **refined.get(name, {})}
        text = described.pop("description")
        kinds = [one for one in described.pop("anyOf", []) if one["type"] != "null"]
        described |= kinds[0] if kinds else {}
        made.append({"name": name, "in": "query", "required": field.required, "description": text, "schema": described})
    return made
