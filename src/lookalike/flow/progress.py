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


class Steps(int):
    """A total of steps of a native loop. They are no documents, so only their share is shown."""


native_steps: Callable[[], tuple[int, int]] | None = None
"""The function that `steps` calls. The kernel sets it when it is loaded."""


def steps() -> tuple[int, int]:
    """Returns the steps of the native loop that another thread is running, done and in all; (0, 0) if there is none."""
    return (0, 0) if native_steps is None else native_steps()


def callback(progress: bool | Progress | None) -> Progress:
    """Returns the option `progress` as a callback. The decorator `verb` ensures that it is one."""
    assert callable(progress)
    return progress


def silent(stage: str, done: int, total: int | None) -> None:
    """Ignores a progress report."""
