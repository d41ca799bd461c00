"""Writes folders whole or not at all, so that they stay whole after a crash.

A folder is filled under a temporary name and forced to the disk. Then its name and that of the folder it replaces are
exchanged in a single step, so that at every moment the old or the new folder is in place. The old folder is removed
last.
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
"""The Linux constants AT_FDCWD and RENAME_EXCHANGE."""

CANNOT = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)
"""The error numbers of systems that cannot exchange two names."""


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """Yields a folder to fill, and renames it to `target` if the block ends without an error.

    Raises an OSError if a folder with files exists at `target` when the block ends.
    """
    unfinished = temporary_name(target)
    unfinished.mkdir()
    try:
        yield unfinished
        _sync_all(unfinished)
        unfinished.rename(target)
        sync_folder(target.parent)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


@contextmanager
def replace_folder(target: Path) -> Iterator[Path]:
    """Yields a new folder to fill, and renames it to `target` if the block ends without an error.

    Otherwise the new folder is removed, and an existing folder at `target` is kept. The caller must check that the
    existing folder may be replaced.
    """
    unfinished = temporary_name(target)
    unfinished.mkdir()
    try:
        yield unfinished
        _sync_all(unfinished)
        _put_in_place(unfinished, target)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)  # after an exchange, this is the old folder


def remove_unfinished(target: Path) -> None:
    """Removes unfinished copies of a file or folder that killed processes left behind.

    The caller must ensure that no process is still writing them.
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
    """Replaces a folder by two renames. A crash in between leaves both folders under hidden names."""
    old = target.with_name(f"{temporary_name(target).name}.old")  # a name that `unfinished_files` does not match
    target.rename(old)
    try:
        new.rename(target)
    except BaseException:
        old.rename(target)
        raise
    sync_folder(target.parent)
    shutil.rmtree(old, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Exchanges two names in one step; returns False if the system does not support this."""
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
    """Forces all files below a folder, and their names, to the disk."""
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
