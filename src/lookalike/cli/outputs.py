"""The outputs of a command, by option → refused before any work is done, or good to be written to."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lookalike.errors import InvalidOption, OutputError, OutputExists

if TYPE_CHECKING:
    from lookalike.io import Source
    from lookalike.io.files import File

STDOUT = Path("-")

LONGEST = 255
"""Bytes that a name may have; every common file system has this limit."""

Outputs = Mapping[str, "str | Path | None"]
"""Where an option says that something goes, or None where it says nothing."""


def check_outputs(
    outputs: Outputs,
    *,
    force: bool | None = None,
    folder: str | None = None,
    own: Callable[[str | Path], bool] = lambda output: False,
) -> None:
    """Raises now what writing would raise later; `folder` is the option that may name a folder to be filled.

    `force` is None where a command has no such option. What is the command's `own`, it may overwrite without.
    """
    from lookalike.io.outputs import check_output

    taken: dict[Path, str] = {}
    for option, out in outputs.items():
        if out is None:
            continue
        place = located(option, out)
        if place in taken:
            where = "standard output" if place == STDOUT else out
            raise InvalidOption(f"{taken[place]} and {option} both go to {where}; choose another {option}")
        taken[place] = option
        if place != STDOUT and "://" not in str(out):
            is_there = _exists(out, place)
            if place.is_dir() and option != folder:
                raise OutputError(f"{option} {out} is a folder; name a file, such as one in it")
            if is_there and not place.is_dir() and not force and not own(out):
                or_else = "" if force is None else ", or overwrite it with --force"
                raise OutputExists(f"{out} exists already. Choose another {option}{or_else}.")
        check_output(out, force=bool(force) or own(out), folder=option == folder)


def check_inputs_stay(outputs: Outputs, source: Source, plan: Path | None = None) -> None:
    """Refuses an output that is one of the files to be read, or the plan, under whatever name."""
    from lookalike.io.filesource import FileSource

    check_files_stay(outputs, source.files if isinstance(source, FileSource) else (), plan)


def check_files_stay(outputs: Outputs, files: Sequence[File], plan: Path | None = None) -> None:
    """The same of files."""
    places = {f"{option} {out}": located(option, out) for option, out in outputs.items() if out is not None}
    there = {_key(place): said for said, place in places.items() if place != STDOUT and place.is_file()}
    read = {str(plan): plan} if there and plan is not None else {}
    for file in files if there else ():
        if file.held is None and file.local_path is not None:
            read[file.name] = file.local_path
    for name, path in read.items():
        if path.exists() and (said := there.get(_key(path))):
            raise OutputError(f"{said} would overwrite {name}, which is being read; choose another name")


def located(option: str, out: str | Path) -> Path:
    """The place that an option names, links followed; - is standard output."""
    from lookalike.storage.foreign_errors import writing

    name = os.fspath(out)
    if not name:
        raise InvalidOption(f"{option} is empty; it takes the name of a file")
    try:
        with writing(name):  # which asks for the folder we are in, and that may be gone
            return STDOUT if name == "-" else Path(os.path.realpath(Path(name).expanduser()))
    except RuntimeError:
        raise InvalidOption(f"{option} {name}: there is no user of that name whose folder this could be") from None


def _exists(out: str | Path, place: Path) -> bool:
    """Whether there is something; raises where nothing can be, such as under a name that is too long."""
    from lookalike.storage.foreign_errors import writing

    with writing(str(out)):
        try:
            place.stat()
            return True
        except (FileNotFoundError, NotADirectoryError):
            if any(len(os.fsencode(part)) > LONGEST for part in place.parts):  # in a folder that is not there yet
                raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG)) from None
            return False


def _key(path: Path) -> tuple[int, int]:
    """What two names of one file have in common."""
    stat = path.stat()
    return stat.st_dev, stat.st_ino
