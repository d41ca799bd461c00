"""Collections of sets to join: generated ones with fixed seeds, and files of market baskets and texts."""

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
    """All elements are equally likely. No element is rare, so prefix filters help least."""
    return _cached(f"uniform-{count}-{mean}-{universe}", lambda: _drawn(count, mean, np.ones(universe)))


def zipf(count: int = 1_000_000, mean: int = 50, universe: int = 100_000) -> Shingles:
    """Frequencies follow Zipf's law, like words in texts: the n-th most frequent element has weight 1/n."""
    return _cached(f"zipf-{count}-{mean}-{universe}", lambda: _drawn(count, mean, 1 / np.arange(1, universe + 1)))


def _cached(name: str, make: Callable[[], Shingles]) -> Shingles:
    """The sets that `make` returns; later calls read them from a file."""
    path = build_files.written_once(f"sets-{name}.npz", lambda path: write_arrays(make(), path))
    with np.load(path) as arrays:
        return Shingles(arrays["offsets"], arrays["values"])


def _drawn(count: int, mean: int, weights: np.ndarray, seed: int = 1, block: int = 20_000) -> Shingles:
    """Random sets with Poisson sizes. One in fifty copies an earlier set and replaces up to a tenth of it."""
    rng = np.random.default_rng(seed)
    total = np.cumsum(weights / weights.sum())
    wheel = np.searchsorted(total, (np.arange(1 << 22) + 0.5) / (1 << 22))  # elements fill it in proportion to weight
    sizes = np.clip(rng.poisson(mean, count), 1, len(weights) // 4)
    elements = np.concatenate(
        [_first_distinct(rng, wheel, sizes[start : start + block]) for start in range(0, count, block)]
    )
    copied = rng.random(count) < 0.02
    copied[0] = False
    copies, originals = np.flatnonzero(copied), np.flatnonzero(~copied)
    sources = originals[(rng.random(len(copies)) * np.searchsorted(originals, copies)).astype(np.int64)]

    # A copy keeps most elements of its source. The first elements drawn for the copy itself replace the others.
    starts = np.cumsum(sizes) - sizes
    copy, position = _rows_and_positions(sizes[sources])
    inherited = elements[starts[sources][copy] + position]
    stays = rng.random(len(copy)) > 0.1 * rng.random(len(copies))[copy]
    wanted = sizes.copy()
    wanted[copies] = np.bincount(copy[~stays], minlength=len(copies))
    row, position = _rows_and_positions(sizes)
    drawn = position < wanted[row]

    names = rng.permutation(len(weights))  # so that rare elements are not the large numbers
    rows = np.concatenate([row[drawn], copies[copy[stays]]])
    keys = np.sort(rows * len(weights) + names[np.concatenate([elements[drawn], inherited[stays]])])
    keys = keys[np.diff(keys, prepend=-1) > 0]
    offsets = np.searchsorted(keys, np.arange(count + 1) * len(weights))
    return Shingles(offsets, (keys % len(weights)).astype(np.uint64))


def _first_distinct(rng: np.random.Generator, wheel: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The first distinct elements drawn for each set, as many as its size, in the order of drawing."""
    row, order = _rows_and_positions(2 * sizes + 16)  # draws more than are ever needed
    drawn = wheel[rng.integers(0, len(wheel), len(row))]
    keys = np.sort(row << 40 | drawn << 16 | order)
    keys = keys[np.diff(keys >> 16, prepend=-1) > 0]  # keep the first of equal elements
    keys = np.sort(keys & -(1 << 40) | (keys & 0xFFFF) << 24 | keys >> 16 & 0xFFFFFF)
    row, position = _rows_and_positions(np.bincount(keys >> 40, minlength=len(sizes)))
    first: np.ndarray = keys[position < sizes[row]] & 0xFFFFFF
    return first


def _rows_and_positions(sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each element of consecutive sets of these sizes: the set, and the element's position in it."""
    row = np.repeat(np.arange(len(sizes)), sizes)
    return row, np.arange(len(row)) - (np.cumsum(sizes) - sizes)[row]


def retail(folder: Path) -> Shingles:
    """Market baskets of article numbers, one basket per line."""
    with gzip.open(folder / "sets" / "retail.dat.gz", "rt", encoding="utf-8") as lines:
        return from_lists(line.split() for line in lines)


def groceries(folder: Path) -> Shingles:
    """Market baskets of article names: one basket per line, separated by commas."""
    with (folder / "sets" / "groceries.csv").open(encoding="utf-8", newline="") as lines:
        return from_lists(csv.reader(lines))


def words(folder: Path, k: int = 1) -> Shingles:
    """Package descriptions as sets of shingles of k words."""
    texts = pq.read_table(folder / "text" / "debian_descriptions.parquet", columns=["text"])["text"]
    return Cpu().shingle(Documents.from_texts(texts.to_pylist()), Words(k))


def from_lists(lists: Iterator[list[str]]) -> Shingles:
    """Sets of numbers: names are numbered in the order of first occurrence."""
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
    """Writes one set per line: elements are numbers, rarest first; sets are ordered by size, then by elements.

    Programs from the set-join literature read this format and expect this order.
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
    """Writes 64-bit integers in the format that benchmarks/native/joining.cpp reads."""
    with path.open("wb") as out:
        for numbers in (np.array([len(sets), len(sets.values)]), sets.offsets, sets.values):
            numbers.tofile(out)
