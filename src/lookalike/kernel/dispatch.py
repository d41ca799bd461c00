"""Chooses the implementation of the native module: the fastest for the machine, or the one named in LOOKALIKE_KERNEL.

The variable is for tests and bug reports: it applies to the whole run and all processes that it starts. No answer
depends on it, since all implementations give the same results, bit for bit.
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
    """The implementation in use."""
    return _native.path()


def force(path: str | None) -> None:
    """Uses one of `paths` from now on; None restores the initial one."""
    _native.force(path if path is not None else _asked_for())


def _asked_for() -> str | None:
    """The path named in the environment; None if the variable is empty."""
    name = os.environ.get(VARIABLE) or None
    if name is not None and name not in paths():
        raise InvalidOption("kernel-path-not-one-of", variable=VARIABLE, allowed=paths(), value=name)
    return name


force(None)  # at import, so that a missing path is refused before any work
