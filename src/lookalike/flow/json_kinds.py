"""Checks the types of values that were read from JSON files, which may have been damaged or crafted."""

from __future__ import annotations

from types import UnionType
from typing import Any, get_args, get_origin

LARGEST = 2**63 - 1
"""The largest integer that is accepted, because arrays have 64-bit integers."""


def fits(value: Any, kind: Any) -> bool:
    """True if a JSON value is of a kind such as `int`, `str | None`, `list[str]` or `dict[str, float]`.

    An `int` is a count, which fits into 64 bits. A `float` may be written as an integer. Booleans are not numbers.
    """
    if isinstance(kind, UnionType):
        return any(fits(value, one) for one in get_args(kind))
    inner = get_args(kind)
    if get_origin(kind) is list:
        return isinstance(value, list) and all(fits(one, inner[0]) for one in value)
    if get_origin(kind) is dict:
        return isinstance(value, dict) and all(fits(one, inner[1]) for one in value.values())
    if kind is int:
        return type(value) is int and 0 <= value <= LARGEST
    if kind is float:
        return isinstance(value, float) or (type(value) is int and abs(value) <= 2**53)
    return kind is Any or isinstance(value, kind)
