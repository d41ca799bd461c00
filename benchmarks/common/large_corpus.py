"""Generated corpora of millions of documents with known near-duplicates, generated as fast as they can be written.

A document has 101 words of five letters: 606 bytes, or 83 words and 498 bytes in the kind `brief`. Each word depends
only on the seed, the row and the position, so any row can be generated without the others. One document in ten is an
edited copy of a random earlier row; its similarity to that row is recorded.
"""

from __future__ import annotations

import multiprocessing
from functools import cache, partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from common import build_files

LETTERS, K = 5, 5
WORDS = {"plain": 101, "boilerplate": 101, "brief": 83}
"""Words per document, by the kind of corpus."""
VOCABULARY = 50_000
EVERY = 10
"""Every tenth row is a copy."""
FAMILY = 100_000
"""Near-copies of one document in the kind `boilerplate`."""
SHARED = 60
"""Words of boilerplate at the start of half of the documents of that kind."""
BLOCK = 1 << 15
SCHEMA = pa.schema({"text": pa.large_string(), "copy_of": pa.int64(), "similarity": pa.float64()})
KINDS = tuple(WORDS)


def write(kind: str, documents: int, seed: int = 1) -> Path:
    """Path of a Parquet file with columns text, copy_of (a row or null) and similarity.

    `similarity` is the exact Jaccard similarity to `copy_of`, with shingles of five words.
    """
    return build_files.written_once(f"large-{kind}-{documents}.parquet", partial(_write, kind, documents, seed))


def _write(kind: str, documents: int, seed: int, path: Path) -> None:
    blocks = range(0, documents, BLOCK)
    with multiprocessing.Pool() as pool, pq.ParquetWriter(path, SCHEMA, compression="zstd") as writer:
        for batch in pool.imap(partial(_block, kind, documents, seed), blocks):
            writer.write_batch(batch, row_group_size=BLOCK)


def _block(kind: str, documents: int, seed: int, start: int) -> pa.RecordBatch:
    rows = np.arange(start, min(start + BLOCK, documents), dtype=np.uint64)
    words = _original(kind, rows, seed)
    copies = np.flatnonzero((rows % EVERY == EVERY - 1) & (rows > 100))
    sources, least = _sources(kind, rows[copies], documents, seed)
    before = _original(kind, sources, seed)
    words[copies] = _edited(before, rows[copies], least, seed)
    copy_of = np.full(len(rows), -1, dtype=np.int64)
    copy_of[copies] = sources
    similarity = np.zeros(len(rows))
    similarity[copies] = _similarity(before, words[copies])
    mask = copy_of < 0
    text = _letters()[words].reshape(len(rows), -1)
    offsets = np.arange(len(rows) + 1, dtype=np.int64) * text.shape[1]
    texts = pa.Array.from_buffers(pa.large_string(), len(rows), [None, pa.py_buffer(offsets), pa.py_buffer(text)])
    return pa.record_batch([texts, pa.array(copy_of, mask=mask), pa.array(similarity, mask=mask)], schema=SCHEMA)


def _original(kind: str, rows: np.ndarray, seed: int) -> np.ndarray:
    words: np.ndarray = _zipf()[
        _random(rows[:, None] * np.uint64(256) + np.arange(WORDS[kind], dtype=np.uint64), seed, 0) >> np.uint64(44)
    ]
    if kind == "boilerplate":
        words[rows % 2 == 1, :SHARED] = _zipf()[_random(np.arange(SHARED, dtype=np.uint64), seed, 7) >> np.uint64(44)]
    return words


def _sources(kind: str, rows: np.ndarray, documents: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The original of each copy, and the least similarity wanted."""
    sources = _random(rows, seed, 1) % rows
    sources -= sources % EVERY == EVERY - 1  # copies are made of originals only
    least = np.full(len(rows), 0.5)
    if kind == "boilerplate":
        family = _random(rows, seed, 6) % np.uint64(documents) < min(FAMILY * EVERY, documents)
        sources[family], least[family] = 0, 0.9
    return sources, least


def _edited(words: np.ndarray, rows: np.ndarray, least: np.ndarray, seed: int) -> np.ndarray:
    """Copies with a Jaccard similarity between `least` and 1: half have scattered edits, half one changed block."""
    length = words.shape[1]
    wanted = least + (1 - least) * _share(rows, seed, 2)
    lost = (length - K + 1) * (1 - wanted) / (1 + wanted)
    place = np.arange(length)
    count = np.maximum(0, np.round(lost) - K + 1)
    begin = np.floor(_share(rows, seed, 3) * (length - count + 1))
    block = (place >= begin[:, None]) & (place < (begin + count)[:, None])
    shuffled = np.argsort(_random(rows[:, None] * np.uint64(256) + place.astype(np.uint64), seed, 4), axis=1)
    scattered = np.argsort(shuffled, axis=1) < np.round(lost / K)[:, None]
    changed = np.where(_share(rows, seed, 5)[:, None] < 0.5, block, scattered)
    others = _random(rows[:, None] * np.uint64(256) + place.astype(np.uint64), seed, 8) % np.uint64(VOCABULARY)
    return np.where(changed, others.astype(words.dtype), words)


def _similarity(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Jaccard similarities of rows. Edits keep positions, so only shingles at the same position are compared.

    Equal shingles at different positions are too rare to matter.
    """
    equal = np.lib.stride_tricks.sliding_window_view(one == other, K, axis=1).all(axis=2)
    shared = equal.sum(axis=1)
    return np.asarray(shared / (2 * equal.shape[1] - shared))


@cache
def _letters() -> np.ndarray:
    """All words, as rows of letters and a space. No two are equal."""
    number = np.arange(VOCABULARY, dtype=np.uint64) * np.uint64(237) + np.uint64(11)  # 26⁵ = 11,881,376 > 50,000 · 237
    digits = number[:, None] // 26 ** np.arange(LETTERS, dtype=np.uint64) % np.uint64(26)
    letters = np.full((VOCABULARY, LETTERS + 1), ord(" "), dtype=np.uint8)
    letters[:, :LETTERS] = digits + ord("a")
    return letters


@cache
def _zipf() -> np.ndarray:
    """A lookup table for sampling: word i fills a share of the table proportional to 1/i."""
    share = np.cumsum(1 / np.arange(1, VOCABULARY + 1))
    return np.searchsorted(share / share[-1], (np.arange(2**20) + 0.5) / 2**20).astype(np.uint16)


def _share(rows: np.ndarray, seed: int, use: int) -> np.ndarray:
    return (_random(rows, seed, use) >> np.uint64(11)) / 2.0**53


def _random(counter: np.ndarray, seed: int, use: int) -> np.ndarray:
    """SplitMix64 of a counter: 64 random bits per number, the same in every process."""
    x = counter + np.uint64(((seed * 1000 + use) * 0x9E3779B97F4A7C15) % 2**64)
    x = x * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
