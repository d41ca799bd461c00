"""Hypothesis strategies: families of overlapping sets of 5 to 5,000 elements, and texts with near-copies."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from lookalike.engines.reference import definitions
from lookalike.flow import Shingles

sizes = st.sampled_from([5, 8, 13, 20, 50, 100, 128, 300, 1000, 5000])
seeds = st.integers(0, 2**32 - 1)


@st.composite
def families_of_sets(draw: st.DrawFn) -> list[set[int]]:
    """Some sets and edited copies of them, so that all similarities occur."""
    rng = np.random.default_rng(draw(seeds))
    sets: list[set[int]] = []
    for size in draw(st.lists(sizes, min_size=1, max_size=3)):
        base = random_elements(rng, size)
        for share in draw(st.lists(st.sampled_from([0.0, 0.02, 0.1, 0.2, 0.5, 1.0]), min_size=1, max_size=6)):
            edited = base.copy()
            places = rng.random(size) < share
            edited[places] = random_elements(rng, int(places.sum()))
            sets.append({int(value) for value in edited})
    return sets


def random_elements(rng: np.random.Generator, size: int) -> npt.NDArray[np.uint64]:
    return rng.integers(0, 2**64, size, dtype=np.uint64, endpoint=False)


def as_table(sets: list[set[int]]) -> Shingles:
    return definitions.as_shingles([sorted(values) for values in sets])


def overlapping(rng: np.random.Generator, trials: int, union: int, shared: int) -> tuple[Shingles, Shingles]:
    """`trials` pairs of sets with `shared` of `union` elements in common; the rest are divided between the two."""
    elements = rng.integers(0, 2**64, (trials, union), dtype=np.uint64)
    half = shared + (union - shared) // 2
    left = elements[:, :half]
    right = np.concatenate([elements[:, :shared], elements[:, half:]], axis=1)
    return _table(left), _table(right)


def _table(rows: npt.NDArray[np.uint64]) -> Shingles:
    ordered = np.sort(rows, axis=1)
    return Shingles(np.arange(len(rows) + 1, dtype=np.int64) * rows.shape[1], ordered.ravel())


words = st.sampled_from("a b c d e f 東 京 The OF 1 2".split())


@st.composite
def texts(draw: st.DrawFn) -> list[str]:
    """Short texts of few words, some repeated and some with a word changed: pairs, clusters and copies all occur."""
    originals = draw(st.lists(st.lists(words, max_size=12), min_size=1, max_size=6))
    found = []
    for original in draw(st.lists(st.sampled_from(originals), min_size=1, max_size=12)):
        edited = list(original)
        changed = draw(st.booleans())
        if edited and changed:
            edited[draw(st.integers(0, len(edited) - 1))] = draw(words)
        found.append(" ".join(edited))
    return found
