"""The progress line of a terminal, which disappears at the end."""

from __future__ import annotations

import time

from rich.console import Console, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from lookalike.display.progress import Stage

WIDEST, NARROWEST = 24, 6
"""The maximum and minimum width of the bar. In a narrow terminal, counts are left out first, then the bar."""


class TerminalLine:
    """Draws the current stage, a bar and counts on the last line of the terminal, through standard error.

    Other output appears above this line.
    """

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._live = Live(console=self._console, transient=True, auto_refresh=False)

    def draw(self, stage: Stage) -> None:
        now = time.perf_counter()
        room = self._console.width - len(stage.name) - 3  # three spaces: two between columns, one at the end
        share, wordings = stage.share, stage.wordings(now)
        words = next((words for words in wordings if room - len(words) >= NARROWEST), wordings[-1])
        width = min(WIDEST, room - len(words))
        cells: list[RenderableType] = [Text(stage.name), Text(words, style="cyan")]
        if width >= NARROWEST:
            cells.insert(1, ProgressBar(1.0, share or 0.0, width=width, pulse=share is None, animation_time=now))
        line = Table.grid(padding=(0, 1))
        for _ in cells:
            line.add_column(no_wrap=True)
        line.add_row(*cells)
        self._live.start()  # does nothing if it has started
        self._live.update(line, refresh=True)

    def close(self) -> None:
        self._live.stop()
