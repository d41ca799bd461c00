"""Queries for an index over a generated corpus, with exact answers, and documents that are not in the corpus."""

from __future__ import annotations

import multiprocessing
from collections import defaultdict
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from common import build_files, corpus, text_kinds, truth

NEW_SEED = 2
"""The seed of texts that are not in the corpus, whose seed is 1."""

BLOCK = 1000
LEAST = 0.5
"""The least similarity, about, of a query that is an edited copy of a document."""


def queries(kind: str, documents: int, count: int) -> Path:
    """Path of a Parquet file with columns text and source (a row of the corpus, or null).

    Every second query is an edited copy of a document of the corpus; the others are similar to none.
    """
    name = f"{kind}-{documents}-queries-{count}.parquet"
    return build_files.written_once(name, partial(_write_queries, kind, documents, count))


def new_texts(kind: str, count: int) -> Path:
    """Path of a Parquet file with a column text: documents that are in no corpus, and similar to none of it."""
    return build_files.written_once(f"{kind}-new-{count}.parquet", partial(_write_new, kind, count))


def _write_queries(kind: str, documents: int, count: int, path: Path) -> None:
    copied = pq.read_table(corpus.write(kind, documents), columns=["copy_of"])["copy_of"]
    originals = np.flatnonzero(copied.is_null().to_numpy())
    sources = np.random.default_rng((documents, count)).choice(originals, count)
    sources[1::2] = -1
    with multiprocessing.Pool() as pool:
        texts = pool.starmap(partial(_query, kind), enumerate(sources.tolist()), chunksize=BLOCK)
    columns = {"text": texts, "source": [source if source >= 0 else None for source in sources.tolist()]}
    pq.write_table(pa.table(columns, pa.schema({"text": pa.string(), "source": pa.int64()})), path)


def _query(kind: str, number: int, source: int) -> str:
    make, rng = text_kinds.KINDS[kind], corpus._rng(NEW_SEED, 2**32 + number)
    if source < 0:
        return make.text(make.original(rng))
    return make.text(make.edited(make.original(corpus._rng(1, source)), rng.uniform(LEAST, 1), rng))


def _write_new(kind: str, count: int, path: Path) -> None:
    with multiprocessing.Pool() as pool:
        texts = pool.map(partial(_new, kind), range(count), chunksize=BLOCK)
    pq.write_table(pa.table({"text": texts}), path, compression="zstd")


def _new(kind: str, number: int) -> str:
    make = text_kinds.KINDS[kind]
    return make.text(make.original(corpus._rng(NEW_SEED, number)))


def answers(kind: str, documents: int, asked: Path) -> dict[tuple[int, int], float]:
    """The exact similarity of each query to the source of its copy and to the other copies of that source."""
    make, path = text_kinds.KINDS[kind], corpus.write(kind, documents)
    table = pq.read_table(asked)
    wanted = {source for source in table["source"].to_pylist() if source is not None}
    family: dict[int, list[int]] = defaultdict(list)
    for row, source in enumerate(pq.read_table(path, columns=["copy_of"])["copy_of"].to_pylist()):
        if source in wanted:
            family[source].append(row)
    rows = sorted(wanted | {row for members in family.values() for row in members})
    texts = dict(zip(rows, truth._texts(path, rows), strict=True))
    found = {}
    for query, (text, source) in enumerate(zip(*(table[name].to_pylist() for name in ("text", "source")), strict=True)):
        if source is None:
            continue
        own = truth.shingles(text, make.k)
        for row in (source, *family[source]):
            found[query, row] = truth.jaccard(own, truth.shingles(texts[row], make.k))
    return found
