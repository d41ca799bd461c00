"""The kernel finds copies, candidates, pairs and components exactly as the definitions do."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from lookalike.engines.reference import definitions
from lookalike.flow import Candidates
from lookalike.kernel import Cpu

Keys = npt.NDArray[np.uint64]
# Few different values, so that buckets are shared, some by many rows; and numbers that differ in a single bit.
values = st.one_of(st.integers(0, 3), st.sampled_from([2**63, 2**64 - 1, 2**64 - 2, 2**32, 2**32 + 1]))
threads = st.sampled_from([1, 2, 3])
small_sets = st.sets(st.integers(0, 7), max_size=6)
thresholds = st.sampled_from([Fraction(1, 10), Fraction(1, 3 * 10**8), Fraction(1, 2), Fraction(4, 5), Fraction(1)])


@st.composite
def tables_of_keys(draw: st.DrawFn) -> Keys:
    bands = draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(values, min_size=bands, max_size=bands), max_size=12))
    return np.array(rows, dtype=np.uint64).reshape(-1, bands)


@given(st.lists(st.tuples(values, values), max_size=12), st.data())
def test_copies(marks: list[tuple[int, int]], data: st.DataObject) -> None:
    empty = data.draw(st.lists(st.booleans(), min_size=len(marks), max_size=len(marks)))
    found = Cpu().copies(np.array(marks, dtype=np.uint64).reshape(-1, 2), np.array(empty, dtype=bool))
    assert found.dtype == np.int64
    assert found.tolist() == definitions.copies(marks, empty)


@given(tables_of_keys(), threads)
def test_candidates(keys: Keys, threads: int) -> None:
    left, right = Cpu(threads).candidates(keys)
    ours = definitions.candidates(keys, [False] * len(keys))
    np.testing.assert_array_equal(left, ours.left)
    np.testing.assert_array_equal(right, ours.right)


@given(tables_of_keys(), st.data(), threads)
def test_bucketed_rows_are_those_in_a_candidate_pair(keys: Keys, data: st.DataObject, threads: int) -> None:
    left_out = data.draw(st.lists(st.booleans(), min_size=len(keys), max_size=len(keys)))
    ours = definitions.candidates(keys, left_out)
    met = {*ours.left.tolist(), *ours.right.tolist()}
    bucketed = Cpu(threads).bucketed(keys, np.array(left_out, dtype=bool))
    assert (bucketed != 0).tolist() == [row in met for row in range(len(keys))]


@given(st.lists(small_sets, min_size=1, max_size=8), threads)
def test_intersections(sets: list[set[int]], threads: int) -> None:
    shingles = definitions.as_shingles([sorted(s) for s in sets])
    every = Candidates.from_pairs(set(combinations(range(len(sets)), 2)))
    found = Cpu(threads).intersections(shingles, every.left, every.right)
    assert found.tolist() == definitions.intersections(shingles, combinations(range(len(sets)), 2))


@given(tables_of_keys(), thresholds, threads, st.data())
def test_similar_pairs_and_components(keys: Keys, t: Fraction, threads: int, data: st.DataObject) -> None:
    sets = data.draw(st.lists(small_sets.filter(bool), min_size=len(keys), max_size=len(keys)))
    shingles = definitions.as_shingles([sorted(s) for s in sets])
    candidates = definitions.candidates(keys, [False] * len(keys)).to_set()
    true = {(i, j) for i, j in candidates if Fraction(len(sets[i] & sets[j]), len(sets[i] | sets[j])) >= t}

    pairs = Cpu(threads).similar_pairs(keys, shingles, t.numerator, t.denominator)
    found = list(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True))
    assert found == sorted(true)
    assert pairs.intersection.tolist() == [len(sets[i] & sets[j]) for i, j in found]
    assert pairs.candidates == len(candidates)

    components = Cpu(threads).similar_components(keys, shingles, t.numerator, t.denominator)
    assert components.labels.tolist() == definitions.connect(len(keys), true)
    assert components.checked <= max(pairs.checked, len(candidates))


@given(st.integers(1, 30), st.data())
def test_connect(rows: int, data: st.DataObject) -> None:
    row = st.integers(0, rows - 1)
    edges = data.draw(st.lists(st.tuples(row, row), max_size=40))
    left, right = (np.array([edge[side] for edge in edges], dtype=np.int64) for side in (0, 1))
    assert Cpu().connect(rows, left, right).tolist() == definitions.connect(rows, edges)
