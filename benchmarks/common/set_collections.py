"""Collections of sets to join: generated ones, the same for one seed, and files as they are found."""

from __future__ import annotations

import csv
import gzip
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from common import build_files

from lookalike.flow import Documents, Shingles, Words
from lookalike.kernel import Cpu


def uniform(count: int = 100_000, mean: int = 10, universe: int = 220) -> Shingles:
    """Every element as likely as any other: nothing is rare, so that prefixes help least."""
    return _kept(f"uniform-{count}-{mean}-{universe}", lambda: _drawn(count, mean, np.ones(universe)))


def zipf(count: int = 1_000_000, mean: int = 50, universe: int = 100_000) -> Shingles:
    """The n-th most frequent element with weight 1/n, as words in texts have it."""
    return _kept(f"zipf-{count}-{mean}-{universe}", lambda: _drawn(count, mean, 1 / np.arange(1, universe + 1)))


def _kept(name: str, make: Callable[[], Shingles]) -> Shingles:
    """Made once, and from then on read from a file."""
    path = build_files.written_once(f"sets-{name}.npz", lambda path: write_arrays(make(), path))
    with np.load(path) as arrays:
        return Shingles(arrays["offsets"], arrays["values"])


def _drawn(count: int, mean: int, weights: np.ndarray, seed: int = 1, block: int = 20_000) -> Shingles:
    """Poisson sizes; one set in fifty is an earlier one with up to a tenth of its elements drawn anew."""
    rng = np.random.default_rng(seed)
    total = np.cumsum(weights / weights.sum())
    wheel = np.searchsorted(total, (np.arange(1 << 22) + 0.5) / (1 << 22))  # as many places for each as it has weight
    sizes = np.clip(rng.poisson(mean, count), 1, len(weights) // 4)
    elements = np.concatenate(
        [_first_distinct(rng, wheel, sizes[start : start + block]) for start in range(0, count, block)]
    )
    copied = rng.random(count) < 0.02
    copied[0] = False
    copies, originals = np.flatnonzero(copied), np.flatnonzero(~copied)
    sources = originals[(rng.random(len(copies)) * np.searchsorted(originals, copies)).astype(np.int64)]

    # A copy has most elements of its source, and in place of the others the first that were drawn for itself.
    starts = np.cumsum(sizes) - sizes
    copy, place = _rows_and_places(sizes[sources])
    inherited = elements[starts[sources][copy] + place]
    stays = rng.random(len(copy)) > 0.1 * rng.random(len(copies))[copy]
    wanted = sizes.copy()
    wanted[copies] = np.bincount(copy[~stays], minlength=len(copies))
    row, place = _rows_and_places(sizes)
    drawn = place < wanted[row]

    names = rng.permutation(len(weights))  # rare elements are not the large numbers
    rows = np.concatenate([row[drawn], copies[copy[stays]]])
    keys = np.sort(rows * len(weights) + names[np.concatenate([elements[drawn], inherited[stays]])])
    keys = keys[np.diff(keys, prepend=-1) > 0]
    offsets = np.searchsorted(keys, np.arange(count + 1) * len(weights))
    return Shingles(offsets, (keys % len(weights)).astype(np.uint64))


def _first_distinct(rng: np.random.Generator, wheel: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Elements are drawn for every set until it has as many distinct ones as it should; in the order of drawing."""
    row, order = _rows_and_places(2 * sizes + 16)  # more than are ever needed
    drawn = wheel[rng.integers(0, len(wheel), len(row))]
    keys = np.sort(row << 40 | drawn << 16 | order)
    keys = keys[np.diff(keys >> 16, prepend=-1) > 0]  # of equal ones the first
    keys = np.sort(keys & -(1 << 40) | (keys & 0xFFFF) << 24 | keys >> 16 & 0xFFFFFF)
    row, place = _rows_and_places(np.bincount(keys >> 40, minlength=len(sizes)))
    first: np.ndarray = keys[place < sizes[row]] & 0xFFFFFF
    return first


def _rows_and_places(sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For all elements of sets of these sizes, one set after the other: the set, and the place in it."""
    row = np.repeat(np.arange(len(sizes)), sizes)
    return row, np.arange(len(row)) - (np.cumsum(sizes) - sizes)[row]


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
    return Cpu().shingle(Documents.from_texts(texts.to_pylist()), Words(k))


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


def write_arrays(sets: Shingles, path: Path) -> None:
    np.savez(path, offsets=sets.offsets, values=sets.values)


def write_binary(sets: Shingles, path: Path) -> None:
    """Numbers of 64 bits, as benchmarks/native/joining.cpp reads them."""
    with path.open("wb") as out:
        for numbers in (np.array([len(sets), len(sets.values)]), sets.offsets, sets.values):
            numbers.tofile(out)
