"""SimHash agrees with its definition, and its bits with the angle between sets."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.engines.reference import definitions
from lookalike.families.simhash import simhash
from lookalike.kernel import Cpu
from tests.refusals import refused

sets = st.lists(st.sets(st.integers(0, 2**64 - 1), max_size=40), max_size=6)


@given(sets, st.integers(1, 3), st.integers(0, 2**64 - 1), st.sampled_from([1, 2]))
def test_the_kernel_computes_the_bits_of_the_definition(
    given_sets: list[set[int]], words: int, seed: int, threads: int
) -> None:
    rows = [sorted(one) for one in given_sets]
    found = Cpu(threads).simhash(definitions.as_shingles(rows), words=words, seed=seed)
    assert found.tolist() == [simhash(row, words, seed) for row in rows]


def test_the_share_of_differing_bits_is_that_of_the_angle() -> None:
    rng = np.random.default_rng(0)
    for shared in (50, 80, 95):
        rows = []
        for _ in range(60):
            common = rng.integers(0, 2**64, shared, np.uint64).tolist()
            rows += [sorted(common + rng.integers(0, 2**64, 100 - shared, np.uint64).tolist()) for _ in range(2)]
        bits = Cpu(2).simhash(definitions.as_shingles(rows), words=8, seed=1)
        differing = np.unpackbits((bits[::2] ^ bits[1::2]).view(np.uint8)).mean()
        wanted = math.acos(shared / 100) / math.pi
        assert abs(differing - wanted) < 4 * math.sqrt(wanted * (1 - wanted) / (60 * 512)) + 0.01  # ties and small sets


def test_fewer_bits_are_the_first_of_more() -> None:
    texts = ["a storm came at night", "a storm came at noon", ""]
    many, few = la.simhash(texts, bits=256), la.simhash(texts, bits=24)
    assert many.shape == (3, 32) and many.dtype == np.uint8 and few.shape == (3, 3)
    assert np.array_equal(many[:, :3], few)
    assert not many[2].any()
    assert not np.array_equal(la.simhash(texts, seed=1), many[:, :8])
    assert la.simhash([]).shape == (0, 8)


def test_bags_count_repeated_shingles() -> None:
    texts = ["a a a a a b c", "a b c"]
    sets, bags = (la.simhash(texts, shingles="words:1", bag=bag, bits=512) for bag in (False, True))
    assert np.array_equal(sets[0], sets[1]) and not np.array_equal(bags[0], bags[1])


def test_other_numbers_of_bits_are_refused() -> None:
    with refused("bits-not-bytes", bits=12):
        la.simhash(["a"], bits=12)
    for bits in (0, 4104):
        with refused("not-in-whole-range"):
            la.simhash(["a"], bits=bits)
