"""Writes Arrow batches as Parquet, JSON Lines, CSV or TSV, optionally compressed."""

from __future__ import annotations

import base64
import bz2
import gzip
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import Any, BinaryIO, cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lookalike.flow.arrays import Rows, call_function, to_numpy
from lookalike.io.formats.delimited import DELIMITERS
from lookalike.io.long_texts import write_delimited_row, write_json_row
from lookalike.io.text_values import values_by_column
from lookalike.io.workers import in_order

ROW_GROUP = 1 << 20
"""The maximum number of rows per row group."""

GROUP_BYTES = 32 << 20
"""The approximate maximum size of a row group in bytes. A row group is held in memory until it is written."""

LONG, PAGE_BYTES = 1 << 12, 1 << 20
"""Columns with more than LONG bytes per row are written without a dictionary, in pages of about PAGE_BYTES."""

LARGE = 8 << 20
"""The maximum number of bytes that are converted to Python values at once. A single row may be larger."""

FIRST_ROWS = 1 << 10
"""The number of rows from which the average size of a row is estimated."""


def write_parquet(
    batches: Iterable[pa.RecordBatch], sink: BinaryIO, schema: pa.Schema, codec: str = "zstd", threads: int = 1
) -> None:
    """Writes Parquet. Row groups do not depend on the batches, so that the same rows always give the same bytes.

    Of `threads` threads, those that do not read rows (see `ParquetScan.kept`) each encode a row group. With fewer than
    six threads, all of them encode, and take turns to read.
    """
    groups = _row_groups(batches, schema)
    first = next(groups, None)
    how: dict[str, Any] = {"compression": "none" if codec == "UNCOMPRESSED" else codec}
    names = schema.names
    once = [name for name, times in Counter(names).items() if times == 1]
    if first is not None and (long := [name for name in once if first.column(name).nbytes > LONG * first.num_rows]):
        # A dictionary of long texts would be as large as the row group, and so would its only page.
        without = {*long}
        how["use_dictionary"] = [name for name in names if name not in without]
        # Arrow would keep several copies of the least and the greatest text.
        how["write_statistics"] = how["use_dictionary"]
        how["write_batch_size"] = max(1, PAGE_BYTES * first.num_rows // first.nbytes)
    second = next(groups, None) if threads > 1 else None
    if second is not None:
        head = [first, second]
        del first, second
        _write_at_once(chain(head, groups), sink, how, threads - threads // 3 if threads >= 6 else threads)
        return
    with pq.ParquetWriter(sink, schema, **how) as writer:
        while first is not None:
            writer.write_table(first, row_group_size=ROW_GROUP)
            first = None  # so that only one row group is in memory
            first = next(groups, None)


def _write_at_once(groups: Iterable[pa.Table], sink: BinaryIO, how: dict[str, Any], threads: int) -> None:
    """Writes row groups like `write_parquet`, with several threads."""
    from lookalike.io.formats.parquet_parts import JoinedFile  # few files have several row groups

    def encoded(group: pa.Table) -> pa.Buffer:
        part = pa.BufferOutputStream()
        with pq.ParquetWriter(part, group.schema, **how) as writer:
            writer.write_table(group, row_group_size=ROW_GROUP)
        return part.getvalue()

    whole = JoinedFile()
    files = in_order(
        [groups],
        encoded,
        threads,
        bytes_of=attrgetter("nbytes"),
        made_bytes=len,
        most=threads * GROUP_BYTES,
        huge=2 * GROUP_BYTES,  # a row group has more bytes only if it consists of a huge text
    )
    with closing(files) as parts:
        for part in parts:
            sink.write(whole.add(part))
    sink.write(whole.footer())


def _row_groups(batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.Table]:
    """Regroups batches into row groups. The number of rows per group is estimated from the size of the first rows.

    A row group ends earlier if its texts reach GROUP_BYTES.
    """
    waiting: list[pa.RecordBatch] = []
    rows, size, wanted, estimated = 0, 0, min(FIRST_ROWS, ROW_GROUP), False

    def taken() -> pa.Table:
        nonlocal rows, size
        rows = size = 0
        table = pa.Table.from_batches(waiting, schema)
        waiting.clear()  # so that no row stays in memory twice
        return table.combine_chunks()

    for batch in batches:
        while batch.num_rows:
            part = batch.slice(0, wanted - rows)
            size += part.nbytes  # an upper bound for the texts, which are counted only if they may be too large
            if size >= GROUP_BYTES:
                sizes = np.cumsum(np.concatenate([_text_sizes(one) for one in (*waiting, part)]))
                part = part.slice(0, 1 + int(np.searchsorted(sizes[rows:], GROUP_BYTES)))
                size = int(sizes[rows + part.num_rows - 1])
            batch = batch.slice(part.num_rows)
            waiting.append(part)
            rows += part.num_rows
            del part
            if rows == wanted and not estimated:
                estimated, bytes = True, pa.Table.from_batches(waiting, schema).combine_chunks().nbytes
                while 2 * wanted <= ROW_GROUP and 2 * wanted * bytes <= GROUP_BYTES * rows:
                    wanted *= 2
            if rows == wanted or size >= GROUP_BYTES:
                yield taken()
    if waiting:
        yield taken()


def _text_sizes(batch: pa.RecordBatch) -> Rows:
    """Returns the size of all texts and binary values of each row, without those in lists and structs."""
    sizes = np.zeros(batch.num_rows, np.int64)
    for column in batch.columns:
        kind = column.type
        if pa.types.is_large_string(kind) or pa.types.is_string(kind) or pa.types.is_binary(kind):
            lengths = call_function("binary_length", [column])
            sizes += to_numpy(lengths.fill_null(0) if lengths.null_count else lengths)
    return sizes


def write_json_lines(batches: Iterable[pa.RecordBatch], sink: BinaryIO, schema: pa.Schema) -> None:
    """Writes one JSON object per line.

    NaN becomes null, binary values become base64, times and decimals become texts.
    """
    for batch in _small(batches):
        if batch.nbytes > LARGE:
            write_json_row(batch, sink, _json)
            continue
        columns = values_by_column(batch)
        lines = [_json(dict(zip(schema.names, row, strict=True))) + "\n" for row in zip(*columns, strict=True)]
        sink.write("".join(lines).encode())


def _small(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yields the same rows in batches of at most LARGE bytes, or of a single row."""
    for batch in batches:
        if batch.nbytes <= LARGE or batch.num_rows == 1:
            yield batch
        else:
            half = batch.num_rows // 2
            yield from _small([batch.slice(0, half), batch.slice(half)])


def write_delimited(batches: Iterable[pa.RecordBatch], sink: BinaryIO, schema: pa.Schema, *, delimiter: str) -> None:
    """Writes CSV or TSV with a header. Null becomes an empty field; lists and structs become JSON."""
    special = re.compile(f'[{delimiter}"\r\n\ufeff]')

    def line(cells: Iterable[str]) -> str:
        quoted = ('"' + cell.replace('"', '""') + '"' if special.search(cell) else cell for cell in cells)
        return (delimiter.join(quoted) or '""') + "\n"  # an empty line would not be a row

    sink.write(line(schema.names).encode())
    for batch in _small(batches):
        if batch.nbytes > LARGE:
            write_delimited_row(batch, sink, delimiter, special, _cell)
            continue
        columns = [map(_cell, values) for values in values_by_column(batch)]
        sink.write("".join(map(line, zip(*columns, strict=True))).encode())


WRITERS: dict[str, Callable[[Iterable[pa.RecordBatch], BinaryIO, pa.Schema], None]] = {
    "parquet": write_parquet,
    "jsonl": write_json_lines,
    **{format: partial(write_delimited, delimiter=delimiter) for format, delimiter in DELIMITERS.items()},
}
"""The functions that write batches, by format."""


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)
    except ValueError:
        return json.dumps(_finite(value), ensure_ascii=False, default=_plain)


def _plain(value: Any) -> str:
    return base64.b64encode(value).decode() if isinstance(value, bytes) else str(value)


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list) else value


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | dict | tuple):
        return _json(value)
    return repr(value) if isinstance(value, int | float) else _plain(value)


@contextmanager
def compressing(file: BinaryIO, codec: str) -> Iterator[BinaryIO]:
    """Yields a stream that compresses data and writes it to `file`. The same data always gives the same bytes."""
    gate = _Gate(file)
    sink: Any
    if codec == "gzip":
        sink = gzip.GzipFile("", "wb", compresslevel=6, fileobj=cast(BinaryIO, gate), mtime=0)
    elif codec == "bz2":
        sink = bz2.BZ2File(cast(BinaryIO, gate), "wb")
    else:
        sink = _Zstd(gate)
    try:
        yield sink
        sink.close()
    except BaseException:
        gate.is_shut = True
        raise


class _Gate:
    """A stream that leaves its file open when it is closed, and discards all data once `is_shut` is set.

    An abandoned encoder writes its last bytes when it is garbage-collected; these must not reach the file.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._written = 0
        self.is_shut = False
        self.closed = False

    def write(self, data: Any) -> int:
        if not self.is_shut:
            self._file.write(data)
        length = memoryview(data).nbytes
        self._written += length
        return length

    def tell(self) -> int:
        return self._written

    def flush(self) -> None:
        pass

    def close(self) -> None:
        self.closed = True


class _Zstd:
    """Compresses with Zstandard, one frame per FRAME bytes. Decoders read consecutive frames as one stream."""

    FRAME = 4 << 20

    def __init__(self, gate: _Gate) -> None:
        self._gate = gate
        self._codec = pa.Codec("zstd")
        self._waiting = bytearray()
        self._written = 0
        self.closed = False

    def write(self, data: Any) -> int:
        self._waiting += data
        length = memoryview(data).nbytes
        self._written += length
        while len(self._waiting) >= self.FRAME:
            self._put(bytes(self._waiting[: self.FRAME]))
            del self._waiting[: self.FRAME]
        return length

    def _put(self, data: bytes) -> None:
        self._gate.write(self._codec.compress(data, asbytes=True))

    def tell(self) -> int:
        return self._written

    def flush(self) -> None:
        pass

    def close(self) -> None:
        if not self.closed and (self._waiting or not self._written):
            self._put(bytes(self._waiting))
        self.closed = True
