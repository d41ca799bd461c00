"""What can go wrong, as a tree. The library raises these; the command line prints them as one line.

    LookalikeError                 everything below; exit code 1
    ├── InvalidOption              an argument or option that cannot be (threshold 80); exit code 2
    │   └── PlanMismatch           two things made under different plans were mixed
    ├── InputError                 the data could not be read; exit code 3
    │   ├── NoInput                no such file, an empty folder, a glob without matches
    │   ├── NoSuchColumn           the column asked for is not there; the message lists those that are
    │   └── MalformedInput         broken JSON, UTF-8, Parquet, gzip …, with file and row
    ├── OutputError                the result could not be written; exit code 4
    │   ├── OutputExists           it is there already and --force was not given
    │   └── WorkTaken              the work folder is in use, holds an unfinished run, or files of others
    ├── MissingExtra               an optional package is not installed; says which extra to install; exit code 5
    └── BrokenInvariant            a check of lookalike on itself failed (kept + removed ≠ read); exit code 70

Exit code 130 is Ctrl-C, 143 and 129 are SIGTERM and SIGHUP, 141 is a reader that went away.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lookalike.notices import Notice


class LookalikeError(Exception):
    """Base of every error that lookalike raises on purpose: a code with values, shown as one clear sentence.

    Each code belongs to one class (docs/reference/messages.md lists them).

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
    """An argument that cannot be: what was expected, what came, what to write instead."""

    exit_code = 2


class PlanMismatch(InvalidOption):
    """Signatures, parts or results made under different plans were mixed."""


class InputError(LookalikeError):
    """The data could not be read."""

    exit_code = 3


class NoInput(InputError, FileNotFoundError):
    """There is nothing to read: no such file, a folder without documents, a glob without matches."""


class NoSuchColumn(InputError, KeyError):
    """The column asked for is not in the data."""

    @classmethod
    def named(cls, column: str, columns: list[str], where: str, *options: str) -> NoSuchColumn:
        """`options` are those by which a column is named (default: column)."""
        return cls("no-such-column", where=where, column=column, columns=tuple(columns), options=options or ("column",))


class MalformedInput(InputError, ValueError):
    """The data is not what its format promises; the message names file and row."""


class OutputError(LookalikeError, OSError):
    """The result could not be written."""

    exit_code = 4


class OutputExists(OutputError):
    """The output is there already."""

    @classmethod
    def at(cls, path: object) -> OutputExists:
        return cls("output-exists", path=path)


class WorkTaken(OutputError):
    """The work folder is not free: in use by another run, left by an unfinished one, or full of other files."""


class MissingExtra(LookalikeError, ImportError):
    """An optional package is not installed."""

    exit_code = 5

    @classmethod
    def needed(cls, what: str, package: str, extra: str) -> MissingExtra:
        return cls("missing-extra", what=what, package=package, extra=extra)


class BrokenInvariant(LookalikeError, AssertionError):
    """A check of lookalike on itself failed; the result is not to be trusted. Please report it."""

    exit_code = 70
