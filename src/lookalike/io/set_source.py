"""Creates a source of sets, in order of first occurrence, from rows (set, element) or from transposed lists."""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from lookalike.flow.documents import TEXT, TOKENS
from lookalike.io.columns import INTEGERS, holds_integers
from lookalike.io.file_source import FileSource
from lookalike.io.files import File
from lookalike.io.formats.parquet import ParquetFormat
from lookalike.io.grouped_rows import Grouped, Pairs, named_lists, pairs_in_lists, pairs_in_rows
from lookalike.io.memory_source import MemorySource
from lookalike.notices import Notice
from lookalike.storage.foreign_errors import copying
from lookalike.storage.unnamed_files import Unnamed

BASKETS = "baskets"
"""The name of the list column of a transposed source without ids."""


class SetSource(FileSource):
    """Sets grouped from `origin`, in a temporary file. Each row has an `id`, and a list in `column`.

    `key` is the column of `origin` that names the set of each row; None if the rows of `origin` are lists.
    """

    def __init__(
        self, origin: FileSource | MemorySource, pairs: Pairs, *, id: str, column: str, key: str | None, batch_rows: int
    ) -> None:
        self.origin = origin
        self.key = key
        grouped = Grouped(origin.name, pairs)
        stored = _stored(grouped, id, column, texts=holds_integers(origin.stored_type(id)) is False)
        file = File(stored.path, origin.name, "sets.parquet", temporary=stored, mark="")
        format = ParquetFormat([file], column, id, "fail", batch_rows)
        super().__init__(origin.name, format, column=column, id=id, batch_rows=batch_rows)
        self.files = (
            origin.files if isinstance(origin, FileSource) else ()
        )  # the files that were read, not the temporary file

    @property
    def malformed(self) -> int:
        return self.origin.malformed

    @property
    def warnings(self) -> tuple[Notice, ...]:
        return self.origin.warnings

    def check_unchanged(self) -> None:
        self.origin.check_unchanged()

    def identity(self) -> str:
        parts = (self.origin.identity(), str(self.id), self.column, str(self.key))
        return hashlib.blake2b("\n".join(parts).encode(), digest_size=16).hexdigest()

    def rows_of(self, kept: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Converts a mask of kept sets to a mask of kept rows of `origin`. Rows without a set are kept."""
        import pyarrow.compute as pc  # not imported at the top: see flow/arrays.py

        assert self.key is not None and self.id is not None
        gone = [pa.array([], TEXT)]
        for batch in self.read([self.id]):
            gone.append(batch.data.column(0).filter(pa.array(~kept[batch.start : batch.start + len(batch)])).cast(TEXT))
        removed = pa.concat_arrays(gone)
        stay = [np.zeros(0, bool)]
        for batch in self.origin.read([self.key]):
            sets = batch.data.column(0).cast(TEXT)
            stay.append(~pc.is_in(sets, value_set=removed).to_numpy(zero_copy_only=False))
        return np.concatenate(stay)


def grouped(rows: FileSource | MemorySource, *, transpose: bool, batch_rows: int) -> SetSource:
    """Groups a table with one element per row into sets.

    `rows.id` names the set, and `rows.column` contains the element.
    """
    assert rows.id is not None
    key, element = (rows.column, rows.id) if transpose else (rows.id, rows.column)
    pairs = pairs_in_rows(rows, key, element)
    return SetSource(rows, pairs, id=key, column=element, key=key, batch_rows=batch_rows)


def transposed(source: FileSource | MemorySource, *, batch_rows: int) -> SetSource:
    """Transposes a column of lists. The result has one row per element, with the ids or positions of its lists."""
    column = source.id or (BASKETS if source.column != BASKETS else "rows")
    pairs = pairs_in_lists(named_lists(source))
    return SetSource(source, pairs, id=source.column, column=column, key=None, batch_rows=batch_rows)


def _stored(sets: Grouped, id: str, column: str, texts: bool) -> Unnamed:
    """Stores the sets in a Parquet file.

    Ids that all look like whole numbers become integers, unless `texts` is True.
    """
    with copying(sets.name):
        file = Unnamed()
        typed = TEXT if texts or not all(_are_integers(part.names) for part in sets.parts()) else INTEGERS
        schema = pa.schema([(id, typed), (column, TOKENS)])
        with pq.ParquetWriter(file.path, schema, compression="lz4", use_dictionary=[column]) as writer:
            for names, lists in sets.in_order():
                writer.write_batch(pa.record_batch([names.cast(typed), lists], schema=schema))
    return file


def _are_integers(texts: pa.Array) -> bool:
    try:
        return bool(texts.cast(INTEGERS).cast(TEXT).equals(texts))
    except pa.ArrowInvalid:
        return False
