"""Foreign exceptions → ours: what a file, a codec or a file system threw becomes a sentence that names the file."""

from __future__ import annotations

import errno
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from lookalike.errors import InputError, LookalikeError, MalformedInput, NoInput, OutputError


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Around anything that touches the bytes of `name`."""
    try:
        yield
    except LookalikeError:
        raise
    except FileNotFoundError:
        raise NoInput(f"{name} does not exist") from None
    except PermissionError:
        raise InputError(f"{name} may not be read: permission denied") from None
    except IsADirectoryError:
        raise InputError(f"{name} is a folder; a file was expected") from None
    except pa.ArrowMemoryError as error:  # a damaged length field asks for the moon
        raise MalformedInput(f"{name} is damaged, or needs more memory than there is ({brief(error)})") from None
    except (EOFError, zlib.error, pa.ArrowException) as error:
        raise MalformedInput(f"{name} is damaged or cut short ({brief(error)})") from None
    except OSError as error:
        if error.errno is None or error.strerror is None:  # from a codec or a format, not from the system
            raise MalformedInput(f"{name} is damaged or cut short ({brief(error)})") from None
        raise InputError(f"{name} cannot be read: {error.strerror}") from None
    except MemoryError:
        raise
    except Exception as error:  # fsspec's file systems raise what their own libraries raise
        raise InputError(f"{name} cannot be read: {type(error).__name__}: {brief(error)}") from None


@contextmanager
def writing(name: str) -> Iterator[None]:
    """Around anything that writes to `name`. What the data's own readers raise passes through."""
    try:
        yield
    except LookalikeError:
        raise
    except (OSError, pa.ArrowException) as error:
        raise OutputError(f"{name} cannot be written: {why(error)}") from None


def brief(error: BaseException) -> str:
    """The first line of an error's message, without what only its own library understands."""
    lines = str(error).strip().splitlines()
    line = lines[0].split(" Detail: ")[0].strip().rstrip(".") if lines else type(error).__name__
    return line if len(line) <= 200 else line[:197] + "…"


def why(error: BaseException) -> str:
    """The reason in a few words."""
    if not isinstance(error, OSError):
        return brief(error)
    if error.errno == errno.ENOSPC:
        return "no space left on the device"
    if error.errno == errno.EFBIG:
        return "the file grew larger than this system allows"
    if error.errno == errno.EPIPE:
        return "whoever was reading it has stopped"
    if error.errno and error.strerror and "Detail:" not in error.strerror:
        return error.strerror[0].lower() + error.strerror[1:]
    return brief(error)
