"""Variants of JSON files in which one entry is replaced by another value."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

VALUES: tuple[Any, ...] = (None, -1, "x", 2**70, [], 2**62, {})
"""The values that replace entries. Each entry is replaced by three of them in turn."""


def crafted(of: Any) -> Iterator[tuple[tuple[Any, ...], Any, Any]]:
    """Yields variants of a JSON value: the path of the replaced entry, its new value, and the variant."""
    for number, path in enumerate(entries(of)):
        for value in (VALUES[(number + step) % len(VALUES)] for step in (0, 2, 3)):
            yield path, value, replaced(of, path, value)


def entries(of: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every entry of a JSON value."""
    items = of.items() if isinstance(of, dict) else enumerate(of[:2]) if isinstance(of, list) else ()
    for name, value in items:
        yield (*path, name)
        yield from entries(value, (*path, name))


def replaced(of: Any, path: tuple[Any, ...], value: Any) -> Any:
    changed = copy.deepcopy(of)
    inner = changed
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    return changed
