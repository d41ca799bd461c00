"""Opens files whose names others can guess, without following links that others may have put there."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from lookalike.errors import OutputError


def open_own(path: Path, flags: int) -> int:
    """Opens a file that only we write, creating it if necessary, and returns its descriptor.

    A link or a special file with this name is refused: with it, another user who can write to the folder could make us
    change or truncate a file elsewhere.
    """
    try:
        handle = os.open(path, flags | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o644)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENXIO):  # a link (on Linux, on BSD), or a pipe
            raise OutputError("not-our-file", path=path) from None
        raise
    about = os.fstat(handle)
    if not stat.S_ISREG(about.st_mode) or about.st_nlink > 1:
        os.close(handle)
        raise OutputError("not-our-file", path=path)
    return handle
