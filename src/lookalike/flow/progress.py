"""Progress reports: the type of the function that receives them, and one that ignores them."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int | None], None]
"""Called as progress(stage, done, total); total is None while it is unknown."""


def silent(stage: str, done: int, total: int | None) -> None:
    """Ignore a progress report."""
