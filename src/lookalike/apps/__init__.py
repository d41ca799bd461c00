"""The lecture notes' applications: tools made of what the rest of lookalike offers, each a folder of its own.

`la.apps.NAME` imports one of them when it is used.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("_") or find_spec(f"{__name__}.{name}") is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")
