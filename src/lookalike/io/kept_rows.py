"""Writes the kept rows of a source to files, with all columns, in input order, by default in the input format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import accumulate, chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

import numpy as np
import pyarrow as pa

from lookalike.errors import InputError, InvalidOption, OutputError
from lookalike.flow.arrays import Mask
from lookalike.flow.documents import TOKENS
from lookalike.io.columns import holds_integers
from lookalike.io.converted_streams import text_in
from lookalike.io.file_source import FileSource
from lookalike.io.files import File, codec_of, format_of, is_json
from lookalike.io.formats.parquet import ParquetFormat, ParquetScan
from lookalike.io.memory_source import MemorySource
from lookalike.io.outputs import WRITABLE, check_replaceable, located, unknown_format
from lookalike.io.partitions import PartitionedSource
from lookalike.io.scan import Copyable
from lookalike.io.set_source import SetSource
from lookalike.io.sinks import open_folder, open_sink, write_table
from lookalike.io.source import Batch, Source
from lookalike.io.tokenized_source import TokenizedSource, untokenized
from lookalike.io.workers import mapped
from lookalike.io.writers import GROUP_BYTES, WRITERS, compressing, write_parquet
from lookalike.storage.foreign_errors import reading, writing

if TYPE_CHECKING:
    from lookalike.io.formats.delimited import DelimitedScan
    from lookalike.io.formats.text import TextScan

EVERY = 4096
"""The number of copied lines between two progress reports."""

PER_WRITER = 4 * GROUP_BYTES
"""Bytes of memory for each thread that writes rows: a row group, its parts before they are joined, and its encoding."""

Reached = Callable[[int], None]
"""A callback that is called with the number of rows written so far."""

LINES = ("lines", "baskets")
"""Formats whose lines are copied unchanged. Rows of other formats cannot be converted to them."""

OTHER_FILES = (
    ".7z .arrow .avro .db .docx .duckdb .feather .html .ipc .npy .ods .orc .pdf .pickle .pkl .sqlite .tar .xls .xlsx "
    ".xml .xz .zip"
).split()
"""Suffixes of formats that cannot be written. They are refused, because users hardly want a folder with such a name."""


class KeptOutput:
    """The output of kept rows. Whether it is a file or a folder is decided before the work.

    If `out` has the suffix of a format, or the source does not consist of files, one file is written. Otherwise `out`
    becomes a folder with one file per input file, under the same name: lines of JSON, CSV and text are copied byte for
    byte, Parquet keeps its schema and metadata, and text files are copied. `removed` is the absolute path of the table
    of removed rows; if it is inside this folder, it is written with the folder. The path itself is checked by
    `check_output`.
    """

    def __init__(self, source: Source, out: str | Path, removed: Path | None = None) -> None:
        self.source, self.out = source, out
        self.rows = source
        if isinstance(source, TokenizedSource) or (isinstance(source, SetSource) and source.key is not None):
            self.rows = source.origin
        """The source of the rows to write. For sets, these are all rows of the kept sets."""
        self.format = _format_of(self.rows, out)
        """The format of a single file; None if `out` becomes a folder."""
        self.table: str | None = None
        """The path of the table of removed rows, if it is inside the folder; otherwise None."""
        folder = located(out)
        if removed is not None and folder in removed.parents:
            if self.format is not None:
                raise InvalidOption("tables-beside-one-file", path=out)
            self.table = removed.relative_to(folder).as_posix()
        if self.format is None:
            names = {file.relative for file in cast(FileSource, self.rows).files}
            if any(".." in Path(name).parts or Path(name).is_absolute() for name in names):
                raise OutputError("no-common-folder", path=out)
            if self.table in names:
                raise InvalidOption("table-named-like-kept-rows", name=self.table, path=out)
            check_replaceable(folder, names | ({self.table} if self.table else set()), out)

    def write(
        self,
        kept: Mask,
        removed: pa.Table | None = None,
        *,
        force: bool = False,
        reached: Reached = lambda rows: None,
        threads: int = 1,
    ) -> list[Path]:
        """Writes the kept rows, and returns the paths of the files. The bytes do not depend on the number of threads.

        Raises an error, and writes nothing, if the source changed.
        """
        if isinstance(self.source, SetSource) and self.source.key is not None:
            kept = self.source.rows_of(kept)
        if self.format is None:
            return self._write_folder(kept, removed, force, reached, threads)
        with open_sink(self.out, force=force) as sink:
            if isinstance(self.rows, FileSource) and _copies(self.rows, self.format):
                _copy_all(self.rows, kept, self.out, sink, reached, threads)
            else:
                _convert(self.rows, kept, self.format, sink, reached)
            self.source.check_unchanged()
        return [] if str(self.out) == "-" else [Path(self.out)]

    def _write_folder(
        self, kept: Mask, removed: pa.Table | None, force: bool, reached: Reached, threads: int
    ) -> list[Path]:
        source = cast(FileSource, self.rows)
        tables = {} if self.table is None or removed is None else {self.table: removed}
        names = [file.relative for file in source.files]
        written: list[str] = []
        rows = 0
        with open_folder(self.out, force=force, replaces={*names, *tables}) as folder:
            if source.format.name == "text":
                written += _copy_texts(source, kept, folder, reached)
            else:
                parts = _parts(source, kept)
                each = 1 if len(parts) > threads else threads  # several files at once, or several threads for each

                def copy(part: tuple[Copyable, Mask]) -> tuple[str, int]:
                    scan, mask = part
                    _copy_file(source, scan, mask, folder / scan.file.relative, each)
                    return scan.file.relative, int(np.count_nonzero(mask))

                for name, count in map(copy, parts) if each == threads else mapped(copy, parts, threads):
                    written.append(name)
                    rows += count
                    reached(rows)
            for name, table in tables.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                write_table(table, folder / name)
                written.append(name)
            self.source.check_unchanged()
        return [Path(self.out) / name for name in written]


def _format_of(source: Source, out: str | Path) -> str | None:
    """Returns the format of a single output file; None if `out` becomes a folder.

    The format is determined by the suffix of `out`; for an unknown suffix, it is the format of the input.
    """
    format, own = format_of(str(out)), source.format.name if isinstance(source, FileSource) else None
    files = source.files if isinstance(source, FileSource) and not isinstance(source, SetSource) else ()
    if files and str(out) != "-" and all(file.temporary is None for file in files):
        alike = len(files) == 1 and Path(out).suffix == Path(files[0].relative).suffix != ""
        if str(out).endswith("/") or located(out).is_dir() or (format is None and not alike):
            if Path(out).suffix.lower() in OTHER_FILES and not str(out).endswith("/") and not located(out).is_dir():
                raise unknown_format(out)
            return None
    if own == "lines" and format == "text":
        return own
    if own == "baskets" and format not in ("parquet", "jsonl"):  # including .csv, whose lines may be baskets
        return own
    if format is None and own is not None:
        format = "jsonl" if str(out) == "-" and own in ("parquet", "text") else own
    if format is None and str(out) == "-":
        format = "jsonl"
    if format not in WRITABLE and not (format == own and own in LINES):
        raise unknown_format(out)
    return format


def _copies(source: FileSource, format: str) -> bool:
    """True if the rows of all files can be copied into one file without conversion."""
    scans = source.format.scans
    if source.format.name != format or isinstance(source, PartitionedSource):
        return False
    if format in ("csv", "tsv"):
        return len({cast("DelimitedScan", scan).head.strip() for scan in scans}) == 1
    if format == "parquet":
        schemas = [cast(ParquetScan, scan).schema for scan in scans]
        return all(schema.equals(schemas[0]) for schema in schemas)
    return format in ("jsonl", *LINES)  # files of lines can be concatenated


class _CountedLines:
    """A sink that counts each call of `write` as a row, because scans copy one line at a time."""

    def __init__(self, sink: BinaryIO, reached: Reached) -> None:
        self._write, self._reached, self._rows = sink.write, reached, 0

    def write(self, line: bytes) -> None:
        self._write(line)
        self._rows += 1
        if self._rows % EVERY == 0:
            self._reached(self._rows)


def _counted(batches: Iterable[pa.RecordBatch], reached: Reached) -> Iterator[pa.RecordBatch]:
    """Yields batches, and reports the number of rows so far."""
    rows = 0
    for batch in batches:
        yield batch
        rows += batch.num_rows
        reached(rows)


def _copy_all(source: FileSource, kept: Mask, out: str | Path, sink: BinaryIO, reached: Reached, threads: int) -> None:
    parts = _parts(source, kept)
    if source.format.name == "parquet":
        first = cast(ParquetScan, parts[0][0])
        batches = (batch for scan, mask in parts for batch in cast(ParquetScan, scan).kept(mask, threads))
        head = list(islice(batches, 1))  # texts are read before the codec is requested
        write_parquet(_counted(chain(head, batches), reached), sink, first.schema, first.codec, threads)
        return
    with _written_as(out, source.format.files, sink) as written:
        lines = cast(BinaryIO, _CountedLines(written, reached))
        for number, (scan, mask) in enumerate(parts, 1):
            rows = scan.copy(mask, lines, head=number == 1, end_lines=number < len(parts), threads=threads)
            if rows != len(mask):
                raise rows_changed(source, rows, mask)


def _parts(source: FileSource, kept: Mask) -> list[tuple[Copyable, Mask]]:
    """Returns the scan of each file, with the part of `kept` for its rows."""
    if source.total_rows() is None:
        for _ in source.read([source.column]):
            pass  # counts the rows of each file
    ends = list(accumulate(rows.rows or 0 for rows in source.rows))
    if ends[-1] != len(kept):
        raise rows_changed(source, ends[-1], kept)
    starts = [0, *ends]
    return [
        (cast(Copyable, rows.scan), kept[start:end])
        for rows, start, end in zip(source.rows, starts, ends, strict=False)
    ]


def rows_changed(source: Source, rows: int, kept: Mask) -> InputError:
    """Returns the error to raise if the number of rows differs from that in the run, because the input has changed."""
    return InputError("rows-changed", name=source.name, before=len(kept), rows=rows)


def _convert(source: Source, kept: Mask, format: str, sink: BinaryIO, reached: Reached) -> None:
    """Writes rows by converting them with Arrow, if the format changes or the columns of the files differ."""
    batches = whole_rows(source)
    first = next(batches, None)
    schema = schema_of(source) if first is None else first.data.schema
    rows = _filtered(source, kept, chain([first] if first else [], batches))
    WRITERS[format](_counted(rows, reached), sink, schema)


def _filtered(source: Source, kept: Mask, batches: Iterable[Batch]) -> Iterator[pa.RecordBatch]:
    """Yields the kept rows of all batches of a source."""
    rows = 0
    for batch in batches:
        yield batch.data.filter(pa.array(kept[rows : rows + len(batch)]))
        rows += len(batch)
    if rows != len(kept):
        raise rows_changed(source, rows, kept)


def whole_rows(source: Source, start: int = 0, stop: int | None = None) -> Iterator[Batch]:
    """Reads rows with all their columns. Tokens that the source stores as integers are read as integers."""
    kind = _type_of_integers(source)
    for batch in source.read(None, start, stop):
        place = batch.data.schema.get_field_index(source.column)
        if kind is None or place < 0 or batch.data.schema.field(place).type != TOKENS:
            yield batch
        else:
            integers = batch.data.column(place).cast(kind)
            yield Batch(batch.start, batch.data.set_column(place, source.column, integers))


def _type_of_integers(source: Source) -> pa.DataType | None:
    """Returns the type of tokens that the source stores as integers; None if it stores other tokens or texts."""
    stored = source.stored_type(source.column) if isinstance(source, MemorySource | FileSource) else None
    if not holds_integers(stored):
        return None
    return pa.large_list(pa.uint64() if getattr(stored, "value_type", None) == pa.uint64() else pa.int64())


def schema_of(source: Source) -> pa.Schema:
    """Returns the schema of `whole_rows`, even if the source has no rows. Columns of unknown type are texts."""
    schema, kind = _schema_of(source), _type_of_integers(source)
    place = schema.get_field_index(source.column)
    if kind is None or place < 0 or schema.field(place).type != TOKENS:
        return schema
    return schema.set(place, pa.field(source.column, kind))


def _schema_of(source: Source) -> pa.Schema:
    source = untokenized(source)
    if isinstance(source, MemorySource):
        schema = source.table.schema
        return pa.schema(list(schema)[: len(source.columns)], schema.metadata)  # without nested columns, which are last
    columns = source.columns or [source.column, *([source.id] if source.id else [])]
    if isinstance(source, FileSource) and isinstance(source.format, ParquetFormat):
        added = source.added(columns) if isinstance(source, PartitionedSource) else {}
        source.format.prepare([column for column in columns if column not in added])
        return pa.schema([(column, added.get(column) or source.format.types[column]) for column in columns])
    return pa.schema([(column, pa.large_string()) for column in columns])


def _copy_file(source: FileSource, scan: Copyable, mask: Mask, target: Path, threads: int) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    codec = codec_of(target.name)
    with (
        target.open("xb") as file,
        nullcontext(file) if codec is None else compressing(file, codec) as sink,
        _written_as(target, [scan.file], sink) as lines,
    ):
        rows = scan.copy(mask, lines, threads=threads)
    if rows != len(mask):
        raise rows_changed(source, rows, mask)


@contextmanager
def _written_as(out: str | Path, files: Sequence[File], sink: BinaryIO) -> Iterator[BinaryIO]:
    """Yields the sink for lines that are copied to `out`.

    The lines become an array if all files were arrays and `out` is also a .json file.
    """
    if not is_json(str(out)) or not all(file.is_array for file in files):
        yield sink
        return
    array = _Array(sink, texts=all(file.is_array_of_texts for file in files))
    yield cast(BinaryIO, array)
    sink.write(b"\n]\n" if array.rows else b"[]\n")


class _Array:
    """Writes lines of JSON as the elements of an array; with `texts`, as an array of texts."""

    def __init__(self, sink: BinaryIO, *, texts: bool) -> None:
        self.sink, self.texts, self.rows = sink, texts, 0

    def write(self, line: bytes) -> None:
        element = text_in(line) if self.texts else line.rstrip(b"\r\n")
        self.sink.write((b",\n" if self.rows else b"[\n") + element)
        self.rows += 1


def _copy_texts(source: FileSource, kept: Mask, folder: Path, reached: Reached) -> list[str]:
    row = 0
    written = []
    for file in cast("TextScan", source.format.scans[0]).documents():
        if row < len(kept) and kept[row]:
            target = folder / file.relative
            target.parent.mkdir(parents=True, exist_ok=True)
            with reading(file.name), file.open_stored() as stream:
                data = stream.read()
            with writing(target):
                target.write_bytes(data)
            written.append(file.relative)
            reached(len(written))
        row += 1
    if row != len(kept):
        raise rows_changed(source, row, kept)
    return written
