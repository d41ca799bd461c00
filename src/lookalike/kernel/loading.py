"""Loads the native module, or a stand-in if that fails, so that the reference engine works without native code.

Every use of the stand-in raises an error that tells why the native module could not be loaded.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from lookalike.errors import LookalikeError

NAME = "lookalike.kernel._native"


class Missing(ModuleType):
    """Takes the place of the native module. `reason` is the error of the import."""

    reason: str

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # Python itself asks for these
            raise AttributeError(name)
        raise LookalikeError("native-module-not-loaded", reason=self.reason)


def _load() -> ModuleType:
    try:
        return import_module(NAME)
    except ImportError as error:
        missing = sys.modules[NAME] = Missing(NAME)
        missing.reason = " ".join(str(error).split())
        return missing


_module = _load()


def why_not_loaded() -> str | None:
    """The reason why the native module could not be loaded; None if it was loaded."""
    return _module.reason if isinstance(_module, Missing) else None
