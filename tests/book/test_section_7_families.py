"""MMDS, sections 3.6 and 3.7: sensitive families, AND and OR, hyperplanes, lines, and S-curves."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from lookalike.distances import angle, hamming, jaccard
from lookalike.families.amplify import And, Banded, Or
from lookalike.families.base import Family, Values
from lookalike.families.bits import BitSampling
from lookalike.families.chance import Chance
from lookalike.families.hyperplanes import Hyperplanes, Signs
from lookalike.families.minhash import MinHash
from lookalike.families.projections import GaussianLines, UnitLines

PAIRS = [(0.1, 0.5), (0.2, 0.6), (0.3, 0.9)]


# --- Sensitive families -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("d1", "d2"), PAIRS)
def test_minhashing_is_d1_d2_1_minus_d1_1_minus_d2_sensitive(d1: float, d2: float) -> None:
    """'For Jaccard similarity, minhashing gives a (d1, d2, (1−d1), (1−d2))-sensitive' family."""
    assert MinHash().sensitivity(d1, d2) == (d1, d2, 1 - d1, 1 - d2)


@pytest.mark.parametrize("family", [MinHash(), BitSampling(100), Hyperplanes(), GaussianLines(30.0)], ids=repr)
def test_sensitive_means_at_least_p1_within_d1_and_at_most_p2_beyond_d2(family: Family) -> None:
    """The definition: Pr[h(x) = h(y)] ≥ p1 if d ≤ d1, and ≤ p2 if d ≥ d2."""
    far = min(family.farthest, 100.0)
    d1, d2, p1, p2 = family.sensitivity(0.2 * far, 0.6 * far)
    distances = [far * i / 40 for i in range(41)]
    assert all(family.at_distance(d) >= p1 for d in distances if d <= d1)
    assert all(family.at_distance(d) <= p2 for d in distances if d >= d2)


def test_amplification_moves_p1_to_1_and_p2_to_0() -> None:
    """Amplification separates the same distances better."""
    found = [MinHash().sensitivity(0.2, 0.6), *(Banded(b, r).sensitivity(0.2, 0.6) for b, r in ((20, 5), (160, 9)))]
    assert all(b.p1 > a.p1 for a, b in pairwise(found)) and found[-1].p1 > 0.9999
    assert all(b.p2 < a.p2 for a, b in pairwise(found)) and found[-1].p2 < 0.05


# --- AND and OR -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("d1", "d2"), PAIRS)
@pytest.mark.parametrize("r", [2, 5, 20])
def test_and_is_d1_d2_p1_to_the_r_p2_to_the_r_sensitive(r: int, d1: float, d2: float) -> None:
    """'AND': both probabilities become smaller."""
    before, after = MinHash().sensitivity(d1, d2), And(MinHash(), r).sensitivity(d1, d2)
    assert after == pytest.approx((d1, d2, before.p1**r, before.p2**r))
    assert after.p1 < before.p1 and after.p2 < before.p2


@pytest.mark.parametrize(("d1", "d2"), PAIRS)
@pytest.mark.parametrize("b", [2, 5, 20])
def test_or_is_1_minus_1_minus_p_to_the_b(b: int, d1: float, d2: float) -> None:
    """'OR': both become larger. (1 − p)^b is the probability that none agrees."""
    before, after = MinHash().sensitivity(d1, d2), Or(MinHash(), b).sensitivity(d1, d2)
    assert after == pytest.approx((d1, d2, 1 - (1 - before.p1) ** b, 1 - (1 - before.p2) ** b))
    assert after.p1 > before.p1 and after.p2 > before.p2
    assert Or(MinHash(), b).miss_probability(1 - d1) == pytest.approx((1 - before.p1) ** b)


@pytest.mark.parametrize("n", [1, 3, 6])
def test_and_agrees_if_all_do_and_or_if_one_does(n: int) -> None:
    """'h(x) = h(y) iff ∀i hᵢ(x) = hᵢ(y)', and 'iff ∃i'."""
    x, y = set(range(10)), set(range(3, 13))
    single = MinHash().sample(100 * n, seed=2).agree(x, y).reshape(100, n)
    assert (And(MinHash(), n).sample(100, seed=2).agree(x, y) == single.all(axis=1)).all()
    assert (Or(MinHash(), n).sample(100, seed=2).agree(x, y) == single.any(axis=1)).all()


AND_OR = [0.0064, 0.0320, 0.0985, 0.2275, 0.4260, 0.6666, 0.8785, 0.9860]
OR_AND = [0.0140, 0.1215, 0.3334, 0.5740, 0.7725, 0.9015, 0.9680, 0.9936]


def test_four_way_and_then_four_way_or_and_the_other_way_round() -> None:
    """MMDS, figures 3.10 and 3.11: 1 − (1 − p⁴)⁴ at .2 … .9 and (1 − (1 − p)⁴)⁴ at .1 … .8."""
    and_or, or_and = MinHash().and_(4).or_(4), MinHash().or_(4).and_(4)
    assert [and_or.collision_probability(p / 10) for p in range(2, 10)] == pytest.approx(AND_OR, abs=5e-5)
    assert [or_and.collision_probability(p / 10) for p in range(1, 9)] == pytest.approx(OR_AND, abs=5e-5)
    # Each curve is the other one rotated by 180°.
    assert all(and_or.collision_probability(p) == pytest.approx(or_and.miss_probability(1 - p)) for p in (0.2, 0.5))


def test_constructions_cascade() -> None:
    """Examples of MMDS: (.2, .6, .8, .4) becomes (.2, .6, .8785, .0985); a cascade of two does far better."""
    assert MinHash().and_(4).or_(4).sensitivity(0.2, 0.6) == pytest.approx((0.2, 0.6, 0.8785, 0.0985), abs=5e-5)
    cascade = MinHash().or_(4).and_(4).and_(4).or_(4)
    _, _, p1, p2 = cascade.sensitivity(0.2, 0.8)
    assert p1 == pytest.approx(0.9999996, abs=5e-8) and p2 == pytest.approx(0.0008715, abs=5e-8)
    assert cascade.hashes == 256


def test_the_fixed_point_separates_falling_from_rising_probabilities() -> None:
    """1 − (1 − p⁴)⁴ = p at .7245: probabilities below it fall, probabilities above it rise."""
    s_curve = MinHash().and_(4).or_(4)
    assert s_curve.collision_probability(0.7244919590005) == pytest.approx(0.7244919590005)
    assert s_curve.collision_probability(0.7) < 0.7 and s_curve.collision_probability(0.8) > 0.8


# --- Hyperplanes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("d1", "d2"), [(10, 90), (30, 60), (60, 120)])
def test_hyperplanes_agree_with_1_minus_the_angle_over_180(d1: float, d2: float) -> None:
    """'P[h(x) = h(y)] = 1 − ⟨x,y⟩/180°', ⟨x,y⟩ being the angle: (d1, d2, (180−d1)/180, (180−d2)/180)-sensitive."""
    assert Hyperplanes().sensitivity(d1, d2) == pytest.approx((d1, d2, (180 - d1) / 180, (180 - d2) / 180))


def test_a_hyperplane_has_two_buckets_and_signatures_are_plus_and_minus_one() -> None:
    """'h_v(x) = 1 if v·x > 0 else −1'; vectors [1, 2, −1] and [2, 1, 1] are 60° apart, so two of three agree."""
    x, y = [1, 2, -1], [2, 1, 1]
    draws = Hyperplanes().sample(30_000, seed=5)
    assert set(draws(x).tolist()) == {True, False}
    expected = 1 - angle(x, y) / 180
    assert expected == pytest.approx(2 / 3)
    assert abs(draws.agree(x, y).mean() - expected) < 4 * math.sqrt(expected / 3 / 30_000)


def test_sketches_of_plus_and_minus_one() -> None:
    """MMDS, Example 3.22: with all 16 vectors of ±1 in four dimensions, 38° is estimated as 45°."""
    x, y = [3, 4, 5, 6], [4, 3, 2, 1]
    signs = np.array(np.meshgrid(*[[-1, 1]] * 4)).reshape(4, 16).T
    agree = np.mean((signs @ x > 0) == (signs @ y > 0))
    assert round(angle(x, y)) == 38 and 180 * (1 - agree) == 45
    measured = Signs(4).sample(20_000, seed=1).agree(x, y).mean()
    assert measured == pytest.approx(0.75, abs=0.02) and Signs(4).approximate


# --- Bits -------------------------------------------------------------------------------------------------------------


def test_bit_sampling_is_1_minus_d_over_the_number_of_bits() -> None:
    """Hamming distance: (d1, d2, 1 − d1/d, 1 − d2/d)-sensitive; 10101 and 11110 differ in three of five places."""
    assert BitSampling(100).sensitivity(10, 30) == pytest.approx((10, 30, 0.9, 0.7))
    x, y = "10101", "11110"
    assert BitSampling(5).at_distance(hamming(x, y)) == pytest.approx(0.4)
    assert BitSampling(5).sample(5_000, seed=1).agree(x, y).mean() == pytest.approx(0.4, abs=0.03)


# --- Lines ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("a", [0.5, 1.0, 7.0])
def test_lines_in_the_plane_are_a_half_2a_one_half_one_third_sensitive(a: float) -> None:
    """'LSH Family for Euclidean Distance', with the bounds of MMDS, which are not tight."""
    plane = UnitLines(a, dimensions=2)
    assert plane.at_distance(a / 2) >= 1 / 2 and plane.at_distance(2 * a) <= 1 / 3
    assert plane.at_distance(a / 2) == pytest.approx(1 - 1 / math.pi)
    assert round(plane.at_distance(2 * a), 4) == 0.1628


def test_two_thirds_of_all_angles_keep_points_2a_apart_in_different_bins() -> None:
    """MMDS: points share a bin only if d·cos φ ≤ a, so φ must be at least 60°, a third of all angles."""
    assert math.degrees(math.acos(1 / 2)) == pytest.approx(60)
    assert UnitLines(1.0).at_distance(2.0) <= (90 - 60) / 90


def test_the_bound_of_lines_fails_in_five_and_more_dimensions() -> None:
    """Projections onto unit lines get shorter with the dimension; the curve of Gaussian lines does not depend on it."""
    assert [UnitLines(1.0, n).at_distance(2.0) <= 1 / 3 for n in range(2, 9)] == [True] * 3 + [False] * 4
    assert all(UnitLines(1.0, n).at_distance(0.5) >= 1 / 2 for n in range(2, 9))
    assert round(GaussianLines(1.0).at_distance(0.5), 4) == 0.6095
    assert round(GaussianLines(1.0).at_distance(2.0), 4) == 0.1954


def test_points_hash_to_the_segment_that_contains_their_projection() -> None:
    """'Randomly choose a line. Divide the line into bins. Project target onto the line.'"""
    draws = UnitLines(2.0, dimensions=1).sample(4_000, seed=3)
    near, far = draws.agree([0.0], [1.0]).mean(), draws.agree([0.0], [2.5]).mean()
    assert near == pytest.approx(0.5, abs=0.04) and far == 0


# --- S-curves ---------------------------------------------------------------------------------------------------------


def area(f: Callable[[float], float], low: float, high: float) -> float:
    x = np.linspace(low, high, 4001)
    return float(np.trapezoid([f(s) for s in x], x))


def test_the_ideal_step_has_no_areas_and_one_band_of_one_row_has_large_ones() -> None:
    """'No chance if t < s, probability 1 if t > s' is what we want; one hash function is a line."""
    line = Banded(1, 1)
    assert area(line.collision_probability, 0, 0.5) == pytest.approx(0.125)
    assert area(line.miss_probability, 0.5, 1) == pytest.approx(0.125)
    assert all(line.collision_probability(s) == s for s in (0, 0.3, 1))


def test_areas_of_fifty_hash_functions() -> None:
    """r = 5 and b = 10: false positives are left of the threshold, false negatives right of it."""
    curve = Banded(bands=10, rows=5)
    s = curve.half_point()
    assert round(s, 3) == 0.582
    green, blue = area(curve.collision_probability, 0, s), area(curve.miss_probability, s, 1)
    assert (round(green, 3), round(blue, 3)) == (0.056, 0.046)
    # A lower threshold has fewer false negatives to its right, a higher one fewer false positives to its left.
    more_bands, more_rows = Banded(20, 5), Banded(10, 7)
    assert more_bands.half_point() < s < more_rows.half_point()
    assert area(more_bands.miss_probability, s, 1) < blue and area(more_rows.collision_probability, 0, s) < green


def test_effect_of_bands_and_of_rows() -> None:
    """More bands move the rise to the left, more rows to the right; more of both make it steeper."""
    bands = [Banded(b, 5).half_point() for b in (1, 5, 10, 20, 50)]
    rows = [Banded(10, r).half_point() for r in (1, 2, 5, 10)]
    assert bands == sorted(bands, reverse=True) and rows == sorted(rows)

    def slope(curve: Banded) -> float:
        at = curve.steepest_point()
        return (curve.collision_probability(at + 1e-4) - curve.collision_probability(at - 1e-4)) / 2e-4

    steepness = [slope(Banded(b, r)) for b, r in ((4, 2), (10, 5), (50, 10), (300, 20))]
    assert steepness == sorted(steepness)


# --- Fingerprints: the same AND and OR on another kind of function ----------------------------------------------------


@dataclass(frozen=True)
class Squares(Family):
    """Probability of a minutia in one square of both prints: .2 · .8 (same finger) or .2 · .2 (different fingers)."""

    def chance(self, similarity: float) -> Chance:
        return Chance(0.2 * similarity, 1 - 0.2 * similarity)

    def draw(self, count: int, seed: int) -> Callable[[Any], Values]:
        raise NotImplementedError

    def example(self, at: float, seed: int) -> tuple[Any, Any, float]:
        raise NotImplementedError


def test_fingerprints() -> None:
    """'Matching Fingerprints': 1,024 sets of three squares, AND-ed, then OR-ed."""
    triple = Squares().and_(3)
    assert triple.collision_probability(0.8) == pytest.approx(0.004096)
    assert triple.collision_probability(0.2) == pytest.approx(0.000064)
    prints = triple.or_(1024)
    assert round(prints.collision_probability(0.8), 3) == 0.985
    assert round(prints.collision_probability(0.2), 3) == 0.063


def test_weights_of_one_are_sets() -> None:
    """The functions for weighted sets also give the Jaccard similarity of plain sets: 3/8."""
    from lookalike.families.weighted import WeightedMinHash

    x, y = set("abcde"), set("cdefgh")
    assert jaccard(x, y) == 3 / 8
    agree = WeightedMinHash().sample(20_000, seed=2).agree(dict.fromkeys(x, 1.0), dict.fromkeys(y, 1.0)).mean()
    assert abs(agree - 3 / 8) < 4 * math.sqrt(15 / 64 / 20_000)
