"""Strategies: small sets of few elements, with many pairs near a threshold, and thresholds that once failed."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from lookalike.flow import Shingles
from lookalike.joins.measures import SIMILARITIES, Hamming, Measure, Shared, similarity_measure

THRESHOLDS = (
    "0.1",
    "0.25",
    "0.333333333",
    "0.5",
    "0.6",
    "0.666666667",
    "0.7",
    "0.75",
    "0.8",
    "0.85",
    "0.9",
    "0.95",
    "1",
)

thresholds = st.sampled_from(THRESHOLDS)
names = st.sampled_from([*SIMILARITIES])


@st.composite
def collections(draw: st.DrawFn, most: int = 14) -> list[list[int]]:
    """Lists of elements: empty ones, repeated elements, equal sets, and sets that are edits of one another."""
    universe = draw(st.sampled_from([4, 12, 24]))
    element = st.integers(0, universe - 1)
    bases = draw(st.lists(st.lists(element, max_size=universe), min_size=1, max_size=3))
    sets: list[list[int]] = []
    for _ in range(draw(st.integers(0, most))):
        one = list(draw(st.sampled_from(bases)))
        for place in draw(st.lists(st.integers(0, 30), max_size=3)):
            shorter = draw(st.booleans())
            if one and shorter:
                del one[place % len(one)]
            else:
                one.append(draw(element))
        sets.append(one)
    return sets


def measures() -> st.SearchStrategy[Measure]:
    counted = st.builds(Shared, st.integers(1, 6)) | st.builds(Hamming, st.integers(0, 6))
    return st.builds(similarity_measure, names, thresholds) | counted


def shingles(sets: list[list[int]]) -> Shingles:
    """The same sets as `Shingles`."""
    distinct = [sorted(set(one)) for one in sets]
    offsets = np.cumsum([0, *map(len, distinct)])
    return Shingles(offsets.astype(np.int64), np.array([e for one in distinct for e in one], np.uint64))
