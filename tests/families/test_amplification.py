"""AND and OR turn p into pʳ and 1 − (1 − p)ᵇ, to full precision, in any nesting."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.families.amplify import And, Banded, Or
from lookalike.families.base import Family
from lookalike.families.hyperplanes import Hyperplanes
from lookalike.families.minhash import MinHash
from tests.refusals import refused

times = st.integers(1, 12)
shares = st.fractions(0, 1, max_denominator=1000)
constructions = st.lists(st.tuples(st.sampled_from("&|"), times), max_size=4)


def built(steps: list[tuple[str, int]]) -> Family:
    family: Family = MinHash()
    for kind, n in steps:
        family = family.and_(n) if kind == "&" else family.or_(n)
    return family


def by_fractions(steps: list[tuple[str, int]], p: Fraction) -> Fraction:
    for kind, n in steps:
        p = p**n if kind == "&" else 1 - (1 - p) ** n
    return p


@given(constructions, shares)
def test_hit_and_miss_of_any_nesting_have_full_precision(steps: list[tuple[str, int]], s: Fraction) -> None:
    """Tiny hits and tiny misses have as many correct digits as others."""
    family, wanted = built(steps), by_fractions(steps, s)
    assert family.collision_probability(float(s)) == pytest.approx(float(wanted), rel=1e-9, abs=1e-300)
    assert family.miss_probability(float(s)) == pytest.approx(float(1 - wanted), rel=1e-9, abs=1e-300)


def test_tiny_probabilities_are_not_rounded_to_zero() -> None:
    """Tiny hits and misses are computed as long as a double can represent them."""
    assert MinHash().and_(20).or_(20).collision_probability(0.1) == pytest.approx(2e-19)
    assert MinHash().or_(100).miss_probability(0.99) == pytest.approx(1e-200)
    assert MinHash().or_(100).and_(7).miss_probability(0.99) == pytest.approx(7e-200)
    assert MinHash().or_(100).and_(7).or_(2).miss_probability(0.999) == 0.0  # 10⁻⁶⁰⁰ is below every double
    assert MinHash().and_(3).at_distance(1e-18) == 1.0
    assert MinHash().and_(3).chance_at(1e-18).miss == pytest.approx(3e-18)


@given(constructions, st.floats(0, 1), st.floats(0, 1))
def test_more_similar_items_collide_at_least_as_often(steps: list[tuple[str, int]], s: float, t: float) -> None:
    family = built(steps)
    low, high = sorted((s, t))
    assert family.collision_probability(low) <= family.collision_probability(high) * (1 + 1e-12)


@given(times, times, shares)
def test_and_of_and_is_and_and_or_of_or_is_or(n: int, m: int, s: Fraction) -> None:
    p = float(s)
    assert And(And(MinHash(), n), m).collision_probability(p) == pytest.approx(
        And(MinHash(), n * m).collision_probability(p)
    )
    assert Or(Or(MinHash(), n), m).collision_probability(p) == pytest.approx(
        Or(MinHash(), n * m).collision_probability(p)
    )


@given(times, shares)
def test_and_and_or_are_complementary(n: int, s: Fraction) -> None:
    """The miss of an OR equals the hit of an AND of the misses."""
    p = float(s)
    assert Or(MinHash(), n).miss_probability(p) == pytest.approx(And(MinHash(), n).at_distance(p), abs=1e-15)


def test_a_construction_counts_its_hashes_and_prints_as_the_code_that_creates_it() -> None:
    family = MinHash().and_(5).or_(20)
    assert family.hashes == 100 and MinHash().and_(2).or_(3).and_(4).hashes == 24
    assert repr(family) == "Or(family=And(family=MinHash(sketch='fast'), rows=5), bands=20)"
    assert family == Or(And(MinHash(), 5), 20) and hash(family) == hash(Or(And(MinHash(), 5), 20))


def test_a_construction_has_the_axes_of_its_family() -> None:
    family = Hyperplanes().and_(4).or_(6)
    assert (family.measure, family.least, family.farthest, family.approximate) == ("cosine", -1.0, 180.0, False)
    assert family.at_distance(90) == pytest.approx(1 - (1 - 0.5**4) ** 6)


def test_and_needs_all_values_of_a_group_to_agree_and_or_needs_one() -> None:
    family = MinHash().and_(3).or_(2)
    draws = family.sample(10, seed=4)
    one, other = {1, 2, 3, 4}, {2, 3, 4, 5}
    assert draws(one).shape == (10, 2, 3)
    equal = draws(one) == draws(other)
    np.testing.assert_array_equal(draws.agree(one, other), equal.all(axis=2).any(axis=1))


@given(st.integers(1, 60), st.integers(1, 60))
def test_half_and_steepest_points_equal_their_closed_forms(bands: int, rows: int) -> None:
    family, closed = MinHash().and_(rows).or_(bands), Banded(bands, rows)
    assert family.half_point() == pytest.approx(closed.half_point(), abs=1e-12)
    if rows > 1:
        assert family.steepest_point() == pytest.approx(closed.steepest_point(), abs=1e-4)


@pytest.mark.parametrize("n", [0, -1, 1.5, True])
def test_and_and_or_need_at_least_one_function(n: int) -> None:
    with refused("not-a-whole-number", option="rows", least=1):
        MinHash().and_(n)
    with refused("not-a-whole-number", option="bands", least=1):
        MinHash().or_(n)


@pytest.mark.parametrize(("family", "written"), [
    (la.MinHash().and_(5).or_(20), "MinHash().and_(5).or_(20)"),
    (la.MinHash("classic").or_(3), "MinHash(sketch='classic').or_(3)"),
    (la.Banded(3, 4).and_(2), "Banded(bands=3, rows=4).and_(2)"),
    (la.GaussianLines(4.0), "GaussianLines(width=4.0)"),
])  # fmt: skip
def test_a_family_is_printed_as_it_is_written(family: la.Family, written: str) -> None:
    names = {"MinHash": la.MinHash, "Banded": la.Banded, "GaussianLines": la.GaussianLines}
    assert str(family) == written and eval(written, names) == family


@pytest.mark.parametrize("wrong", [la.MinHash(), 0.8])
def test_plot_takes_a_file_and_not_another_family(wrong: Any) -> None:
    with refused("plot-without-file"):
        la.MinHash().plot(wrong)
    with refused("threshold-off-the-curve"):
        la.MinHash().plot(threshold="high")  # type: ignore[arg-type]
