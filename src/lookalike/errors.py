"""The errors that the library raises. The command line prints each error as one line.

    LookalikeError                 base class of all others; exit code 1
    ├── InvalidOption              an invalid argument or option (threshold 80); exit code 2
    │   └── PlanMismatch           signatures, parts or results of different plans were mixed
    ├── InputError                 the data could not be read; exit code 3
    │   ├── NoInput                no such file, an empty folder, a glob without matches
    │   ├── NoSuchColumn           the data has no such column; the message lists the columns it has
    │   └── MalformedInput         broken JSON, UTF-8, Parquet, gzip …; the message names file and row
    ├── OutputError                the result could not be written; exit code 4
    │   ├── OutputExists           the output already exists, and --force was not given
    │   └── WorkTaken              the work folder is in use, or contains an unfinished run or other files
    ├── MissingExtra               an optional package is missing; the message names the extra; exit code 5
    ├── ServiceError               the service refused a request, or cannot be reached; exit code 6
    └── BrokenInvariant            an internal consistency check failed (kept + removed ≠ read); exit code 70

A run that is ended by a signal exits with code 130 (Ctrl-C), 143 (SIGTERM) or 129 (SIGHUP). Exit code 141 means that
the program that reads the output has closed the pipe.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lookalike.notices import Notice


class LookalikeWarning(UserWarning):
    """A Python warning about a result that is easily misread. The attribute `warnings` of a result lists all of its
    warnings."""


class LookalikeError(Exception):
    """Base class of all errors that lookalike raises.

    An error consists of a code and values, which `str()` turns into a sentence.

    Each code belongs to one class (docs/reference/messages.md lists all codes).

    >>> error = InvalidOption("not-true-or-false", option="bag", value=3)
    >>> error.code, str(error)
    ('not-true-or-false', 'bag= must be True or False, got 3')
    """

    exit_code = 1

    def __init__(self, code: str, /, **values: Any) -> None:
        self.notice = Notice(code, **values)
        super().__init__(code)

    @property
    def code(self) -> str:
        return self.notice.code

    @property
    def values(self) -> Mapping[str, Any]:
        return self.notice.values

    def __str__(self) -> str:
        return str(self.notice)

    def __repr__(self) -> str:
        values = "".join(f", {name}={value!r}" for name, value in self.values.items())
        return f"{type(self).__name__}({self.code!r}{values})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.code, dict(self.values))


def _rebuild(kind: type[LookalikeError], code: str, values: dict[str, Any]) -> LookalikeError:
    return kind(code, **values)


class InvalidOption(LookalikeError, ValueError):
    """An argument or option is invalid.

    The message states what was expected, what was given, and what to write instead.
    """

    exit_code = 2


class PlanMismatch(InvalidOption):
    """Signatures, parts or results that were made with different plans were mixed."""


class InputError(LookalikeError):
    """The input could not be read."""

    exit_code = 3


class NoInput(InputError, FileNotFoundError):
    """There is nothing to read: the file does not exist, the folder has no documents, or the glob has no matches."""


class NoSuchColumn(InputError, KeyError):
    """The data has no such column."""

    @classmethod
    def named(cls, column: str, columns: list[str], where: str, *options: str) -> NoSuchColumn:
        """Creates the error for a missing column. `options` are the options that name a column (default: column)."""
        return cls("no-such-column", where=where, column=column, columns=tuple(columns), options=options or ("column",))


class MalformedInput(InputError, ValueError):
    """The data does not conform to its format. The message names the file and the row."""


class OutputError(LookalikeError, OSError):
    """The result could not be written."""

    exit_code = 4


class OutputExists(OutputError):
    """The output already exists."""

    @classmethod
    def at(cls, path: object, option: str | None = None) -> OutputExists:
        """Creates the error for an existing output. `option` is the option that names the output, if known."""
        return cls("output-exists", path=path, option=option)


class WorkTaken(OutputError):
    """The work folder cannot be used: another run is using it, or it contains an unfinished run or other files."""


class MissingExtra(LookalikeError, ImportError):
    """An optional package is not installed."""

    exit_code = 5

    @classmethod
    def needed(cls, what: str, package: str, extra: str) -> MissingExtra:
        return cls("missing-extra", what=what, package=package, extra=extra)


class ServiceError(LookalikeError):
    """The service refused a request, or could not be reached.

    An error in the data or options of a request is raised as in Python, by its own class, such as InvalidOption.
    """

    exit_code = 6


class BrokenInvariant(LookalikeError, AssertionError):
    """An internal consistency check failed, so the result cannot be trusted. Please report this error."""

    exit_code = 70
