"""Hive partitions: folders named `year=2024` are columns of the files below them, as in Spark, Polars and DuckDB."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from lookalike.errors import MalformedInput, NoSuchColumn
from lookalike.flow.documents import TEXT
from lookalike.io.file_source import FileSource, Format
from lookalike.io.files import File
from lookalike.io.source import Batch, Lanes, Piece

MISSING = "__HIVE_DEFAULT_PARTITION__"
"""The value that Hive writes for null."""

_INTEGER = re.compile("0|-?[1-9][0-9]{0,17}")
"""A number that is written in one way only; 01 is a text."""


def file_source(name: str, format: Format, **how: Any) -> FileSource:
    """Returns a source over the files, with a column for each partition. The options are those of `FileSource`."""
    partitions = {} if format.name == "text" else partitions_of(format.files)
    if not partitions:
        return FileSource(name, format, **how)
    return PartitionedSource(name, format, partitions, **how)


def open_partitioned(name: str, open: Callable[..., Format], id: str | None, **how: Any) -> FileSource:
    """Returns a source over the files that `open(id=…)` opens. The ids may be a partition.

    The other options are those of `FileSource`.
    """
    try:
        return file_source(name, open(id=id), id=id, **how)
    except NoSuchColumn as error:
        if id is None or error.values["column"] != id:
            raise
        source = file_source(name, open(id=None), id=None, **how)
        if not isinstance(source, PartitionedSource) or not source.added([id]):
            raise
    source.identify_by(id)
    return source


def partitions_of(files: Sequence[File]) -> dict[str, pa.Array]:
    """Returns the partitions that the folders of the files name, with one value per file.

    Values are integers if all of them are; otherwise texts. A file outside the folders of a partition has no value.

    >>> found = partitions_of([File("", "", "year=2024/lang=en/a.jsonl"), File("", "", "year=2025/lang=de/a.jsonl")])
    >>> {name: values.to_pylist() for name, values in found.items()}
    {'year': [2024, 2025], 'lang': ['en', 'de']}
    """
    found = [dict(_named(file)) for file in files]
    names = dict.fromkeys(name for values in found for name in values)
    return {name: _typed([values.get(name) for values in found]) for name in names}


def _named(file: File) -> Iterator[tuple[str, str | None]]:
    for folder in file.relative.split("/")[:-1]:
        name, equals, value = folder.partition("=")
        if name and equals:
            yield unquote(name), None if value == MISSING else unquote(value)


def _typed(values: list[str | None]) -> pa.Array:
    if all(value is None or _INTEGER.fullmatch(value) for value in values):
        return pa.array([None if value is None else int(value) for value in values], pa.int64())
    return pa.array(values, TEXT)


class PartitionedSource(FileSource):
    """A `FileSource` whose files also have the columns of their partitions.

    A column that the files themselves contain takes precedence over a partition of the same name.
    """

    def __init__(self, name: str, format: Format, partitions: Mapping[str, pa.Array], **how: Any) -> None:
        super().__init__(name, format, **how)
        self.partitions = partitions

    def identify_by(self, partition: str) -> None:
        """Makes a partition the column of ids. Raises an error if a file has no value for it."""
        if (values := self.partitions[partition]).null_count:
            outside = self.files[values.is_null().index(True).as_py()]
            raise MalformedInput("missing-id", where=outside.name, column=partition)
        self.id = partition

    @property
    def columns(self) -> list[str]:
        return list(dict.fromkeys([*super().columns, *self.partitions]))

    def added(self, columns: Sequence[str]) -> dict[str, pa.DataType]:
        """Returns the types of the requested columns that are partitions."""
        named = [column for column in columns if column in self.partitions]
        own = super().columns if named else []  # listing them may take a while: JSON Lines have no header
        return {column: self.partitions[column].type for column in named if column not in own}

    def stored_type(self, column: str) -> pa.DataType | None:
        return self.added([column]).get(column) or super().stored_type(column)

    def read(self, columns: Sequence[str] | None = None, start: int = 0, stop: int | None = None) -> Iterator[Batch]:
        wanted = self.columns if columns is None else list(columns)
        added = self.added(wanted)
        if not added:
            return super().read(wanted, start, stop)
        own = [column for column in wanted if column not in added]
        return self._with_partitions(wanted, super().read(own or [self.column], start, stop))

    def lanes(self, columns: Sequence[str], start: int = 0, stop: int | None = None) -> Lanes:
        if self.added(columns):
            return [map(Piece.of, self.read(columns, start, stop))]
        return super().lanes(columns, start, stop)

    def _with_partitions(self, columns: Sequence[str], batches: Iterator[Batch]) -> Iterator[Batch]:
        file = base = 0  # no batch contains rows of two files
        for batch in batches:
            while (rows := self.rows[file].rows) is not None and base + rows <= batch.start:
                file, base = file + 1, base + rows
            arrays = [
                batch.data.column(column)
                if column in batch.data.schema.names
                else pa.repeat(self.partitions[column][file], len(batch))
                for column in columns
            ]
            yield Batch(batch.start, pa.RecordBatch.from_arrays(arrays, list(columns)))
