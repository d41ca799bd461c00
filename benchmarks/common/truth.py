"""Exact Jaccard similarities, true pairs, and recall and precision of answers. Independent of lookalike."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations
from math import ceil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from common import build_files

THRESHOLD = Fraction(8, 10)
WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")
Shingles = frozenset[tuple[str, ...]]


def shingles(text: str, k: int) -> Shingles:
    """Shingles of k consecutive words. A shorter text is one shingle; an empty text has none."""
    words = WORD.findall(text.lower())
    if len(words) < k:
        return frozenset([tuple(words)] if words else [])
    return frozenset(zip(*(words[i:] for i in range(k)), strict=False))


def jaccard(a: Shingles, b: Shingles) -> float:
    both = len(a & b)
    return both / max(1, len(a) + len(b) - both)


def similar(a: Shingles, b: Shingles) -> bool:
    both = len(a & b)
    return bool(both) and both >= THRESHOLD * (len(a) + len(b) - both)


def pairs(path: Path, k: int) -> np.ndarray:
    """Every true pair of a corpus as sorted (left, right) rows. Results are cached because this is slow.

    In a generated corpus only documents with the same original can be similar. Other corpora are joined exactly.
    """
    cached = build_files.FOLDER / f"{path.stem}.truth-{k}.npy"
    if cached.exists() and cached.stat().st_mtime > path.stat().st_mtime:
        return np.asarray(np.load(cached))
    planted = "copy_of" in pq.read_schema(path).names
    found = sorted(_planted(path, k) if planted else _joined(path, k))
    cached.parent.mkdir(parents=True, exist_ok=True)
    np.save(cached, np.array(found, dtype=np.int64).reshape(-1, 2))
    return np.asarray(np.load(cached))


def _planted(path: Path, k: int) -> Iterable[tuple[int, int]]:
    families: dict[int, list[int]] = defaultdict(list)
    for row, source in enumerate(pq.read_table(path, columns=["copy_of"])["copy_of"].to_pylist()):
        if source is not None:
            families[source].append(row)
    related = sorted({row for source, rows in families.items() for row in (source, *rows)})
    texts = dict(zip(related, _texts(path, related), strict=True))
    for source, rows in families.items():
        sets = {row: shingles(texts[row], k) for row in (source, *rows)}
        yield from (pair for pair in combinations(sorted(sets), 2) if similar(sets[pair[0]], sets[pair[1]]))


def _texts(path: Path, rows: list[int]) -> Iterable[str]:
    """The texts of some rows (in ascending order), without loading the whole column."""
    at = 0
    for batch in pq.ParquetFile(path).iter_batches(columns=["text"]):
        here = [row - at for row in rows[bisect_left(rows, at) : bisect_left(rows, at + len(batch))]]
        yield from batch.column(0).take(pa.array(here, pa.int64())).to_pylist()
        at += len(batch)


def _joined(path: Path, k: int) -> Iterable[tuple[int, int]]:
    """Pairs of equal sets, then AllPairs: two sets that reach the threshold share one of their rarest shingles."""
    rows: dict[Shingles, list[int]] = defaultdict(list)
    for row, text in enumerate(pq.read_table(path, columns=["text"])["text"].to_pylist()):
        if text and (set_ := shingles(text, k)):
            rows[set_].append(row)
    for equal in rows.values():
        yield from combinations(equal, 2)
    frequency = Counter(shingle for set_ in rows for shingle in set_)
    holders: dict[tuple[str, ...], list[Shingles]] = defaultdict(list)
    for a in rows:
        rarest = sorted(a, key=lambda shingle: (frequency[shingle], shingle))
        prefix = rarest[: len(a) - ceil(THRESHOLD * len(a)) + 1]
        for b in {b for shingle in prefix for b in holders[shingle]}:
            if similar(a, b):
                yield from ((min(i, j), max(i, j)) for i in rows[a] for j in rows[b])
        for shingle in prefix:
            holders[shingle].append(a)


def pairs_within(labels: np.ndarray) -> int:
    """How many pairs of rows have the same label."""
    sizes = np.unique(labels, return_counts=True)[1].astype(np.int64)
    return int((sizes * (sizes - 1) // 2).sum())


def judge(path: Path, out: Path, k: int) -> tuple[int, float, float]:
    """The size, recall and precision of an answer.

    Pairs: recall is the share of true pairs that are reported; precision is the share of reported pairs that are true.
    Clusters and flags: recall is the share of true pairs in one cluster (or with both documents flagged); precision is
    the share of clustered (or flagged) documents that have a true partner.
    """
    true, answer = pairs(path, k), pq.read_table(out)
    if "left" in answer.column_names:
        left, right = answer["left"].to_numpy(), answer["right"].to_numpy()
        codes = np.unique(np.minimum(left, right) << 32 | np.maximum(left, right))
        known = true[:, 0] << 32 | true[:, 1]
        hits = int(np.isin(known, codes).sum())
        also_true = _true_share(path, codes[~np.isin(codes, known)], k) * (len(codes) - hits)
        return len(codes), hits / max(1, len(true)), (hits + also_true) / max(1, len(codes))
    if "cluster" in answer.column_names:
        cluster = answer["cluster"].to_numpy()
        marked = np.bincount(cluster)[cluster] > 1
        together = cluster[true[:, 0]] == cluster[true[:, 1]]
    else:
        marked = answer["flag"].to_numpy()
        together = marked[true[:, 0]] & marked[true[:, 1]]
    partnered = np.zeros(len(marked), dtype=bool)
    partnered[true.ravel()] = True
    return int(marked.sum()), float(together.mean()), float((marked & partnered).sum() / max(1, marked.sum()))


def _true_share(path: Path, codes: np.ndarray, k: int, most: int = 20_000) -> float:
    """The share of true pairs among reported pairs that were not planted, estimated from a sample if there are many."""
    chosen = np.random.default_rng(1).permutation(codes)[:most]
    both = np.stack([chosen >> 32, chosen & (2**32 - 1)], axis=1)
    rows = np.unique(both).tolist()
    sets = {row: shingles(text or "", k) for row, text in zip(rows, _texts(path, rows), strict=True)}
    return sum(similar(sets[a], sets[b]) for a, b in both.tolist()) / max(1, len(both))
