"""Messages as values: a notice is a code with values, which is rendered as a sentence when someone reads it.

    Notice("duplicate-ids", repeated=3, rows=13)

The program compares codes and values, and never parses sentences. The sentences are in `messages/`, one file per area,
and `rendering.py` is the only module that fills them in. An option is named as the reader writes it: `--id` on the
command line, `id=` in Python, `"id"` over HTTP (`naming.py`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lookalike.notices.readable import printable

if TYPE_CHECKING:
    from lookalike.notices.naming import Naming

__all__ = ["Notice"]

LONGEST_REPR = 200
"""The maximum length of an object's repr in a notice, in characters."""

LONGEST_INTEGER = 1000
"""The maximum size of an integer in a notice, in bits, because Python refuses to print integers of many thousand
digits.
"""

DEEPEST = 3
"""The maximum depth of nested lists in a notice, because a list may even contain itself."""


class Shown(str):
    """The repr of an object that a notice cannot contain. It is shown without quotation marks."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True, init=False)
class Notice:
    """A message as a code and its values. `str()` renders it with options named as in Python."""

    code: str
    values: Mapping[str, Any]

    def __init__(self, code: str, /, **values: Any) -> None:
        object.__setattr__(self, "code", code)
        object.__setattr__(self, "values", {name: _plain(value) for name, value in values.items()})

    def __hash__(self) -> int:
        return hash((self.code, frozenset(self.values.items())))

    def __str__(self) -> str:
        return self.render()

    def render(self, naming: Naming | None = None) -> str:
        """Returns the sentence, with options named for one kind of reader (default: Python)."""
        from lookalike.notices.rendering import render  # the sentences are loaded when they are first needed

        try:
            return render(self, naming)
        except (LookupError, TypeError, ValueError):  # loaded from a file of a newer version with other messages
            return f"{self.code} {dict(self.values)}"

    def to_dict(self) -> dict[str, Any]:
        """Returns the notice in JSON types; `from_dict` is the inverse."""
        return {"code": self.code, "values": {name: _to_json(value) for name, value in self.values.items()}}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Notice:
        return cls(data["code"], **{name: _from_json(value) for name, value in data["values"].items()})

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.code, dict(self.values))


def _rebuild(code: str, values: dict[str, Any]) -> Notice:
    return Notice(code, **values)


def _plain(value: Any, depth: int = 0) -> Any:
    """Converts a value to types that can be pickled and written as JSON. Other objects are replaced by their repr."""
    if type(value).__module__ == "numpy" and getattr(value, "shape", None) == ():
        value = value.item()  # a NumPy scalar as a Python value
    if value is None or isinstance(value, bool | Notice | Shown):
        return value
    if isinstance(value, str):
        return printable(value)
    if type(value) is float:
        return value
    if type(value) is int:
        return value if value.bit_length() <= LONGEST_INTEGER else Shown(f"an integer of {value.bit_length():,} bits")
    if isinstance(value, list | tuple | set | frozenset) and depth < DEEPEST:
        items = sorted(value, key=repr) if isinstance(value, set | frozenset) else value
        return tuple(_plain(item, depth + 1) for item in items)
    if isinstance(value, os.PathLike):
        return printable(os.fsdecode(value))
    return _shown(value)


def _shown(value: object) -> Shown:
    """Returns the repr of a value, shortened, or the name of its type if `repr` fails."""
    try:
        text = repr(value)
    except Exception:
        text = f"<{type(value).__name__}>"
    return Shown(text if len(text) <= LONGEST_REPR else text[: LONGEST_REPR - 1] + "…")


def _to_json(value: Any) -> Any:
    if isinstance(value, Notice):
        return {"notice": value.to_dict()}
    if isinstance(value, Shown):
        return {"shown": str(value)}
    return [_to_json(item) for item in value] if isinstance(value, tuple) else value


def _from_json(value: Any) -> Any:
    if isinstance(value, dict):
        return Notice.from_dict(value["notice"]) if "notice" in value else Shown(value["shown"])
    return tuple(_from_json(item) for item in value) if isinstance(value, list) else value
