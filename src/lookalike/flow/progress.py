"""Progress reports: the type of a progress callback, and a callback that ignores all reports."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int | None], None]
"""A callback, called as `progress(stage, done, total)`; `total` is None while it is unknown."""


def silent(stage: str, done: int, total: int | None) -> None:
    """Ignores a progress report."""
