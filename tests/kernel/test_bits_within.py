"""Joins of bit strings by blocks find exactly the pairs within the distance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.joins.vectors import definitions
from lookalike.kernel import Cpu


def strings(n: int, size: int, ones: float, seed: int) -> Any:
    """Rows of bits. Half of them are derived from others; some are equal, and some bits are always 0."""
    rng = np.random.default_rng(seed)
    bits = rng.random((n, size)) < ones
    few = n // 2
    if few:
        bits[few:] = bits[rng.integers(0, few, n - few)] ^ (rng.random((n - few, size)) < 1 / size)
    bits[:, : size // 5] &= rng.random() < 0.5
    return bits


def words_of(bits: Any) -> Any:
    padded = np.pad(bits, ((0, 0), (0, -bits.shape[1] % 64)))
    return np.packbits(padded, axis=1).view(np.uint64)


def differing(one: Any, two: Any) -> Any:
    one, two = one.astype(np.int64), two.astype(np.int64)
    return one @ (1 - two).T + (1 - one) @ two.T


sizes = st.sampled_from([1, 8, 63, 64, 65, 128, 256, 2048])


@given(
    st.integers(0, 120), sizes, st.integers(0, 12), st.sampled_from([0.02, 0.5]), st.integers(0, 999),
    st.sampled_from([1, 2]),
)  # fmt: skip
def test_pairs_within_are_those_of_brute_force(
    n: int, size: int, distance: int, ones: float, seed: int, threads: int
) -> None:
    bits = strings(n, size, ones, seed)
    found = Cpu(threads).pairs_within(words_of(bits), None, distance)
    left, right = np.nonzero(np.triu(differing(bits, bits) <= distance, 1))
    assert np.array_equal(found.left, left) and np.array_equal(found.right, right)


@given(
    st.integers(0, 120), st.integers(0, 60), sizes, st.integers(0, 12), st.sampled_from([0.02, 0.5]),
    st.integers(0, 999), st.sampled_from([1, 2]),
)  # fmt: skip
def test_pairs_between_are_those_of_brute_force(
    n: int, m: int, size: int, distance: int, ones: float, seed: int, threads: int
) -> None:
    bits = strings(n + m, size, ones, seed)
    one, two = bits[:n], bits[n:]
    found = Cpu(threads).pairs_within(words_of(one), words_of(two), distance)
    left, right = np.nonzero(differing(one, two) <= distance)
    assert np.array_equal(found.left, left) and np.array_equal(found.right, right)


@given(st.integers(0, 40), st.integers(1, 70), st.integers(0, 5), st.integers(1, 3), st.integers(0, 999))
def test_the_definition_by_blocks_finds_the_same_pairs(
    n: int, size: int, distance: int, agreeing: int, seed: int
) -> None:
    bits = strings(n, size, 0.5, seed)
    found = Cpu().pairs_within(words_of(bits), None, distance)
    pairs = set(zip(found.left.tolist(), found.right.tolist(), strict=True))
    assert definitions.pairs_in_blocks(bits, distance, distance + agreeing) == pairs


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("distance", "saved"), [(1, 100), (3, 20), (7, 3)])
def test_buckets_with_many_rows_are_cut_again(distance: int, saved: int, threads: int) -> None:
    """All rows agree in half of their bits, and pairs of bits are equal, so that blocks have less information."""
    rng = np.random.default_rng(distance)
    half = np.repeat(rng.random((12_000, 32)) < 0.5, 2, axis=1)
    half[6000:] = half[:6000] ^ (rng.random((6000, 64)) < 0.02)
    bits = np.concatenate([np.tile(rng.random((4, 64)) < 0.5, (3000, 1)), half], axis=1)
    words = words_of(bits)
    found = Cpu(threads).pairs_within(words, None, distance)
    every = Cpu(2).pairs_of_bits(words, np.zeros((0, len(bits)), np.uint32), np.full(len(bits), distance, np.uint32))
    assert len(every.left) > 1000
    assert np.array_equal(found.left, every.left) and np.array_equal(found.right, every.right)
    assert found.checked < every.checked / saved


def test_a_giant_bucket_is_shared_by_threads_and_gives_the_same_pairs() -> None:
    rng = np.random.default_rng(3)
    words = rng.integers(0, 2**64, (80_000, 1), np.uint64)
    words[:79_000] &= np.uint64(2**40 - 1)  # the sample of places is dominated by rows with 24 zeros
    words[60_000:70_000] = words[:10_000] ^ np.uint64(4)
    one, two = (Cpu(threads).pairs_within(words, None, 2) for threads in (1, 2))
    assert len(one.left) >= 10_000 and one.checked == two.checked
    assert np.array_equal(one.left, two.left) and np.array_equal(one.right, two.right)


def test_equal_rows_are_compared_once() -> None:
    words = np.repeat(np.arange(3, dtype=np.uint64) << np.uint64(7), 1000)[:, None].copy()
    found = Cpu().pairs_within(words, None, 1)
    assert len(found.left) == 3 * 1000 * 999 // 2 + 2 * 1000 * 1000 and found.checked <= 3
    order = found.left * 3000 + found.right
    assert (np.diff(order) > 0).all()


def test_too_many_pairs_within_are_refused() -> None:
    words = np.repeat(np.arange(2, dtype=np.uint64), 100)[:, None].copy()
    assert len(Cpu().pairs_within(words, None, 1, most=19_900).left) == 19_900
    for distance, other in ((1, None), (0, None), (1, words)):
        with pytest.raises(OverflowError):
            Cpu().pairs_within(words, other, distance, most=9_000)


def test_the_plan_follows_from_rows_bits_and_distance() -> None:
    """More rows need longer keys; more distance needs more blocks; bits that never vary carry no information."""
    rng = np.random.default_rng(0)
    words = rng.integers(0, 2**64, (100_000, 4), np.uint64)
    small, large = (Cpu().plan_within(words[:n], None, 16) for n in (3000, 100_000))
    assert 0 < small.blocks <= large.blocks
    assert Cpu().plan_within(words[:20], None, 3).blocks == 0  # comparing 190 pairs is cheaper than sorting
    for distance in (1, 3, 8):
        plan = Cpu().plan_within(words, None, distance)
        assert plan.agreeing == plan.blocks - distance >= 1
    words[:, 1:] = 7
    assert Cpu().plan_within(words, None, 3) == Cpu().plan_within(np.ascontiguousarray(words[:, :1]), None, 3)._replace(
        cost=Cpu().plan_within(words, None, 3).cost
    )
    assert Cpu().plan_within(words, None, 64).blocks == 0  # not more places than the distance


def test_both_sides_must_have_as_many_words() -> None:
    one, two = np.zeros((2, 1), np.uint64), np.zeros((2, 2), np.uint64)
    with pytest.raises(ValueError, match="same number of words"):
        Cpu().pairs_within(one, two, 1)
