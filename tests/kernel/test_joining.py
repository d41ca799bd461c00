"""similar_pairs agrees with its definition, and similar_components with the components of these pairs."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.flow import Shingles
from lookalike.kernel import Cpu
from tests.kernel.tables import Keys, alike, candidate_pairs, joins, one_bucket, table, true_pairs

FOUR_FIFTHS = (4, 5)


@given(joins())
def test_similar_pairs_are_the_candidates_that_reach_the_threshold(case: tuple[Keys, Shingles, int, int]) -> None:
    keys, shingles, numerator, denominator = case
    found = Cpu().similar_pairs(keys, shingles, numerator, denominator)
    triples = list(zip(found.left.tolist(), found.right.tolist(), found.intersection.tolist(), strict=True))
    assert triples == true_pairs(keys, shingles, numerator, denominator)
    assert found.candidates == len(candidate_pairs(keys, (shingles.sizes > 0).tolist()))


@given(joins(most_rows=200))
@settings(max_examples=60)
def test_components_are_those_of_the_similar_pairs(case: tuple[Keys, Shingles, int, int]) -> None:
    keys, shingles, numerator, denominator = case
    pairs = Cpu().similar_pairs(keys, shingles, numerator, denominator)
    components = Cpu().similar_components(keys, shingles, numerator, denominator)
    assert components.labels.tolist() == Cpu().connect(len(keys), pairs.left, pairs.right).tolist()


@given(joins(most_rows=200), st.integers(2, 5))
@settings(max_examples=30)
def test_threads_change_nothing(case: tuple[Keys, Shingles, int, int], threads: int) -> None:
    keys, shingles, numerator, denominator = case
    one = Cpu().similar_pairs(keys, shingles, numerator, denominator)
    many = Cpu(threads).similar_pairs(keys, shingles, numerator, denominator)
    for name in ("left", "right", "intersection"):
        np.testing.assert_array_equal(getattr(one, name), getattr(many, name))
    assert (one.candidates, one.checked) == (many.candidates, many.checked)
    alone = Cpu().similar_components(keys, shingles, numerator, denominator)
    together = Cpu(threads).similar_components(keys, shingles, numerator, denominator)
    np.testing.assert_array_equal(alone.labels, together.labels)
    assert alone.checked == together.checked
    np.testing.assert_array_equal(Cpu().candidates(keys), Cpu(threads).candidates(keys))
    none = np.zeros(len(keys), dtype=bool)
    np.testing.assert_array_equal(Cpu().bucketed(keys, none), Cpu(threads).bucketed(keys, none))


@given(st.integers(0, 2**32), st.sampled_from([(4, 5), (1, 2), (9, 10)]))
@settings(max_examples=20)
def test_large_buckets_lose_no_pair(seed: int, threshold: tuple[int, int]) -> None:
    """Buckets too large for trying all pairs, with sets of many sizes around the threshold."""
    rng = np.random.default_rng(seed)
    base = rng.integers(0, 2**64, 60, np.uint64)
    shingles = table(
        base[rng.random(60) < rng.uniform(0.6, 1)].tolist() + rng.integers(0, 2**63, rng.integers(0, 12)).tolist()
        for _ in range(150)
    )
    keys = one_bucket(150, 2)
    keys[:75, 0] = 1
    found = Cpu().similar_pairs(keys, shingles, *threshold)
    expected = true_pairs(keys, shingles, *threshold)
    assert list(zip(found.left.tolist(), found.right.tolist(), found.intersection.tolist(), strict=True)) == expected
    assert found.candidates == 150 * 149 // 2


@given(joins(most_rows=30))
def test_candidates_and_bucketed_rows_share_a_key(case: tuple[Keys, Shingles, int, int]) -> None:
    keys = case[0]
    left, right = Cpu().candidates(keys)
    pairs = candidate_pairs(keys, [True] * len(keys))
    assert list(zip(left.tolist(), right.tolist(), strict=True)) == pairs
    shared = Cpu().bucketed(keys, np.zeros(len(keys), dtype=bool))
    assert np.flatnonzero(shared).tolist() == sorted({row for pair in pairs for row in pair})


def test_empty_sets_are_in_no_pair_whatever_their_keys() -> None:
    shingles = table([[], [], [1, 2], [1, 2]])
    found = Cpu().similar_pairs(one_bucket(4), shingles, 1, 2)
    assert (found.left.tolist(), found.right.tolist(), found.candidates) == ([2], [3], 1)
    assert Cpu().similar_components(one_bucket(4), shingles, 1, 2).labels.tolist() == [0, 1, 2, 2]


@pytest.mark.parametrize(("common", "numerator", "denominator", "reached"), [(9, 9, 11, True), (9, 819, 1000, False)])
def test_the_threshold_is_compared_in_integers(common: int, numerator: int, denominator: int, reached: bool) -> None:
    shingles = table([range(common + 1), [*range(common), 99]])
    found = Cpu().similar_pairs(one_bucket(2), shingles, numerator, denominator)
    assert (len(found.left) == 1) is reached


def test_near_copies_are_linked_with_one_comparison_each() -> None:
    components = Cpu().similar_components(one_bucket(300, 16), alike(300, shared=95, own=5), *FOUR_FIFTHS)
    assert components.labels.tolist() == [0] * 300
    assert components.checked == 299


# Large buckets. The time limits are generous, for slow machines; comparing all pairs would take minutes.

HOT = 20_000
SECONDS = 10


@pytest.mark.parametrize("bands", [1, 16])
@pytest.mark.parametrize("threads", [1, 2])
def test_time_is_not_quadratic_in_documents_that_share_boilerplate(bands: int, threads: int) -> None:
    """20,000 sets share 60 % of their elements and a bucket, and no two are similar."""
    shingles, keys = alike(HOT, shared=60, own=40), one_bucket(HOT, bands)
    start = time.perf_counter()
    pairs = Cpu(threads).similar_pairs(keys, shingles, *FOUR_FIFTHS)
    components = Cpu(threads).similar_components(keys, shingles, *FOUR_FIFTHS)
    assert time.perf_counter() - start < SECONDS
    assert len(pairs.left) == 0 and pairs.candidates == -1
    assert components.labels.tolist() == list(range(HOT))
    assert max(pairs.checked, components.checked) < 5 * HOT


@pytest.mark.parametrize("bands", [1, 16])
def test_time_is_not_quadratic_in_near_copies(bands: int) -> None:
    start = time.perf_counter()
    components = Cpu().similar_components(one_bucket(HOT, bands), alike(HOT, shared=95, own=5), *FOUR_FIFTHS)
    assert time.perf_counter() - start < SECONDS
    assert not components.labels.any()
    assert components.checked == HOT - 1


@pytest.mark.parametrize("families", [2, 100, 2000])
def test_families_in_one_bucket_are_separated_quickly(families: int) -> None:
    """Near copies of several texts that are nearly similar themselves, in random order in one bucket."""
    rng = np.random.default_rng(families)
    common, noise = rng.integers(0, 2**64, 82, np.uint64), rng.integers(0, 2**64, (HOT, 4), np.uint64)
    family = rng.integers(families, size=HOT)
    values = np.hstack([np.tile(common, (HOT, 1)), rng.integers(0, 2**64, (families, 14), np.uint64)[family], noise])
    values.sort(axis=1)
    shingles = Shingles(np.arange(HOT + 1, dtype=np.int64) * 100, values.reshape(-1))
    start = time.perf_counter()
    components = Cpu().similar_components(one_bucket(HOT), shingles, *FOUR_FIFTHS)
    assert time.perf_counter() - start < SECONDS
    first = {f: row for row, f in reversed(list(enumerate(family.tolist())))}
    assert components.labels.tolist() == [first[f] for f in family.tolist()]


# Union-find and copies


@given(st.integers(1, 30).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.tuples(*[st.integers(0, n - 1)] * 2)))))
def test_connect_labels_rows_by_the_smallest_they_reach(case: tuple[int, list[tuple[int, int]]]) -> None:
    n, edges = case
    pairs = np.array(edges, np.int64).reshape(-1, 2)
    labels = Cpu().connect(n, pairs[:, 0], pairs[:, 1]).tolist()
    expected = list(range(n))
    for _ in range(n):  # n iterations are enough for every label to settle
        for i, j in edges:
            expected[i] = expected[j] = min(expected[i], expected[j])
    assert labels == expected


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.booleans())))
def test_copies_are_the_first_row_of_the_same_hash(rows: list[tuple[int, int, bool]]) -> None:
    hashes = np.array([row[:2] for row in rows], np.uint64).reshape(-1, 2)
    empty = np.array([row[2] for row in rows], bool)
    first: dict[tuple[int, int], int] = {}
    expected = [i if e else first.setdefault((a, b), i) for i, (a, b, e) in enumerate(rows)]
    assert Cpu().copies(hashes, empty).tolist() == expected


@given(joins(most_rows=20))
def test_intersections_count_common_elements(case: tuple[Keys, Shingles, int, int]) -> None:
    shingles = case[1]
    rows = np.arange(len(shingles), dtype=np.int64)
    left, right = np.repeat(rows, len(rows)), np.tile(rows, len(rows))
    expected = [
        len(np.intersect1d(shingles[i], shingles[j])) for i, j in zip(left.tolist(), right.tolist(), strict=True)
    ]
    assert Cpu(2).intersections(shingles, left, right).tolist() == expected
