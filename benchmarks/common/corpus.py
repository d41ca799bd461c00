"""Generated corpora with known near-duplicates: nine documents in ten are originals, one in ten is an edited copy.

Each document depends only on the seed and its row, so blocks can be generated in any order, with one process per core.
"""

from __future__ import annotations

import multiprocessing
from functools import cache, partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from common import build_files, text_kinds, truth

COPIES = 0.1
FIRST_COPY = 100
BLOCK = 10_000
SCHEMA = pa.schema({"id": pa.string(), "text": pa.string(), "copy_of": pa.int64(), "similarity": pa.float64()})


def write(kind: str, documents: int, seed: int = 1) -> Path:
    """Path of a Parquet file with columns id, text, copy_of (a row or null) and similarity.

    `similarity` is the exact Jaccard similarity to `copy_of`, with the shingles of the kind.
    """
    return build_files.written_once(f"{kind}-{documents}.parquet", partial(_write, kind, documents, seed))


def _write(kind: str, documents: int, seed: int, path: Path) -> None:
    blocks = range(0, documents, BLOCK)
    with multiprocessing.Pool() as pool, pq.ParquetWriter(path, SCHEMA, compression="zstd") as writer:
        for batch in pool.imap(partial(_block, kind, documents, seed), blocks):
            writer.write_batch(batch)


def _block(kind: str, documents: int, seed: int, start: int) -> pa.RecordBatch:
    make = text_kinds.KINDS[kind]
    sources, family = _sources(kind, documents, seed)
    columns: dict[str, list[object]] = {name: [] for name in SCHEMA.names}
    for row in range(start, min(start + BLOCK, documents)):
        rng, source, similarity = _rng(seed, row), int(sources[row]), None
        document = make.original(rng if source < 0 else _rng(seed, source))
        text = make.text(document)
        if source >= 0:
            least = 0.9 if source == family else 0.5
            copy = make.text(make.edited(document, rng.uniform(least, 1.0), rng))
            similarity, text = truth.jaccard(truth.shingles(text, make.k), truth.shingles(copy, make.k)), copy
        values = (f"doc-{row}", text, source if source >= 0 else None, similarity)
        for name, value in zip(SCHEMA.names, values, strict=True):
            columns[name].append(value)
    return pa.record_batch(columns, schema=SCHEMA)


@cache
def _sources(kind: str, documents: int, seed: int) -> tuple[np.ndarray, int]:
    """The original that each row copies (-1: none), and the original with a large family of copies (-2: none)."""
    rng = np.random.default_rng((seed, documents))
    copied = rng.random(documents) < COPIES
    copied[:FIRST_COPY] = False
    originals = np.flatnonzero(~copied)
    earlier = np.searchsorted(originals, np.arange(documents))  # number of originals before each row
    sources = np.where(copied, originals[(rng.random(documents) * earlier).astype(int)], -1)
    if not text_kinds.KINDS[kind].family:
        return sources, -2
    members = rng.choice(np.flatnonzero(copied), min(text_kinds.FAMILY, copied.sum() // 10), replace=False)
    sources[members] = 0
    return sources, 0


def _rng(seed: int, row: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=[seed, row]))
