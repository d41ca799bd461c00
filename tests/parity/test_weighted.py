"""Weighted sets: the kernel agrees with the definition in plain Python, and its estimates are unbiased."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.families import darts
from lookalike.kernel import Cpu

weights = st.one_of(
    st.just(0.0),
    st.just(1.0),
    st.floats(0.001, 1000),
    st.integers(-300, 300).map(lambda e: 2.0**e),
    st.floats(1e-100, 1e100),
)
weighted_sets = st.dictionaries(st.integers(0, 2**64 - 1), weights, max_size=8)


def signed(sets: list[dict[int, float]], hashes: int = 64, seed: int = 0, threads: int = 1) -> npt.NDArray[np.uint64]:
    offsets = np.cumsum([0, *map(len, sets)])
    values = np.array([element for each in sets for element in each], np.uint64)
    heights = np.array([weight for each in sets for weight in each.values()], np.float64)
    return Cpu(threads).sign_weighted(offsets, values, heights, hashes=hashes, seed=seed)


@given(
    st.lists(weighted_sets, max_size=4), st.sampled_from([1, 2, 7, 64]), st.integers(0, 2**64 - 1), st.integers(1, 3)
)
def test_the_kernel_signs_like_the_definition(
    sets: list[dict[int, float]], hashes: int, seed: int, threads: int
) -> None:
    found = signed(sets, hashes, seed, threads)
    assert found.tolist() == [darts.sign_weighted(each, hashes=hashes, seed=seed) for each in sets]


@given(st.integers(0, 2**64 - 1))
def test_exponentials_are_logarithms_to_thirteen_digits(h: int) -> None:
    share = ((h >> 12) * 2 + 1) * 2.0**-53
    assert darts.exponential(h) == pytest.approx(-math.log1p(-share), rel=1e-13)


@given(weighted_sets, weighted_sets)
def test_the_signature_of_a_union_is_the_minimum(a: dict[int, float], b: dict[int, float]) -> None:
    union = {element: max(a.get(element, 0.0), b.get(element, 0.0)) for element in a | b}
    one, other, both = signed([a, b, union])
    np.testing.assert_array_equal(both, np.minimum(one, other))


def test_a_set_without_weight_leaves_every_slot_empty() -> None:
    assert (signed([{}, {5: 0.0}]) == np.uint64(2**64 - 1)).all()


def test_order_and_elements_with_weight_zero_are_irrelevant() -> None:
    a = {3: 0.5, 1: 2.0, 2: 1e-6}
    np.testing.assert_array_equal(signed([a]), signed([dict(sorted(a.items())) | {9: 0.0}]))


@pytest.mark.parametrize("spread", [0.0, 1.0, 6.0])
@pytest.mark.parametrize("similarity", [0.1, 0.5, 0.9])
def test_estimates_are_unbiased_within_four_standard_errors(spread: float, similarity: float) -> None:
    """1,000 pairs of sets with 128 slots each, in which weights are similar or range over many powers of ten."""
    rng = np.random.default_rng(int(10 * similarity + spread))
    trials, size = 1000, 12
    errors, variance = [], 0.0
    elements = rng.integers(0, 2**63, (trials, size)).astype(np.uint64)
    high = np.exp(rng.normal(0, spread, (trials, size)))
    low = high * np.clip(similarity + 0.1 * rng.uniform(-1, 1, (trials, size)), 0, 1)
    swap = rng.integers(0, 2, (trials, size)).astype(bool)
    a, b = np.where(swap, high, low), np.where(swap, low, high)
    offsets = np.arange(trials + 1) * size
    one, other = (Cpu().sign_weighted(offsets, elements.ravel(), w.ravel(), hashes=128, seed=5) for w in (a, b))
    true = low.sum(axis=1) / high.sum(axis=1)
    errors = (one == other).mean(axis=1) - true
    variance = float((true * (1 - true) / 128).sum())
    assert abs(errors.sum()) < 4 * math.sqrt(variance)
    assert (errors**2).sum() == pytest.approx(variance, rel=0.25)


def test_many_elements_and_many_slots() -> None:
    rng = np.random.default_rng(3)
    big = {int(e): float(w) for e, w in zip(rng.integers(0, 2**63, 300), rng.gamma(0.1, 1, 300) + 1e-90, strict=True)}
    assert signed([big], hashes=1000)[0].tolist() == darts.sign_weighted(big, hashes=1000, seed=0)


@pytest.mark.parametrize("weight", [-1.0, math.nan, math.inf, 1e101, 1e-101])
def test_invalid_weights_are_refused_with_their_position(weight: float) -> None:
    with pytest.raises(ValueError, match=r"weights must be 0 or lie in 1e-100 … 1e100, got .* at 1"):
        signed([{1: 1.0, 2: weight}])


def test_invalid_arrays_are_refused() -> None:
    ones = np.ones(2)
    with pytest.raises(ValueError, match="same length, got 1 and 2"):
        Cpu().sign_weighted(np.array([0, 1]), np.array([1], np.uint64), ones, hashes=1, seed=0)
    with pytest.raises(ValueError, match="offsets must end within the 2"):
        Cpu().sign_weighted(np.array([0, 3]), np.array([1, 2], np.uint64), ones, hashes=1, seed=0)
    with pytest.raises(ValueError, match="hashes must lie in 1 … 4096, got 0"):
        Cpu().sign_weighted(np.array([0, 2]), np.array([1, 2], np.uint64), ones, hashes=0, seed=0)
