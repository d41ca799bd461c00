"""Generated families of similar texts: near-copies, a chain of revisions, variants near the threshold, a template.

All of them are hard for deduplication: each is one connected cluster, or nearly so.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from common import build_files, corpus

WORDS = 300
VOCABULARY = 50_000
OWN = 20
"""The number of words of its own in a page of the template."""

BARE = 0.1
"""The share of pages without words of their own."""


def write(kind: str, documents: int) -> Path:
    """Path of a Parquet file with columns id and text, and bare for pages without words of their own."""
    return build_files.written_once(f"{kind}-{documents}.parquet", partial(_write, kind, documents))


def _write(kind: str, documents: int, path: Path) -> None:
    rng = np.random.default_rng((documents, len(kind)))
    texts, bare = KINDS[kind](documents, rng)
    ids = [f"{kind}-{row}" for row in range(documents)]
    pq.write_table(pa.table({"id": ids, "text": texts, "bare": bare}), path, compression="zstd")


def write_inside(kind: str, documents: int, members: int) -> Path:
    """Path of a Parquet file with a column text: a generated corpus in which `members` documents are near-copies."""
    name = f"{kind}-{documents}-with-{members}-near-copies.parquet"
    return build_files.written_once(name, partial(_write_inside, kind, documents, members))


def _write_inside(kind: str, documents: int, members: int, path: Path) -> None:
    rng = np.random.default_rng((documents, members))
    others = pq.read_table(corpus.write(kind, documents - members), columns=["text"])
    family, _ = _near_copies(members, rng)
    table = pa.concat_tables([others, pa.table({"text": family})]).cast(pa.schema({"text": pa.large_string()}))
    with pq.ParquetWriter(path, table.schema, compression="zstd") as writer:
        for rows in np.array_split(rng.permutation(documents), -(-documents // 100_000)):
            writer.write_table(table.take(rows))


def _text(words: np.ndarray) -> str:
    return " ".join(f"w{word}" for word in words)


def _near_copies(documents: int, rng: np.random.Generator) -> tuple[list[str], list[bool]]:
    """Every text is a base text with one word changed: all pairs are similar."""
    base = rng.integers(VOCABULARY, size=WORDS)
    texts = []
    for _ in range(documents):
        words = base.copy()
        words[rng.integers(WORDS)] = rng.integers(VOCABULARY)
        texts.append(_text(words))
    return texts, [False] * documents


def _chain(documents: int, rng: np.random.Generator) -> tuple[list[str], list[bool]]:
    """Every text is the one before it with one word changed, as in the history of a file."""
    words, texts = rng.integers(VOCABULARY, size=WORDS), []
    for _ in range(documents):
        words[rng.integers(WORDS)] = rng.integers(VOCABULARY)
        texts.append(_text(words))
    return texts, [False] * documents


def _straddling(documents: int, rng: np.random.Generator) -> tuple[list[str], list[bool]]:
    """Every text is a base text with a block replaced, so that the similarity of two texts is about 0.6 to 1."""
    base, texts = rng.integers(VOCABULARY, size=WORDS), []
    for _ in range(documents):
        words, size = base.copy(), int(rng.integers(1, 40))
        at = int(rng.integers(WORDS - size))
        words[at : at + size] = rng.integers(VOCABULARY, size=size)
        texts.append(_text(words))
    return texts, [False] * documents


def _template(documents: int, rng: np.random.Generator) -> tuple[list[str], list[bool]]:
    """Pages of one template on different topics. Some pages lack the topic, and end earlier."""
    base, texts, bare = rng.integers(VOCABULARY, size=WORDS), [], []
    for _ in range(documents):
        bare.append(bool(rng.random() < BARE))
        if bare[-1]:
            texts.append(_text(base[: WORDS - int(rng.integers(1, 30))]))
        else:
            texts.append(_text(np.concatenate([base, rng.integers(VOCABULARY, size=OWN)])))
    return texts, bare


KINDS = {"near-copies": _near_copies, "chain": _chain, "straddling": _straddling, "template": _template}
