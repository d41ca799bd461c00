"""`join` of packed bits finds exactly the pairs within the distance, in arrays and in files."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from tests.joins.planted_vectors import planted_bits
from tests.refusals import refused


@given(st.integers(0, 60), st.integers(0, 40), st.integers(1, 40), st.integers(1, 9), st.integers(0, 99))
def test_joined_bits_are_those_of_brute_force(n: int, m: int, size: int, distance: int, seed: int) -> None:
    """Booleans are packed; the number of bits need not be a multiple of 8."""
    bits = np.random.default_rng(seed).random((n + m, size)) < 0.2
    one, two = bits[:n], bits[n:]
    found = la.join(one, two, measure="hamming", distance=distance)
    far = (one[:, None] != two[None]).sum(axis=2)
    left, right = np.nonzero(far <= distance)
    assert np.array_equal(found.left_rows, left) and np.array_equal(found.right_rows, right)
    assert found.distance is not None and found.similarity is not None
    assert np.array_equal(found.distance, far[left, right])
    assert np.allclose(found.similarity, 1 - far[left, right] / size)


def test_a_collection_joined_with_itself_gives_the_pairs_of_find_pairs() -> None:
    x = planted_bits(3000, 8, 2)
    found, pairs = la.join(x, measure="hamming", distance=3), la.find_pairs(x, measure="hamming", distance=3)
    assert len(found) >= 300 and found.within
    assert np.array_equal(found.left_rows, pairs.left_rows) and np.array_equal(found.right_rows, pairs.right_rows)
    again = la.join(x, measure="hamming", distance=3, threads=2)
    assert again.to_arrow().equals(found.to_arrow())


def test_options_that_do_not_apply_to_bits_are_refused() -> None:
    x: Any = planted_bits(20, 8, 2)
    for options in ({"top": 2}, {"threshold": 0.5}, {"shingles": "words:2"}):
        with refused("not-for-vectors", option=next(iter(options))):
            la.join(x, x, measure="hamming", distance=2, **options)
    with refused("missing-distance"):
        la.join(x, measure="hamming")
    with refused("bits-differ", left=64, right=32):
        la.join(x, x[:, :4].copy(), measure="hamming", distance=2)
    with refused("not-packed-bits"):
        la.join(la.simhash(["a"]), np.zeros((2, 8)), measure="hamming", distance=2)
    with refused("not-packed-bits"):
        la.join(np.zeros((2, 8)), la.simhash(["a"]), measure="hamming", distance=2)
