"""Writes rows to files of every format, and reads them from sources: shared by tests of reading and writing."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from lookalike.flow.arrays import Mask
from lookalike.io.kept_rows import KeptOutput
from lookalike.io.source import Source

Rows = list[dict[str, Any]]

FORMATS = ("parquet", "jsonl", "csv", "tsv")
CODECS = ("", ".gz", ".zst", ".bz2")


def compress(data: bytes, suffix: str) -> bytes:
    if suffix == ".gz":
        return gzip.compress(data, mtime=0)
    if suffix == ".bz2":
        return bz2.compress(data)
    if suffix == ".zst":
        return bytes(pa.Codec("zstd").compress(data, asbytes=True))
    return data


def encode(rows: Rows, format: str) -> bytes:
    if format == "parquet":
        sink = io.BytesIO()
        pq.write_table(pa.Table.from_pylist(rows), sink, row_group_size=7)
        return sink.getvalue()
    if format == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), delimiter="," if format == "csv" else "\t")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def write(path: Path, rows: Rows) -> Path:
    """Writes the rows in the format and compression that the path's suffixes name."""
    suffixes = path.suffixes
    codec = suffixes[-1] if suffixes[-1] in CODECS else ""
    format = suffixes[-2 if codec else -1].lstrip(".")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(compress(encode(rows, format), codec))
    return path


def read_rows(source: Source, columns: Sequence[str] | None = None, start: int = 0, stop: int | None = None) -> Rows:
    """The rows of a source. Also checks that batches follow one another without gaps and are never empty."""
    rows: Rows = []
    for batch in source.read(columns, start, stop):
        assert batch.start == start + len(rows)
        assert len(batch) > 0
        batch.data.validate(full=True)
        rows.extend(batch.data.to_pylist())
    return rows


def write_kept(source: Source, kept: Mask, out: Path | str, **options: Any) -> list[Path]:
    """Writes kept rows with several threads, unless `options` has another number."""
    return KeptOutput(source, out).write(kept, **{"threads": 3, **options})


def texts(source: Source, start: int = 0, stop: int | None = None) -> list[Any]:
    found: list[Any] = []
    for documents in source.documents(start, stop):
        assert documents.start == start + len(found)
        found.extend(documents.to_pylist())
    return found
