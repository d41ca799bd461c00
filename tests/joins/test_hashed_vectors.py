"""Joins that hash vectors reach the requested recall, and report only true pairs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from lookalike.joins.vectors import (
    BitJaccard,
    Cosine,
    Euclidean,
    HammingBits,
    Measure,
    WeightedJaccard,
    join_vectors,
    resolve,
)
from lookalike.joins.vectors.plan import random_values
from tests.joins.planted_vectors import pairs_in, planted, planted_bits
from tests.refusals import refused


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


def test_bits_are_joined_by_blocks_wherever_that_takes_hardly_longer_than_hashing() -> None:
    x = planted_bits(30_000, 8, 2)
    plan = resolve(HammingBits(2), x, 0.9, 0)
    assert plan.exact and plan.blocks is not None and plan.reason.code == "vectors-in-blocks"
    assert plan.to_dict() == {"method": "exact", "blocks": plan.blocks.blocks, "agreeing": plan.blocks.agreeing}
    assert plan.brute_cost < 1.3 * plan.hashed_cost
    hashed = resolve(HammingBits(2), x, 0.9, 0, "lsh")
    assert not hashed.exact and hashed.reason.values["blocks"] and "brute" not in hashed.reason.values
    found = join_vectors(x, HammingBits(2), recall=0.9)
    every = join_vectors(x, HammingBits(2), recall=1.0)
    assert len(every.left) >= 3000 and found.checked < 30_000**2 / 100
    assert pairs_in(found) == pairs_in(every)


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
