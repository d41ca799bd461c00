"""Joins that compare all vectors find exactly the pairs of the definition."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike import vector_distances as definitions
from lookalike.joins import vectors as joins
from lookalike.joins.vectors import (
    BitJaccard,
    Cosine,
    Euclidean,
    HammingBits,
    Measure,
    WeightedJaccard,
    join_vectors,
)
from tests.joins.planted_vectors import pairs_in, planted, planted_bits

measures = st.sampled_from(
    [Cosine(0.3), Cosine(-0.5), Euclidean(1.5), Euclidean(0.01), WeightedJaccard(0.6), HammingBits(9), BitJaccard(0.5)]
)  # fmt: skip


@given(measures, st.integers(0, 60), st.integers(1, 20), st.integers(0, 2**32), st.sampled_from([np.float32, float]))
def test_a_recall_of_1_finds_the_pairs_of_the_definition(
    measure: Measure, n: int, d: int, seed: int, kind: type
) -> None:
    rng = np.random.default_rng(seed)
    x: Any = rng.standard_normal((n, d)).astype(kind)
    plain = x
    if isinstance(measure, WeightedJaccard):
        plain = x = np.maximum(np.round(x + 1, 1), 0)  # some rows are empty, some equal
    if measure.on_bits:
        plain = rng.random((n, d)) < 0.3
        x = np.packbits(plain, axis=1)
    values = definitions.pairwise(plain, measure=measure.name)
    near = values <= measure.bound if measure.is_distance else values >= measure.bound
    clear = np.abs(values - measure.bound) > (0 if measure.on_bits else 1e-9)  # what another order of sums cannot turn
    found = join_vectors(x, measure, recall=1.0)
    left, right = np.nonzero(np.triu(near & clear, 1))
    pairs = pairs_in(found)
    assert pairs >= set(zip(left.tolist(), right.tolist(), strict=True))
    assert all(near[i, j] or not clear[i, j] for i, j in pairs)
    assert np.allclose(found.value, values[found.left, found.right], atol=1e-12)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("method", ["exact", "lsh"])
def test_points_far_from_the_origin_and_from_one_another_are_distinguished(kind: type, method: Any) -> None:
    """Two clouds a million distances apart, and one extremely distant point."""
    rng = np.random.default_rng(5)
    cloud = rng.integers(0, 5, (300, 3))
    x: Any = np.concatenate([cloud, cloud[::-1] + 2**20]).astype(kind) + 3 * 2**20
    x = np.concatenate([x, np.full((1, 3), 1e30, kind)])
    distances = definitions.pairwise(x, measure="euclidean")
    found = join_vectors(x, Euclidean(1.0), recall=0.999999 if method == "lsh" else 1.0, method=method)
    assert pairs_in(found) == set(zip(*(a.tolist() for a in np.nonzero(np.triu(distances <= 1, 1))), strict=True))
    candidates = Euclidean(1.0).every_pair(x, 1, 2**40)
    assert len(candidates.left) < 3 * len(found.left) + 601


def test_hashing_finds_the_pairs_of_a_few_distant_points() -> None:
    """In single precision, they all have the same coordinates or overflow."""
    rng = np.random.default_rng(2)
    x = rng.uniform(0, 30, (8000, 4))
    x[[7, 100, 3000, 7999]] = [[1e9, 0, 0, 0], [1e9, 0.5, 0, 0], [1e9, 0, 40, 0], [1e9 - 0.5, 0, 0, 0]]
    x[[50, 60]] = [[1e20, 1e20, 0, 0], [1e20, 1e20, 0, 0]]
    found = join_vectors(x, Euclidean(1.0), recall=0.9, method="lsh")
    true = pairs_in(join_vectors(x, Euclidean(1.0), recall=1.0))
    far = {(7, 100), (7, 7999), (100, 7999), (50, 60)}
    assert far <= pairs_in(found) <= true
    assert len(pairs_in(found)) > 0.9 * len(true)
    assert found.checked < 8000 * 7999 / 4


def test_only_pairs_that_are_near_count_as_too_many() -> None:
    """In single precision, distant points might all be near one another."""
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(0, 100, (2500, 3)), 1e8 + rng.uniform(0, 1000, (60, 3))])
    near = Euclidean(1.0).every_pair(x, 1, 2**40)
    true = join_vectors(x, Euclidean(1.0), recall=1.0)
    assert len(true.left) < 100 < len(near.left)
    few = Euclidean(1.0).every_pair(x, 1, 100)
    assert set(zip(few.left.tolist(), few.right.tolist(), strict=True)) >= pairs_in(true)
    assert sorted(zip(few.left, few.right, strict=True)) == list(zip(few.left, few.right, strict=True))
    with pytest.raises(OverflowError):
        Euclidean(1.0).every_pair(x, 1, len(true.left) - 1)


def beyond(by: str) -> tuple[Any, Measure]:
    """Rows with many false candidates by single precision or by a coarser filter, and a measure."""
    if by == "jaccard":  # a large set may differ from others in many places
        x = planted_bits(800, 32, 8, ones=0.1)
        x[:20] = 255
        return x, BitJaccard(0.5)
    if by == "weighted jaccard":  # a very heavy row is compared with every other
        x = np.random.default_rng(1).gamma(1.0, 1.0, (400, 8))
        x[:20] *= 1e60
        return x, WeightedJaccard(0.8)
    x = np.concatenate([planted(600, 48, 0.85 - 1e-7), planted(600, 48, 0.9, seed=1)])
    return x, Cosine(0.85) if by == "cosine" else Euclidean(math.sqrt(2 - 2 * 0.85))


@pytest.mark.parametrize("by", ["cosine", "euclidean", "jaccard", "weighted jaccard"])
@pytest.mark.parametrize("bands", [0, 2])
@pytest.mark.parametrize("threads", [1, 2])
def test_only_near_pairs_in_a_bucket_count_as_too_many(by: str, bands: int, threads: int) -> None:
    x, measure = beyond(by)
    true = pairs_in(join_vectors(x, measure, recall=1.0))
    table, keys = measure.table(x), np.zeros((bands, len(x)), np.uint32)

    def found(most: int) -> set[tuple[int, int]]:
        near = measure.pairs(x, table, keys, threads, most)
        return set(zip(near.left.tolist(), near.right.tolist(), strict=True))

    assert len(found(2**40)) > len(true) > 0
    assert found(2**40) >= found(len(true)) >= true
    with pytest.raises(OverflowError):
        found(len(true) - 1)


def test_an_error_while_pairs_are_checked_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    x, measure = beyond("weighted jaccard")

    def broken(*_: Any) -> Any:
        raise RuntimeError("no more paper")

    monkeypatch.setattr(WeightedJaccard, "reached", broken)
    for threads in (1, 2):
        with pytest.raises(RuntimeError, match="no more paper"):
            measure.every_pair(x, threads, 100)


@pytest.mark.parametrize("much", [1e3, 1e12, 1e60])
def test_a_very_heavy_row_does_not_reduce_the_precision_of_others(much: float) -> None:
    x = np.random.default_rng(1).gamma(1.0, 1.0, (300, 8))
    x[[5, 6]] *= much
    measure = WeightedJaccard(0.8)
    true = np.triu(definitions.pairwise(x, measure="weighted jaccard") >= 0.8, 1)
    assert pairs_in(join_vectors(x, measure, recall=1.0)) == set(zip(*np.nonzero(true), strict=True))
    assert len(measure.every_pair(x, 1, 2**40).left) < np.count_nonzero(true) + 2 * 300


@pytest.mark.parametrize("measure", [Cosine(-0.5), Euclidean(2.0), WeightedJaccard(0.3)])
def test_values_do_not_depend_on_how_many_are_measured_at_a_time(
    measure: Measure, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = np.abs(np.random.default_rng(4).standard_normal((60, 5)))
    whole = join_vectors(x, measure, recall=1.0)
    monkeypatch.setattr(
        joins, "MEASURED_AT_ONCE", 37
    )  # fewer than there are rows: squares are then computed another way
    parts = join_vectors(x, measure, recall=1.0)
    assert len(whole.left) > 100 and pairs_in(parts) == pairs_in(whole) and np.array_equal(parts.value, whole.value)


def test_lengths_may_exceed_single_precision() -> None:
    """The length of a vector of large single-precision numbers overflows in single precision."""
    x = np.array([[3e38, 3e38], [3e38, 2.9e38], [1e-30, -1e-30]], np.float32)
    assert pairs_in(join_vectors(x, Cosine(0.99))) == {(0, 1)}


def test_equal_vectors_have_a_cosine_of_1_and_a_distance_of_0() -> None:
    x = np.tile(np.random.default_rng(3).standard_normal(7), (3, 1))
    assert join_vectors(x, Cosine(1.0), recall=1.0).value.tolist() == [1.0, 1.0, 1.0]
    assert join_vectors(x, Euclidean(1e-9), recall=1.0).value.tolist() == [0.0, 0.0, 0.0]


def test_empty_sets_are_in_no_pair() -> None:
    x = np.array([[0, 0], [0, 0], [1, 2], [1, 2]], np.uint8)
    for measure in (BitJaccard("0.5"), WeightedJaccard(0.5)):
        found = join_vectors(x, measure)
        assert pairs_in(found) == {(2, 3)} and found.empty == 2


@pytest.mark.filterwarnings("error")
def test_weights_near_the_limit_of_single_precision_are_distinguished() -> None:
    """Regression: their sum overflowed, all became 0, and every pair was compared."""
    rows = (np.random.default_rng(0).random((50, 4)) * 3e38).astype(np.float32)
    rows[7] = rows[3]
    found = la.find_pairs(rows, measure="weighted jaccard", threshold=0.9999)
    assert list(zip(found.left_rows.tolist(), found.right_rows.tolist(), strict=True)) == [(3, 7)]
