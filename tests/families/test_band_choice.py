"""`choose_bands`: the bands reach the recall, and no more selective bands do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.families.amplify import Banded, choose_bands
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
        if Banded(b, r).collision_probability(threshold) >= recall
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
