"""`choose_bands`: the bands reach the recall, and no more selective bands do."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.families.amplify import Banded, choose_bands
from lookalike.families.chance import Chance, even_hit
from lookalike.flow import Shingles
from lookalike.kernel import default
from tests.refusals import refused

thresholds = st.sampled_from([0.05, 0.2, 0.3, 0.5, 0.7, 0.8, 0.85, 0.9, 0.95, 0.99, 1.0])
recalls = st.sampled_from([0.01, 0.5, 0.9, 0.95, 0.99, 0.999])
hashes = st.integers(1, 200)


def by_trial(threshold: float, recall: float, hashes: int) -> Banded | None:
    """The rule by brute force: of all b and r that fit and reach the recall, the largest r, then the least b."""
    good = [
        Banded(b, r)
        for r in range(1, hashes + 1)
        for b in range(1, hashes // r + 1)
        if Banded(b, r).collision_probability(threshold) >= recall and even_hit(threshold, b, r, hashes) >= recall
    ]
    return min(good, key=lambda banded: (-banded.rows, banded.bands), default=None)


@given(thresholds, recalls, hashes)
def test_the_choice_is_the_largest_r_then_the_least_b_that_reach_the_recall(t: float, recall: float, n: int) -> None:
    wanted = by_trial(t, recall, n)
    if wanted is None:
        with refused("recall-out-of-reach", hashes=n):
            choose_bands(t, recall, n)
    else:
        assert choose_bands(t, recall, n) == wanted


@given(thresholds, recalls, st.integers(100, 400))
def test_recall_is_met_within_the_hashes(t: float, recall: float, n: int) -> None:
    if Banded(n, 1).collision_probability(t) >= recall:
        banded = choose_bands(t, recall, n)
        assert banded.hashes <= n
        assert banded.collision_probability(t) >= recall


@given(thresholds, recalls, st.integers(1, 300))
def test_more_hashes_never_mean_fewer_rows(t: float, recall: float, n: int) -> None:
    if Banded(n, 1).collision_probability(t) >= recall:
        assert choose_bands(t, recall, n + 1).rows >= choose_bands(t, recall, n).rows


def test_documented_choices() -> None:
    assert choose_bands(0.8, 0.99, 128) == Banded(bands=16, rows=6)
    assert choose_bands(1.0, 0.99, 128) == Banded(bands=1, rows=128)


def test_the_error_for_an_unreachable_recall_names_the_best_one() -> None:
    with refused("recall-out-of-reach", hashes=8, at=0.1, recall=0.99, best=pytest.approx(0.5695, abs=1e-4)):
        choose_bands(0.1, 0.99, 8)


@given(st.integers(1, 3), st.integers(1, 4), st.integers(0, 3), st.integers(0, 12))
def test_equal_slots_at_random_places_are_counted_one_by_one(bands: int, rows: int, rest: int, equal: int) -> None:
    hashes = bands * rows + rest
    equal = min(equal, hashes)
    whole = [set(range(band * rows, (band + 1) * rows)) for band in range(bands)]
    places = [set(chosen) for chosen in combinations(range(hashes), equal)]
    hits = sum(any(band <= chosen for band in whole) for chosen in places)
    assert even_hit(equal / hashes, bands, rows, hashes) == pytest.approx(hits / len(places), abs=1e-9)


def by_formula(threshold: float, recall: float, hashes: int) -> tuple[int, int]:
    """The largest r, then the least b, with 1 − (1 − tʳ)ᵇ ≥ recall."""
    one = Chance(threshold, 1 - threshold)
    sizes = ((b, r) for r in range(hashes, 0, -1) for b in range(1, hashes // r + 1))
    return next((b, r) for b, r in sizes if one.all(r).any(b).hit >= recall)


@pytest.mark.parametrize("recall", [0.8, 0.9, 0.95, 0.99, 0.999])
def test_from_a_recall_of_80_percent_on_the_formula_of_independent_slots_decides(recall: float) -> None:
    for threshold in (0.5, 0.7, 0.8, 0.9, 0.95):
        for hashes in (128, 256):
            chosen = choose_bands(threshold, recall, hashes)
            assert (chosen.bands, chosen.rows) == by_formula(threshold, recall, hashes)


def test_for_a_recall_of_one_half_it_would_promise_too_much() -> None:
    assert by_formula(0.9, 0.5, 128) == (6, 21)
    assert even_hit(0.9, 6, 21, 128) < 0.475
    assert choose_bands(0.9, 0.5, 128).rows < 21


@pytest.mark.parametrize("sketch", ["fast", "classic"])
@pytest.mark.parametrize("union", [10, 40, 130, 400])
def test_pairs_at_the_threshold_are_found_whatever_the_size_of_their_sets(sketch: str, union: int) -> None:
    pairs, share = 20_000, 0.9
    elements = np.random.default_rng(union).integers(0, 2**64, (pairs, union), np.uint64)
    common = round(share * union)
    half = common + (union - common) // 2
    sides = elements[:, :half], np.hstack([elements[:, :common], elements[:, half:]])
    signatures = []
    for side in sides:
        sets = Shingles(np.arange(pairs + 1) * side.shape[1], np.sort(side, axis=1).ravel())
        signatures.append(default(1).sign(sets, sketch=sketch, hashes=128, seed=7))
    agree = signatures[0] == signatures[1]
    assert agree.mean() == pytest.approx(share, abs=0.002)
    for recall in (0.5, 0.9, 0.99, 0.999):
        banded = choose_bands(share, recall, 128)
        slots = agree[:, : banded.hashes].reshape(pairs, banded.bands, banded.rows)
        found = slots.all(axis=2).any(axis=1).mean()
        assert found >= recall - 4 * (recall * (1 - recall) / pairs) ** 0.5
