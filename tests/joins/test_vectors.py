"""Vectors that are near: exact where all are compared, as likely as asked where they are hashed, refused where odd."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.errors import InvalidOption
from lookalike.joins.vectors import Cosine, Euclidean, Measure, join_vectors, resolve
from lookalike.joins.vectors.plan import VectorPlan


def planted(n: int, d: int, cosine: float, seed: int = 0) -> Any:
    """n unit vectors at random; the last tenth have one of the others at just this cosine."""
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


def hashing(measure: Measure, vectors: Any, recall: float, monkeypatch: pytest.MonkeyPatch) -> VectorPlan:
    """A plan that hashes, whatever it costs."""
    monkeypatch.setattr("lookalike.joins.vectors.plan.PICK", 1e9)
    return resolve(measure, vectors, recall, 0)


@given(st.integers(0, 60), st.integers(1, 20), st.integers(0, 2**32), st.sampled_from([np.float32, np.float64]))
def test_every_pair_is_compared_where_the_recall_is_1(n: int, d: int, seed: int, kind: type) -> None:
    x: Any = np.random.default_rng(seed).standard_normal((n, d)).astype(kind)
    a = x.astype(np.float64)
    norms = np.linalg.norm(a, axis=1)
    cosines = a @ a.T / np.outer(norms, norms)
    distances = np.linalg.norm(a[:, None] - a[None], axis=2)
    checks: list[tuple[Measure, Any, Any]] = [
        (Cosine(0.3), cosines, cosines >= 0.3),
        (Euclidean(1.5), distances, distances <= 1.5),
    ]
    for measure, values, near in checks:
        clear = np.abs(values - measure.bound) > 1e-9  # what another order of sums could not turn
        found = join_vectors(x, measure, recall=1.0)
        left, right = np.nonzero(np.triu(near & clear, 1))
        pairs = set(zip(found.left.tolist(), found.right.tolist(), strict=True))
        assert pairs >= set(zip(left.tolist(), right.tolist(), strict=True))
        assert all(near[i, j] or not clear[i, j] for i, j in pairs)
        assert np.allclose(found.value, values[found.left, found.right], atol=1e-12)


@pytest.mark.parametrize("recall", [0.9, 0.99])
@pytest.mark.parametrize("by", ["cosine", "euclidean"])
def test_pairs_at_the_bound_are_found_as_often_as_asked(
    recall: float, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """2,000 pairs just within the bound: within 4 standard errors of the recall, or above it."""
    n, cosine = 20_000, 0.85
    x = planted(n, 48, cosine + 1e-6)
    measure: Measure = Cosine(cosine) if by == "cosine" else Euclidean(math.sqrt(2 - 2 * cosine))
    plan = hashing(measure, x, recall, monkeypatch)
    assert not plan.exact
    found = join_vectors(x, measure, recall=recall)
    assert measure.reached(found.value).all()
    pairs = set(zip(found.left.tolist(), found.right.tolist(), strict=True))
    hit = np.mean([(i, n - n // 10 + i) in pairs for i in range(n // 10)])
    assert hit >= recall - 4 * math.sqrt(recall * (1 - recall) / (n // 10))


def test_the_answer_does_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    x = planted(3000, 32, 0.9).astype(np.float32)
    measure = Cosine(0.8)
    assert not hashing(measure, x, 0.9, monkeypatch).exact
    one, two = (join_vectors(x, measure, recall=0.9, threads=threads) for threads in (1, 2))
    for name in ("left", "right", "value"):
        assert np.array_equal(getattr(one, name), getattr(two, name))


def test_few_vectors_are_all_compared_and_many_are_hashed() -> None:
    few, many = planted(200, 64, 0.95), planted(30_000, 64, 0.95)
    assert resolve(Cosine(0.9), few[:50], 0.99, 0).exact
    plan = resolve(Cosine(0.9), many, 0.99, 0)
    assert not plan.exact and "every pair would take" in plan.reason
    assert plan.family is not None and plan.family.collision_probability(0.9) >= 0.99
    assert resolve(Cosine(0.9), many, 1.0, 0).exact


def test_equal_vectors_have_a_cosine_of_1_and_a_distance_of_0() -> None:
    x = np.tile(np.random.default_rng(3).standard_normal(7), (3, 1))
    assert join_vectors(x, Cosine(1.0), recall=1.0).value.tolist() == [1.0, 1.0, 1.0]
    assert join_vectors(x, Euclidean(1e-9), recall=1.0).value.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("vectors", "measure", "said"),
    [
        ([[1.0, 2.0], [float("nan"), 1.0]], Cosine(0.5), "row 1 has NaN or infinity"),
        ([[1.0, 2.0], [0.0, 0.0]], Cosine(0.5), "vector 1 consists of zeros"),
        ([[1.0, 2.0], [1.0]], Cosine(0.5), "row 0 has 2, row 1 1"),
        ([1.0, 2.0], Cosine(0.5), "a row each"),
        ([["a"], ["b"]], Cosine(0.5), "table of numbers"),
    ],
)
def test_odd_vectors_are_refused_with_their_row(vectors: Any, measure: Measure, said: str) -> None:
    with pytest.raises(InvalidOption, match=said):
        join_vectors(vectors, measure)


def test_bounds_that_cannot_be_are_refused() -> None:
    with pytest.raises(InvalidOption, match=r"Did you mean 0\.9"):
        Cosine(90)
    with pytest.raises(InvalidOption, match="positive"):
        Euclidean(0)
    with pytest.raises(InvalidOption, match="recall"):
        join_vectors([[1.0]], Cosine(0.5), recall=0)
