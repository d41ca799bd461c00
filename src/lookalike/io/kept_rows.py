"""Writes the kept rows of a source to files, with all columns, in input order, by default in the input format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa

from lookalike.errors import InputError, InvalidOption, OutputError
from lookalike.flow.arrays import Mask
from lookalike.io.file_source import FileSource
from lookalike.io.files import File, codec_of, format_of
from lookalike.io.formats.delimited import DelimitedScan
from lookalike.io.formats.parquet import ParquetFormat, ParquetScan
from lookalike.io.formats.text import TextScan
from lookalike.io.memory_source import MemorySource
from lookalike.io.outputs import WRITABLE, check_replaceable, located, unknown_format
from lookalike.io.scan import Copyable
from lookalike.io.set_source import SetSource
from lookalike.io.sinks import open_folder, open_sink, write_table
from lookalike.io.source import Source, check_unchanged
from lookalike.io.writers import ParquetSink, compressing, open_writer
from lookalike.storage.foreign_errors import reading, writing

LINES = ("lines", "baskets")
"""Formats whose lines are copied as they are. Rows of other formats cannot be converted to them."""


def write_kept(
    source: Source,
    kept: Mask,
    out: str | Path,
    *,
    force: bool = False,
    companions: Mapping[str, pa.Table] | None = None,
    identity: str | None = None,
) -> list[Path]:
    """Writes the kept rows, and returns the paths of the files written. Call `check_kept` first, to fail early.

    If `out` has the suffix of a format, or the source does not consist of files, one file is written. Otherwise `out`
    becomes a folder with one file per input file, under the same name: lines of JSON, CSV and text are copied byte for
    byte, Parquet keeps its schema and metadata, and text files are copied. `companions` are tables that are written
    into the folder, by file name. Nothing is written if the source has changed since `identity` was determined (by
    `identity_of`).
    """
    check_unchanged(source, identity)
    if isinstance(source, SetSource) and source.key is not None:  # all rows of the kept sets
        kept, source = source.rows_of(kept), source.origin
        identity = None if identity is None else source.identity()
    if _is_folder(source, out):
        assert isinstance(source, FileSource)
        return _write_folder(source, kept, out, force, companions or {}, identity)
    if companions:
        raise InvalidOption("tables-beside-one-file", path=out)
    format = _format_of_file(source, out)
    with open_sink(out, force=force) as sink:
        if isinstance(source, FileSource) and _copies(source, format):
            _copy_all(source, kept, sink)
        else:
            _write_rows(source, kept, format, sink)
        check_unchanged(source, identity)
    return [] if str(out) == "-" else [Path(out)]


def check_kept(source: Source, out: str | Path, companions: Sequence[str] = ()) -> None:
    """Raises, before the work, the errors that `write_kept` would raise; `check_output` checks the path itself."""
    if isinstance(source, SetSource) and source.key is not None:
        source = source.origin
    if not _is_folder(source, out):
        _format_of_file(source, out)
        return
    assert isinstance(source, FileSource)
    kept = {file.relative for file in source.files}
    if both := kept & {*companions}:
        raise InvalidOption("table-named-like-kept-rows", name=min(both), path=out)
    check_replaceable(located(out), kept | {*companions}, out)


def _is_folder(source: Source, out: str | Path) -> bool:
    """True if `out` becomes a folder, with one output file per input file."""
    if not isinstance(source, FileSource) or isinstance(source, SetSource) or str(out) == "-":
        return False
    if not source.files or any(file.temporary is not None for file in source.files):
        return False
    if str(out).endswith("/") or located(out).is_dir():
        return True
    return format_of(str(out)) is None and not (len(source.files) == 1 and _has_suffix_of(source.files[0], out))


def _has_suffix_of(file: File, out: str | Path) -> bool:
    """True if the input file and the output have the same suffix, which may be unknown to us."""
    return Path(out).suffix != "" and Path(out).suffix == Path(file.relative).suffix


def _format_of_file(source: Source, out: str | Path) -> str:
    """The format of a single output file: by its suffix or, if that is unknown, the format of the input."""
    own = source.format.name if isinstance(source, FileSource) else None
    format = format_of(str(out))
    if own == "lines" and format == "text":
        return own
    if own == "baskets" and format not in ("parquet", "jsonl"):  # this includes .csv, whose lines may be baskets
        return own
    if format is None and own is not None:
        format = "jsonl" if str(out) == "-" and own in ("parquet", "text") else own
    if format is None and str(out) == "-":
        format = "jsonl"
    if format not in WRITABLE and not (format == own and own in LINES):
        raise unknown_format(out)
    assert format is not None
    return format


def _copies(source: FileSource, format: str) -> bool:
    """True if the rows of all files can be copied into one file without conversion."""
    scans = source.format.scans
    if source.format.name != format:
        return False
    if format in ("csv", "tsv"):
        return len({cast(DelimitedScan, scan).head.strip() for scan in scans}) == 1
    if format == "parquet":
        schemas = [cast(ParquetScan, scan).schema for scan in scans]
        return all(schema.equals(schemas[0]) for schema in schemas)
    return format in ("jsonl", *LINES)  # files of lines can be concatenated


def _copy_all(source: FileSource, kept: Mask, sink: BinaryIO) -> None:
    parts = list(_parts(source, kept))
    if source.format.name == "parquet":
        first = cast(ParquetScan, parts[0][0])
        writer = ParquetSink(sink, first.schema, first.codec)
        for scan, mask in parts:
            for batch in cast(ParquetScan, scan).kept(mask):
                writer.write(batch)
        writer.close()
        return
    for number, (scan, mask) in enumerate(parts, 1):
        check_rows(source, scan.copy(mask, sink, head=number == 1, end_lines=number < len(parts)), mask)


def _parts(source: FileSource, kept: Mask) -> Iterator[tuple[Copyable, Mask]]:
    """Yields the scan of each file, with the part of `kept` for its rows."""
    if source.total_rows() is None:
        for _ in source.read([source.column]):
            pass  # counts the rows of each file
    check_rows(source, source.total_rows() or 0, kept)
    start = 0
    for rows in source.rows:
        stop = start + (rows.rows or 0)
        yield cast(Copyable, rows.scan), kept[start:stop]
        start = stop


def check_rows(source: Source, rows: int, kept: Mask) -> None:
    """Raises an error if the number of rows differs from the length of `kept`, because the input has changed."""
    if rows != len(kept):
        raise InputError("rows-changed", name=source.name, before=len(kept), rows=rows)


def _write_rows(source: Source, kept: Mask, format: str, sink: BinaryIO) -> None:
    """Writes rows by way of Arrow, if the format changes or the columns of the files differ."""
    writer = None
    rows = 0
    for batch in source.read():
        writer = writer or open_writer(format, sink, batch.data.schema)
        writer.write(batch.data.filter(pa.array(kept[rows : rows + len(batch)])))
        rows += len(batch)
    check_rows(source, rows, kept)
    if writer is None:
        writer = open_writer(format, sink, schema_of(source))
    writer.close()


def schema_of(source: Source) -> pa.Schema:
    """The schema of a source, even if it has no rows. Columns of unknown type are texts."""
    if isinstance(source, MemorySource):
        return source.table.schema
    columns = source.columns or [source.column, *([source.id] if source.id else [])]
    if isinstance(source, FileSource) and isinstance(source.format, ParquetFormat):
        source.format.prepare(columns)
        return pa.schema([(column, source.format.types[column]) for column in columns])
    return pa.schema([(column, pa.large_string()) for column in columns])


def _write_folder(
    source: FileSource,
    kept: Mask,
    out: str | Path,
    force: bool,
    companions: Mapping[str, pa.Table],
    identity: str | None,
) -> list[Path]:
    names = [file.relative for file in source.format.files]
    if any(".." in Path(name).parts or Path(name).is_absolute() for name in names):
        raise OutputError("no-common-folder", path=out)
    written: list[str] = []
    with open_folder(out, force=force, replaces={*names, *companions}) as folder:
        if source.format.name == "text":
            written += _copy_texts(source, kept, folder)
        else:
            for scan, mask in _parts(source, kept):
                _copy_file(source, scan, mask, folder / scan.file.relative)
                written.append(scan.file.relative)
        for name, table in companions.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            write_table(table, folder / name)
            written.append(name)
        check_unchanged(source, identity)
    return [Path(out) / name for name in written]


def _copy_file(source: FileSource, scan: Copyable, mask: Mask, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("xb") as file, compressing(file, codec_of(target.name)) as sink:
        check_rows(source, scan.copy(mask, sink), mask)


def _copy_texts(source: FileSource, kept: Mask, folder: Path) -> list[str]:
    row = 0
    written = []
    for file in cast(TextScan, source.format.scans[0]).documents():
        if row < len(kept) and kept[row]:
            target = folder / file.relative
            target.parent.mkdir(parents=True, exist_ok=True)
            with reading(file.name), file.open_stored() as stream:
                data = stream.read()
            with writing(target):
                target.write_bytes(data)
            written.append(file.relative)
        row += 1
    check_rows(source, row, kept)
    return written
