"""Writes files and folders whole or not at all, and tables to files or standard output."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

import pyarrow as pa

from lookalike.errors import OutputError, OutputExists
from lookalike.io.files import codec_of
from lookalike.io.outputs import check_replaceable, located, table_format
from lookalike.io.writers import compressing, open_writer
from lookalike.notices import Notice
from lookalike.storage.foreign_errors import writing
from lookalike.storage.whole_files import replacing, sync_file


def write_table(
    table: pa.Table | pa.RecordBatchReader,
    path: str | Path,
    *,
    force: bool = False,
    metadata: Mapping[str, str] | None = None,
    format: str | None = None,
) -> None:
    """Writes a table as .parquet, .jsonl, .csv or .tsv (also .gz .zst .bz2), or to standard output ("-") as JSON Lines.

    Only a few batches of a reader are in memory at once. `metadata` is added to the schema of Parquet files; other
    formats cannot store it. Nothing is left behind if writing fails or is interrupted.
    """
    format = format or table_format(path)
    schema = table.schema.with_metadata({**(table.schema.metadata or {}), **(metadata or {})})
    with open_sink(path, force=force) as sink:
        _write(table, sink, format, schema)


@contextmanager
def staged(table: pa.Table, path: str | Path | None, *, force: bool = False) -> Iterator[None]:
    """Writes a table before the block, and renames it to `path` after the block if the block raised no error.

    The block writes another output, so that either both exist or neither. Without a path, only the block runs. Standard
    output is written after the block.
    """
    if path is None or str(path) == "-":
        yield
        if path is not None:
            write_table(table, path)
        return
    format = table_format(path)
    with _new_file(path, force) as file:
        with compressing(file, codec_of(located(path).name)) as sink:
            _write(table, sink, format, table.schema)
        sync_file(file)
        yield


def _write(table: pa.Table | pa.RecordBatchReader, sink: BinaryIO, format: str, schema: pa.Schema) -> None:
    writer = open_writer(format, sink, schema)
    for batch in table.to_batches(max_chunksize=1 << 16) if isinstance(table, pa.Table) else table:
        writer.write(batch)
    writer.close()


@contextmanager
def open_sink(path: str | Path, *, force: bool = False) -> Iterator[BinaryIO]:
    """Yields a stream, whose content is saved at `path` only if the block ends without an error."""
    if str(path) == "-":
        with writing(Notice("standard-output")):
            with compressing(_stdout(), None) as sink:
                yield sink
            sys.stdout.flush()
        return
    with _new_file(path, force) as file, compressing(file, codec_of(located(path).name)) as sink:
        yield sink


@contextmanager
def _new_file(path: str | Path, force: bool) -> Iterator[BinaryIO]:
    target = located(path)
    with writing(path):
        _check_free(target, path, force)
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(target) as file:
            yield file
            _check_free(target, path, force)  # the target may have been created in the meantime


def _check_free(target: Path, path: str | Path, force: bool) -> None:
    if target.is_dir():
        raise OutputError("output-is-a-folder", path=path, option=None)
    if not force and target.exists():
        raise OutputExists.at(path)


@contextmanager
def open_folder(path: str | Path, *, force: bool = False, replaces: Iterable[str] = ()) -> Iterator[Path]:
    """Yields a folder to fill, which is moved to `path` only if the block ends without an error.

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


def _stdout() -> BinaryIO:
    if sys.stdout is None:
        raise OutputError("standard-output-closed")
    return cast(BinaryIO, getattr(sys.stdout, "buffer", None) or _TextOutput())


class _TextOutput:
    """Standard output that accepts only text, as in notebooks."""

    def write(self, data: Any) -> int:
        return sys.stdout.write(bytes(data).decode())
