"""One input file, local, remote or spooled, whose bytes are decompressed while they are read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, cast

import pyarrow as pa

from lookalike.storage.foreign_errors import reading

CODECS = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2"}
MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bz2"}

SUFFIXES = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json-lines": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".txt": "text",
    ".text": "text",
}
"""Suffixes that a folder is searched for."""

ALONE = {**SUFFIXES, ".json": "jsonl"}
"""Suffixes of files that are named: in folders, .json files are mostly settings and metadata."""


def codec_of(name: str) -> str | None:
    """The codec of a file, by the last suffix of its name."""
    return CODECS.get(PurePosixPath(name).suffix.lower())


def format_of(name: str, suffixes: dict[str, str] = ALONE) -> str | None:
    """The format of a file, by the suffix of its name without that of the compression."""
    path = PurePosixPath(name)
    if path.suffix.lower() in CODECS:
        path = path.with_suffix("") if path.stem else path
    return suffixes.get(path.suffix.lower())


def printable(name: str) -> str:
    """The name as valid Unicode. Bytes of a file name that are not UTF-8 become escapes such as \\xff."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return os.fsencode(name).decode("utf-8", "backslashreplace")
    return name


@dataclass(frozen=True)
class File:
    """One input file."""

    path: str
    """Path in its file system."""
    name: str
    """Name in messages."""
    relative: str
    """Path below the folder or glob that named it: the id of a text, the name in an output folder."""
    system: Any = None
    """The fsspec file system; None for local files."""
    codec: str | None = None
    temporary: Any = None
    """The temporary file behind it, if any, which must live as long as this object."""
    mark: str | None = None
    """Identifies the content if path and modification time do not."""

    @classmethod
    def local(cls, path: Path, relative: str, name: str | None = None) -> File:
        return cls(str(path), printable(name or str(path)), relative, codec=codec_of(path.name))

    @property
    def id(self) -> str:
        return printable(self.relative)

    @property
    def local_path(self) -> Path | None:
        return None if self.system else Path(self.path)

    def open_stored(self) -> BinaryIO:
        """The stored bytes, seekable."""
        with reading(self.name):
            if self.system is not None:
                return cast(BinaryIO, self.system.open(self.path, "rb"))
            return Path(self.path).open("rb")

    def open(self) -> BinaryIO:
        """The decompressed bytes, to be read from start to end."""
        stored = self.open_stored()
        if self.codec is None:
            return stored
        return cast(BinaryIO, _Plain(stored, self.codec))

    def open_at(self, offset: int) -> BinaryIO:
        """The decompressed bytes, starting at `offset`."""
        stream = self.open()
        with reading(self.name):
            if self.codec is None:
                stream.seek(offset)
                return stream
            while offset > 0:
                offset -= len(stream.read(min(offset, 1 << 20))) or offset
        return stream

    def stamp(self) -> str:
        """A text that changes with the file, as far as the file system reports changes."""
        if self.mark is not None:
            return f"{self.name} {self.mark}"
        with reading(self.name):
            if self.system is not None:
                return f"{self.path} {self.system.ukey(self.path)}"
            stat = Path(self.path).stat()
            return f"{Path(self.path).absolute()} {stat.st_size} {stat.st_mtime_ns}"

    def facts(self) -> dict[str, Any]:
        """The facts behind `stamp`, so that differences can be named."""
        if self.mark is not None:
            return {"path": self.name, "name": self.name, "content": self.mark}
        if self.system is not None:
            return {"path": self.path, "name": self.name, "content": self.stamp()}
        with reading(self.name):
            stat = Path(self.path).stat()
        changed = datetime.fromtimestamp(stat.st_mtime).astimezone().isoformat(" ", "seconds")
        path = str(Path(self.path).absolute())
        return {"path": path, "name": self.name, "bytes": stat.st_size, "changed": changed, "ns": stat.st_mtime_ns}

    def without_codec(self, path: str, temporary: Any) -> File:
        """The same file, with its decompressed copy at `path`."""
        return replace(self, path=path, system=None, codec=None, temporary=temporary, mark=self.stamp())

    def __getstate__(self) -> dict[str, Any]:
        # A temporary file belongs to the process that created it; pickled copies only read it.
        return {**self.__dict__, "temporary": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


def size_of(files: Sequence[File]) -> int:
    """The sum of their stored sizes, in bytes."""
    total = 0
    for file in files:
        with reading(file.name):
            total += Path(file.path).stat().st_size if file.system is None else int(file.system.size(file.path) or 0)
    return total


class _Plain:
    """A compressed stream, decompressed. Concatenated members are supported; a truncated stream is an error."""

    def __init__(self, stored: BinaryIO, codec: str) -> None:
        self._stored = stored
        self._stream = pa.CompressedInputStream(pa.PythonFile(stored, "r"), codec)

    def read(self, size: int = -1) -> bytes:
        return cast(bytes, self._stream.read(None if size < 0 else size))

    def close(self) -> None:
        self._stream.close()
        self._stored.close()

    def __enter__(self) -> _Plain:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
