"""Anything that holds documents → a `Source`; tables and kept rows → files, whole or not at all."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lookalike.io.kept_rows import check_kept_writable, write_kept
    from lookalike.io.open import Paths, open_source
    from lookalike.io.sinks import check_writable, names_inside, staged, write_table
    from lookalike.io.source import Batch, Source

_HOMES = {
    "Batch": "source",
    "Paths": "open",
    "Source": "source",
    "check_kept_writable": "kept_rows",
    "check_writable": "sinks",
    "names_inside": "sinks",
    "open_source": "open",
    "staged": "sinks",
    "write_kept": "kept_rows",
    "write_table": "sinks",
}

__all__ = [
    "Batch",
    "Paths",
    "Source",
    "check_kept_writable",
    "check_writable",
    "names_inside",
    "open_source",
    "staged",
    "write_kept",
    "write_table",
]


def __getattr__(name: str) -> Any:
    """Names are looked up when they are used: a run reads one format, and importing them all would take longer."""
    if name not in _HOMES:
        raise AttributeError(f"module 'lookalike.io' has no attribute {name!r}")
    return getattr(import_module(f"lookalike.io.{_HOMES[name]}"), name)
