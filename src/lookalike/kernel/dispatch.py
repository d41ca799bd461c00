"""Which implementation of the kernel is used: the fastest that the machine has, or the one that LOOKALIKE_KERNEL names.

The variable is a means for tests and bug reports: it makes a whole run take one path, with all processes that the run
starts. No answer depends on it, since all paths give the same, bit for bit.
"""

from __future__ import annotations

import os

from lookalike.errors import InvalidOption
from lookalike.kernel import _native

VARIABLE = "LOOKALIKE_KERNEL"


def paths() -> list[str]:
    """The implementations that this machine can run, the fastest last. All give the same answers."""
    return _native.paths()


def path() -> str:
    """The one of them that is in use."""
    return _native.path()


def force(path: str | None) -> None:
    """Uses one of `paths` from now on, or the one that the program started with again (None)."""
    _native.force(path if path is not None else _asked_for())


def _asked_for() -> str | None:
    """The path that the environment asks for. An empty variable asks for nothing."""
    name = os.environ.get(VARIABLE) or None
    if name is not None and name not in paths():
        raise InvalidOption(f"{VARIABLE} must be empty or one of {', '.join(paths())} on this machine, got '{name}'")
    return name


force(None)  # when the kernel is imported, so that a path that is not there is refused before any work
