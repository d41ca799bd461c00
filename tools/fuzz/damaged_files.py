"""Fuzz target: reads random and damaged files with every reader."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import random
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from .random_inputs import damaged, text_of


def readers(rng: random.Random) -> None:
    """Reads a random or damaged file of any format, with random options."""
    from lookalike.errors import LookalikeError
    from lookalike.io.open import open_source

    format = rng.choice(["parquet", "jsonl", "csv", "tsv", "txt", "dat", "xyz", "json"])
    codec = rng.choice(["", "", "", ".gz", ".zst", ".bz2"])
    content = damaged(rng, compressed(damaged(rng, contents(rng, format)), codec))
    stated = rng.choice([None, None, None, "jsonl", "csv", "lines", "text", "parquet", "baskets", "tsv"])
    options: dict[str, Any] = {
        "format": stated,
        "on_error": rng.choice(["fail", "skip"]),
        "batch_rows": rng.choice([1, 3, 8192]),
    }
    if stated == "baskets":
        options["separator"] = rng.choice([None, ",", "\t", "|"])
    elif rng.random() < 0.3:
        options["id"] = rng.choice(["id", "text", "nope"])
    if rng.random() < 0.2:
        options["transpose"] = True
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a.{format}{codec}"
        path.write_bytes(content)
        try:
            source = open_source(str(path), **options)
            rows = [row for batch in source.read() for row in batch.data.to_pylist()]
            if source.total_rows() != len(rows):
                raise AssertionError(f"{len(rows)} rows were read and {source.total_rows()} counted")
            low, high = sorted(rng.randrange(6) for _ in range(2))
            part = [row for batch in source.read(None, low, high) for row in batch.data.to_pylist()]
            if repr(part) != repr(rows[low:high]):
                raise AssertionError(f"rows {low} to {high} differ when they are read again")
        except LookalikeError as error:
            if not str(error) or "\n" in str(error):
                raise AssertionError(f"the message is not one line: {error!s:.200}") from error


def contents(rng: random.Random, format: str) -> bytes:
    """Returns the content of a valid file of the format, or sometimes random bytes."""
    if rng.random() < 0.1:
        return rng.randbytes(rng.randrange(200))
    rows: list[dict[str, Any]] = [
        {"id": f"d{i}", "text": text_of(rng), "n": rng.choice([i, None, -1, 2**63 - 1])}
        for i in range(rng.randrange(1, 9))
    ]
    if format == "parquet":
        sink = io.BytesIO()
        table = pa.Table.from_pylist(rows)
        if rng.random() < 0.3:
            table = table.set_column(1, "text", pa.array([row["text"].split() for row in rows], pa.list_(pa.string())))
        compression = rng.choice(["none", "snappy", "zstd", "gzip"])
        pq.write_table(table, sink, row_group_size=rng.choice([1, 3, 100]), compression=compression)
        return sink.getvalue()
    if format in ("csv", "tsv"):
        mark = "," if format == "csv" else "\t"
        lines = [mark.join(("id", "text", "n"))]
        lines += [mark.join((row["id"], '"' + row["text"].replace('"', '""') + '"', str(row["n"]))) for row in rows]
        return rng.choice(["\n", "\r\n"]).join(lines).encode()
    if format in ("jsonl", "json"):
        return "\n".join(json.dumps(row, ensure_ascii=rng.random() < 0.5) for row in rows).encode()
    return "\n".join(row["text"] for row in rows).encode()


def compressed(content: bytes, codec: str) -> bytes:
    if codec == ".gz":
        return gzip.compress(content, mtime=0)
    if codec == ".bz2":
        return bz2.compress(content)
    return bytes(pa.Codec("zstd").compress(content, asbytes=True)) if codec == ".zst" else content
