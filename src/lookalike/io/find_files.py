"""Finds the files that paths, globs, folders and URLs refer to, in order, and determines their format."""

from __future__ import annotations

import glob
import os
import stat
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import Path, PurePosixPath
from typing import Any

from lookalike.errors import InputError, InvalidOption, MissingExtra, NoInput
from lookalike.io.files import CODECS, FORMATS, JSON, PROSE, SUFFIXES, File, codec_of, format_of
from lookalike.io.temporary_copies import spool_pipe, spool_stdin
from lookalike.notices import Notice
from lookalike.notices.readable import printable
from lookalike.storage.foreign_errors import brief, cannot_read, reading

EXTRAS = {
    **dict.fromkeys(("s3", "s3a"), ("s3", "s3fs")),
    **dict.fromkeys(("gs", "gcs"), ("gs", "gcsfs")),
    **dict.fromkeys(("az", "abfs", "abfss", "adl"), ("azure", "adlfs")),
    **dict.fromkeys(("http", "https"), ("https", "aiohttp and requests")),
    "hf": ("hf", "huggingface_hub"),
}
"""The extra to install for each URL scheme, and the packages in it. For other schemes, the error of fsspec names the
package.
"""

SHOWN_SUFFIXES = 4
"""The maximum number of suffixes that an error lists."""

STDIN = "-"
"""The path that means standard input."""


@dataclass
class Found:
    """Files of one format, their common `name` for messages, and warnings about files that were skipped."""

    name: str
    files: list[File]
    format: str
    warnings: list[Notice] = field(default_factory=list)


@dataclass
class _Place:
    """The files that one path refers to. They are all below a root folder, to which their names are `relative`."""

    root: str
    files: list[File]
    is_folder: bool = False


def find_files(
    paths: Sequence[str], format: str | None = None, stdin_format: Callable[[File], str] | None = None
) -> Found:
    """Finds the files that the paths refer to, in the order of the paths. Files of a folder or glob are sorted by path.

    "-" is standard input, which is copied to a temporary file. If `format` is None, `stdin_format` determines the
    format of standard input (default: detected from its first bytes).
    """
    if STDIN in paths:
        if len(paths) > 1:
            raise InvalidOption("standard-input-with-files")
        file = spool_stdin()
        return Found(file.name, [file], format or (stdin_format or _sniffed_input)(file))
    warnings: list[Notice] = []
    places = [_remote(path) if "://" in path else _local(path, warnings) for path in paths]
    for place, path in zip(places, paths, strict=True):
        if place.is_folder:
            _choose(place, path, format, warnings)
    files = [file for place in places for file in place.files]
    if len(files) > 1:
        files = _together(places, warnings)
    if format is None:
        formats = {format_of(file.relative): file for file in files}
        if len(formats) > 1:
            examples = tuple(file.name for file in formats.values())
            raise InputError("paths-of-several-formats", name=printable(", ".join(paths)), examples=examples)
        format = next(iter(formats)) or _sniffed(files[0])
    return Found(name_of(paths), files, format, warnings)


def name_of(paths: Sequence[str]) -> str:
    """Returns a name for one or more paths, for messages."""
    return printable(", ".join(paths) if len(paths) <= 3 else f"{', '.join(paths[:2])} and {len(paths) - 2} more")


def is_pipe(path: str) -> bool:
    """True if a path can be read only once, such as a named pipe or <(…) in a shell."""
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
    except RuntimeError:  # ~name/… if there is no such user
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
        return _Place(str(plain.parent), [spool_pipe(plain)])
    return _Place(str(plain.parent), [File(str(plain), printable(path), plain.name, codec=codec_of(plain.name))])


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
    files = [_file(path, path, str(folder)) for path in found]
    return _Place(str(folder), sorted(files, key=attrgetter("relative")), is_folder=True)


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
    return _Place(str(fixed), [_file(path, path, str(fixed)) for path in files])


def _special(folder: str, paths: Sequence[str]) -> Notice:
    return Notice("special-files-skipped", folder=printable(folder), count=len(paths), first=printable(paths[0]))


def _magic_part(pattern: str) -> str:
    """Returns the end of a glob pattern, starting at the first path component with a wildcard."""
    pattern = pattern.replace(os.sep, "/")
    parts = pattern.split("/")
    first = next(i for i, part in enumerate(parts) if glob.has_magic(part))
    return "/".join(parts[first:])


def _remote(url: str) -> _Place:
    import fsspec

    try:
        system, path = fsspec.core.url_to_fs(url)
    except ImportError as error:
        extra = EXTRAS.get(url.partition("://")[0].lower())
        if extra is not None:
            raise MissingExtra("missing-extra", what=url, package=extra[1], extra=extra[0]) from None
        raise MissingExtra("file-system-not-installed", url=url, reason=brief(error)) from None
    except Exception as error:
        raise InputError("invalid-address", url=url, reason=brief(error)) from None
    try:
        if system.isfile(path):
            root = str(PurePosixPath(path).parent)
            return _Place(root, [_file(path, url, root, system)])
        if system.isdir(path):
            inside = [p for p in system.find(path) if not _is_hidden(_below(p, path))]
            found = [_file(p, _full(system, p), path, system) for p in sorted(inside)]
            return _Place(path, found, is_folder=True)
        matches = sorted(p for p in system.glob(path) if system.isfile(p)) if glob.has_magic(path) else []
        if matches:
            fixed = path[: len(path) - len(_magic_part(path))].rstrip("/")
            return _Place(fixed, [_file(p, _full(system, p), fixed, system) for p in matches])
    except FileNotFoundError:
        pass  # for example, a bucket that does not exist
    except Exception as error:  # each file system raises its own library's errors
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
    if not place.files:
        raise NoInput("folder-without-files", folder=shown)
    if format in ("text", "lines", "baskets"):
        return
    # files without a suffix, such as those that Spark writes, have the requested format
    wanted = _recognised(place.files, shown) if format is None else _of_format(place.files, format) or place.files
    left = len(place.files) - len(wanted)
    if left:
        chosen = {file.path for file in wanted}
        first = next(file.name for file in place.files if file.path not in chosen)
        warnings.append(Notice("other-files-skipped", folder=shown, count=left, first=first))
    place.files = list(wanted)


def _recognised(files: Sequence[File], shown: str) -> Sequence[File]:
    """Returns the files of the only known format in a folder. Without one, all files must be JSON, or all prose."""
    formats = [format_of(file.path, SUFFIXES) for file in files]
    there = Counter(kind for kind in formats if kind)
    if len(there) > 1:
        counts = [f"{count} {kind}" for kind, count in there.most_common()]
        raise InputError("folder-of-several-formats", folder=shown, counts=counts)
    if there:
        return [file for file, kind in zip(files, formats, strict=True) if kind]
    for suffixes in (JSON, PROSE):
        if all(format_of(file.path, suffixes) for file in files):
            return files
    endings = Counter(PurePosixPath(file.path).suffix for file in files).most_common(SHOWN_SUFFIXES)
    found = tuple(f"{count:,} {suffix or 'without a suffix'}" for suffix, count in endings)
    advice = Notice("json-files-advice") if any(format_of(file.path, JSON) for file in files) else None
    names = {"suffixes": tuple(SUFFIXES), "codecs": tuple(CODECS), "found": found}
    raise NoInput("folder-without-documents", folder=shown, **names, advice=advice)


def _of_format(files: Sequence[File], format: str) -> list[File]:
    """Returns the files with a suffix of the requested format; .json files only if there are no others."""
    for suffixes in (JSON, SUFFIXES) if format == "json" else (SUFFIXES, JSON):
        wanted = [file for file in files if format_of(file.path, suffixes) == ("jsonl" if format == "json" else format)]
        if wanted:
            return wanted
    return []


def _together(places: Sequence[_Place], warnings: list[Notice]) -> list[File]:
    """Returns the files of all places, each once.

    If there are several roots, names are relative to their common folder.
    """
    files = [file for place in places for file in place.files]
    if len({(id(file.system), place.root) for place in places for file in place.files}) > 1:
        roots = {
            id(file.system): os.path.commonpath(
                [str(PurePosixPath(_absolute(other)).parent) for other in files if other.system is file.system]
            )
            for file in files
        }
        files = [
            file if file.temporary else replace(file, relative=_below(_absolute(file), roots[id(file.system)]))
            for file in files
        ]
    once = list({(id(file.system), _absolute(file)): file for file in reversed(files)}.values())[::-1]
    if len(once) < len(files):
        warnings.append(Notice("files-named-twice", count=len(files) - len(once)))
    return once


def _file(path: str, name: str, root: str, system: Any = None) -> File:
    return File(path, printable(name), _below(path, root), system, codec_of(path))


def _absolute(file: File) -> str:
    # Links are not followed, so a link and its target count as two files. Path.absolute() does not resolve '..'.
    return os.path.abspath(file.path) if file.system is None else file.path  # noqa: PTH100


def _below(path: str, root: str) -> str:
    """Returns the path relative to the root, with forward slashes."""
    return os.path.relpath(path, root).replace(os.sep, "/")


def _sniffed(file: File) -> str:
    """Returns "parquet" if the file starts like a Parquet file, otherwise "text" (one document per file)."""
    with file.open() as stream, reading(file.name):
        return "parquet" if stream.read(4) == b"PAR1" else "text"


def _sniffed_input(file: File) -> str:
    """Detects the format of standard input from its first bytes. Raises an error if they are ambiguous."""
    with file.open() as stream, reading(file.name):
        head = stream.read(1 << 16)
    if head.startswith(b"PAR1"):
        return "parquet"
    if not head or head.removeprefix(BOM_UTF8).lstrip().startswith((b"{", b"[")):  # empty input has no rows
        return "jsonl"
    raise InputError("standard-input-of-unknown-format", formats=FORMATS)


def _shown(path: str) -> str:
    shown = printable(path)
    return shown if len(shown) <= 200 else shown[:197] + "…"


def _advice(path: str) -> Notice | None:
    """Returns advice for users who seem to have passed a text instead of a path; None for plausible paths."""
    is_text = len(path) > 200 or (len(path.split()) > 1 and "/" not in path and format_of(path) is None)
    return Notice("string-is-a-path") if is_text else None
