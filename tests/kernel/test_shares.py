"""Shares of the candidate pairs: together they contain every pair exactly once."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.flow import Shingles
from lookalike.flow.buckets import Share
from lookalike.kernel import Cpu
from tests.kernel.tables import Keys, alike, joins, one_bucket


def shares(data: st.DataObject, keys: Keys) -> list[Share]:
    """A partition of the bands into shares."""
    bands = keys.shape[1]
    cuts = sorted({0, bands, *data.draw(st.lists(st.integers(0, bands), max_size=3))})
    return [Share(first, last) for first, last in pairwise(cuts)]


def blocks(keys: Keys, shingles: Shingles, split: int, share: Share) -> list[tuple[Keys, Shingles, int, Any]]:
    """Keys, sets, first row and share: of the rows before the split, of the other rows, and of pairs between both."""
    one = (keys[:split], Shingles(shingles.offsets[: split + 1], shingles.values), 0, share)
    other = (keys[split:], Shingles(shingles.offsets[split:], shingles.values), split, share)
    across = (keys, shingles, 0, Share(share.first, share.last, split))
    return [one, other, across] if split else [other]


@given(joins(most_rows=90), st.data(), st.integers(1, 3))
@settings(max_examples=60)
def test_shares_contain_every_pair_once(
    case: tuple[Keys, Shingles, int, int], data: st.DataObject, threads: int
) -> None:
    keys, shingles, numerator, denominator = case
    whole = Cpu().similar_pairs(keys, shingles, numerator, denominator)
    split = data.draw(st.integers(0, len(keys)))
    found: Counter[tuple[int, int, int]] = Counter()
    proposed: Counter[tuple[int, int]] = Counter()
    counted = 0
    for share in shares(data, keys):
        for some, sets, first, part in blocks(keys, shingles, split, share):
            here = Cpu(threads).similar_pairs(some, sets, numerator, denominator, part)
            found.update(
                zip(
                    (here.left + first).tolist(), (here.right + first).tolist(), here.intersection.tolist(), strict=True
                )
            )
            left, right = Cpu(threads).candidates(some, part)
            proposed.update(zip((left + first).tolist(), (right + first).tolist(), strict=True))
            counted += here.candidates
    assert sorted(found.elements()) == list(
        zip(whole.left.tolist(), whole.right.tolist(), whole.intersection.tolist(), strict=True)
    )
    left, right = Cpu().candidates(keys)
    assert sorted(proposed.elements()) == list(zip(left.tolist(), right.tolist(), strict=True))
    assert counted == whole.candidates


@given(joins(most_rows=90), st.data(), st.integers(1, 3))
@settings(max_examples=60)
def test_components_grow_share_by_share(
    case: tuple[Keys, Shingles, int, int], data: st.DataObject, threads: int
) -> None:
    """Each share starts from the components of the shares before it, in any order, and from those of stars."""
    keys, shingles, numerator, denominator = case
    split = data.draw(st.integers(0, len(keys)))
    forest = Cpu().forest(len(keys))
    work = [block for share in shares(data, keys) for block in blocks(keys, shingles, split, share)]
    for some, sets, first, part in data.draw(st.permutations(work)):
        rows = np.arange(first, first + len(some), dtype=np.int64)
        _, begin, nth = np.unique(forest.find(rows), return_index=True, return_inverse=True)
        known = begin[nth]
        if data.draw(st.booleans()):
            found = Cpu(threads).similar_components(some, sets, numerator, denominator, part, known, stars_only=True)
            forest.join(rows, rows[found.labels])
            known = found.labels
        found = Cpu(threads).similar_components(some, sets, numerator, denominator, part, known)
        forest.join(rows, rows[found.labels])
    labels = forest.find(np.arange(len(keys), dtype=np.int64))
    whole = Cpu().similar_components(keys, shingles, numerator, denominator)
    np.testing.assert_array_equal(labels, whole.labels)


def test_rows_of_one_known_component_are_not_compared() -> None:
    shingles, keys = alike(300, shared=95, own=5), one_bucket(300, 4)
    found = Cpu().similar_components(keys, shingles, 4, 5, known=np.zeros(300, dtype=np.int64))
    assert found.labels.tolist() == [0] * 300 and found.checked == 0


def test_stars_compare_rows_only_with_the_first_rows_of_a_bucket() -> None:
    """This connects near-copies. Half of the documents that share boilerplate are never compared."""
    keys = one_bucket(300, 1)
    found = Cpu().similar_components(keys, alike(300, shared=95, own=5), 4, 5, stars_only=True)
    assert found.labels.tolist() == [0] * 300 and found.checked == 299
    found = Cpu().similar_components(keys, alike(300, shared=50, own=50), 4, 5, stars_only=True)
    assert found.labels.tolist() == list(range(300)) and found.checked == 299


@given(st.lists(st.integers(0, 5) | st.integers(0, 2**64 - 1), max_size=300), st.data())
def test_buckets_are_the_rows_of_equal_keys(keys: list[int], data: st.DataObject) -> None:
    left_out = data.draw(st.lists(st.booleans(), min_size=len(keys), max_size=len(keys)))
    there = [i for i, out in enumerate(left_out) if not out]
    expected = [[i for i in there if keys[i] == key] for key in sorted(set(keys))]
    column = np.array(keys, dtype=np.uint64)

    def found(members: np.ndarray, starts: np.ndarray) -> list[list[int]]:
        return [members[a:b].tolist() for a, b in pairwise(starts.tolist())]

    buckets = [bucket for bucket in expected if len(bucket) > 1]
    assert found(*Cpu().buckets(column, left_out=np.array(left_out, dtype=bool))) == buckets
    assert found(*Cpu().buckets(column[there], np.array(there, dtype=np.uint32))) == buckets


@given(st.integers(1, 30), st.data())
def test_a_forest_tracks_connected_rows(rows: int, data: st.DataObject) -> None:
    ends = st.lists(st.integers(0, rows - 1), min_size=0, max_size=40)
    left = data.draw(ends)
    right = [data.draw(st.integers(0, rows - 1)) for _ in left]
    a, b = np.array(left, dtype=np.int64), np.array(right, dtype=np.int64)
    one, other = Cpu().forest(rows), Cpu().forest(rows)
    one.join(a, b)
    other.join_buckets(np.stack([a, b], axis=1).ravel().astype(np.uint32), np.arange(len(a) + 1, dtype=np.int64) * 2)
    everything = np.arange(rows, dtype=np.int64)
    np.testing.assert_array_equal(one.find(everything), Cpu().connect(rows, a, b))
    np.testing.assert_array_equal(other.find(everything), Cpu().connect(rows, a, b))


def test_invalid_shares_are_refused() -> None:
    keys, shingles = one_bucket(4, 2), alike(4, 3, 1)
    for share in (Share(3, 2), Share(-1), Share(split=5), Share(2, 1)):
        with pytest.raises(ValueError, match=r"share|split"):
            Cpu().similar_pairs(keys, shingles, 1, 2, share=share)
    with pytest.raises(ValueError, match="known"):
        Cpu().similar_components(keys, shingles, 1, 2, known=np.array([0, 1, 2, 4]))
    with pytest.raises(ValueError, match="as many rows"):
        Cpu().similar_components(keys, shingles, 1, 2, known=np.zeros(3, dtype=np.int64))
    with pytest.raises(ValueError, match="same length"):
        Cpu().buckets(np.zeros(3, dtype=np.uint64), np.zeros(2, dtype=np.uint32))
    with pytest.raises(ValueError, match="rows go up to"):
        Cpu().buckets(np.zeros(2, dtype=np.uint64), np.full(2, 2**32 - 1, dtype=np.uint32))
    with pytest.raises(OverflowError):
        Cpu().candidates(one_bucket(100, 2), most=1000)
    forest = Cpu().forest(3)
    with pytest.raises(ValueError, match="left"):
        forest.join(np.array([3]), np.array([0]))
    with pytest.raises(ValueError, match="members"):
        forest.join_buckets(np.array([0, 3], dtype=np.uint32), np.array([0, 2]))
    with pytest.raises(ValueError, match="rows"):
        forest.find(np.array([-1]))
