"""Input files (local, remote or spooled), which are decompressed while they are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, cast

import pyarrow as pa

from lookalike.notices.readable import printable
from lookalike.storage.budget import Budget, budget_in_force
from lookalike.storage.foreign_errors import reading

CODECS = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2"}
MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bz2"}

TABLES = ("parquet", "jsonl", "json", "csv", "tsv")
"""The formats whose rows have columns."""

FORMATS = (*TABLES, "text", "lines", "baskets")
"""The formats that can be read. Other lists of readable formats are derived from TABLES and FORMATS."""

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
"""The suffixes of the files that are read from a folder, and their formats."""

JSON = {".json": "jsonl"}
PROSE = dict.fromkeys((".md", ".markdown", ".rst", ".html", ".htm", ".tex"), "text")
"""Suffixes that count in a folder only if it contains nothing else: beside data, .json files are mostly settings and
metadata, and prose describes the data."""

ALONE = {**SUFFIXES, **JSON}
"""The suffixes of files that are named explicitly."""


def codec_of(name: str) -> str | None:
    """Returns the compression codec that the last suffix of a file name denotes, or None."""
    return CODECS.get(PurePosixPath(name).suffix.lower())


def format_of(name: str, suffixes: dict[str, str] = ALONE) -> str | None:
    """Returns the format of a file, according to its suffix, ignoring a compression suffix; None if it is unknown."""
    path = PurePosixPath(name)
    if path.suffix.lower() in CODECS:
        path = path.with_suffix("") if path.stem else path
    return suffixes.get(path.suffix.lower())


def is_json(name: str) -> bool:
    """True for a name that ends in .json, even with a compression suffix. Such a file may contain a single array."""
    return format_of(name, JSON) is not None


@dataclass(frozen=True)
class File:
    """One input file, and how to open it."""

    path: str
    """The path in its file system."""
    name: str
    """The name that is used in messages."""
    relative: str
    """The path relative to the given folder or glob, used as the id of a text and as the name in an output folder."""
    system: Any = None
    """The fsspec file system; None for local files."""
    codec: str | None = None
    temporary: Any = None
    """The temporary file that contains the data, if any; it must live as long as this object."""
    mark: str | None = None
    """Identifies the content if the path and the modification time do not."""
    encoding: str | None = None
    """The encoding of a text file that is not in UTF-8. It is converted while it is read."""
    is_array: bool = False
    """True if the file is a single JSON array. It is converted to JSON Lines while it is read."""
    is_array_of_texts: bool = False
    """True for an array whose elements are texts or lists of tokens instead of objects."""
    budget: Budget | None = field(default_factory=budget_in_force)
    """The budget that limits the size of documents; None if no budget was in force when the file was opened."""

    @classmethod
    def local(cls, path: Path, relative: str, name: str | None = None) -> File:
        return cls(str(path), printable(name or str(path)), relative, codec=codec_of(path.name))

    @property
    def id(self) -> str:
        return printable(self.relative)

    def open_stored(self) -> BinaryIO:
        """Opens the file as stored, without decompressing it. The stream is seekable."""
        with reading(self.name):
            if self.system is not None:
                return cast(BinaryIO, self.system.open(self.path, "rb"))
            return Path(self.path).open("rb")

    def open(self) -> BinaryIO:
        """Opens the file, decompressed and converted, for reading from start to end."""
        stream = self.open_stored()
        if self.codec is not None:
            stream = cast(BinaryIO, _Plain(stream, self.codec))
        return stream if self.encoding is None and not self.is_array else self._converted(stream)

    def _converted(self, stream: BinaryIO) -> BinaryIO:
        from lookalike.io.converted_streams import as_lines, in_utf8  # few files need it

        if self.encoding is not None:
            stream = cast(BinaryIO, in_utf8(stream, self.encoding, self.name))
        return cast(BinaryIO, as_lines(stream, self.name, self.is_array_of_texts)) if self.is_array else stream

    def open_at(self, offset: int) -> BinaryIO:
        """Opens the file, decompressed and converted, at an offset in the converted data."""
        stream = self.open()
        with reading(self.name):
            if self.codec is None and self.encoding is None and not self.is_array:
                stream.seek(offset)
                return stream
            while offset > 0:
                offset -= len(stream.read(min(offset, 1 << 20))) or offset
        return stream

    def stamp(self) -> str:
        """Returns a string that changes when the file changes, as far as the file system reports changes."""
        if self.mark is not None:
            return f"{self.name} {self.mark}"
        with reading(self.name):
            if self.system is not None:
                return f"{self.path} {self.system.ukey(self.path)}"
            stat = Path(self.path).stat()
            return f"{Path(self.path).absolute()} {stat.st_size} {stat.st_mtime_ns}"

    def facts(self) -> dict[str, Any]:
        """Returns the facts on which `stamp` is based, so that an error can state what has changed."""
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
        """Returns this file, to be read from its decompressed copy at `path`."""
        return replace(self, path=path, system=None, codec=None, temporary=temporary, mark=self.stamp())

    def __getstate__(self) -> dict[str, Any]:
        # A temporary file is owned by the process that created it; pickled copies of this object only read it.
        return {**self.__dict__, "temporary": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


def size_of(files: Sequence[File]) -> int:
    """Returns the total size of the files as stored, in bytes."""
    total = 0
    for file in files:
        with reading(file.name):
            total += Path(file.path).stat().st_size if file.system is None else int(file.system.size(file.path) or 0)
    return total


class _Plain:
    """Decompresses a stream while it is read. Supports concatenated members; raises an error for a truncated stream."""

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
