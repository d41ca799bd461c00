"""The kernel's vectors against their definitions, on every path."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.joins.vectors import definitions
from lookalike.kernel import vectors as kernel

seeds = st.integers(0, 2**64 - 1)


def made(rows: int, d: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal((rows, d)).astype(np.float32)


@given(st.integers(0, 40), st.integers(1, 200), st.integers(1, 9), st.integers(1, 32), seeds)
def test_hyperplane_keys(n: int, d: int, bands: int, rows: int, seed: int) -> None:
    x = kernel.padded(made(n, d))
    keys = kernel.keys_of_vectors(x, bands=bands, rows=rows, seed=seed)
    assert np.array_equal(keys, definitions.hyperplane_keys(x, bands, rows, seed))


@given(st.integers(1, 40), st.integers(1, 200), st.integers(1, 9), st.integers(1, 12), seeds, st.floats(0.01, 100))
def test_line_keys(n: int, d: int, bands: int, rows: int, seed: int, width: float) -> None:
    x = kernel.padded(made(n, d))
    keys = kernel.keys_of_vectors(x, bands=bands, rows=rows, seed=seed, width=width)
    assert np.array_equal(keys, definitions.line_keys(x, bands, rows, seed, width))


@given(st.integers(0, 40), st.integers(1, 300), st.integers(1, 9), st.integers(1, 32), seeds)
def test_bit_keys(n: int, size: int, bands: int, rows: int, seed: int) -> None:
    bits = np.random.default_rng(1).integers(0, 2**64, (n, -(-size // 64)), np.uint64)
    keys = kernel.keys_of_bits(bits, size, bands=bands, rows=rows, seed=seed)
    assert np.array_equal(keys, definitions.bit_keys(bits, size, bands, rows, seed))


@given(st.integers(1, 20), st.integers(1, 70), st.sampled_from([np.float32, np.float64]), st.sampled_from([1, 2]))
def test_products_and_distances_are_summed_in_one_order(n: int, d: int, kind: type, threads: int) -> None:
    x: Any = made(n, d, 1).astype(kind)
    y: Any = made(n, d, 2).astype(kind)
    rows = np.arange(n)
    a, b = x.astype(np.float64), y.astype(np.float64)
    assert np.array_equal(kernel.products(x, y, rows, rows[::-1].copy(), threads), definitions.eight_sums(a * b[::-1]))
    assert np.array_equal(kernel.squared_distances(x, y, rows, rows, threads), definitions.eight_sums((a - b) ** 2))


@given(st.integers(0, 300), st.integers(1, 40), st.integers(1, 5), st.integers(0, 3), st.sampled_from([1, 2]))
def test_pairs_of_vectors_are_those_that_share_a_key_and_are_near(
    n: int, d: int, bands: int, values: int, threads: int
) -> None:
    rng = np.random.default_rng(n + d)
    x = kernel.padded(rng.integers(-3, 4, (n, d)).astype(np.float32))  # whole numbers: no rounding
    keys = rng.integers(0, values + 1, (bands, n), dtype=np.uint32)
    halves = rng.integers(0, 3, n).astype(np.float32)
    found = kernel.pairs_of_vectors(x, keys, 2.0, halves=halves, threads=threads)
    score = x @ x.T - halves[:, None] - halves[None, :]
    share = (keys[:, :, None] == keys[:, None, :]).any(axis=0)
    left, right = np.nonzero(np.triu(share & (score >= 2), 1))
    assert np.array_equal(found.left, left) and np.array_equal(found.right, right)


@given(st.integers(0, 300), st.integers(1, 11), st.integers(0, 200), st.integers(1, 4), st.sampled_from([1, 2]))
def test_pairs_of_bits_are_those_that_share_a_key_and_differ_little(
    n: int, words: int, distance: int, bands: int, threads: int
) -> None:
    rng = np.random.default_rng(n)
    bits = rng.integers(0, 2**64, (n, words), np.uint64)
    keys = rng.integers(0, 3, (bands, n), dtype=np.uint32)
    found = kernel.pairs_of_bits(bits, keys, distance, threads=threads)
    whole = np.unpackbits(bits.view(np.uint8), axis=1).astype(np.int64)
    differing = whole @ (1 - whole).T + (1 - whole) @ whole.T
    share = (keys[:, :, None] == keys[:, None, :]).any(axis=0)
    left, right = np.nonzero(np.triu(share & (differing <= distance), 1))
    assert np.array_equal(found.left, left) and np.array_equal(found.right, right)


def test_sketches_leave_out_what_differs_too_much() -> None:
    x = kernel.padded(np.ones((3, 4), np.float32))
    sketches = np.array([[0, 0], [7, 0], [0, 15]], np.uint64)
    keys = np.zeros((1, 3), np.uint32)
    found = kernel.pairs_of_vectors(x, keys, 4.0, sketches=sketches, differing=4)
    assert list(zip(found.left.tolist(), found.right.tolist(), strict=True)) == [(0, 1), (0, 2)]


def test_too_many_pairs_are_refused() -> None:
    x = kernel.padded(np.ones((200, 4), np.float32))
    with pytest.raises(OverflowError):
        kernel.pairs_of_vectors(x, np.zeros((1, 200), np.uint32), 4.0, most=100)
