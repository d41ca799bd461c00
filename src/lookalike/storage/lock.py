"""A lock on a folder, which only a running process can hold.

The system releases the lock when the process ends for any reason, so a lock file left behind by `kill -9` or a power
cut does not lock the folder. The content of the file (process, host, start time) is only used in messages.
"""

from __future__ import annotations

import fcntl
import os
import socket
from datetime import datetime
from pathlib import Path

from lookalike.errors import WorkTaken
from lookalike.notices import Notice
from lookalike.storage.own_files import open_own

NAME = "LOCK"


class Lock:
    """The lock of a folder, acquired by the constructor and released by `release`."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        self._handle = self._take()
        since = datetime.now().astimezone().isoformat(" ", "seconds")
        os.ftruncate(self._handle, 0)
        os.write(self._handle, f"process {os.getpid()} on {socket.gethostname()} since {since}\n".encode())

    def _take(self) -> int:
        while True:
            handle = open_own(self.path, os.O_RDWR)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if self._is_still_there(handle):
                    return handle
            except BlockingIOError:
                holder = os.pread(handle, 1000, 0).decode("utf-8", "replace").strip() or Notice("another-process")
                os.close(handle)
                raise WorkTaken("work-folder-in-use", folder=self.path.parent, by=holder) from None
            except BaseException:
                os.close(handle)
                raise
            os.close(handle)  # the previous holder has just removed the file, so a lock on it protects nothing

    def _is_still_there(self, handle: int) -> bool:
        try:
            there = self.path.lstat()
        except FileNotFoundError:
            return False
        ours = os.fstat(handle)
        return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)

    def release(self, *, remove: bool = False) -> None:
        if self._handle >= 0:
            if remove:  # before releasing the lock, so that another process's lock file is not removed
                self.path.unlink(missing_ok=True)
            os.close(self._handle)
            self._handle = -1
