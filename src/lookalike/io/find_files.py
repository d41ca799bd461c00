"""Paths, globs, folders and URLs → the files they stand for, in order, and the format these are in."""

from __future__ import annotations

import glob
import os
import stat
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from lookalike.errors import InputError, InvalidOption, LookalikeError, MissingExtra, NoInput
from lookalike.io.files import SUFFIXES, File, codec_of, format_of, printable
from lookalike.io.spool import spool_pipe
from lookalike.storage.foreign_errors import brief, reading

FORMATS = ("parquet", "jsonl", "csv", "tsv", "text", "lines", "baskets")


@dataclass
class Found:
    """The files that were found, all of one format, and what was seen but not taken."""

    files: list[File]
    format: str
    warnings: list[str] = field(default_factory=list)


@dataclass
class _Place:
    """What one path stands for: files below a root, each with its path, its name and its path below the root."""

    root: str
    files: list[tuple[str, str]] = field(default_factory=list)
    """Path, and name in messages."""
    system: Any = None
    is_folder: bool = False
    spooled: File | None = None


def check_format(format: str | None) -> None:
    if format is not None and format not in FORMATS:
        raise InvalidOption(f"format must be one of {', '.join(FORMATS)}, got {format!r}")


def find_files(paths: Sequence[str], format: str | None = None) -> Found:
    """The files that the paths stand for. A folder or a glob gives its files sorted by path; paths keep their order."""
    warnings: list[str] = []
    places = [_remote(path) if "://" in path else _local(path, warnings) for path in paths]
    places = [_chosen(place, path, format, warnings) for place, path in zip(places, paths, strict=True)]
    files = _as_files(places)
    once = list({(id(file.system), _absolute(file)): file for file in reversed(files)}.values())[::-1]
    if len(once) < len(files):
        warnings.append(f"{len(files) - len(once)} files were named more than once; each is read once")
    return Found(once, format or _common_format(once, ", ".join(paths)), warnings)


def is_pipe(path: str) -> bool:
    """Whether it can be read only once: a named pipe, or a shell's <(…)."""
    try:
        mode = Path(path).expanduser().stat().st_mode
    except (OSError, ValueError, RuntimeError):  # nothing is there, and whoever reads it says so
        return False
    return not stat.S_ISDIR(mode) and not stat.S_ISREG(mode)


def _local(path: str, warnings: list[str]) -> _Place:
    if not path:
        raise NoInput("an empty path names no file; the folder you are in is '.'")
    try:
        plain = Path(path).expanduser()
    except RuntimeError:  # ~nobody/…
        raise NoInput(f"{_shown(path)} does not exist: there is no such user") from None
    try:
        mode = plain.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        if glob.has_magic(path):
            return _glob(str(plain), path, warnings)
        raise NoInput(f"{_shown(path)} does not exist{_advice(path)}") from None
    except PermissionError:
        raise InputError(f"{printable(path)} may not be read: permission denied") from None
    except (OSError, ValueError) as error:
        raise NoInput(f"{_shown(path)} is not the path of a file ({brief(error)}){_advice(path)}") from None
    if stat.S_ISDIR(mode):
        return _folder(plain, warnings)
    if not stat.S_ISREG(mode):
        return _Place(str(plain.parent), spooled=spool_pipe(plain))
    return _Place(str(plain.parent), [(str(plain), path)])


def _folder(folder: Path, warnings: list[str]) -> _Place:
    """All files below a folder. Hidden ones and links to folders are left alone, and that is said."""
    found: list[str] = []
    hidden = 0
    special: list[str] = []

    def refuse(error: OSError) -> None:
        raise InputError(f"the folder {printable(str(error.filename))} cannot be read: {error.strerror}")

    for at, folders, names in os.walk(folder, onerror=refuse):
        for name in list(folders):
            path = Path(at, name)
            if name.startswith("."):
                folders.remove(name)
                hidden += 1
            elif path.is_symlink():
                special.append(str(path))
        for name in names:
            path = Path(at, name)
            if name.startswith("."):
                hidden += 1
            elif path.is_file():
                found.append(str(path))
            else:
                special.append(str(path))
    if hidden:
        warnings.append(f"{printable(str(folder))}: {hidden} hidden files or folders were not read")
    if special:
        warnings.append(
            f"{printable(str(folder))}: {len(special)} links to folders, pipes or the like were not read, "
            f"the first is {printable(special[0])}"
        )
    found.sort(key=lambda path: _below(path, str(folder)))
    return _Place(str(folder), [(path, path) for path in found], is_folder=True)


def _glob(pattern: str, given: str, warnings: list[str]) -> _Place:
    matches = sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207 - pathlib's ** differs between versions
    files = [match for match in matches if Path(match).is_file()]
    others = [match for match in matches if not Path(match).is_file() and not Path(match).is_dir()]
    if others:
        warnings.append(
            f"{given}: {len(others)} pipes or broken links were not read, the first is {printable(others[0])}"
        )
    if not files:
        only = "nothing but folders" if matches else "no file"
        raise NoInput(f"the glob {given} matches {only}{'; end it with /* or /**' if matches else ''}")
    fixed = Path(pattern[: len(pattern) - len(_magic_part(pattern))] or ".")
    return _Place(str(fixed), [(path, path) for path in files])


def _magic_part(pattern: str) -> str:
    """The pattern from the first folder or name on that has a wildcard in it."""
    pattern = pattern.replace(os.sep, "/")
    parts = pattern.split("/")
    first = next(i for i, part in enumerate(parts) if glob.has_magic(part))
    return "/".join(parts[first:])


def _remote(url: str) -> _Place:
    import fsspec

    try:
        system, path = fsspec.core.url_to_fs(url)
    except ImportError as error:
        raise MissingExtra(f"{url} cannot be read: {brief(error)}") from None
    except Exception as error:
        raise InputError(f"{url} is not an address that can be read: {brief(error)}") from None
    try:
        with reading(url):
            if system.isfile(path):
                return _Place(str(PurePosixPath(path).parent), [(path, url)], system)
            if system.isdir(path):
                inside = [p for p in system.find(path) if not _is_hidden(_below(p, path))]
                return _Place(path, [(p, _full(system, p)) for p in sorted(inside)], system, is_folder=True)
            matches = sorted(p for p in system.glob(path) if system.isfile(p)) if glob.has_magic(path) else []
            if matches:
                fixed = path[: len(path) - len(_magic_part(path))].rstrip("/")
                return _Place(fixed, [(p, _full(system, p)) for p in matches], system)
    except LookalikeError as error:
        raise InputError(str(error)) from None
    raise NoInput(f"{url} {'matches no file' if glob.has_magic(path) else 'does not exist'}")


def _full(system: Any, path: str) -> str:
    return str(system.unstrip_protocol(path))


def _is_hidden(relative: str) -> bool:
    return any(part.startswith(".") for part in relative.split("/"))


def _chosen(place: _Place, given: str, format: str | None, warnings: list[str]) -> _Place:
    """Of a folder's files those in the format: the one asked for, or the one there is."""
    if not place.is_folder:
        return place
    shown = printable(given)
    formats = {path: format_of(path, SUFFIXES) for path, _ in place.files}
    if format in ("text", "lines", "baskets"):
        wanted = place.files
    else:
        there = Counter(kind for kind in formats.values() if kind)
        if format is None and len(there) > 1:
            kinds = ", ".join(f"{count} {kind}" for kind, count in there.most_common())
            kind: str | None = there.most_common(1)[0][0]
            raise InputError(
                f"{shown} holds files of several formats ({kinds}): "
                f"choose one with --format {kind} / format='{kind}' or with a glob"
            )
        kind = format or next(iter(there), None)
        wanted = [(path, name) for path, name in place.files if formats[path] == kind and kind]
        if format and not wanted:
            wanted = place.files  # files without a suffix, as clusters write them
    if not wanted and format in ("text", "lines", "baskets"):
        raise NoInput(f"{shown} has no files in it")
    if not wanted:
        raise NoInput(
            f"{shown} has no documents: looked for {' '.join(SUFFIXES)}, also with .gz .zst .bz2; "
            "use --format text / format='text' to take every file as a document"
        )
    left = len(place.files) - len(wanted)
    if left:
        first = next(name for path, name in place.files if (path, name) not in wanted)
        warnings.append(f"{shown}: {left} files of other kinds were not read, the first is {printable(first)}")
    place.files = list(wanted)
    return place


def _as_files(places: Sequence[_Place]) -> list[File]:
    """Every file, named by its path below the root; where there are several roots, below what they share."""
    roots = {(id(place.system), place.root) for place in places}
    files = []
    for place in places:
        if place.spooled is not None:
            files.append(place.spooled)
            continue
        root = place.root
        if len(roots) > 1:  # abspath, not Path.absolute(): that would leave the '..' in
            paths = [path for other in places if other.system is place.system for path, _ in other.files]
            absolute = [os.path.abspath(path) if place.system is None else path for path in paths]  # noqa: PTH100
            root = os.path.commonpath([str(PurePosixPath(path).parent) for path in absolute])
        for path, name in place.files:
            full = os.path.abspath(path) if place.system is None and len(roots) > 1 else path  # noqa: PTH100
            files.append(File(path, printable(name), _below(full, root), place.system, codec_of(path)))
    return files


def _absolute(file: File) -> str:
    # Not resolved: a link is a file of its own, like the copy it stands for.
    return os.path.abspath(file.path) if file.system is None else file.path  # noqa: PTH100


def _below(path: str, root: str) -> str:
    """The path relative to the root, with slashes."""
    return os.path.relpath(path, root).replace(os.sep, "/")


def _common_format(files: Sequence[File], given: str) -> str:
    """The format of all files, by their suffixes or, where those say nothing, by the first bytes."""
    kinds = {format_of(file.relative): file for file in files}
    if len(kinds) > 1:
        examples = ", ".join(file.name for file in kinds.values())
        raise InputError(
            f"{printable(given)} stands for files of several formats (such as {examples}): "
            "choose some with a glob, or say with --format / format= what they all are"
        )
    return next(iter(kinds)) or _sniffed(files[0])


def _sniffed(file: File) -> str:
    """Parquet if it says so, otherwise text: a suffix that means nothing to us is no promise of lines."""
    with file.open() as stream, reading(file.name):
        return "parquet" if stream.read(4) == b"PAR1" else "text"


def _shown(path: str) -> str:
    shown = printable(path).replace("\n", "⏎")
    return shown if len(shown) <= 200 else shown[:197] + "…"


def _advice(path: str) -> str:
    """A string is a path; someone who gave a text should hear it."""
    if "\n" in path or len(path) > 200 or path.count(" ") > 5:
        return ". A string is taken as a path; to give texts, put them in a list"
    return ""
