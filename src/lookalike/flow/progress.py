"""Progress reports: the type of a progress callback, a callback that ignores all reports, and estimated totals."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int | None], None]
"""A callback, called as `progress(stage, done, total)`; `total` is None while it is unknown."""


class About(int):
    """A total that is an estimate."""

    @classmethod
    def at_least(cls, done: int, estimate: int) -> About:
        """The estimate, or the number that is already done if that is greater."""
        return cls(max(done, estimate))


def callback(progress: bool | Progress | None) -> Progress:
    """The value of the option `progress` within a verb. The decorator `verb` ensures that it is a callback."""
    assert callable(progress)
    return progress


def silent(stage: str, done: int, total: int | None) -> None:
    """Ignores a progress report."""
