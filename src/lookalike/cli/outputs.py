"""Checks of a command's outputs before any work is done."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lookalike.errors import InvalidOption, OutputError, OutputExists

if TYPE_CHECKING:
    from lookalike.io import Source
    from lookalike.io.files import File

STDOUT = Path("-")

Outputs = Mapping[str, "str | Path | None"]
"""Path of each output by option; None if there is none."""


def check_outputs(
    outputs: Outputs,
    *,
    force: bool | None = None,
    tables: Collection[str] = (),
    folder: str | None = None,
    own: Callable[[str | Path], bool] = lambda output: False,
) -> None:
    """Raises the errors that writing would raise later, and refuses two outputs with one path.

    `force` is None for commands without that option. Outputs that are the command's `own` may be overwritten anyway.
    `tables` are the options that name tables, and `folder` the one that may name a folder.
    """
    from lookalike.io.outputs import check_output

    taken: dict[Path, str] = {}
    for option, out in outputs.items():
        if out is None:
            continue
        place = _located(option, out)
        if place in taken:
            where = "standard output" if place == STDOUT else out
            raise InvalidOption("outputs-collide", first=taken[place], second=option, path=where)
        taken[place] = option
        if force is None and place != STDOUT and place.is_file():
            raise OutputExists("file-exists", path=out, option=option)
        check_output(out, force=bool(force) or own(out), folder=option == folder, table=option in tables)


def check_inputs_stay(outputs: Outputs, source: Source, plan: Path | None = None) -> None:
    """Refuses an output that is one of the input files, or the plan, under any name."""
    from lookalike.io.file_source import FileSource

    check_files_stay(outputs, source.files if isinstance(source, FileSource) else (), plan)


def check_files_stay(outputs: Outputs, files: Sequence[File], plan: Path | None = None) -> None:
    """The same for files."""
    places = {out: _located(option, out) for option, out in outputs.items() if out is not None}
    there = {_key(place): out for out, place in places.items() if place != STDOUT and place.is_file()}
    read = {str(plan): plan} if there and plan is not None else {}
    for file in files if there else ():
        if file.temporary is None and file.local_path is not None:
            read[file.name] = file.local_path
    for name, path in read.items():
        if path.exists() and (out := there.get(_key(path))):
            raise OutputError("output-is-input", path=out, name=name)


def _located(option: str, out: str | Path) -> Path:
    """The absolute path of an output, links resolved; - is standard output."""
    from lookalike.io.outputs import located
    from lookalike.storage.foreign_errors import writing

    if not str(out):
        raise InvalidOption("empty-option", option=option)
    with writing(out):  # the current folder may no longer exist, and links may go round in circles
        return STDOUT if str(out) == "-" else located(out)


def _key(path: Path) -> tuple[int, int]:
    """Device and inode: the same for all names of one file."""
    stat = path.stat()
    return stat.st_dev, stat.st_ino
