"""The native join gives the same pairs as brute force, for every measure, within one collection and between two."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.joins import all_pairs, join_sets, nearest_sets, similarity_measure
from lookalike.joins import sets as module
from lookalike.joins.measures import Hamming, Measure
from lookalike.joins.sets import STEPS, SetPairs
from tests.joins.strategies import collections, measures, names, shingles


def as_list(found: SetPairs) -> list[tuple[int, int, int]]:
    return list(zip(found.left.tolist(), found.right.tolist(), found.overlap.tolist(), strict=True))


@given(collections(), measures(), st.integers(1, 2))
def test_a_collection_joined_with_itself(sets: list[list[int]], measure: Measure, threads: int) -> None:
    assert as_list(join_sets(shingles(sets), measure=measure, threads=threads)) == all_pairs(sets, measure=measure)


@given(collections(), collections(), measures(), st.integers(1, 2))
def test_two_collections_joined(left: list[list[int]], right: list[list[int]], measure: Measure, threads: int) -> None:
    found = join_sets(shingles(left), shingles(right), measure=measure, threads=threads)
    assert as_list(found) == all_pairs(left, right, measure=measure)


def nearest_by_hand(left: list[list[int]], right: list[list[int]] | None, measure: Measure, top: int) -> list[
    tuple[int, int, int]
]:  # fmt: skip
    """The first `top` pairs of each left row, from all pairs in order."""
    other = left if right is None else right
    pairs = [pair for pair in all_pairs(left, other, measure=measure) if right is not None or pair[0] != pair[1]]

    def cost(pair: tuple[int, int, int]) -> tuple[float, int]:
        i, j, o = pair
        return -measure.rank(len({*left[i]}), len({*other[j]}), o), j

    kept = [sorted((p for p in pairs if p[0] == row), key=cost)[:top] for row in range(len(left))]
    return sorted(pair for row in kept for pair in row)


@given(collections(), collections(), measures(), st.integers(1, 3), st.booleans())
def test_the_nearest_within_a_threshold(
    left: list[list[int]], right: list[list[int]], measure: Measure, top: int, alone: bool
) -> None:
    found = nearest_sets(shingles(left), None if alone else shingles(right), top=top, measures=[measure])
    assert as_list(found) == nearest_by_hand(left, None if alone else right, measure, top)


@given(collections(), collections(), names, st.integers(1, 3), st.booleans())
def test_the_nearest_are_found_by_decreasing_thresholds(
    left: list[list[int]], right: list[list[int]], name: str, top: int, alone: bool
) -> None:
    steps = [similarity_measure(name, step) for step in STEPS]
    found = nearest_sets(shingles(left), None if alone else shingles(right), top=top, measures=steps)
    assert as_list(found) == nearest_by_hand(left, None if alone else right, steps[-1], top)


@given(collections(), collections(), st.sampled_from(["overlap", "hamming"]), st.integers(1, 3), st.booleans())
def test_the_nearest_do_not_depend_on_the_number_of_pairs_in_memory(
    left: list[list[int]], right: list[list[int]], name: str, top: int, alone: bool
) -> None:
    measure = Hamming(6, 1) if name == "hamming" else similarity_measure(name, "0.2")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "AT_ONCE", 1)
        found = nearest_sets(shingles(left), None if alone else shingles(right), top=top, measures=[measure])
    assert as_list(found) == nearest_by_hand(left, None if alone else right, measure, top)


def test_ties_of_the_hamming_distance_go_to_the_earlier_row() -> None:
    """Regression: equal distances of sets of different sizes were ordered by overlap."""
    found = la.join([["2"], ["1"], ["0", "2", "3"], ["0", "2"]], measure="hamming", distance=2, top=1)
    assert (3, 0) in list(zip(found.left_rows.tolist(), found.right_rows.tolist(), strict=True))
