"""Checks the description of a saved result while the result is restored, because its files may be damaged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lookalike.flow.json_kinds import LARGEST, fits
from lookalike.notices import Notice

MOST_ROWS = LARGEST
"""The maximum number of rows, because row numbers are 64-bit integers."""


class Damage(Exception):
    """Raised if a saved result is damaged. The caller, which knows the path, turns this into an error for the user."""

    def __init__(self, reason: Notice | str) -> None:
        self.reason = reason
        super().__init__(reason)


class Described(dict[str, Any]):
    """An object in summary.json. Looking up a missing entry raises `Damage`."""

    def __missing__(self, name: str) -> Any:
        raise Damage(Notice("summary-lacks-entry", name=name))


def entry(of: Mapping[str, Any], name: str, *kinds: type) -> Any:
    """Returns an entry of summary.json, which must have one of these types. Booleans do not count as numbers."""
    value = of[name]
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise Damage(Notice("entry-not-as-saved", name=name, value=value))
    return value


def count(of: Mapping[str, Any], name: str, most: int = MOST_ROWS) -> int:
    """Returns an entry of summary.json that must be a whole number from 0 to `most`."""
    value: int = entry(of, name, int)
    if not 0 <= value <= most:
        raise Damage(Notice("entry-not-as-saved", name=name, value=value))
    return value


def checked(of: Mapping[str, Any], /, **kinds: Any) -> dict[str, Any]:
    """Returns entries of summary.json by name, each of which must be of the given kind (see `fits`)."""
    for name, kind in kinds.items():
        if not fits(of[name], kind):
            raise Damage(Notice("entry-not-as-saved", name=name, value=of[name]))
    return {name: of[name] for name in kinds}
