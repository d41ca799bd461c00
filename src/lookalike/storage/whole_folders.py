"""Folders that are whole or not there, and stay so after a crash: filled under another name, synced, put in place.

A folder that is to be replaced changes its name with the new one in a single step, so that at every moment the old or
the new one is there, and is removed only afterwards.
"""

from __future__ import annotations

import ctypes
import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lookalike.storage.sync import sync_folder

HERE, EXCHANGE = -100, 2
"""AT_FDCWD and RENAME_EXCHANGE of Linux."""

CANNOT = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)
"""Errors of a kernel or a file system that cannot exchange two names."""


@contextmanager
def replace_folder(target: Path) -> Iterator[Path]:
    """A new folder to fill. It is at `target` when the block ends well; when it does not, `target` is as it was.

    Whether an existing folder may be replaced is for the caller to check.
    """
    unfinished = _hidden(target)
    unfinished.mkdir()
    try:
        yield unfinished
        _sync_all(unfinished)
        _put_in_place(unfinished, target)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)  # after an exchange, that is the old folder


def _put_in_place(new: Path, target: Path) -> None:
    if not target.exists():
        new.rename(target)
    elif not _exchange(new, target):
        _replace_in_two_steps(new, target)
    sync_folder(target.parent)


def _replace_in_two_steps(new: Path, target: Path) -> None:
    """For file systems that cannot exchange names: a crash between the two leaves both folders under hidden names."""
    old = _hidden(target)
    target.rename(old)
    try:
        new.rename(target)
    except OSError:
        old.rename(target)
        raise
    sync_folder(target.parent)
    shutil.rmtree(old, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Swaps two names in one step; False where that is not possible."""
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


def _hidden(target: Path) -> Path:
    """A name in the same folder, hence on the same device, that nobody else uses."""
    return target.with_name(f".{target.name}.{secrets.token_hex(4)}")
