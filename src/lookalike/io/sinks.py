"""Results → files: under a temporary name first, then renamed, so that a file is there whole or not at all."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

import pyarrow as pa

from lookalike.errors import InvalidOption, OutputError, OutputExists
from lookalike.io.files import CODECS, codec_of, format_of
from lookalike.io.writers import WRITABLE, compressing, open_writer
from lookalike.notices import Notice
from lookalike.storage.foreign_errors import writing
from lookalike.storage.sync import sync_folder

STDOUT = Notice("standard-output")

LONGEST = 100
"""Bytes of a name that its temporary name keeps; file systems allow names of 255 bytes."""


def write_table(
    table: pa.Table | pa.RecordBatchReader,
    path: str | Path,
    *,
    force: bool = False,
    metadata: Mapping[str, str] | None = None,
    format: str | None = None,
) -> None:
    """Writes a table as .parquet, .jsonl, .csv or .tsv (also .gz .zst .bz2), or to standard output ("-") as JSON Lines.

    Of a reader no more than a few batches are held. `metadata` goes into the schema of Parquet; the other formats have
    no place for it. Nothing is left behind if the writing fails or is interrupted.
    """
    format = format or _format_of(path)
    schema = table.schema.with_metadata({**(table.schema.metadata or {}), **(metadata or {})})
    with open_sink(path, force=force) as sink:
        _write(table, sink, format, schema)


@contextmanager
def staged(table: pa.Table, path: str | Path | None, *, force: bool = False) -> Iterator[None]:
    """Writes a table in full before the block, and gives it its name after the block if that ends well.

    So two outputs are there together or not at all: the block writes the other. With no path, the block is all.
    """
    if path is None or str(path) == "-":
        yield
        if path is not None:
            write_table(table, path)
        return
    format = _format_of(path)
    with _placed(path, force) as temporary:
        with _written(temporary, codec_of(expanded(path).resolve().name)) as sink:
            _write(table, sink, format, table.schema)
        yield


def _format_of(path: str | Path) -> str:
    format = "jsonl" if str(path) == "-" else format_of(str(path))
    if format not in WRITABLE:
        raise unknown_format(path)
    assert format is not None
    return format


def unknown_format(path: str | Path) -> InvalidOption:
    suffixes = [f".{name}" for name in WRITABLE]
    return InvalidOption("unknown-output-format", path=path, suffixes=suffixes, codecs=list(CODECS))


def _write(table: pa.Table | pa.RecordBatchReader, sink: BinaryIO, format: str, schema: pa.Schema) -> None:
    writer = open_writer(format, sink, schema)
    for batch in table.to_batches(max_chunksize=1 << 16) if isinstance(table, pa.Table) else table:
        writer.write(batch)
    writer.close()


def expanded(out: str | Path) -> Path:
    """The path with ~ and ~user replaced."""
    try:
        return Path(out).expanduser()
    except RuntimeError:
        raise OutputError("unwritable", path=out, reason=Notice("unknown-user")) from None


def names_inside(folder: str | Path, paths: Iterable[str | Path]) -> list[str]:
    """The paths that lie below the folder, as they are called from there."""
    if str(folder) == "-":
        return []
    root = expanded(folder).resolve()
    places = [expanded(path).resolve() for path in paths]
    return [place.relative_to(root).as_posix() for place in places if root in place.parents]


def check_writable(out: str | Path, force: bool = False) -> None:
    """Raises now what writing to `out` would raise after the work: it exists, or its folder is not writable."""
    if str(out) == "-":
        return
    if "://" in str(out):
        raise OutputError("output-is-url", path=out)
    path = expanded(out)
    with writing(out):
        if path.is_dir():
            if not force and any(path.iterdir()):
                raise OutputExists.at(out)
        elif path.exists() or path.is_symlink():
            if path.exists() and not path.is_file():
                raise OutputError("output-not-a-file", path=out)
            if not force:
                raise OutputExists.at(out)
        folder = path.parent
        while not folder.exists() and folder != folder.parent:
            folder = folder.parent
        if not folder.is_dir():
            raise OutputError("unwritable", path=out, reason=Notice("parent-is-a-file", folder=folder))
        if not os.access(folder, os.W_OK | os.X_OK):
            reason = Notice("folder-not-writable", folder=folder.absolute())
            raise OutputError("unwritable", path=out, reason=reason)


@contextmanager
def open_sink(path: str | Path, *, force: bool = False) -> Iterator[BinaryIO]:
    """A stream to write to; what was written takes its name when the block ends well, and vanishes when it does not."""
    if str(path) == "-":
        with writing(STDOUT):
            with compressing(_stdout(), None) as sink:
                yield sink
            sys.stdout.flush()
        return
    with _placed(path, force) as temporary, _written(temporary, codec_of(expanded(path).resolve().name)) as sink:
        yield sink


@contextmanager
def _placed(path: str | Path, force: bool) -> Iterator[Path]:
    """A temporary name for a file, which takes its own when the block ends well, and vanishes when it does not."""
    check_writable(path, force)
    target = expanded(path).resolve()
    if target.is_dir():
        raise OutputError("output-is-a-folder", path=path)
    with writing(path):
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = beside(target)
        try:
            yield temporary
            if not force and target.exists():  # it came while we worked
                raise OutputExists.at(path)
            temporary.replace(target)
            sync_folder(target.parent)
        finally:
            temporary.unlink(missing_ok=True)


@contextmanager
def _written(path: Path, codec: str | None) -> Iterator[BinaryIO]:
    """A stream into a new file; when the block ends, all of it is on the disk."""
    with path.open("xb") as file:
        with compressing(file, codec) as sink:
            yield sink
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def open_folder(path: str | Path, *, force: bool = False, replaces: Iterable[str] = ()) -> Iterator[Path]:
    """A folder to fill; it takes its name when the block ends well, and vanishes when it does not.

    With `force` a folder of that name is replaced, but only if there is nothing in it besides the files
    named in `replaces`: what this run does not write it does not delete.
    """
    check_writable(path, force)
    target = expanded(path).resolve()
    allowed = set(replaces)
    check_replaceable(target, allowed, path)
    with writing(path):
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = beside(target)
        try:
            temporary.mkdir()
            yield temporary
            check_replaceable(target, allowed, path)
            _put_in_place(temporary, target)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def check_replaceable(target: Path, allowed: set[str], given: str | Path) -> None:
    """Raises if a folder holds anything that is not about to be written again."""
    if target.exists() and not target.is_dir():
        raise OutputError("output-is-a-file", path=given)
    for path in sorted(target.rglob("*")) if target.is_dir() else ():
        name = path.relative_to(target).as_posix()
        if name not in allowed and not (path.is_dir() and not path.is_symlink()):
            raise OutputError("folder-has-other-files", path=given, name=name)


def _put_in_place(temporary: Path, target: Path) -> None:
    if not target.exists():
        temporary.rename(target)
        sync_folder(target.parent)
        return
    old = beside(target)
    try:
        target.rename(old)
        temporary.rename(target)
    except BaseException:
        if old.exists() and not target.exists():
            old.rename(target)
        raise
    sync_folder(target.parent)
    shutil.rmtree(old, ignore_errors=True)


def beside(target: Path) -> Path:
    """A name in the same folder, hence on the same device, that nobody else uses."""
    return target.with_name(f".{_short(target)}.{secrets.token_hex(6)}.part")


def remove_unfinished(target: Path) -> None:
    """Removes what runs that were killed left `beside` an output; whoever calls this knows that none of them lives."""
    start = re.escape(f".{_short(target)}.")
    for path in target.parent.iterdir() if target.parent.is_dir() else ():
        if re.fullmatch(rf"{start}[0-9a-f]{{12}}\.part", path.name):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def _short(target: Path) -> str:
    return os.fsencode(target.name)[:LONGEST].decode(errors="ignore")


def _stdout() -> BinaryIO:
    if sys.stdout is None:
        raise OutputError("standard-output-closed")
    return cast(BinaryIO, getattr(sys.stdout, "buffer", None) or _AsText())


class _AsText:
    """Standard output where it takes text only, as in notebooks."""

    def write(self, data: Any) -> int:
        return sys.stdout.write(bytes(data).decode())
