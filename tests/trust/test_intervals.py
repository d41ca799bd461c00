"""Intervals contain the value, shrink with the sample, agree with textbook tables, and never collapse at 1."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.trust.intervals import beta_below, exact_interval, half_of_pairs, other_partners, sample_for, share_found

counts = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)).map(lambda two: (max(two), min(two))), max_size=60)


@pytest.mark.parametrize(
    ("found", "trials", "low", "high"),
    [(0, 10, 0, 0.3085), (10, 10, 0.6915, 1), (8, 10, 0.4439, 0.9748), (1, 1, 0.025, 1), (950, 1000, 0.9346, 0.9627)],
)
def test_exact_intervals_are_those_of_the_tables(found: int, trials: int, low: float, high: float) -> None:
    assert exact_interval(found, trials) == pytest.approx((low, high), abs=5e-5)


@given(st.floats(0.001, 0.999), st.integers(1, 12), st.integers(1, 12))
def test_the_beta_distribution_agrees_with_the_binomial_one(x: float, a: int, b: int) -> None:
    """Law: for whole a and b, P(X < x) is the probability that at least a of a + b − 1 uniform numbers are below x."""
    n = a + b - 1
    below = sum(math.comb(n, k) * x**k * (1 - x) ** (n - k) for k in range(a, n + 1))
    assert beta_below(x, a, b) == pytest.approx(below, abs=1e-9)


@given(counts, st.integers(0, 500))
def test_the_interval_contains_the_share_and_lies_between_0_and_1(pairs: list[tuple[int, int]], more: int) -> None:
    d, h = [a for a, _ in pairs], [b for _, b in pairs]
    share = share_found(d, h, len(d) + more)
    if not sum(d):
        assert math.isnan(share.value) and (share.low, share.high) == (0, 1)
        return
    assert 0 <= share.low <= share.value == sum(h) / sum(d) <= share.high <= 1
    assert (share.of, share.documents) == (sum(d), sum(one > 0 for one in d))
    if not more:
        assert share.width == 0  # the sample contains all documents
    elif len(d) > 1:
        assert share.width > 0
    wider = share_found(d * 4, h * 4, 4 * len(d) + 4 * more)
    assert wider.width <= share.width + 1e-12


def test_without_misses_the_interval_follows_the_rule_of_three() -> None:
    share = share_found(np.ones(1000), np.ones(1000))
    assert share.value == share.high == 1
    assert share.low == pytest.approx(1 - 3.69 / 1000, abs=1e-4)


def test_partners_of_one_document_give_a_wider_interval_than_those_of_many() -> None:
    one, many = share_found([100], [100], 10**6), share_found([1] * 100, [1] * 100, 10**6)
    assert one.of == many.of and one.width > 5 * many.width


def test_partners_missed_by_all_widen_the_interval() -> None:
    """A document that misses all its partners is rare in a sample, but its partners reveal it."""
    d, h = np.full(50, 999), np.full(50, 994)
    apart, same = share_found(d, h, 20_000), share_found(d, h, 20_000, shared=(999 * 50 * 49, 5 * 50 * 49))
    assert same.width > 5 * apart.width


@given(counts, st.floats(0.001, 0.5))
def test_a_narrower_interval_needs_a_larger_sample(pairs: list[tuple[int, int]], width: float) -> None:
    share = share_found([a for a, _ in pairs], [b for _, b in pairs], 10**6)
    assert sample_for(share, len(pairs), width) >= len(pairs)


def skewed(largest: int) -> tuple[np.ndarray[Any, np.dtype[np.int64]], np.ndarray[Any, np.dtype[np.int64]]]:
    """The true and the found partners of documents, of which one family has many; it has most of the misses."""
    rng = np.random.default_rng(1)
    small = np.where(rng.random(1400) < 0.4, 1, np.minimum(2 + rng.pareto(1.2, 1400).astype(np.int64), 20))
    true, found = [], []
    for number, size in enumerate([largest, *small.tolist()]):
        edits = rng.integers(0, 6, size).astype(float)
        both = edits[:, None] + edits[None, :]
        chance = (1 - ((40 - both) / (40 + both)) ** 6) ** 16 if number == 0 else 0.02
        missed = np.triu(rng.random(both.shape) < chance, 1)
        true.append(np.full(size, size - 1))
        found.append(size - 1 - (missed | missed.T).sum(1))
    return np.concatenate(true), np.concatenate(found)


def test_the_counts_of_the_whole_result_make_up_for_a_sample_without_the_largest_family() -> None:
    """A sample may have few documents of the family with most of the pairs: it looks even, and is wrong."""
    true, found = skewed(120)
    share = found.sum() / true.sum()
    rng = np.random.default_rng(2)
    held = {"sample alone": 0, "with the result": 0}
    for _ in range(300):
        rows = rng.choice(len(true), 100, replace=False)
        for name, others in (("sample alone", 0.0), ("with the result", other_partners(found))):
            interval = share_found(true[rows], found[rows], len(true), others=others)
            held[name] += interval.low <= share <= interval.high
    assert held["sample alone"] < 0.95 * 300 <= held["with the result"], held


def test_half_of_the_pairs() -> None:
    assert half_of_pairs(np.array([1, 1, 1, 1])) == 2
    assert half_of_pairs(np.array([1, 9, 1, 1])) == 1
    assert half_of_pairs(np.zeros(0, np.int64)) == 0
