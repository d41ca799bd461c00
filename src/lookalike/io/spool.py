"""Standard input, pipes and compressed Parquet → temporary files, because they have to be read more than once."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from lookalike.errors import InputError, LookalikeError, OutputError
from lookalike.io.files import MAGIC, File, codec_of
from lookalike.storage.foreign_errors import reading, why

STDIN = "standard input"
BLOCK = 1 << 20


class Spooled:
    """A temporary file that goes when this object does."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        from lookalike.storage.unnamed_files import (
            Unnamed,  # not on top: it brings shutil and random, and few inputs are spooled
        )

        digest = hashlib.blake2b(digest_size=16)
        try:
            self.file = Unnamed()
            with Path(self.path).open("wb", buffering=0) as file:
                for block in _blocks(stream, name):
                    digest.update(block)
                    left = memoryview(block)
                    while left:
                        left = left[file.write(left) :]
        except OSError as error:
            if isinstance(error, LookalikeError):
                raise
            raise OutputError("no-room-for-copy", name=name, reason=why(error)) from None
        self.digest = digest.hexdigest()

    @property
    def path(self) -> str:
        """Parquet and the tasks of a cluster open it again by that."""
        return self.file.path


def _blocks(stream: BinaryIO, name: str) -> Iterator[bytes]:
    while True:
        with reading(name):
            block = stream.read(BLOCK)
        if not block:
            return
        yield block


def spool_stdin(stream: BinaryIO | None = None) -> File:
    """All of standard input as a file."""
    if stream is None:
        if sys.stdin is None:
            raise InputError("standard-input-closed")
        stream = sys.stdin.buffer
    return _spool(stream, STDIN, "stdin")


def spool_pipe(path: Path) -> File:
    """All that a named pipe or a shell's <(…) gives, as a file."""
    with reading(str(path)), path.open("rb") as stream:
        return _spool(stream, str(path), path.name)


def _spool(stream: BinaryIO, name: str, relative: str) -> File:
    spooled = Spooled(stream, name)
    with Path(spooled.path).open("rb") as file:
        head = file.read(4)
    codec = codec_of(relative) or next((codec for magic, codec in MAGIC.items() if head.startswith(magic)), None)
    return File(spooled.path, name, relative, codec=codec, held=spooled, mark=spooled.digest)


def decompressed(file: File) -> File:
    """The same file without its compression: Parquet has to be read from its end."""
    if file.codec is None:
        return file
    with file.open() as stream:
        spooled = Spooled(stream, file.name)
    return file.without_codec(spooled.path, spooled)
