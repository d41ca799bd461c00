"""Finds the files that paths, globs, folders and URLs name, in order, and determines their format."""

from __future__ import annotations

import glob
import os
import stat
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from lookalike.errors import InputError, InvalidOption, MissingExtra, NoInput
from lookalike.io.files import CODECS, SUFFIXES, File, codec_of, format_of
from lookalike.io.temporary_copies import spool_pipe, spool_stdin
from lookalike.notices import Notice
from lookalike.notices.printable import printable
from lookalike.storage.foreign_errors import brief, cannot_read, reading

FORMATS = ("parquet", "jsonl", "csv", "tsv", "text", "lines", "baskets")


STDIN = "-"
"""The path that means standard input."""


@dataclass
class Found:
    """Files of one format, their common `name` in messages, and warnings about files that were skipped."""

    name: str
    files: list[File]
    format: str
    warnings: list[Notice] = field(default_factory=list)


@dataclass
class _Place:
    """The files that one path names, all below a root folder."""

    root: str
    files: list[tuple[str, str]] = field(default_factory=list)
    """The path of each file, and its name in messages."""
    system: Any = None
    is_folder: bool = False
    spooled: File | None = None


def open_paths(paths: Sequence[str], format: str | None, stdin_format: Callable[[File], str]) -> Found:
    """Finds the files that the paths name, or spools standard input.

    `stdin_format` determines the format of standard input if `format` is None.
    """
    if STDIN not in paths:
        return find_files(paths, format)
    if len(paths) > 1:
        raise InvalidOption("standard-input-with-files")
    file = spool_stdin()
    return Found(file.name, [file], format or stdin_format(file))


def find_files(paths: Sequence[str], format: str | None = None) -> Found:
    """Finds the files that the paths name, in the order of the paths. Files of a folder or glob are sorted by path."""
    warnings: list[Notice] = []
    places = [_remote(path) if "://" in path else _local(path, warnings) for path in paths]
    for place, path in zip(places, paths, strict=True):
        if place.is_folder:
            _choose(place, path, format, warnings)
    files = _as_files(places)
    once = list({(id(file.system), _absolute(file)): file for file in reversed(files)}.values())[::-1]
    if len(once) < len(files):
        warnings.append(Notice("files-named-twice", count=len(files) - len(once)))
    return Found(name_of(paths), once, format or _common_format(once, ", ".join(paths)), warnings)


def name_of(paths: Sequence[str]) -> str:
    """A name for one or more paths, for messages."""
    return printable(", ".join(paths) if len(paths) <= 3 else f"{', '.join(paths[:2])} and {len(paths) - 2} more")


def is_pipe(path: str) -> bool:
    """True for paths that can be read only once, such as a named pipe or <(…) in a shell."""
    try:
        mode = Path(path).expanduser().stat().st_mode
    except (OSError, ValueError, RuntimeError):  # an invalid path, which will be reported when it is opened
        return False
    return not stat.S_ISDIR(mode) and not stat.S_ISREG(mode)


def _local(path: str, warnings: list[Notice]) -> _Place:
    if not path:
        raise NoInput("empty-path")
    try:
        plain = Path(path).expanduser()
    except RuntimeError:  # ~nobody/…
        raise NoInput("no-such-file", path=_shown(path), reason=Notice("unknown-user"), advice=None) from None
    try:
        mode = plain.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        if glob.has_magic(path):
            return _glob(str(plain), path, warnings)
        raise NoInput("no-such-file", path=_shown(path), reason=None, advice=_advice(path)) from None
    except PermissionError:
        raise InputError("permission-denied", name=printable(path)) from None
    except (OSError, ValueError) as error:
        reason = brief(error)
        raise NoInput("not-the-path-of-a-file", path=_shown(path), reason=reason, advice=_advice(path)) from None
    if stat.S_ISDIR(mode):
        return _folder(plain, warnings)
    if not stat.S_ISREG(mode):
        return _Place(str(plain.parent), spooled=spool_pipe(plain))
    return _Place(str(plain.parent), [(str(plain), path)])


def _folder(folder: Path, warnings: list[Notice]) -> _Place:
    """Finds all files below a folder. Hidden files, links to folders and special files are skipped with a warning."""
    found: list[str] = []
    hidden = 0
    special: list[str] = []

    def refuse(error: OSError) -> None:
        raise cannot_read(printable(str(error.filename)), error)

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
        warnings.append(Notice("hidden-files-skipped", folder=printable(str(folder)), count=hidden))
    if special:
        warnings.append(_special(str(folder), special))
    found.sort(key=lambda path: _below(path, str(folder)))
    return _Place(str(folder), [(path, path) for path in found], is_folder=True)


def _glob(pattern: str, given: str, warnings: list[Notice]) -> _Place:
    matches = sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207 - pathlib's ** differs between versions
    files = [match for match in matches if Path(match).is_file()]
    others = [match for match in matches if not Path(match).is_file() and not Path(match).is_dir()]
    if others:
        warnings.append(_special(given, others))
    if not files:
        if matches:
            raise NoInput("glob-matches-only-folders", pattern=given)
        raise NoInput("glob-matches-nothing", pattern=given)
    fixed = Path(pattern[: len(pattern) - len(_magic_part(pattern))] or ".")
    return _Place(str(fixed), [(path, path) for path in files])


def _special(folder: str, paths: Sequence[str]) -> Notice:
    return Notice("special-files-skipped", folder=printable(folder), count=len(paths), first=printable(paths[0]))


def _magic_part(pattern: str) -> str:
    """The end of a glob pattern, starting at the first path component with a wildcard."""
    pattern = pattern.replace(os.sep, "/")
    parts = pattern.split("/")
    first = next(i for i, part in enumerate(parts) if glob.has_magic(part))
    return "/".join(parts[first:])


def _remote(url: str) -> _Place:
    import fsspec

    try:
        system, path = fsspec.core.url_to_fs(url)
    except ImportError as error:
        raise MissingExtra("file-system-not-installed", url=url, reason=brief(error)) from None
    except Exception as error:
        raise InputError("invalid-address", url=url, reason=brief(error)) from None
    try:
        if system.isfile(path):
            return _Place(str(PurePosixPath(path).parent), [(path, url)], system)
        if system.isdir(path):
            inside = [p for p in system.find(path) if not _is_hidden(_below(p, path))]
            return _Place(path, [(p, _full(system, p)) for p in sorted(inside)], system, is_folder=True)
        matches = sorted(p for p in system.glob(path) if system.isfile(p)) if glob.has_magic(path) else []
        if matches:
            fixed = path[: len(path) - len(_magic_part(path))].rstrip("/")
            return _Place(fixed, [(p, _full(system, p)) for p in matches], system)
    except FileNotFoundError:
        pass  # for example, a bucket that does not exist
    except Exception as error:  # each file system raises errors of its own library
        raise InputError("unreadable", name=url, reason=f"{type(error).__name__}: {brief(error)}") from None
    if glob.has_magic(path):
        raise NoInput("glob-matches-nothing", pattern=url)
    raise NoInput("no-such-file", path=url, reason=None, advice=None)


def _full(system: Any, path: str) -> str:
    return str(system.unstrip_protocol(path))


def _is_hidden(relative: str) -> bool:
    return any(part.startswith(".") for part in relative.split("/"))


def _choose(place: _Place, given: str, format: str | None, warnings: list[Notice]) -> None:
    """Keeps the files of a folder that have the requested format or, by default, the only format in the folder."""
    shown = printable(given)
    formats = {path: format_of(path, SUFFIXES) for path, _ in place.files}
    if format in ("text", "lines", "baskets"):
        wanted = place.files
    else:
        there = Counter(kind for kind in formats.values() if kind)
        if format is None and len(there) > 1:
            counts = [f"{count} {kind}" for kind, count in there.most_common()]
            raise InputError("folder-of-several-formats", folder=shown, counts=counts)
        kind = format or next(iter(there), None)
        wanted = [(path, name) for path, name in place.files if formats[path] == kind and kind]
        if format and not wanted:
            wanted = place.files  # files without a suffix, such as those that Spark writes
    if not wanted and format in ("text", "lines", "baskets"):
        raise NoInput("folder-without-files", folder=shown)
    if not wanted:
        raise NoInput("folder-without-documents", folder=shown, suffixes=tuple(SUFFIXES), codecs=tuple(CODECS))
    left = len(place.files) - len(wanted)
    if left:
        first = next(name for path, name in place.files if (path, name) not in wanted)
        warnings.append(Notice("other-files-skipped", folder=shown, count=left, first=printable(first)))
    place.files = list(wanted)


def _as_files(places: Sequence[_Place]) -> list[File]:
    """The files of all places, with paths relative to the root or, if there are several, to their common folder."""
    roots = {(id(place.system), place.root) for place in places}
    files = []
    for place in places:
        if place.spooled is not None:
            files.append(place.spooled)
            continue
        root = place.root
        if len(roots) > 1:  # os.path.abspath, because Path.absolute() does not resolve '..'
            paths = [path for other in places if other.system is place.system for path, _ in other.files]
            absolute = [os.path.abspath(path) if place.system is None else path for path in paths]  # noqa: PTH100
            root = os.path.commonpath([str(PurePosixPath(path).parent) for path in absolute])
        for path, name in place.files:
            full = os.path.abspath(path) if place.system is None and len(roots) > 1 else path  # noqa: PTH100
            files.append(File(path, printable(name), _below(full, root), place.system, codec_of(path)))
    return files


def _absolute(file: File) -> str:
    # Links are not followed: a link and its target count as two files.
    return os.path.abspath(file.path) if file.system is None else file.path  # noqa: PTH100


def _below(path: str, root: str) -> str:
    """The path relative to the root, with forward slashes."""
    return os.path.relpath(path, root).replace(os.sep, "/")


def _common_format(files: Sequence[File], given: str) -> str:
    """The format of all files, by their suffixes or, if these are unknown, by the first bytes of the first file."""
    kinds = {format_of(file.relative): file for file in files}
    if len(kinds) > 1:
        examples = tuple(file.name for file in kinds.values())
        raise InputError("paths-of-several-formats", name=printable(given), examples=examples)
    return next(iter(kinds)) or _sniffed(files[0])


def _sniffed(file: File) -> str:
    """Returns "parquet" if the file starts like Parquet, otherwise "text" (one document per file)."""
    with file.open() as stream, reading(file.name):
        return "parquet" if stream.read(4) == b"PAR1" else "text"


def _shown(path: str) -> str:
    shown = printable(path)
    return shown if len(shown) <= 200 else shown[:197] + "…"


def _advice(path: str) -> Notice | None:
    """Advice for users who seem to have passed a text instead of a path; None for plausible paths."""
    is_text = "\n" in path or len(path) > 200 or path.count(" ") > 5
    return Notice("string-is-a-path") if is_text else None
