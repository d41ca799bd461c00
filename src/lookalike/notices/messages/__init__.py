"""The sentences of all messages, by code. There is one module per area; all are loaded with the first message.

Each code has a kind. For an error, it is the name of its exception class; for a warning, "warning"; for a notice that
only occurs as part of another one, such as the reason of an error, "detail".
"""

from __future__ import annotations

import functools
import pkgutil
from importlib import import_module
from typing import NamedTuple


class Message(NamedTuple):
    """A message: its kind (an exception class by name, "warning" or "detail") and its template (see `rendering.py`)."""

    kind: str
    text: str


@functools.cache
def catalogue() -> dict[str, Message]:
    """Returns all messages by code."""
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
