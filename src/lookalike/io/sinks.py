"""Writes files and folders whole or not at all, and tables to files or standard output."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO, cast

import pyarrow as pa

from lookalike.errors import OutputError, OutputExists
from lookalike.io.files import codec_of
from lookalike.io.outputs import check_replaceable, located, table_format
from lookalike.io.writers import WRITERS, compressing
from lookalike.notices import Notice
from lookalike.storage.foreign_errors import writing
from lookalike.storage.whole_files import replacing, sync_file

BATCH_ROWS = 1 << 16
"""The number of rows of a table that are converted at once."""


def write_table(
    table: pa.Table | pa.RecordBatchReader,
    path: str | Path,
    *,
    force: bool = False,
    metadata: Mapping[str, str] | None = None,
    format: str | None = None,
) -> None:
    """Writes a table as .parquet, .jsonl, .csv or .tsv, also compressed (.gz, .zst, .bz2), or to standard output ("-").

    Standard output receives JSON Lines. Only a few batches of a reader are in memory at once. `metadata` is added to
    the schema of Parquet files; other formats cannot store it. Nothing is left behind if writing fails or is
    interrupted.
    """
    format = format or table_format(path)
    schema = table.schema.with_metadata({**(table.schema.metadata or {}), **(metadata or {})})
    batches = table.to_batches(max_chunksize=BATCH_ROWS) if isinstance(table, pa.Table) else table
    with open_sink(path, force=force) as sink:
        WRITERS[format](batches, sink, schema)


@contextmanager
def staged(table: pa.Table, path: str | Path, *, force: bool = False) -> Iterator[None]:
    """Writes a table to a temporary file, runs the block, and renames the file to `path` if the block raised no error.

    The block writes another output, so that either both outputs exist or neither. Standard output is written after the
    block.
    """
    if str(path) == "-":
        yield
        write_table(table, path)
        return
    codec = codec_of(str(path))
    with _new_file(path, force) as file:
        with nullcontext(file) if codec is None else compressing(file, codec) as sink:
            WRITERS[table_format(path)](table.to_batches(max_chunksize=BATCH_ROWS), sink, table.schema)
        sync_file(file)  # after the block, only the renaming can fail
        yield


@contextmanager
def open_sink(path: str | Path, *, force: bool = False) -> Iterator[BinaryIO]:
    """Yields a stream to write to. Its content is saved at `path` only if the block ends without an error."""
    if str(path) == "-":
        with writing(Notice("standard-output")):
            yield cast(BinaryIO, _StandardOutput())
            sys.stdout.flush()
        return
    codec = codec_of(str(path))
    with _new_file(path, force) as file, nullcontext(file) if codec is None else compressing(file, codec) as sink:
        yield sink


@contextmanager
def _new_file(path: str | Path, force: bool) -> Iterator[BinaryIO]:
    """Yields a file that is renamed to `path` after the block, unless a file there must not be overwritten."""
    target = located(path)
    with writing(path):
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(target) as file:
            yield file
            if target.is_dir():
                raise OutputError("output-is-a-folder", path=path, option=None)
            if not force and target.exists():  # it may have been created after outputs were checked
                raise OutputExists.at(path)


@contextmanager
def open_folder(path: str | Path, *, force: bool = False, replaces: Iterable[str] = ()) -> Iterator[Path]:
    """Yields a folder to fill. It is moved to `path` only if the block ends without an error.

    With `force`, an existing folder is replaced, but only if all its files are named in `replaces`, so that files that
    this run does not write are never deleted.
    """
    from lookalike.storage.whole_folders import replace_folder  # needed only for folders

    target = located(path)
    allowed = set(replaces)
    with writing(path):
        check_replaceable(target, allowed, path)
        if not force and target.exists() and any(target.iterdir()):
            raise OutputExists.at(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        with replace_folder(target) as folder:
            yield folder
            check_replaceable(target, allowed, path)


_ESCAPES = {
    code: f"\\u{code:04x}"
    for code in (*range(32), *range(127, 160), 0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A))
    if chr(code) not in "\n\t"
}
"""The escapes of characters that control a terminal or the direction of text. In JSON, they mean the same character."""


class _StandardOutput:
    """Standard output for bytes, even if it accepts only text, as in notebooks. It counts its position, for Parquet.

    On a terminal, control characters of the texts are escaped. Pipes and files receive the bytes as they are.
    """

    closed = False

    def __init__(self) -> None:
        if sys.stdout is None:
            raise OutputError("standard-output-closed")
        self._file = getattr(sys.stdout, "buffer", None)
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace") if sys.stdout.isatty() else None
        self._written = 0

    def write(self, data: Any) -> int:
        length = memoryview(data).nbytes
        if self._decoder is not None:  # line ends of Windows stay line ends
            data = self._decoder.decode(bytes(data)).replace("\r\n", "\n").translate(_ESCAPES).encode()
        if self._file is None:
            sys.stdout.write(bytes(data).decode())
        else:
            self._file.write(data)
        self._written += length
        return length

    def tell(self) -> int:
        return self._written

    def flush(self) -> None:
        pass
