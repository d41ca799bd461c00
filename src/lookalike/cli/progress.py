"""Progress on standard error: a live line with rate and remaining time on a terminal, else one line per stage."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any


class Plain:
    """One line per finished stage, for logs."""

    def __init__(self) -> None:
        self.stage, self.done, self.began = "", 0, 0.0

    def __enter__(self) -> Plain:
        return self

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        if stage != self.stage:
            self._finish()
            self.stage, self.began = stage, time.perf_counter()
        self.done = done

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is None:
            self._finish()

    def _finish(self) -> None:
        if self.stage:
            much = f" {self.done:,}" if self.done else ""
            print(
                f"lookalike: {self.stage}{much}: {time.perf_counter() - self.began:.2f} s", file=sys.stderr, flush=True
            )
        self.stage, self.done = "", 0


class Live:
    """A live line: stage, bar, count, rate and remaining time. It disappears when the work is done."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, TextColumn, TimeRemainingColumn
        from rich.text import Text

        class Amount(ProgressColumn):
            def render(self, task: Any) -> Text:
                if not task.completed:
                    return Text("")
                of = f" of {int(task.total):,}" if task.total else ""
                rate = f"  {task.speed:,.0f}/s" if task.speed else ""
                return Text(f"{int(task.completed):,}{of}{rate}", style="cyan")

        class Left(TimeRemainingColumn):
            def render(self, task: Any) -> Text:
                return Text("") if not task.total else Text("left ", style="dim") + super().render(task)

        columns = [SpinnerColumn(), TextColumn("{task.description}"), BarColumn(bar_width=28), Amount(), Left()]
        self._live = Progress(*columns, console=Console(stderr=True), transient=True)
        self._stage = ""
        self._task: Any = None

    def __enter__(self) -> Live:
        self._live.start()
        return self

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        if stage != self._stage:
            if self._task is not None:
                self._live.remove_task(self._task)
            self._stage, self._task = stage, self._live.add_task(stage, total=total)
        self._live.update(self._task, completed=done, total=total)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._live.stop()


class Silent:
    """No progress."""

    def __enter__(self) -> Silent:
        return self

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        pass


def progress(*, quiet: bool) -> Plain | Live | Silent:
    """The kind of progress for standard error."""
    if quiet:
        return Silent()
    return Live() if sys.stderr.isatty() else Plain()
