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

_ESCAPES = {code: repr(chr(code))[1:-1] for code in (*range(32), 127)}
_LISTED, _LONGEST = 20, 60
"""As many columns are listed in a message, and as many characters of each."""


class LookalikeError(Exception):
    """Base of every error that lookalike raises on purpose. The message is one clear sentence."""

    exit_code = 1

    def __str__(self) -> str:
        # Not that of OSError or KeyError, which format their arguments; and one line, whatever a file is called.
        return Exception.__str__(self).translate(_ESCAPES)


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
    def named(cls, column: str, columns: list[str], where: str, option: str = "--column / column=") -> NoSuchColumn:
        """`option` is how the column was asked for."""
        there = ", ".join(map(_shortened, columns[:_LISTED])) or "none"
        more = f" and {len(columns) - _LISTED} more" if len(columns) > _LISTED else ""
        return cls(
            f"{where} has no column {_shortened(column)}; its columns are {there}{more}. Name one with {option}."
        )


def _shortened(column: str) -> str:
    return repr(column if len(column) <= _LONGEST else column[: _LONGEST - 1] + "…")


class MalformedInput(InputError, ValueError):
    """The data is not what its format promises; the message names file and row."""


class OutputError(LookalikeError, OSError):
    """The result could not be written."""

    exit_code = 4


class OutputExists(OutputError):
    """The output is there already."""

    @classmethod
    def at(cls, path: object) -> OutputExists:
        return cls(f"{path} exists already. Choose another path, or overwrite it with --force / force=True.")


class WorkTaken(OutputError):
    """The work folder is not free: in use by another run, left by an unfinished one, or full of other files."""


class MissingExtra(LookalikeError, ImportError):
    """An optional package is not installed."""

    exit_code = 5

    @classmethod
    def needed(cls, what: str, package: str, extra: str) -> MissingExtra:
        return cls(f"{what} needs {package}: pip install 'lookalike[{extra}]'")


class BrokenInvariant(LookalikeError, AssertionError):
    """A check of lookalike on itself failed; the result is not to be trusted. Please report it."""

    exit_code = 70
