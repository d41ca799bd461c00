"""Progress on standard error: a live line with rate and remaining time on a terminal, else one line per stage."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lookalike.flow.progress import Progress, silent


class Plain:
    """Progress for logs: prints one line per finished stage."""

    def __init__(self) -> None:
        self.stage, self.done, self.began = "", 0, 0.0

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        if stage != self.stage:
            self.finish()
            self.stage, self.began = stage, time.perf_counter()
        self.done = done

    def finish(self) -> None:
        """Prints the line of the current stage, if there is one."""
        if self.stage:
            much = f" {self.done:,}" if self.done else ""
            print(
                f"lookalike: {self.stage}{much}: {time.perf_counter() - self.began:.2f} s", file=sys.stderr, flush=True
            )
        self.stage, self.done = "", 0


class Live:
    """Progress for terminals: a line with stage, bar, count, rate and remaining time, which disappears at the end."""

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
        self.line = Progress(*columns, console=Console(stderr=True), transient=True)
        self._stage = ""
        self._task: Any = None

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        if stage != self._stage:
            if self._task is not None:
                self.line.remove_task(self._task)
            self._stage, self._task = stage, self.line.add_task(stage, total=total)
        self.line.update(self._task, completed=done, total=total)


@contextmanager
def progress(*, quiet: bool) -> Iterator[Progress]:
    """Yields the progress callback that suits standard error; progress is shown until the block ends."""
    if quiet:
        yield silent
    elif sys.stderr.isatty():
        live = Live()
        with live.line:
            yield live
    else:
        plain = Plain()
        yield plain
        plain.finish()
