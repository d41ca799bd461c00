"""Loads the native module, or a stand-in if that fails, so that the reference engine works without native code.

Every use of the stand-in raises an error that explains why the native module could not be loaded.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from lookalike.errors import LookalikeError

NAME = "lookalike.kernel._native"


class Missing(ModuleType):
    """Stand-in for the native module if it cannot be imported. `reason` is the message of the import error."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(name)
        self.reason = reason

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # attributes that Python itself looks up
            raise AttributeError(name)
        raise LookalikeError("native-module-not-loaded", reason=self.reason)


why_not_loaded: str | None = None
"""The reason why the native module could not be loaded; None if it was loaded."""

try:
    import_module(NAME)
except ImportError as error:
    why_not_loaded = " ".join(str(error).split())
    sys.modules[NAME] = Missing(NAME, why_not_loaded)
