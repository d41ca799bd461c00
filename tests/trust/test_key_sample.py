"""A sample of keys contains whole buckets of a part of the key space, for any batches."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.trust.key_sample import KeySample

matrices = st.integers(1, 5).flatmap(
    lambda bands: st.lists(st.lists(st.integers(0, 6), min_size=bands, max_size=bands), max_size=30).map(
        lambda rows: np.array(rows, np.uint64).reshape(-1, bands)
    )
)


def sampled(keys: np.ndarray, most: int, step: int) -> KeySample:
    sample = KeySample(most)
    for start in range(0, len(keys), step):
        here = keys[start : start + step]
        sample.add(here, np.arange(start, start + len(here)))
    return sample


def collisions(keys: np.ndarray) -> list[tuple[int, int]]:
    """The definition: two rows collide in every band in which their keys are equal."""
    return [
        (i, j) for i, j in combinations(range(len(keys)), 2) for a, b in zip(keys[i], keys[j], strict=True) if a == b
    ]


@given(matrices, st.integers(1, 9))
def test_expected_collisions_equal_the_definition(keys: np.ndarray, step: int) -> None:
    buckets = sampled(keys, 1000, step).buckets(np.zeros(len(keys), bool))
    left, right = buckets.sample_collisions(10_000)
    assert buckets.share == 1 and buckets.collisions == len(left)
    assert sorted(zip(left.tolist(), right.tolist(), strict=True)) == sorted(collisions(keys))
    assert buckets.members == len({row for pair in collisions(keys) for row in pair})


@given(matrices, st.integers(0, 60), st.integers(1, 9), st.data())
def test_a_bucket_is_kept_whole_or_not_at_all(keys: np.ndarray, most: int, step: int, data: st.DataObject) -> None:
    one, other = sampled(keys, most, step), sampled(keys, most, data.draw(st.integers(1, 9)))
    assert one.halvings == other.halvings, "the share does not depend on the batches"
    none = np.zeros(len(keys), bool)
    some, every = one.buckets(none), sampled(keys, 1000, step).buckets(none)
    bucket = {
        tuple(every.rows[start : start + size].tolist())
        for start, size in zip(every.starts.tolist(), every.sizes.tolist(), strict=True)
    }
    assert all(
        tuple(some.rows[start : start + size].tolist()) in bucket
        for start, size in zip(some.starts.tolist(), some.sizes.tolist(), strict=True)
    )


def test_pairs_scale_with_the_share_of_keys_and_not_with_its_square() -> None:
    rng = np.random.default_rng(1)
    keys = rng.integers(0, 2**63, (20_000, 8), dtype=np.uint64)
    keys[10_000:15_000] = keys[:5_000]  # 5,000 pairs with equal keys in every band
    sample = sampled(keys, 20_000, 1000)
    buckets = sample.buckets(np.zeros(len(keys), bool))
    assert buckets.share <= 0.25
    assert 0.9 < buckets.collisions / buckets.share / 40_000 < 1.1


def test_excluded_rows_have_no_collisions() -> None:
    keys = np.ones((3, 2), np.uint64)
    buckets = sampled(keys, 100, 1).buckets(np.array([False, True, False]))
    assert set(zip(*(rows.tolist() for rows in buckets.sample_collisions(10)), strict=True)) == {(0, 2)}


def test_a_bucket_larger_than_the_sample_is_counted() -> None:
    """Half of all rows share a key. Its pairs were lost when its half of the key space was dropped."""
    rng = np.random.default_rng(2)
    keys = rng.integers(0, 2**63, (60_000, 4), dtype=np.uint64)
    keys[::2, 1] = 7
    keys[::3, 2] = 8
    copies = np.zeros(len(keys), bool)
    for step in (500, 60_000):
        buckets = sampled(keys, 1 << 16, step).buckets(copies)
        true = 30_000 * 29_999 / 2 + 20_000 * 19_999 / 2
        assert 0.95 < buckets.expected_collisions / true < 1.05
        assert buckets.largest == pytest.approx(30_000, rel=0.02) and buckets.larger_than(10_000) == 2
        left, right = buckets.sample_collisions(3000)
        assert len(left) == 3000 and (left < right).all()
        assert 0.6 < np.mean((left % 2 == 0) & (right % 2 == 0)) < 0.85
    copies[2::2] = copies[3::3] = True  # all but one row of each bucket
    assert sampled(keys, 1 << 16, 500).buckets(copies).expected_collisions < 1000
