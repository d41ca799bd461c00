"""Banded: the S-curve and its three thresholds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.families.amplify import Banded
from tests.refusals import refused

banded = st.builds(Banded, bands=st.integers(1, 200), rows=st.integers(1, 50))
similarities = st.floats(0, 1)


@given(banded, similarities)
def test_probability_is_one_minus_one_minus_s_to_the_r_to_the_b(b: Banded, s: float) -> None:
    assert b.collision_probability(s) == pytest.approx(1 - (1 - s**b.rows) ** b.bands, abs=1e-9)


@given(banded, similarities, similarities)
def test_more_similar_pairs_are_more_likely_candidates(b: Banded, s: float, t: float) -> None:
    low, high = sorted((s, t))
    assert 0 <= b.collision_probability(low) <= b.collision_probability(high) <= 1


@given(banded)
def test_equal_sets_are_always_candidates_and_disjoint_sets_never(b: Banded) -> None:
    assert b.collision_probability(1.0) == 1
    assert b.collision_probability(0.0) == 0


@given(banded, similarities)
def test_another_band_finds_more_and_another_row_finds_less(b: Banded, s: float) -> None:
    more, fewer = Banded(b.bands + 1, b.rows), Banded(b.bands, b.rows + 1)
    found = b.collision_probability(s)
    assert more.collision_probability(s) * (1 + 1e-14) >= found >= fewer.collision_probability(s) * (1 - 1e-14)


def test_small_probabilities_are_not_rounded_away() -> None:
    """1 − (1 − 10⁻²⁰)²⁰ is 2·10⁻¹⁹, although 1 − 10⁻²⁰ is 1 in floating point."""
    assert Banded(bands=20, rows=20).collision_probability(0.1) == pytest.approx(2e-19)


@given(banded)
def test_half_point_is_found_half_the_time(b: Banded) -> None:
    assert b.collision_probability(b.half_point()) == pytest.approx(0.5)


@given(st.builds(Banded, bands=st.integers(1, 200), rows=st.integers(2, 50)))
def test_the_curve_is_nowhere_steeper_than_at_its_steepest_point(b: Banded) -> None:
    def slope(s: float) -> float:
        return b.bands * b.rows * s ** (b.rows - 1) * (1 - s**b.rows) ** (b.bands - 1)

    assert all(slope(s / 100) <= slope(b.steepest_point()) * (1 + 1e-9) for s in range(101))


@given(banded)
def test_at_the_rule_of_thumb_a_band_agrees_with_probability_one_in_b(b: Banded) -> None:
    assert b.rule_of_thumb() ** b.rows * b.bands == pytest.approx(1)


@pytest.mark.parametrize(("bands", "rows"), [(0, 5), (20, -1), (-1, 5), (1.5, 2), (True, 2)])
def test_less_than_one_band_and_negative_rows_are_refused(bands: int, rows: int) -> None:
    with refused("not-a-whole-number"):
        Banded(bands=bands, rows=rows)


def test_without_rows_every_pair_is_a_candidate() -> None:
    everyone = Banded(bands=1, rows=0)
    assert everyone.exact and not Banded(20, 5).exact
    assert (
        everyone.collision_probability(0.0)
        == everyone.collision_probability(0.5)
        == everyone.collision_probability(1.0)
        == 1.0
    )
    assert everyone.half_point() == everyone.steepest_point() == everyone.rule_of_thumb() == 0.0
    with refused("bands-without-rows", bands=20):
        Banded(bands=20, rows=0)
