"""Chooses the fastest implementation in the native module for this machine, or the one that LOOKALIKE_KERNEL names.

The environment variable is for tests and bug reports. It applies to the whole process and to all processes that it
starts. All implementations give the same results, bit for bit.
"""

from __future__ import annotations

import os

from lookalike.errors import InvalidOption
from lookalike.kernel import _native

VARIABLE = "LOOKALIKE_KERNEL"


def paths() -> list[str]:
    """Returns the names of the implementations that this machine can run, the fastest last."""
    return _native.paths()


def path() -> str:
    """Returns the name of the implementation in use."""
    return _native.path()


def force(path: str | None) -> None:
    """Switches to the implementation with this name; None restores the initial choice."""
    if path is None and (path := os.environ.get(VARIABLE) or None) is not None and path not in paths():
        raise InvalidOption("kernel-path-not-one-of", variable=VARIABLE, allowed=paths(), value=path)
    _native.force(path)


if os.environ.get(VARIABLE):
    force(None)  # at import, so that an invalid name is refused before any work is done
