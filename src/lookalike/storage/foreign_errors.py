"""Converts errors from the operating system, Arrow, codecs and remote file systems to our errors, which name the file.

This is the only module that distinguishes kinds of foreign errors. Other code catches a library's errors around a
single call, where their meaning is known, and passes on `brief(error)` as the reason.
"""

from __future__ import annotations

import errno
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from lookalike.errors import InputError, LookalikeError, MalformedInput, NoInput, OutputError
from lookalike.notices import Notice

LONGEST = 200
"""The maximum number of characters of another library's message that are shown."""


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Wraps code that reads the bytes of `name`, and raises errors from other libraries as input errors."""
    try:
        yield
    except (LookalikeError, MemoryError) as error:
        if isinstance(error, pa.ArrowMemoryError):  # a corrupt length field
            raise MalformedInput("damaged-length", name=name, reason=brief(error)) from None
        raise
    except Exception as error:
        raise cannot_read(name, error) from None


def cannot_read(name: str, error: Exception) -> InputError:
    """Returns the input error to raise after reading `name` failed with an error from the system or another library."""
    if isinstance(error, FileNotFoundError):
        return NoInput("no-such-file", path=name, reason=None, advice=None)
    if isinstance(error, PermissionError):
        return InputError("permission-denied", name=name)
    if isinstance(error, IsADirectoryError):
        return InputError("folder-instead-of-file", name=name)
    if isinstance(error, EOFError | zlib.error | pa.ArrowException):
        return MalformedInput("damaged-file", name=name, reason=brief(error))
    if isinstance(error, OSError):
        if error.errno is None or error.strerror is None:  # from a codec or a format, not from the system
            return MalformedInput("damaged-file", name=name, reason=brief(error))
        return InputError("unreadable", name=name, reason=why(error))
    return InputError("unreadable", name=name, reason=f"{type(error).__name__}: {brief(error)}")


@contextmanager
def writing(path: str | os.PathLike[str] | Notice) -> Iterator[None]:
    """Wraps code that writes to `path`, and raises errors from the operating system and from Arrow as output errors."""
    try:
        yield
    except LookalikeError:
        raise
    except (OSError, pa.ArrowException) as error:
        raise OutputError("unwritable", path=path, reason=why(error)) from None


@contextmanager
def copying(name: str) -> Iterator[None]:
    """Wraps code that writes a temporary copy of the input `name`, and raises system errors as output errors."""
    try:
        yield
    except LookalikeError:
        raise
    except OSError as error:
        raise OutputError("no-room-for-copy", name=name, reason=why(error)) from None


def brief(error: BaseException) -> str:
    """Returns the first line of an error message, shortened, without the details that Arrow appends for developers."""
    lines = str(error).strip().splitlines()
    line = lines[0].split(" Detail: ")[0].strip().rstrip(".") if lines else type(error).__name__
    return line if len(line) <= LONGEST else line[: LONGEST - 3] + "…"


def why(error: BaseException) -> Notice | str:
    """Returns a short reason for an error from the system or another library."""
    if not isinstance(error, OSError):
        return brief(error)
    if error.errno in _REASONS:
        return Notice(_REASONS[error.errno])
    if error.errno and error.strerror and "Detail:" not in error.strerror:
        return error.strerror[0].lower() + error.strerror[1:]
    return brief(error)


_REASONS = {errno.ENOSPC: "no-space-left", errno.EFBIG: "file-too-large", errno.EPIPE: "reader-stopped"}
