"""Joins of vectors: exact if all are compared, with the requested recall if hashed; invalid vectors are refused."""

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
    VectorPairs,
    WeightedJaccard,
    join_vectors,
    resolve,
)
from lookalike.joins.vectors.measure_names import measure_of
from lookalike.joins.vectors.plan import random_values
from tests.refusals import refused


def planted(n: int, d: int, cosine: float, seed: int = 0) -> Any:
    """n random unit vectors; each of the last tenth has exactly this cosine with one of the others."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, d))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    few = n // 10
    near = x[:few]
    away = rng.standard_normal((few, d))
    away -= (away * near).sum(axis=1, keepdims=True) * near
    away /= np.linalg.norm(away, axis=1, keepdims=True)
    x[n - few :] = cosine * near + math.sqrt(1 - cosine**2) * away
    return x


def planted_bits(n: int, width: int, changed: int, ones: float = 0.5) -> Any:
    """n rows of bits; each of the last tenth differs from one of the others in a fixed number of bits."""
    rng = np.random.default_rng(1)
    bits = rng.random((n, 8 * width)) < ones
    few = n // 10
    for i in range(few):
        row = bits[i].copy()
        row[rng.choice(np.flatnonzero(row), changed // 2, replace=False)] = False
        row[rng.choice(np.flatnonzero(~bits[i]), changed - changed // 2, replace=False)] = True
        bits[n - few + i] = row
    return np.packbits(bits, axis=1)


def pairs_in(found: VectorPairs) -> set[tuple[int, int]]:
    return set(zip(found.left.tolist(), found.right.tolist(), strict=True))


# Exact


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


# Hashed


def at_the_bound(by: str) -> tuple[Any, Measure]:
    """4,000 rows of which 400 are just within the bound of another."""
    if by == "hamming":
        return planted_bits(4000, 16, 20), HammingBits(20)
    if by == "jaccard":
        x = planted_bits(4000, 32, 8, ones=0.1)
        return x, BitJaccard(str(math.floor(definitions_of_first(x) * 1000) / 1000))
    x = planted(4000, 48, 0.85 + 1e-6)
    if by == "weighted jaccard":
        x = np.abs(np.concatenate([x[:3600], x[:400] * np.random.default_rng(2).uniform(0.7, 1, (400, 48))]))
        return x, WeightedJaccard(0.8)
    return x, Cosine(0.85) if by == "cosine" else Euclidean(math.sqrt(2 - 2 * 0.85))


def definitions_of_first(x: Any) -> float:
    """The least similarity of the planted pairs."""
    n = len(x)
    bits = np.unpackbits(x, axis=1)
    few = n // 10
    both = (bits[:few] & bits[n - few :]).sum(axis=1)
    return float((both / (bits[:few] | bits[n - few :]).sum(axis=1)).min())


@pytest.mark.parametrize("recall", [0.9, 0.99])
@pytest.mark.parametrize("by", ["cosine", "euclidean", "hamming", "jaccard", "weighted jaccard"])
def test_the_requested_recall_is_reached(recall: float, by: str) -> None:
    """The share of pairs found is at least the recall minus 4 standard errors. No false pair is found."""
    x, measure = at_the_bound(by)
    exact = join_vectors(x, measure, recall=1.0)
    found = join_vectors(x, measure, recall=recall, method="lsh")
    assert not found.plan.exact and len(exact.left) >= 300
    assert pairs_in(found) <= pairs_in(exact)
    hit = len(found.left) / len(exact.left)
    assert hit >= recall - 4 * math.sqrt(recall * (1 - recall) / len(exact.left))


@pytest.mark.parametrize(("d", "cosine", "distance"), [(2, 0.999999, 0.02), (3, 0.9995, 0.15), (5, 0.98, 0.5)])
def test_the_recall_holds_in_few_dimensions(d: int, cosine: float, distance: float) -> None:
    """All hash functions come from few directions."""
    x = np.random.default_rng(d).standard_normal((2000, d))
    for measure in (Cosine(cosine), Euclidean(distance)):
        exact = join_vectors(x, measure, recall=1.0)
        assert len(exact.left) > 100
        hits = [
            len(join_vectors(x, measure, recall=0.9, seed=seed, method="lsh").left) / len(exact.left)
            for seed in range(5)
        ]
        assert np.mean(hits) >= 0.9


@pytest.mark.parametrize(("d", "axes"), [(2, 2), (3, 3), (64, 2)])
def test_no_seed_loses_many_pairs_where_few_coordinates_are_not_0(d: int, axes: int) -> None:
    """A hash function that is 0 on all of these axes would depend only on rounding."""
    x = np.zeros((1200, d))
    x[:, :axes] = planted(1200, axes, 0.9999999)
    sure = len(join_vectors(x, Cosine(0.999999), recall=1.0).left)
    for seed in range(60):
        assert len(join_vectors(x, Cosine(0.999999), seed=seed, method="lsh").left) > 0.9 * sure


@pytest.mark.parametrize("by", ["jaccard", "weighted jaccard"])
def test_bands_may_need_more_hashes_than_a_signature_has(by: str) -> None:
    """A signature has at most 4,096 hashes, and many bits at a threshold of 0.5 need more."""
    x, measure = at_the_bound(by)
    x = np.concatenate([x[:300], x[-400:-100]])  # 300 pairs at the bound, or near it
    (family,) = measure.families(x)
    keys = measure.keys(x, measure.table(x), family, 700, 7, 3, 2)
    assert np.array_equal(keys[:585], measure.keys(x, measure.table(x), family, 585, 7, 3, 1))
    rows = np.arange(300)
    similar = measure.values(x, x, rows, rows + 300, 1)
    agree = keys[:, :300] == keys[:, 300:]
    for some in (agree[:585], agree[585:]):
        assert abs(some.mean() - (similar**7).mean()) < 0.03


@pytest.mark.parametrize("by", ["cosine", "euclidean", "hamming", "jaccard", "weighted jaccard"])
@pytest.mark.parametrize("method", ["exact", "lsh"])
def test_the_answer_does_not_depend_on_threads(by: str, method: Any) -> None:
    x, measure = at_the_bound(by)
    one, two = (join_vectors(x[-1500:], measure, recall=0.9, method=method, threads=threads) for threads in (1, 2))
    for name in ("left", "right", "value"):
        assert np.array_equal(getattr(one, name), getattr(two, name))


def test_few_vectors_are_all_compared_and_many_are_hashed() -> None:
    few, many = planted(200, 64, 0.95), planted(30_000, 64, 0.95)
    assert resolve(Cosine(0.9), few[:50], 0.99, 0).exact
    plan = resolve(Cosine(0.9), many, 0.99, 0)
    assert not plan.exact and plan.reason.code == "vectors-hashed"
    assert plan.family is not None and plan.family.collision_probability(0.9) >= 0.99
    assert resolve(Cosine(0.9), many, 1.0, 0).exact and resolve(Cosine(0.9), many, 0.9, 0, "exact").exact


def test_far_too_many_pairs_are_refused_before_the_join() -> None:
    x = np.ones((30_000, 2), np.float32)
    with refused("too-many-matches", pairs=449_985_000):
        join_vectors(x, Cosine(0.5))


def test_one_near_pair_in_the_sample_is_no_reason_to_refuse() -> None:
    """With 3 million rows, one of 20,000 sampled pairs represents 225 million pairs."""
    x = np.random.default_rng(0).standard_normal((2000, 3))
    one, n = resolve(Euclidean(1.0), x, 1.0, 0), len(x)
    hits = round(one.expected / (n * (n - 1) / 2) * 20_000)
    assert hits > 100 and one.at_least < one.expected < 2 * one.at_least
    near = Euclidean(float(np.partition(random_values(Euclidean(1.0), x, x, 0), 2)[2]))
    few = resolve(near, x, 1.0, 0)
    assert few.expected > 0 and few.at_least == 0


def test_all_points_are_compared_if_no_hash_function_can_separate_them() -> None:
    x = np.concatenate([planted(50, 4, 0.9)[:25]] * 2)
    assert pairs_in(join_vectors(x, Euclidean(1e-20))) == {(i, i + 25) for i in range(25)}
    with refused("lsh-out-of-reach"):
        join_vectors(x, Euclidean(1e-20), method="lsh")


class Reluctant:
    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("call detach() first.")


# Refused


@pytest.mark.parametrize(
    ("vectors", "measure", "code", "values"),
    [
        ([[1.0, 2.0], [float("nan"), 1.0]], Cosine(0.5), "vectors-not-finite", {"row": 1}),
        ([[1.0, math.inf], [2.0, 1.0]], Euclidean(0.5), "vectors-not-finite", {"row": 0, "value": math.inf}),
        ([[1.0, 2.0], [0.0, 0.0]], Cosine(0.5), "vector-without-direction", {"row": 1}),
        ([[1.0, 2.0], [1e-200, 0.0]], Cosine(0.5), "vector-too-short", {"row": 1}),
        ([[1.0, 2.0], [1e200, 0.0]], Euclidean(0.5), "vector-too-long", {"row": 1}),
        ([[1.0, 2.0], [1.0]], Cosine(0.5), "rows-differ-in-dimensions", {"first": 2, "row": 1, "other": 1}),
        ([[1.0, 2.0], [1.0, -2.0]], WeightedJaccard(0.5), "weight-out-of-range", {"row": 1, "value": -2}),
        ([1.0, 2.0], Cosine(0.5), "not-a-table-of-numbers", {"dimensions": 1}),
        ([["a"], ["b"]], Cosine(0.5), "not-a-table-of-numbers", {"dimensions": 2}),
        (Reluctant(), Cosine(0.5), "not-an-array", {"reason": "call detach() first"}),
        (np.ma.masked_array([[1.0, 2.0]], mask=[[True, False]]), Cosine(0.5), "masked-vectors", {}),
        ([[1.0, 0.0]], HammingBits(1), "not-packed-bits", {"type": "float64"}),
        (np.zeros((3, 0)), Cosine(0.5), "dimensions-out-of-range", {"dimensions": 0}),
    ],
)
def test_invalid_vectors_are_refused_with_their_row(
    vectors: Any, measure: Measure, code: str, values: dict[str, object]
) -> None:
    with refused(code, **values):
        join_vectors(vectors, measure)


def test_a_number_is_not_a_table() -> None:
    with refused("not-a-table-of-numbers", dimensions=0):
        la.find_pairs(np.array(5.0), measure="cosine", threshold=0.5)


@pytest.mark.parametrize(
    ("measure", "threshold", "distance", "code"),
    [
        ("cosine", 90, None, "cosine-out-of-range"),
        ("cosine", "much", None, "not-a-number"),
        ("cosine", True, None, "not-a-number"),
        ("cosine", None, 2, "distance-of-a-similarity"),
        ("cosine", None, None, "missing-threshold"),
        ("euclidean", None, 0, "not-positive"),
        ("euclidean", None, -1, "not-positive"),
        ("euclidean", 0.5, None, "threshold-of-a-distance"),
        ("euclidean", None, None, "missing-distance"),
        ("hamming", None, 2.5, "not-a-whole-number"),
        ("jaccard", 1.5, None, "not-a-share"),
        ("weighted-jaccard", 0, None, "not-a-share"),
        ("manhattan", None, 1, "not-one-of"),
        (3, None, 1, "not-one-of"),
    ],
)
def test_invalid_measures_and_bounds_are_refused(measure: Any, threshold: Any, distance: Any, code: str) -> None:
    with refused(code):
        measure_of(measure, threshold, distance)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"recall": 0}, "not-a-share"),
        ({"recall": "most"}, "not-a-share"),
        ({"seed": -1}, "not-in-whole-range"),
        ({"method": "best"}, "not-one-of"),
        ({"method": "lsh", "recall": 1.0}, "lsh-at-full-recall"),
    ],
)
def test_invalid_options_are_refused(options: Any, code: str) -> None:
    with refused(code):
        join_vectors([[1.0], [2.0]], Cosine("0.5"), **options)  # type: ignore[arg-type]


@pytest.mark.filterwarnings("error")
def test_weights_near_the_limit_of_single_precision_are_distinguished() -> None:
    """Regression: their sum overflowed, all became 0, and every pair was compared."""
    rows = (np.random.default_rng(0).random((50, 4)) * 3e38).astype(np.float32)
    rows[7] = rows[3]
    found = la.find_pairs(rows, measure="weighted jaccard", threshold=0.9999)
    assert list(zip(found.left_rows.tolist(), found.right_rows.tolist(), strict=True)) == [(3, 7)]
