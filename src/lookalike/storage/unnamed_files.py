"""Temporary files that nobody has to remove: they have no name, and are gone with their process, however that ends."""

from __future__ import annotations

import os
import tempfile
import weakref
from pathlib import Path


class Unnamed:
    """A temporary file, to be opened by its `path` as often as need be; it goes when this object does.

    The path leads through the process that holds the file, so that others, of the same user, can open it as well. Where
    the system has no such paths the file has a name, which is removed with this object or when the process ends well.
    """

    def __init__(self) -> None:
        file = tempfile.TemporaryFile(prefix="lookalike-", buffering=0)  # noqa: SIM115 - lives as long as this
        self.path = f"/proc/{os.getpid()}/fd/{file.fileno()}"
        if _leads_to(self.path, file.fileno()):
            weakref.finalize(self, file.close)
            return
        file.close()
        handle, self.path = tempfile.mkstemp(prefix="lookalike-")
        os.close(handle)
        weakref.finalize(self, _remove_own, self.path, os.getpid())


def _leads_to(path: str, descriptor: int) -> bool:
    """Whether it is this file: in a container /proc may be of other processes, or closed."""
    try:
        return os.path.samestat(Path(path).stat(), os.fstat(descriptor))
    except OSError:
        return False


def _remove_own(path: str, owner: int) -> None:
    if os.getpid() == owner:  # a forked child ends before its parent
        Path(path).unlink(missing_ok=True)
