"""Copies standard input, pipes and compressed Parquet to temporary files, which can be read more than once."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from lookalike.errors import InputError
from lookalike.io.files import MAGIC, File, codec_of
from lookalike.storage.foreign_errors import copying, reading

if TYPE_CHECKING:
    from lookalike.storage.unnamed_files import Unnamed

BLOCK = 1 << 20


def spool_stdin() -> File:
    """Copies standard input to a temporary file."""
    if sys.stdin is None:
        raise InputError("standard-input-closed")
    return _spooled(sys.stdin.buffer, "standard input", "stdin")


def spool_pipe(path: Path) -> File:
    """Copies the contents of a named pipe, such as <(…) in a shell, to a temporary file."""
    with reading(str(path)), path.open("rb") as stream:
        return _spooled(stream, str(path), path.name)


def _spooled(stream: BinaryIO, name: str, relative: str) -> File:
    copy, digest = _copy(stream, name)
    with Path(copy.path).open("rb") as file:
        head = file.read(4)
    codec = codec_of(relative) or next((codec for magic, codec in MAGIC.items() if head.startswith(magic)), None)
    return File(copy.path, name, relative, codec=codec, temporary=copy, mark=digest)


def decompressed(file: File) -> File:
    """Decompresses a file to a temporary copy, if it is compressed, because Parquet files are read from the end."""
    if file.codec is None:
        return file
    with file.open() as stream:
        copy, _ = _copy(stream, file.name)
    return file.without_codec(copy.path, copy)


def _copy(stream: BinaryIO, name: str) -> tuple[Unnamed, str]:
    """Copies a stream to a temporary file. Returns the file and a hash of its content."""
    from lookalike.storage.unnamed_files import Unnamed

    digest = hashlib.blake2b(digest_size=16)
    with copying(name):
        copy = Unnamed()
        with Path(copy.path).open("wb") as file:
            while block := _read(stream, name):
                digest.update(block)
                file.write(block)
    return copy, digest.hexdigest()


def _read(stream: BinaryIO, name: str) -> bytes:
    with reading(name):
        return stream.read(BLOCK)
