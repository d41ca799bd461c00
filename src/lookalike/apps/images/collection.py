"""Reads all pictures of a collection: their bytes, sizes and thumbnails, on several threads."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import numpy as np

from lookalike.apps.images.decode import Decoded, decode, quiet
from lookalike.apps.images.files import PictureFiles
from lookalike.apps.images.thumbnails import SIDE, Pixels, Thumbnails
from lookalike.flow.arrays import Rows
from lookalike.flow.progress import Progress, silent
from lookalike.notices import Notice

AT_ONCE = 256
"""The number of pictures that are read before the next ones are begun."""

IN_MEMORY = 60_000
"""With more thumbnails than this, they are kept in a temporary file, 12 KB each."""


@dataclass(frozen=True)
class Picture:
    """One picture file."""

    name: str
    path: Path
    bytes: int
    width: int = 0
    height: int = 0
    format: str = ""
    several: bool = False
    copy_of: int | None = None
    """The number of the first picture with the same bytes, if this is not the first."""
    problem: Notice | None = None


@dataclass(frozen=True, eq=False)
class Collection:
    """All pictures, and the thumbnails of those that could be decoded and have no earlier copy."""

    pictures: Sequence[Picture]
    thumbnails: Thumbnails


@dataclass(frozen=True)
class _Read:
    size: int
    digest: bytes
    decoded: Decoded | Notice


def read_pictures(
    files: PictureFiles, *, most: int, threads: int, progress: Progress = silent, stage: str = "read"
) -> Collection:
    """Reads these pictures. A picture that cannot be read or decoded becomes one with a problem."""
    pictures: list[Picture] = []
    first: dict[bytes, int] = {}
    store = _Store(len(files.paths))

    def read(number: int) -> _Read:
        try:
            data = files.paths[number].read_bytes()
        except OSError as error:
            notice = Notice("picture-unreadable", name=files.names[number], reason=error.strerror or str(error))
            return _Read(0, b"", notice)
        except MemoryError:
            return _Read(0, b"", Notice("picture-too-large", name=files.names[number]))
        return _Read(len(data), hashlib.blake2b(data, digest_size=16).digest(), decode(data, files.names[number], most))

    with quiet(), ThreadPoolExecutor(threads) as pool:
        for start in range(0, len(files.paths), AT_ONCE):
            progress(stage, start, len(files.paths))
            for number, one in enumerate(pool.map(read, range(start, min(start + AT_ONCE, len(files.paths)))), start):
                name, path, decoded = files.names[number], files.paths[number], one.decoded
                if isinstance(decoded, Notice):
                    pictures.append(Picture(name, path, one.size, problem=decoded))
                    continue
                earlier = first.setdefault(one.digest, number)
                size = decoded.width, decoded.height
                copy = earlier if earlier != number else None
                pictures.append(Picture(name, path, one.size, *size, decoded.format, decoded.several, copy))
                if copy is None:
                    store.add(number, decoded)
    progress(stage, len(files.paths), len(files.paths))
    return Collection(pictures, store.thumbnails())


class _Store:
    """Collects thumbnails, in memory or, if there are very many, in a temporary file without a name."""

    def __init__(self, expected: int) -> None:
        self._rows: list[tuple[int, int, int, int]] = []
        self._parts: list[Pixels] = []
        self._file: IO[bytes] | None = TemporaryFile() if expected > IN_MEMORY else None  # noqa: SIM115

    def add(self, number: int, decoded: Decoded) -> None:
        for ground, pixels in decoded.thumbnails.items():
            self._rows.append((number, ground, decoded.width, decoded.height))
            if self._file is None:
                self._parts.append(pixels)
            else:
                self._file.write(pixels.tobytes())

    def thumbnails(self) -> Thumbnails:
        shape = (len(self._rows), SIDE, SIDE, 3)
        if self._file is not None and self._rows:
            self._file.flush()
            pixels: Pixels = np.memmap(self._file, np.uint8, "r", shape=shape)
        else:
            pixels = np.stack(self._parts) if self._parts else np.zeros(shape, np.uint8)
        numbers: Rows = np.array(self._rows, np.int64).reshape(-1, 4)
        return Thumbnails(pixels, *numbers.T)


def problems_of(pictures: Iterable[Picture]) -> list[Notice]:
    """Returns the problems of pictures, in their order."""
    return [picture.problem for picture in pictures if picture.problem is not None]
