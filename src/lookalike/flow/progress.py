"""Progress reports: the type of a progress callback, a callback that ignores all reports, and estimated totals."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int | None], None]
"""A callback, called as `progress(stage, done, total)`; `total` is None while it is unknown."""


class About(int):
    """A total that is an estimate."""

    @classmethod
    def at_least(cls, done: int, estimate: int) -> About:
        """Returns the estimate, or `done` if that is greater."""
        return cls(max(done, estimate))


def callback(progress: bool | Progress | None) -> Progress:
    """Returns the option `progress` as a callback. The decorator `verb` ensures that it is one."""
    assert callable(progress)
    return progress


def silent(stage: str, done: int, total: int | None) -> None:
    """Ignores a progress report."""
