"""Tables of sets and keys for tests of the joins, and the expected results by definition."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from lookalike.flow import Shingles

Keys = npt.NDArray[np.uint64]


def table(sets: Iterable[Iterable[int]]) -> Shingles:
    """Sets of numbers as `Shingles`."""
    rows = [sorted(set(elements)) for elements in sets]
    offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return Shingles(offsets, np.array([element for row in rows for element in row], np.uint64))


def alike(count: int, shared: int, own: int, seed: int = 0) -> Shingles:
    """`count` sets that all share `shared` elements, each with `own` elements that no other has."""
    rng = np.random.default_rng(seed)
    values = np.empty((count, shared + own), np.uint64)
    values[:, :shared] = rng.integers(0, 2**64, shared, np.uint64)
    values[:, shared:] = rng.integers(0, 2**64, (count, own), np.uint64)
    values.sort(axis=1)
    return Shingles(np.arange(count + 1, dtype=np.int64) * (shared + own), values.reshape(-1))


def one_bucket(rows: int, bands: int = 1) -> Keys:
    return np.zeros((rows, bands), np.uint64)


def candidate_pairs(keys: Keys, present: Sequence[bool]) -> list[tuple[int, int]]:
    """The candidate pairs by definition: both rows are not empty, and they have equal keys in some band."""
    rows = [row for row in range(len(keys)) if present[row]]
    return [(i, j) for i, j in combinations(rows, 2) if (keys[i] == keys[j]).any()]


def true_pairs(keys: Keys, shingles: Shingles, numerator: int, denominator: int) -> list[tuple[int, int, int]]:
    """The similar pairs by definition: candidate pairs that reach the threshold, with the number of shared elements."""
    sets = [set(values.tolist()) for values in shingles]
    found = []
    for i, j in candidate_pairs(keys, [bool(s) for s in sets]):
        common = len(sets[i] & sets[j])
        if denominator * common >= numerator * len(sets[i] | sets[j]):
            found.append((i, j, common))
    return found


@st.composite
def joins(draw: st.DrawFn, most_rows: int = 40) -> tuple[Keys, Shingles, int, int]:
    """Keys, sets and a threshold: families of similar sets, empty sets, and buckets of two to all rows."""
    rows = draw(st.integers(0, most_rows))
    bands = draw(st.integers(1, 4))
    different_keys = draw(st.sampled_from([1, 1, 2, 6, 100]))
    seed = draw(st.integers(0, 2**32))
    size = draw(st.integers(1, 40))
    kept = draw(st.floats(0.5, 1))
    own = draw(st.integers(0, 10))
    threshold = draw(st.sampled_from([(4, 5), (1, 2), (9, 10), (1, 1), (1, 1000), (123456789, 10**9)]))
    rng = np.random.default_rng(seed)
    families = rng.integers(0, 2**64, (draw(st.integers(1, 4)), size), np.uint64)
    sets = []
    for _ in range(rows):
        family = families[rng.integers(len(families))]
        extra = rng.integers(0, 2**64, rng.integers(0, own + 1), np.uint64)
        sets.append([] if rng.random() < 0.05 else [*family[rng.random(size) < kept].tolist(), *extra.tolist()])
    keys = rng.integers(0, different_keys, (rows, bands)).astype(np.uint64)
    return keys, table(sets), *threshold
