"""Temporary files without names, which disappear when their process ends, even if it is killed."""

from __future__ import annotations

import os
import weakref
from pathlib import Path


class Unnamed:
    """A temporary file that can be opened by its `path`, and is removed when this object is garbage-collected.

    The path is below /proc, so that other processes of the same user can also open it. On systems without /proc, the
    file has a name, and is removed with this object or when the process ends normally.
    """

    def __init__(self) -> None:
        import tempfile  # slow to import, and few inputs need it

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
    """True if the path leads to the open file. In a container, /proc may be missing or show other processes."""
    try:
        return os.path.samestat(Path(path).stat(), os.fstat(descriptor))
    except OSError:
        return False


def _remove_own(path: str, owner: int) -> None:
    if os.getpid() == owner:  # a forked child must not remove the file of its parent
        Path(path).unlink(missing_ok=True)
