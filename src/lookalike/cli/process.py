"""The process of a command: its start and end, standard streams (which may be closed), signals and blocked imports."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
import threading
import warnings
from collections.abc import Sequence
from types import FrameType
from typing import Any, NoReturn

COMPLETION = "_LOOKALIKE_COMPLETE"
"""The environment variable with which a shell asks for completions."""

ENDINGS = {"SIGHUP": "hung up", "SIGINT": "interrupted", "SIGTERM": "terminated"}


def main() -> None:
    """Runs the `lookalike` program with the arguments of this process, and exits."""
    end_on_signals()
    open_streams()
    sys.meta_path.insert(0, NoPandas)
    leave(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Runs a command and returns its exit code. Errors are printed as one line on standard error.

    With --traceback, an unexpected error is raised instead.
    """
    from lookalike.cli.failures import report
    from lookalike.errors import LookalikeWarning

    out = sys.stdout
    try:
        from lookalike.cli.app import program

        warnings.simplefilter("ignore", LookalikeWarning)  # shown in summaries instead
        code = program(list(arguments), prog_name="lookalike", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except BaseException as error:
        if isinstance(error, SystemExit) and sys.stdout is not out:
            return report(BrokenPipeError(), arguments)  # click replaced the streams and hid the error
        return report(error, arguments)


class Interrupted(Exception):
    """Raised if a signal ended a command. It is not a KeyboardInterrupt, because click handles those itself."""

    def __init__(self, number: int = signal.SIGINT) -> None:
        super().__init__(ENDINGS[signal.Signals(number).name])
        self.exit_code = 128 + number  # the exit code that a shell reports


class Ended(KeyboardInterrupt):
    """Raised on SIGTERM or SIGHUP.

    It is a KeyboardInterrupt, so that code that cleans up after Ctrl-C handles it too.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class NoPandas:
    """An import finder, first in sys.meta_path, that makes `import pandas` fail as if pandas were not installed.

    If pandas is installed, pyarrow imports it to check whether it was given a data frame. This takes longer than a
    short run, and a signal during an import may get lost. Commands never receive data frames.
    """

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError("commands of lookalike do not use pandas", name=name)


def allow_pandas() -> None:
    """Makes pandas importable again for Spark, which needs it."""
    if NoPandas in sys.meta_path:
        sys.meta_path.remove(NoPandas)


_awaits: list[int] = []
"""Signals to handle once a command runs. Empty unless `main` was called in this process."""


def end_on_signals() -> None:
    """Lets signals end the process immediately while modules load, because an exception during an import may get lost.

    Later, before anything needs to be cleaned up, `raise_on_signals` makes signals raise exceptions. Signals that the
    parent process ignores (nohup, a background job) stay ignored.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    numbers = [getattr(signal, name) for name in ENDINGS if hasattr(signal, name)]
    _awaits[:] = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]


def raise_on_signals() -> None:
    for number in _awaits:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else _end)


def _end(number: int, frame: FrameType | None) -> None:
    for other in _awaits:
        if other != signal.SIGINT:
            signal.signal(other, signal.SIG_IGN)  # a second signal must not interrupt the cleanup
    raise Ended(number)


def open_streams() -> None:
    """Opens /dev/null for each closed standard stream (`>&-`), so that none of our files gets its descriptor.

    Writing to a closed standard output fails, as on a full disk; text for a closed standard error is discarded.
    """
    if sys.stdin is None:
        os.open(os.devnull, os.O_RDONLY)  # the lowest free descriptor; sys.stdin stays None
    if sys.stdout is None:
        sys.stdout = _stream(os.O_RDONLY)
    if sys.stderr is None:
        sys.stderr = _stream(os.O_WRONLY)
    if callable(configure := getattr(sys.stdout, "reconfigure", None)):
        configure(errors="backslashreplace")  # the terminal's encoding may lack characters


def _stream(flags: int) -> Any:
    return os.fdopen(os.open(os.devnull, flags), "w", encoding="utf-8", errors="backslashreplace")


def leave(code: int) -> NoReturn:
    """Ends the process without freeing the interpreter's memory, which can take as long as a short run.

    Exit handlers are called and standard streams are flushed first, as in a normal exit. The normal exit is used if
    threads are still running, and for debuggers and profilers.
    """
    running = [thread for thread in threading.enumerate() if not thread.daemon]
    if len(running) > 1 or sys.gettrace() or sys.getprofile() or sys.flags.inspect:
        sys.exit(code)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # a stream may be closed, or its reader gone
            stream.flush()
    os._exit(code)


def forget_stdout() -> None:
    """Redirects a failed standard output to /dev/null, so that flushing its buffer at exit does not fail again."""
    with contextlib.suppress(OSError, ValueError):  # standard output may have no descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def speaks_utf8() -> bool:
    """True if standard output can encode every character."""
    return (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "").startswith("utf")


def return_memory_early() -> None:
    """Makes the allocator map large blocks, so that their memory is returned as soon as it is freed.

    Otherwise each thread keeps the memory that it frees, and the process would exceed its budget. The setting applies
    to the whole process, so only a command may choose it. It is only used with a budget, because mapping takes time.
    """
    import ctypes  # few commands need it

    mmap_threshold, large = -3, 1 << 20  # M_MMAP_THRESHOLD of glibc, and bytes
    with contextlib.suppress(OSError, AttributeError):  # other C libraries have no such setting
        ctypes.CDLL(None).mallopt(mmap_threshold, large)
