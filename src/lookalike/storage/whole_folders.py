"""Folders that are written whole or not at all, and stay whole after a crash.

A folder is filled under a temporary name and forced to the disk. It then exchanges names with the folder that it
replaces in a single step, so that the old or the new folder exists at every moment. The old one is removed last.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lookalike.storage.whole_files import sync_folder, temporary_name, unfinished_files

HERE, EXCHANGE = -100, 2
"""AT_FDCWD and RENAME_EXCHANGE of Linux."""

CANNOT = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)
"""Errors of a kernel or file system that cannot exchange two names."""


@contextmanager
def replace_folder(target: Path) -> Iterator[Path]:
    """A new folder to fill. It takes the name `target` if the block ends without an error.

    Otherwise it is removed, and what was at `target` stays. The caller checks whether a folder may be replaced.
    """
    unfinished = temporary_name(target)
    unfinished.mkdir()
    try:
        yield unfinished
        _sync_all(unfinished)
        _put_in_place(unfinished, target)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)  # after an exchange, that is the old folder


def remove_unfinished(target: Path) -> None:
    """Removes unfinished copies of a file or folder that killed processes left behind.

    The caller must know that none of these processes is still running.
    """
    for path in unfinished_files(target.parent, target):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _put_in_place(new: Path, target: Path) -> None:
    if not target.exists():
        new.rename(target)
    elif not _exchange(new, target):
        _replace_in_two_steps(new, target)
    sync_folder(target.parent)


def _replace_in_two_steps(new: Path, target: Path) -> None:
    """For file systems that cannot exchange names. A crash between the steps leaves both folders under hidden names."""
    old = target.with_name(f"{temporary_name(target).name}.old")  # a name that is never removed as unfinished
    target.rename(old)
    try:
        new.rename(target)
    except BaseException:
        old.rename(target)
        raise
    sync_folder(target.parent)
    shutil.rmtree(old, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Exchanges two names in one step; False if the system cannot."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    if rename(HERE, os.fsencode(one), HERE, os.fsencode(other), EXCHANGE) == 0:
        return True
    problem = ctypes.get_errno()
    if problem in CANNOT:
        return False
    raise OSError(problem, os.strerror(problem), str(other))


def _sync_all(folder: Path) -> None:
    """Forces the files of a folder to the disk, and their names."""
    for path in folder.iterdir():
        if path.is_dir():
            _sync_all(path)
            continue
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    sync_folder(folder)
