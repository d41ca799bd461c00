"""Finds the picture files in folders."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lookalike.errors import NoInput
from lookalike.notices import Notice

SUFFIXES = frozenset(
    ".apng .avif .bmp .dds .dib .gif .icns .ico .j2k .jfif .jp2 .jpe .jpeg .jpg .mpo .pbm .pcx .pgm .png .pnm .ppm "
    ".psd .qoi .sgi .tga .tif .tiff .webp".split()
)
"""Suffixes of formats that Pillow decodes. Other files are opened if they start like a picture."""

VECTOR_OR_RAW = frozenset(".svg .svgz .heic .heif .jxl .cr2 .cr3 .nef .arw .dng .orf .rw2 .raf".split())
"""Suffixes of pictures that Pillow cannot decode: vector drawings, and formats of phones and cameras."""

STARTS = (b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF8", b"BM", b"II*\0", b"MM\0*", b"RIFF")
"""How PNG, JPEG, GIF, BMP, TIFF and WebP files start."""


@dataclass
class PictureFiles:
    """The pictures that were found, and what was left out."""

    paths: list[Path] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    """The name of each picture in results: its path within the folder; with several folders, the whole path."""
    others: int = 0
    """The number of files that are no pictures."""
    links: int = 0
    """The number of links to folders, which are not followed, and of names of a file that has another name too."""
    problems: list[Notice] = field(default_factory=list)
    """Folders and files that could not be read, and pictures in formats that cannot be decoded."""


def find_files(paths: Iterable[str | Path]) -> PictureFiles:
    """Finds the pictures in these files and folders, in the order of their paths.

    Hidden files are left out. Links to folders are not followed, so links cannot form a loop. A file with several
    names (links) is read once.
    """
    given = [Path(path).expanduser() for path in paths]
    found, known = PictureFiles(), set[tuple[int, int]]()
    for path in given:
        if path.is_dir():
            for file in _files_in(path, found):
                name = file.relative_to(path).as_posix() if len(given) == 1 else file.as_posix()
                _add(file, name, found, known, named=False)
        elif path.exists():
            _add(path, path.name if len(given) == 1 else path.as_posix(), found, known, named=True)
        else:
            raise NoInput("no-pictures-at-path", path=path)
    return found


def _files_in(folder: Path, found: PictureFiles) -> Iterator[Path]:
    """Yields all files in a folder, in the order of their paths."""
    waiting = _entries(folder, found)
    while waiting:
        entry = waiting.pop()
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            waiting += _entries(Path(entry.path), found)
        elif entry.is_symlink() and os.path.isdir(entry.path):  # noqa: PTH112 - Path.is_dir may raise PermissionError
            found.links += 1
        else:
            yield Path(entry.path)


def _entries(folder: Path, found: PictureFiles) -> list[os.DirEntry[str]]:
    """Returns the entries of a folder, the last one first; none if the folder cannot be read."""
    try:
        return sorted(os.scandir(folder), key=lambda entry: entry.name, reverse=True)
    except OSError as error:
        found.problems.append(Notice("picture-folder-unreadable", path=folder, reason=error.strerror or str(error)))
        return []


def _add(file: Path, name: str, found: PictureFiles, known: set[tuple[int, int]], *, named: bool) -> None:
    suffix = file.suffix.lower()
    try:
        about = file.stat()
        if not file.is_file():
            found.others += 1  # a socket or a device
            return
        if suffix in VECTOR_OR_RAW:
            found.problems.append(Notice("picture-format-not-decoded", name=name, suffix=suffix))
            return
        if suffix not in SUFFIXES and not named and not _starts_like_a_picture(file):
            found.others += 1
            return
    except OSError as error:
        reason = error.strerror or str(error)
        if suffix in SUFFIXES or named:
            found.problems.append(Notice("picture-unreadable", name=name, reason=reason))
        else:
            found.others += 1
        return
    if (about.st_dev, about.st_ino) in known:
        found.links += 1
        return
    known.add((about.st_dev, about.st_ino))
    found.paths.append(file)
    found.names.append(name)


def _starts_like_a_picture(file: Path) -> bool:
    with file.open("rb") as opened:
        return opened.read(8).startswith(STARTS)


def check_found(found: PictureFiles, paths: Iterable[str | Path]) -> None:
    """Raises an error if there are no pictures at all, which is hardly meant."""
    if not found.paths and not found.problems:
        raise NoInput("no-pictures-in-folder", path=", ".join(map(str, paths)), others=found.others)
