"""Prints an error as one line, with options named as on the command line, and decides the exit code."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from lookalike.cli.process import COMPLETION, Interrupted, forget_stdout
from lookalike.errors import InvalidOption, LookalikeError
from lookalike.notices import Notice
from lookalike.notices.naming import command_line

BROKEN_PIPE = 141  # the exit code that a shell reports for a program ended by SIGPIPE
UNEXPECTED = 70
CANNOT_WRITE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
"""Error numbers of a standard stream that cannot be written to. Errors about files are handled where they occur."""


def report(error: BaseException, arguments: Sequence[str] = ()) -> int:
    """Prints an error as one line and, with --json, as an object too; returns the exit code."""
    if isinstance(error, BrokenPipeError) or (
        isinstance(error, LookalikeError | SystemExit) and isinstance(error.__context__, BrokenPipeError)
    ):
        forget_stdout()  # the program that reads our output has exited
        return BROKEN_PIPE
    if isinstance(error, click.exceptions.NoArgsIsHelpError):  # a command without arguments shows its help
        with contextlib.suppress(OSError):
            print(error.format_message(), file=sys.stderr)
        return error.exit_code
    notice, code = _described(error, arguments)
    return print_error(notice, code, json=any(one == "--json" or one.startswith("--json=") for one in arguments))


def _described(error: BaseException, arguments: Sequence[str]) -> tuple[Notice, int]:
    """Returns the notice and the exit code of an error. Raises the error again if it is not meant for the user."""
    if isinstance(error, KeyboardInterrupt):
        error = Interrupted()
    if isinstance(error, Interrupted):
        return Notice("ended-by-signal", how=str(error)), error.exit_code
    if isinstance(error, LookalikeError):
        return error.notice, error.exit_code
    if isinstance(error, MemoryError):
        return Notice("out-of-memory"), 1
    if not isinstance(error, Exception):  # such as SystemExit
        raise error
    if isinstance(error, click.ClickException):
        return _refused(error, arguments)
    if isinstance(error, OSError) and (reported := _outside(error)):
        return reported.notice, reported.exit_code
    if COMPLETION in os.environ and isinstance(error, LookupError | ValueError):
        return InvalidOption("completion-without-words").notice, InvalidOption.exit_code
    if "--traceback" in arguments:
        raise error
    what = f"{type(error).__name__}: {error}".replace("\n", " ")
    return Notice("bug", what=what), UNEXPECTED


def _outside(error: OSError) -> LookalikeError | None:
    """Returns the error to report if the current folder is gone or standard output cannot be written to, or None."""
    from lookalike.errors import InputError, OutputError
    from lookalike.storage.foreign_errors import writing

    try:
        Path.cwd()
    except OSError:
        return InputError("current-folder-gone")
    if error.filename is None and error.errno in CANNOT_WRITE:
        try:
            with writing("standard output"):
                raise error
        except OutputError as failed:
            return failed
    return None


def print_error(notice: Notice, code: int, *, json: bool = False) -> int:
    """Prints an error with options named as on the command line, and returns the exit code."""
    try:
        if json:
            from lookalike.cli.json_output import print_json_error

            print_json_error(notice, code)
        sys.stdout.flush()  # print data first, in case both streams go to one terminal
    except OSError:
        forget_stdout()
    sentence = notice.render(command_line)
    with contextlib.suppress(OSError):  # standard error may be closed; the exit code is still returned
        print(f"lookalike: {sentence if code > 128 else f'error: {sentence}'}", file=sys.stderr)
    return code


def _refused(error: click.ClickException, arguments: Sequence[str]) -> tuple[Notice, int]:
    """Returns the notice for an argument that click refuses. The notice includes how to get help.

    For an unknown option, it is the same error as in Python, which suggests a known option.
    """
    context = getattr(error, "ctx", None)
    if context is None:  # click does not always report the command
        from lookalike.cli.app import COMMANDS

        command = " ".join(["lookalike", *(one for one in arguments[:1] if one in COMMANDS)])
    else:
        command = context.command_path
    if context is not None and isinstance(error, click.NoSuchOption) and error.option_name.startswith("--"):
        from lookalike.requests.words import meant

        option = error.option_name.removeprefix("--").replace("-", "_")
        known = [known.name for known in context.command.get_params(context) if isinstance(known, click.Option)]
        unknown = InvalidOption("unknown-option", verb=command, option=option, meant=meant(option, known))
        return unknown.notice, unknown.exit_code
    return Notice("see-help", problem=error.format_message().rstrip("."), command=command), error.exit_code
