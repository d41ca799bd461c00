"""The command line: parses, calls one function of the library, writes. Options are spelt like API arguments.

Nothing heavy is imported before a command needs it, so that `lookalike --help` answers at once.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence

from lookalike.errors import LookalikeError

BROKEN_PIPE = 141  # what a shell reports for a program that SIGPIPE ended
INTERRUPTED = 130
UNEXPECTED = 70


class Interrupted(Exception):
    """Ctrl-C during a command; typer has ideas of its own about KeyboardInterrupt."""


def main() -> None:
    """The `lookalike` program."""
    # While modules load, Ctrl-C ends the process on the spot: an exception in the middle of an import may get lost.
    # `listen_to_ctrl_c` puts Python's own handler back before there is anything to clean up.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(run(sys.argv[1:]))


def listen_to_ctrl_c() -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def run(arguments: Sequence[str]) -> int:
    """Arguments → exit code. What goes wrong becomes one line on standard error, never a traceback."""
    from lookalike.cli.app import app

    try:
        code = app(list(arguments), prog_name="lookalike", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except BrokenPipeError:
        return _nobody_reads()
    except (KeyboardInterrupt, Interrupted):
        return _say("interrupted", INTERRUPTED)
    except LookalikeError as error:
        if isinstance(error.__context__, BrokenPipeError):
            return _nobody_reads()
        return _say(f"error: {error}", error.exit_code)
    except MemoryError:
        return _say("error: this machine has not enough memory for that much data", 1)
    except Exception as error:
        if callable(message := getattr(error, "format_message", None)):  # an option or argument that typer refused
            return _refuse(str(message()), error)
        if "--traceback" in arguments:
            raise
        what = f"{type(error).__name__}: {error}".replace("\n", " ")
        return _say(
            f"error: {what}. This should not happen: please report it, with what "
            "`lookalike --traceback …` prints for the same arguments",
            UNEXPECTED,
        )


def _nobody_reads() -> int:
    """Whoever read our output has seen enough; what is still in the buffer must not fail again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return BROKEN_PIPE


def _say(message: str, code: int) -> int:
    print(f"lookalike: {message}", file=sys.stderr)
    return code


def _refuse(message: str, error: Exception) -> int:
    """What typer says of the arguments, with where to look; typer's own errors differ between its versions."""
    code: int = getattr(error, "exit_code", 2)
    if message.startswith("Usage:"):  # a command without arguments shows its help
        print(message, file=sys.stderr)
        return code
    command = getattr(getattr(error, "ctx", None), "command_path", "lookalike")
    return _say(f"error: {message.rstrip('.')}. See {command} --help", code)
