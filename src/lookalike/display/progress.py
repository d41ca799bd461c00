"""Shows the progress of a run where someone can see it, and logs its stages.

verb ──progress(stage, done, total)──▶ Watched ──▶ Live ──▶ a line in a terminal, or a bar in a notebook
                                          └──────▶ logging, under the name `lookalike`
"""

from __future__ import annotations

import contextvars
import logging
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from lookalike.errors import InvalidOption, LookalikeWarning
from lookalike.flow import progress as native
from lookalike.flow.progress import About, Progress, Steps

LOG = logging.getLogger("lookalike")
LOG.addHandler(logging.NullHandler())  # otherwise Python prints warnings if a program does not use logging

PATIENCE = 0.5
"""Seconds before progress is shown: a short run shows none."""

INTERVAL = 0.2
"""Seconds between two updates of the display."""

_one_at_a_time = threading.Lock()
"""Held while progress is shown: two lines in one terminal would overwrite each other."""


@dataclass(frozen=True)
class Stage:
    """The state of the current stage."""

    name: str
    done: int
    total: int | None
    began: float
    """The value of `time.perf_counter` at the start of the stage."""
    run_began: float | None = None
    """The same for the start of the run; None if this is its first stage."""
    run_ends: float | None = None
    """The same for the expected end of the run; None unless the run was forecast."""

    @property
    def share(self) -> float | None:
        """The completed share of the stage, from 0 to 1; None if the total is unknown."""
        return min(1.0, self.done / self.total) if self.total else None

    def words(self, now: float) -> str:
        """Returns the percentage, counts, rate, and the remaining time, or the elapsed time if the total is unknown.

        The time that is left is that of the stage: later stages depend on what is found. It is followed by the time of
        the whole run, so far or, if the run was forecast, until its end.

        >>> Stage("sign", 250, About(1000), 0.0).words(now=10.0)
        '25%, 250 of about 1,000, 25/s, 0:30 left in this stage'
        >>> Stage("sign", 250, 1000, 0.0, run_ends=70.0).words(now=10.0)
        '25%, 250 of 1,000, 25/s, 0:30 left in this stage, about 1:00 in all'
        >>> Stage("verify", 30, Steps(100), 0.0).words(now=10.0)
        '30%, 0:23 left in this stage'
        >>> Stage("verify", 0, None, 60.0, run_began=0.0).words(now=70.0)
        '0:10, 1:10 in all so far'
        """
        return self.wordings(now)[0]

    def wordings(self, now: float) -> list[str]:
        """Returns the words in full, without counts and rate, and with the time of the stage alone.

        >>> Stage("sign", 250, 1000, 0.0, run_ends=70.0).wordings(now=10.0)[1:]
        ['25%, 0:30 left in this stage, about 1:00 in all', '25%, 0:30 left']
        """
        spent = now - self.began
        rate = self.done / spent if spent > 0.001 else 0.0
        share, counts, left = [], [], duration(spent)
        if self.done and self.total and self.share is not None:
            total = f"about {_round(self.total):,}" if isinstance(self.total, About) else f"{self.total:,}"
            share, counts = [f"{int(100 * self.share)}%"], [f"{self.done:,} of {total}"]
            left = f"{duration((self.total - self.done) / rate)} left" if rate else left
        elif self.done:
            share = [f"{self.done:,}"]
        counts += [f"{rate:,.0f}/s"] if rate >= 1 else []
        if isinstance(self.total, Steps):
            counts = []
        stage, run = f"{left} in this stage" if left.endswith("left") else left, self._words_of_run(now)
        return [", ".join(words) for words in ([*share, *counts, stage, *run], [*share, stage, *run], [*share, left])]

    def _words_of_run(self, now: float) -> list[str]:
        if self.run_ends is not None and self.run_ends > now:
            return [f"about {duration(self.run_ends - now)} in all"]
        if self.run_began is not None and self.began - self.run_began >= 1:
            return [f"{duration(now - self.run_began)} in all so far"]
        return []


def _round(count: int) -> int:
    """Rounds a count to three significant figures."""
    unit = 10 ** max(0, len(str(count)) - 3)
    return int(round(count / unit) * unit)


def duration(seconds: float) -> str:
    """Formats a duration as 0:07, 12:34 or 1:02:03."""
    minutes, rest = divmod(max(0, round(seconds)), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}" if minutes >= 60 else f"{minutes}:{rest:02}"


class Screen(Protocol):
    """A display of the current stage, such as a line in a terminal. Closing it removes what was drawn."""

    def draw(self, stage: Stage) -> None: ...

    def close(self) -> None: ...


class Live:
    """Draws the current stage a few times per second.

    It uses a thread, because some stages are one long native call.
    """

    def __init__(self, open_screen: Callable[[], Screen]) -> None:
        self._open = open_screen
        self._stage: Stage | None = None
        self._loop = 0, 0.0
        """The steps of the native loop that is running, and when it was first seen: the rate is that of the loop."""
        self._ended = threading.Event()
        context = contextvars.copy_context()  # with it, a notebook knows to which cell a message belongs
        self._thread = threading.Thread(target=context.run, args=(self._run,), name="progress", daemon=True)
        self._thread.start()

    def show(self, stage: Stage) -> None:
        self._stage = stage

    def close(self) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        if self._ended.wait(PATIENCE):
            return
        screen = self._open()
        try:
            while not self._ended.wait(INTERVAL):
                if self._stage is not None:
                    screen.draw(self._within_native_call(self._stage))
        finally:
            screen.close()

    def _within_native_call(self, stage: Stage) -> Stage:
        """Returns the stage with the steps of the native loop that it consists of, if that loop counts them."""
        done, total = (0, 0) if stage.done or stage.total else native.steps()
        if not total:
            return stage
        if self._loop[0] != total:
            self._loop = total, time.perf_counter()
        return replace(stage, done=done, total=Steps(total), began=self._loop[1])


@dataclass(eq=False)
class Watched:
    """A progress callback that shows the current stage and logs each stage when it ends."""

    show: Callable[[Stage], None] | None = None
    """Called with the current stage."""
    prints: bool = False
    """True if a line is printed for each stage that has ended, once the run has lasted for PATIENCE."""
    _lines: list[str] = field(default_factory=list)
    """The lines of ended stages that have not been printed, because the run may be a short one."""
    _stage: Stage | None = None
    _run_began: float | None = None
    _run_ends: float | None = None

    def expect(self, seconds: float) -> None:
        """Tells how long the rest of the run will take, according to a forecast."""
        self._run_ends = time.perf_counter() + seconds

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        if self._stage is None or stage != self._stage.name:
            self.close()
            LOG.debug("%s: started", stage)
        began = time.perf_counter() if self._stage is None else self._stage.began
        self._stage = Stage(stage, done, total, began, self._run_began, self._run_ends)
        if self._run_began is None:
            self._run_began = began
        if self.show is not None:
            self.show(self._stage)
        if self._lines and time.perf_counter() - self._run_began >= PATIENCE:
            self._print()

    def close(self) -> None:
        """Ends the current stage."""
        stage, self._stage = self._stage, None
        if stage is None:
            return
        much = f" {stage.done:,}" if stage.done and not isinstance(stage.total, Steps) else ""
        words = f"{stage.name}{much}: {time.perf_counter() - stage.began:.2f} s"
        LOG.info("%s", words)
        if self.prints:
            self._lines.append(f"lookalike: {words}")
            if time.perf_counter() - (self._run_began or 0.0) >= PATIENCE:
                self._print()

    def _print(self) -> None:
        print(*self._lines, sep="\n", file=sys.stderr, flush=True)
        self._lines.clear()


def log_result(verb: str, result: Any) -> None:
    """Logs what a verb returns, and the warnings about it.

    Two of these are also issued as Python warnings, which are shown by default: repeated ids, because removing rows by
    id would remove others too, and a missing native module, because runs are slow without it.
    """
    LOG.info("%s: %r", verb, result)
    for warning in getattr(result, "warnings", ()):
        LOG.warning("%s: %s", verb, warning)
        if warning.code in ("duplicate-ids", "reference-engine-instead"):
            warnings.warn(str(warning), LookalikeWarning, stacklevel=3)


@contextmanager
def watching(progress: bool | Progress | None) -> Iterator[Progress]:
    """Yields the callback for a value of the option `progress`. Progress is shown until the `with` block ends.

    None shows progress in notebooks and terminals only. True also prints one line per stage elsewhere, as in a file. A
    run that is shorter than PATIENCE shows nothing.
    """
    if isinstance(progress, Watched):  # one verb calls another
        yield progress
        return
    if not callable(progress) and not isinstance(progress, bool | None):
        raise InvalidOption("not-a-progress", value=progress)
    with ExitStack() as stack:
        watched = Watched()
        if callable(progress):
            called = progress
            watched.show = lambda stage: called(stage.name, stage.done, stage.total)
        elif (open_screen := None if progress is False else screen()) is None:
            watched.prints = bool(progress)
        elif _one_at_a_time.acquire(blocking=False):
            stack.callback(_one_at_a_time.release)
            live = Live(open_screen)
            stack.callback(live.close)
            watched.show = live.show
        stack.callback(watched.close)
        yield watched


def screen() -> Callable[[], Screen] | None:
    """Returns a function that opens the display of this session, a notebook or a terminal; None if there is neither."""
    ipython: Any = sys.modules.get("IPython")
    if ipython is not None and hasattr(ipython.get_ipython(), "kernel"):  # which IPython in a terminal does not have
        return _notebook_bar
    return _terminal_line if sys.stderr is not None and sys.stderr.isatty() else None


def _notebook_bar() -> Screen:
    from lookalike.display.notebook_bar import NotebookBar

    return NotebookBar()


def _terminal_line() -> Screen:
    from lookalike.display.terminal_line import TerminalLine  # imports rich, which takes a while

    return TerminalLine()
