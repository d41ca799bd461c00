"""Parses one line of JSON and checks its values. Raises Broken, with the reason, if the line is malformed."""

from __future__ import annotations

import json
import re
from typing import Any

from lookalike.io.formats.json_types import HugeInteger
from lookalike.io.misread import not_in_utf8
from lookalike.notices import Notice

DEEPEST = 200
"""The maximum depth of nested values. The limits of parsers differ and depend on the stack, so we set our own."""

_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"')


class Broken(Exception):
    """Raised, with the reason, for a value or a line that cannot be used."""

    def __init__(self, reason: Notice) -> None:
        super().__init__(reason)
        self.reason = reason


def parse(line: bytes) -> dict[str, Any] | None:
    """Returns the JSON object on a line; None for a blank line. Raises Broken for a malformed line."""
    if not line.strip(b" \t\r\n"):
        return None
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        raise Broken(not_in_utf8(error)) from None
    if line.count(b"{") + line.count(b"[") > DEEPEST and _depth(text) > DEEPEST:
        raise Broken(Notice("nested-too-deeply", levels=DEEPEST))
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        reason = error.msg.removesuffix(" at")  # the JSON parser's message
        column = min(error.pos, len(text.rstrip())) + 1  # colno starts again after the line break
        raise Broken(Notice("not-json", reason=reason, column=column, advice=_advice(text))) from None
    except RecursionError:
        raise Broken(Notice("nested-too-deeply", levels=DEEPEST)) from None
    except ValueError:  # an integer with more than 4,300 digits
        value = json.loads(text, parse_int=_integer)
    if not isinstance(value, dict):
        raise Broken(Notice("not-an-object", got=_kind(value), advice=_advice(text)))
    return value


def text_of(value: Any) -> str:
    """Returns a value if it is a text; raises Broken for other values."""
    if not isinstance(value, str) or isinstance(value, HugeInteger):
        raise Broken(Notice("not-text", got=_kind(value)))
    return _unicode(value)


def tokens_of(value: Any) -> list[str | None]:
    """Returns a list of tokens as texts, with integers in decimal; raises Broken if it contains other values."""
    if not isinstance(value, list):
        raise Broken(Notice("not-a-token-list", got=_kind(value)))
    tokens: list[str | None] = []
    for token in value:
        if token is None or isinstance(token, str):
            tokens.append(token if token is None else _unicode(str(token)))
        elif isinstance(token, int) and not isinstance(token, bool):
            tokens.append(str(token))
        else:
            raise Broken(Notice("not-a-token", got=_kind(token)))
    return tokens


def item_of(value: Any) -> str:
    """Returns an item as a text, with integers in decimal; raises Broken if the value is not a text or an integer."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise Broken(Notice("not-one-item", got=_kind(value)))
    return _unicode(str(value))


def scrub(values: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """Replaces lone surrogates in the values by U+FFFD. The second value is True if there were any."""
    replaced = False

    def clean(value: Any) -> Any:
        nonlocal replaced
        if isinstance(value, str) and not isinstance(value, HugeInteger):
            try:
                value.encode()
            except UnicodeEncodeError:
                replaced = True
                return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            return value
        if isinstance(value, list):
            return [clean(item) for item in value]
        if isinstance(value, dict):
            return {clean(name): clean(item) for name, item in value.items()}
        return value

    return clean(values), replaced


def _unicode(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise Broken(lone_surrogate(error)) from None
    return text


def lone_surrogate(error: UnicodeEncodeError) -> Notice:
    return Notice("surrogate", character=f"\\u{ord(error.object[error.start]):04x}")


def _integer(digits: str) -> int | HugeInteger:
    return int(digits) if len(digits) <= 1000 else HugeInteger(digits)


def _depth(text: str) -> int:
    deepest = depth = 0
    for character in _STRINGS.sub("", text):
        if character in "{[":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "}]":
            depth -= 1
    return deepest


def _kind(value: Any) -> str:
    """Describes a value for messages: numbers, null, true and false as written, other values by their type."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, HugeInteger):
        return "a number"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, str):
        return "a text"
    if isinstance(value, bytes | bytearray):
        return "bytes (use .decode())"
    return "a list" if isinstance(value, list) else "an object"


def _advice(text: str) -> Notice | None:
    if text.lstrip()[:1] == "[":
        return Notice("json-array-advice")
    return Notice("json-object-advice") if text.strip() == "{" else None
