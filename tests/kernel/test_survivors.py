"""Survivors are those of the definition, whatever the order, the buckets and the number of threads."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.engines.reference import definitions
from lookalike.flow import Shingles
from lookalike.flow.preference import Preference
from lookalike.kernel import Cpu
from tests.kernel.tables import Keys, alike, joins, one_bucket, table, true_pairs

FOUR_FIFTHS = (4, 5)
SHARES = (None, (1, 1), (9, 10), (1, 2))


@st.composite
def preferences(draw: st.DrawFn, rows: int) -> Preference:
    """An order of the rows, of which the first few are always kept; some pairs may be declared different."""
    order = np.array(draw(st.permutations(range(rows))), dtype=np.int64)
    kept = draw(st.integers(0, min(rows, 3)))
    pairs = draw(st.lists(st.tuples(st.integers(0, rows - 1), st.integers(0, rows - 1)), max_size=4)) if rows else []
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Preference(order, kept, (ends[:, 0], ends[:, 1]) if pairs else None)


def defined(
    keys: Keys, shingles: Shingles, numerator: int, denominator: int, preference: Preference, contained: tuple[int, int]
) -> list[int]:
    """Survivors by brute force. Containment depends on which of two sets is removed, so this is a loop of its own."""
    similar: dict[int, dict[int, int]] = {row: {} for row in range(len(keys))}
    for i, j, common in true_pairs(keys, shingles, numerator, denominator):
        similar[i][j] = similar[j][i] = common
    left, right = preference.different or (np.zeros(0, np.int64), np.zeros(0, np.int64))
    for a, b in zip(left.tolist(), right.tolist(), strict=True):
        similar[a].pop(b, None)
        similar[b].pop(a, None)
    survivor, kept = list(range(len(keys))), list[int]()
    for place, row in enumerate(preference.order.tolist()):
        share, whole = contained
        near = [other for other in kept if similar[row].get(other, 0) * whole >= share * int(shingles.sizes[row])]
        near = [other for other in near if other in similar[row]]
        if place < preference.always_kept or not near:
            kept.append(row)
        else:
            survivor[row] = near[0]
    return survivor


@given(joins(), st.data())
def test_survivors_are_those_of_the_definition(case: tuple[Keys, Shingles, int, int], data: st.DataObject) -> None:
    keys, shingles, *fraction = case
    threshold = (fraction[0], fraction[1])
    preference = data.draw(preferences(len(keys)))
    contained = data.draw(st.sampled_from(SHARES))
    found = Cpu().choose_survivors(keys, shingles, *threshold, preference, contained)
    assert found.survivor.tolist() == defined(keys, shingles, *threshold, preference, contained or (0, 1))
    sets = [set(values.tolist()) for values in shingles]
    for row, survivor in enumerate(found.survivor.tolist()):
        expected = 0 if row == survivor else len(sets[row] & sets[survivor])
        assert found.intersection[row] == expected


@given(joins(most_rows=150), st.sampled_from(SHARES), st.integers(2, 4))
@settings(max_examples=40)
def test_buckets_of_any_size_and_any_number_of_threads(
    case: tuple[Keys, Shingles, int, int], contained: tuple[int, int] | None, threads: int
) -> None:
    keys, shingles, *fraction = case
    threshold = (fraction[0], fraction[1])
    order = np.random.default_rng(len(keys)).permutation(len(keys))
    preference = Preference(order.astype(np.int64), min(len(keys), 5))
    one = Cpu().choose_survivors(keys, shingles, *threshold, preference, contained)
    many = Cpu(threads).choose_survivors(keys, shingles, *threshold, preference, contained)
    assert one.survivor.tolist() == defined(keys, shingles, *threshold, preference, contained or (0, 1))
    assert (one.survivor.tolist(), one.checked) == (many.survivor.tolist(), many.checked)
    pairs = Cpu().similar_pairs(keys, shingles, *threshold)
    if contained is None:
        by = Cpu().removing_pairs(preference, pairs.left, pairs.right)
        gone = by >= 0
        assert gone.tolist() == (one.survivor != np.arange(len(keys))).tolist()
        ends = pairs.left[by[gone]] + pairs.right[by[gone]] - np.flatnonzero(gone)
        assert ends.tolist() == one.survivor[gone].tolist()
        edges = zip(pairs.left.tolist(), pairs.right.tolist(), strict=True)
        assert definitions.survivors(order.tolist(), edges, preference.always_kept) == one.survivor.tolist()


@given(st.integers(0, 2**32), st.sampled_from([(4, 5), (1, 2), (9, 10)]), st.sampled_from(SHARES))
@settings(max_examples=8)
def test_families_that_straddle_the_threshold(
    seed: int, threshold: tuple[int, int], contained: tuple[int, int] | None
) -> None:
    """Hundreds of variants of a few texts in one bucket, most of them about as similar as the threshold."""
    rng = np.random.default_rng(seed)
    bases = rng.integers(0, 2**64, (3, 40), np.uint64)
    rows = [
        {
            *rng.permutation(bases[rng.integers(3)])[: rng.integers(20, 41)].tolist(),
            *rng.integers(0, 2**64, 2, np.uint64).tolist(),
        }
        for _ in range(150)
    ]
    shingles, keys = table([sorted(row) for row in rows]), one_bucket(150)
    preference = Preference(rng.permutation(150).astype(np.int64))
    found = Cpu(2).choose_survivors(keys, shingles, *threshold, preference, contained)
    assert found.survivor.tolist() == defined(keys, shingles, *threshold, preference, contained or (0, 1))


# The time limits are generous, for slow machines; comparing all pairs would take minutes.

HOT = 20_000
SECONDS = 10


@pytest.mark.parametrize("bands", [1, 16])
def test_near_copies_take_one_comparison_each(bands: int) -> None:
    start = time.perf_counter()
    preference = Preference.of_input(HOT)
    found = Cpu().choose_survivors(one_bucket(HOT, bands), alike(HOT, shared=95, own=5), *FOUR_FIFTHS, preference)
    assert time.perf_counter() - start < SECONDS
    assert not found.survivor.any()
    assert found.checked == HOT - 1


@pytest.mark.parametrize("contained", [None, (1, 1)])
def test_time_is_not_quadratic_in_documents_that_share_boilerplate(contained: tuple[int, int] | None) -> None:
    """20,000 sets share 60 % of their elements and a bucket, and no two are similar."""
    start = time.perf_counter()
    preference = Preference.of_input(HOT)
    found = Cpu(2).choose_survivors(one_bucket(HOT), alike(HOT, shared=60, own=40), *FOUR_FIFTHS, preference, contained)
    assert time.perf_counter() - start < SECONDS
    assert found.survivor.tolist() == list(range(HOT))
    assert found.checked < 5 * HOT


def test_pages_of_one_template_are_not_contained_in_each_other() -> None:
    """All pages are similar. Only those without words of their own are contained in another page."""
    pages, bare = alike(HOT, shared=95, own=5), 500
    sets = list(pages)
    template = np.intersect1d(sets[0], sets[1])
    rows = [*sets, *(template[: -1 - number % 40] for number in range(bare))]
    sizes, values = [len(row) for row in rows], np.concatenate(rows)
    shingles = Shingles(np.cumsum([0, *sizes], dtype=np.int64), values)
    start = time.perf_counter()
    found = Cpu(2).choose_survivors(one_bucket(len(rows)), shingles, 1, 2, Preference.of_input(len(rows)), (1, 1))
    assert time.perf_counter() - start < SECONDS
    removed = found.survivor != np.arange(len(rows))
    assert removed.tolist() == [False] * HOT + [True] * bare


def test_bad_arguments_are_refused() -> None:
    keys, shingles = one_bucket(3), alike(3, shared=5, own=1)
    order = np.arange(3, dtype=np.int64)
    for bad in (order[:2], np.array([0, 1, 3]), np.array([0, 1, 1]), np.array([-1, 0, 1])):
        with pytest.raises(ValueError, match="order"):
            Cpu().choose_survivors(keys, shingles, 1, 2, Preference(bad.astype(np.int64)))
        if len(bad) == 3:
            with pytest.raises(ValueError, match="order"):
                Cpu().removing_pairs(Preference(bad.astype(np.int64)), order[:0], order[:0])
    for kept in (4, -1):
        with pytest.raises(ValueError, match="always_kept"):
            Cpu().choose_survivors(keys, shingles, 1, 2, Preference(order, kept))
    with pytest.raises(ValueError, match="left"):
        Cpu().choose_survivors(keys, shingles, 1, 2, Preference(order, 0, (order + 1, order)))
    with pytest.raises(ValueError, match="same length"):
        Cpu().removing_pairs(Preference(order), order, order[:1])
