"""Collections of sets to join: generated ones, the same for one seed, and files as they are found."""

from __future__ import annotations

import csv
import gzip
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from lookalike import kernel
from lookalike.flow import Documents, Shingles, Words


def uniform(count: int = 100_000, mean: int = 10, universe: int = 220, seed: int = 1) -> Shingles:
    """Every element as likely as any other: nothing is rare, so that prefixes help least."""
    return _drawn(count, mean, np.ones(universe), seed)


def zipf(count: int = 1_000_000, mean: int = 50, universe: int = 100_000, seed: int = 1) -> Shingles:
    """The n-th most frequent element with weight 1/n, as words in texts have it."""
    return _drawn(count, mean, 1 / np.arange(1, universe + 1), seed)


def _drawn(count: int, mean: int, weights: np.ndarray, seed: int, block: int = 50_000) -> Shingles:
    """Poisson sizes; one set in fifty is an earlier one with up to a tenth of its elements drawn anew."""
    rng = np.random.default_rng(seed)
    total = np.cumsum(weights / weights.sum())
    names = rng.permutation(len(weights)).astype(np.uint64)  # rare elements are not the large numbers
    sizes = np.clip(rng.poisson(mean, count), 1, len(weights) // 2)
    rows: list[np.ndarray] = []
    for start in range(0, count, block):
        here = sizes[start : start + block]
        drawn = np.searchsorted(total, rng.random((len(here), int(here.max()) * 3)))
        copied = rng.random(len(here)) < 0.02
        for i, size in enumerate(here):
            elements = _first_distinct(drawn[i], size)
            if copied[i] and rows:
                source = rows[rng.integers(len(rows))]
                kept = source[rng.random(len(source)) > rng.random() * 0.1]
                elements = np.union1d(kept, elements[: len(source) - len(kept)])
            rows.append(elements)
    offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    values = names[np.concatenate(rows)]
    owner = np.repeat(np.arange(count, dtype=np.int64), np.diff(offsets))
    return Shingles(offsets, values[np.lexsort((values, owner))])


def _first_distinct(drawn: np.ndarray, size: int) -> np.ndarray:
    _, first = np.unique(drawn, return_index=True)
    return drawn[np.sort(first)[:size]]


def retail(folder: Path) -> Shingles:
    """Market baskets of numbers, one a line."""
    with gzip.open(folder / "sets" / "retail.dat.gz", "rt", encoding="utf-8") as lines:
        return from_lists(line.split() for line in lines)


def groceries(folder: Path) -> Shingles:
    """Market baskets of names, one a line, between commas."""
    with (folder / "sets" / "groceries.csv").open(encoding="utf-8", newline="") as lines:
        return from_lists(csv.reader(lines))


def words(folder: Path, k: int = 1) -> Shingles:
    """Package descriptions as sets of words, or of runs of k words."""
    texts = pq.read_table(folder / "text" / "debian_descriptions.parquet", columns=["text"])["text"]
    return kernel.shingle(Documents.from_texts(texts.to_pylist()), Words(k))


def from_lists(lists: Iterator[list[str]]) -> Shingles:
    """Names become numbers in the order in which they are first seen."""
    numbers: dict[str, int] = {}
    rows = [np.unique([numbers.setdefault(name, len(numbers)) for name in names]) for names in lists]
    offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return Shingles(offsets, np.concatenate(rows).astype(np.uint64))


COLLECTIONS: dict[str, Callable[[Path], Shingles]] = {
    "groceries": groceries,
    "retail": retail,
    "words": words,
    "3-grams": lambda folder: words(folder, 3),
    "UNIFORM": lambda folder: uniform(),
    "ZIPF": lambda folder: zipf(),
}
GENERATED = ("UNIFORM", "ZIPF")


def write_integers(sets: Shingles, path: Path) -> None:
    """One set a line, elements as numbers, rare ones first, sets by size and then in the order of their elements.

    This is the form that the programs of the set-join literature read; the ordering is their preparation.
    """
    distinct, inverse, counts = np.unique(sets.values, return_inverse=True, return_counts=True)
    rank = np.empty(len(distinct), np.int64)
    rank[np.lexsort((distinct, counts))] = np.arange(1, len(distinct) + 1)
    ranks = rank[inverse]
    owner = np.repeat(np.arange(len(sets)), sets.sizes)
    ranks = ranks[np.lexsort((ranks, owner))].tolist()
    ends = sets.offsets.tolist()
    rows = [ranks[begin:end] for begin, end in itertools.pairwise(ends) if end > begin]
    rows.sort(key=lambda row: (len(row), row))
    with path.open("w", encoding="utf-8") as out:
        out.writelines(" ".join(map(str, row)) + "\n" for row in rows)
