"""The process around a command: its standard streams, which may be closed, the signals that end it, what it imports."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from types import FrameType
from typing import Any

ENDINGS = {"SIGHUP": "hung up", "SIGINT": "interrupted", "SIGTERM": "terminated"}


class Interrupted(Exception):
    """A signal ended a command; typer has ideas of its own about KeyboardInterrupt."""

    def __init__(self, number: int = signal.SIGINT) -> None:
        super().__init__(ENDINGS[signal.Signals(number).name])
        self.exit_code = 128 + number  # what a shell reports for a program that the signal ended


class Ended(KeyboardInterrupt):
    """SIGTERM or SIGHUP: whatever cleans up after Ctrl-C cleans up after these too."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class NoPandas:
    """Put first in sys.meta_path, has `import pandas` fail as if it were not installed.

    Where it is, pyarrow sooner or later imports it, to ask whether it was given a data frame. That takes longer than a
    short run (and a signal amid an import may get lost); no command is ever given one.
    """

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError("lookalike's commands do without pandas", name=name)


def allow_pandas() -> None:
    """For Spark, which does nothing without it."""
    if NoPandas in sys.meta_path:
        sys.meta_path.remove(NoPandas)


_awaits: list[int] = []
"""The signals to be heeded once a command runs: none, unless this process is the program."""


def hold_signals() -> None:
    """Lets signals end the process on the spot while modules load: an exception amid an import may get lost.

    `heed_signals` has them raise before there is anything to clean up. What the parent had ignored (nohup, a job
    in the background) stays ignored.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    numbers = [getattr(signal, name) for name in ENDINGS if hasattr(signal, name)]
    _awaits[:] = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]


def heed_signals() -> None:
    for number in _awaits:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else _end)


def _end(number: int, frame: FrameType | None) -> None:
    for other in _awaits:
        if other != signal.SIGINT:
            signal.signal(other, signal.SIG_IGN)  # a second one must not break off the cleaning up
    raise Ended(number)


def open_streams() -> None:
    """Gives closed standard streams (`>&-`) a file each, so that no output of ours gets their numbers.

    Writing to such a standard output fails like writing to a full disk; standard error is thrown away.
    """
    if sys.stdin is None:
        os.open(os.devnull, os.O_RDONLY)  # the lowest free number; sys.stdin stays None, and readers say so
    if sys.stdout is None:
        sys.stdout = _stream(os.O_RDONLY)
    if sys.stderr is None:
        sys.stderr = _stream(os.O_WRONLY)
    if callable(configure := getattr(sys.stdout, "reconfigure", None)):
        configure(errors="backslashreplace")  # texts and names may hold what a terminal's encoding cannot say


def _stream(flags: int) -> Any:
    return os.fdopen(os.open(os.devnull, flags), "w", encoding="utf-8", errors="backslashreplace")


def forget_stdout() -> None:
    """What is still in the buffer of a standard output that failed must not fail again at exit."""
    with contextlib.suppress(OSError, ValueError):  # where it is no file there is nothing to forget
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def speaks_utf8() -> bool:
    """Whether standard output takes every character."""
    return (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "").startswith("utf")
