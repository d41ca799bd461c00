"""Outputs, checked before the work: whatever would prevent the writing of a result is reported first."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from lookalike.errors import InvalidOption, OutputError, OutputExists
from lookalike.io.files import CODECS, format_of
from lookalike.notices import Notice
from lookalike.storage.foreign_errors import writing

if TYPE_CHECKING:
    from lookalike.io.source import Source

WRITABLE = ("parquet", "jsonl", "csv", "tsv")
"""Formats of tables."""

LONGEST = 255
"""Bytes of a file name; every common file system has this limit."""


def check_output(
    out: str | Path,
    *,
    force: bool = False,
    folder: bool = False,
    table: bool = False,
    inputs: Iterable[Source] = (),
) -> None:
    """Raises the error that writing to `out` would raise after the work.

    `force` says that it may be overwritten, `folder` that it may be a folder, `table` that its suffix must name the
    format of a table. It must not be one of the files of the `inputs`, nor a folder that contains one.
    """
    if table:
        table_format(out)
    if str(out) == "-":
        return
    if "://" in str(out):
        raise OutputError("output-is-url", path=out)
    target = located(out)
    with writing(out):
        _check_path(out, target, force, folder)
        parent = target.parent
        while not parent.exists() and parent != parent.parent:
            parent = parent.parent
        if not parent.is_dir():
            raise OutputError("unwritable", path=out, reason=Notice("parent-is-a-file", folder=parent))
        if not os.access(parent, os.W_OK | os.X_OK):
            raise OutputError("unwritable", path=out, reason=Notice("folder-not-writable", folder=parent))
    for source in inputs:
        _check_not_read(out, target, source)


def _check_path(out: str | Path, target: Path, force: bool, folder: bool) -> None:
    if any(len(os.fsencode(part)) > LONGEST for part in target.parts):
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
    if target.is_dir():
        if not folder:
            raise OutputError("output-is-a-folder", path=out)
        if not force and any(target.iterdir()):
            raise OutputExists.at(out)
    elif target.exists():
        if not target.is_file():
            raise OutputError("output-not-a-file", path=out)
        if not force:
            raise OutputExists.at(out)


def _check_not_read(out: str | Path, target: Path, source: Source) -> None:
    for file in getattr(source, "files", ()):
        if file.local_path is None or file.temporary is not None:
            continue
        read = file.local_path.resolve()
        if target in (read, *read.parents) or (target.is_file() and read.exists() and target.samefile(read)):
            raise OutputError("output-is-input", path=out, name=file.name)


def located(out: str | Path) -> Path:
    """The absolute path of an output, with ~ replaced and links followed."""
    try:
        return Path(out).expanduser().resolve()
    except RuntimeError:
        raise OutputError("unwritable", path=out, reason=Notice("unknown-user")) from None


def names_inside(folder: str | Path, paths: Iterable[str | Path]) -> list[str]:
    """The paths below the folder, relative to it."""
    if str(folder) == "-":
        return []
    root = located(folder)
    return [target.relative_to(root).as_posix() for target in map(located, paths) if root in target.parents]


def table_format(out: str | Path) -> str:
    """The format of a table, by the suffix of its path; standard output gets JSON Lines."""
    format = "jsonl" if str(out) == "-" else format_of(str(out))
    if format not in WRITABLE:
        raise unknown_format(out)
    assert format is not None
    return format


def unknown_format(out: str | Path) -> InvalidOption:
    suffixes = [f".{name}" for name in WRITABLE]
    return InvalidOption("unknown-output-format", path=out, suffixes=suffixes, codecs=list(CODECS))


def check_replaceable(target: Path, written: set[str], out: str | Path) -> None:
    """Raises if a folder contains a file that is not among those about to be written: it would be deleted."""
    if target.exists() and not target.is_dir():
        raise OutputError("output-is-a-file", path=out)
    for path in sorted(target.rglob("*")) if target.is_dir() else ():
        name = path.relative_to(target).as_posix()
        if name not in written and not (path.is_dir() and not path.is_symlink()):
            raise OutputError("folder-has-other-files", path=out, name=name)
