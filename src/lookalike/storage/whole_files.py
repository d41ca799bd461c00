"""Writes files whole or not at all, so that they stay whole after a crash.

A file is written under a temporary name in the same folder, forced to the disk and renamed. `whole_folders.py` does the
same for folders.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

LONGEST = 100
"""The maximum number of bytes of a file name that its temporary name repeats; file systems allow names of 255 bytes."""

UNFINISHED = re.compile(r"\..*\.[0-9a-f]{12}\.part", re.DOTALL)
"""Matches the temporary names of unfinished files and folders."""


@contextmanager
def replacing(target: Path, *, durable: bool = True) -> Iterator[BinaryIO]:
    """Yields a new file to write to, and renames it to `target` if the block ends without an error.

    Otherwise the new file is removed, and an existing file at `target` is kept. With `durable=False`, the file is not
    forced to the disk, and may be lost or incomplete if the machine crashes.
    """
    unfinished = temporary_name(target)
    try:
        with unfinished.open("xb") as file:
            yield file
            if durable:
                sync_file(file)
        unfinished.replace(target)
        if durable:
            sync_folder(target.parent)
    finally:
        unfinished.unlink(missing_ok=True)


def write_whole(path: Path, data: bytes) -> None:
    """Writes a small file, whole or not at all."""
    with replacing(path) as file:
        file.write(data)


def sync_file(file: BinaryIO) -> None:
    """Forces the content of a file to the disk."""
    file.flush()
    os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Forces the entries of a folder to the disk; without this, a renamed file may be lost in a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:  # some network file systems do not support it
        pass
    finally:
        os.close(handle)


def temporary_name(target: Path) -> Path:
    """Returns an unused temporary path in the folder of `target`, and therefore on the same device."""
    shortened = os.fsencode(target.name)[:LONGEST].decode(errors="ignore")
    return target.with_name(f".{shortened}.{os.urandom(6).hex()}.part")


def unfinished_files(folder: Path, target: Path | None = None) -> list[Path]:
    """Returns the temporary files and folders that killed processes left for `target` (default: for any target)."""
    paths = [path for path in folder.iterdir() if UNFINISHED.fullmatch(path.name)] if folder.is_dir() else []
    if target is None:
        return paths
    shortened = temporary_name(target).name.rsplit(".", 2)[0]
    return [path for path in paths if path.name.rsplit(".", 2)[0] == shortened]
