"""The progress line of a terminal, which disappears at the end."""

from __future__ import annotations

import time

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from lookalike.display.progress import Stage


class TerminalLine:
    """Draws stage, bar and counts in the last line of standard error. What is printed meanwhile appears above it."""

    def __init__(self) -> None:
        self._live = Live(console=Console(stderr=True), transient=True, auto_refresh=False)

    def draw(self, stage: Stage) -> None:
        now = time.perf_counter()
        line = Table.grid(padding=(0, 1))
        for _ in range(3):
            line.add_column(no_wrap=True)
        share = stage.share
        bar = ProgressBar(1.0, share or 0.0, width=24, pulse=share is None, animation_time=now)
        line.add_row(Text(stage.name), bar, Text(stage.words(now), style="cyan"))
        self._live.start()  # does nothing if it has started
        self._live.update(line, refresh=True)

    def close(self) -> None:
        self._live.stop()
