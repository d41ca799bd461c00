"""The sentences, by code: one module per area, loaded when the first message is rendered.

An error's code belongs to one exception class, whose name is beside it; a warning's kind is "warning", and a notice
that is only ever part of another, such as the reason of an error, is a "detail".
"""

from __future__ import annotations

import functools
import pkgutil
from importlib import import_module
from typing import NamedTuple


class Message(NamedTuple):
    """One code: its exception class by name, "warning" or "detail", and its template (see `rendering.py`)."""

    kind: str
    text: str


@functools.cache
def catalogue() -> dict[str, Message]:
    """All messages by code."""
    found: dict[str, Message] = {}
    for area in areas():
        messages: dict[str, Message] = import_module(f"{__name__}.{area}").MESSAGES
        repeated = found.keys() & messages.keys()
        assert not repeated, f"two messages have the code {min(repeated)!r}"
        found |= messages
    return found


def areas() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def message(code: str) -> Message:
    return catalogue()[code]
