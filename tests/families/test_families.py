"""Every family: its hash functions collide with the probability that the family predicts."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.engines.reference import definitions
from lookalike.families.base import Family, Values
from lookalike.families.bits import BitSampling
from lookalike.families.chance import Chance
from lookalike.families.hyperplanes import Hyperplanes, Signs
from lookalike.families.minhash import MinHash
from lookalike.families.polytope import CrossPolytope
from lookalike.families.projections import GaussianLines, UnitLines
from lookalike.families.weighted import WeightedMinHash
from lookalike.kernel import Cpu
from lookalike.testing import check_family
from tests.refusals import refused

FAMILIES: list[Family] = [
    MinHash(),
    MinHash("classic"),
    WeightedMinHash(),
    BitSampling(200),
    Hyperplanes(),
    CrossPolytope(2),
    CrossPolytope(8),
    GaussianLines(4.0),
    UnitLines(4.0, dimensions=1),
    UnitLines(4.0, dimensions=2),
    UnitLines(4.0, dimensions=7),
]


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_the_functions_collide_as_often_as_predicted(family: Family) -> None:
    check_family(family)


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_amplified_functions_collide_as_often_as_predicted(family: Family) -> None:
    check_family(family.and_(2).or_(3).and_(2), draws=5_000)


def test_signs_are_a_good_approximation_only_in_many_dimensions() -> None:
    many = Signs(500)
    assert many.approximate and not Hyperplanes().approximate
    check_family(many, at=[0.5], draws=20_000)
    # 5° and 35° from an axis of the plane: on the same side of both diagonals, and there are no other lines
    x, y = ([math.cos(math.radians(a)), math.sin(math.radians(a))] for a in (5, 35))
    assert Signs(2).sample(2_000, seed=1).agree(x, y).all()
    assert Hyperplanes().at_distance(30) == pytest.approx(5 / 6)
    with pytest.raises(AssertionError, match="standard errors away"):
        check_family(Signs(2), at=[0.9, 0.5, -0.3])


class Boastful(MinHash):
    """A family that predicts more collisions than there are."""

    def chance(self, similarity: float) -> Chance:
        return Chance(math.sqrt(similarity), 1 - math.sqrt(similarity))


class Forgetful(MinHash):
    """A family that draws other functions every time, even with the same seed."""

    def draw(self, count: int, seed: int) -> Callable[[Any], Values]:
        return super().draw(count, int(np.random.default_rng().integers(2**32)))


class Backward(MinHash):
    def chance(self, similarity: float) -> Chance:
        return Chance(1 - similarity, similarity)


@pytest.mark.parametrize(
    ("family", "words"),
    [(Boastful(), "standard errors away"), (Forgetful(), "draws other functions"), (Backward(), "curve falls")],
)
def test_check_family_refuses_families_with_wrong_predictions(family: Family, words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        check_family(family, draws=20_000)


@pytest.mark.parametrize("sketch", ["fast", "classic"])
@pytest.mark.parametrize("size", [1, 3, 500])
def test_minhash_functions_are_those_of_the_signature_format(sketch: Any, size: int) -> None:
    elements = np.random.default_rng(size).integers(0, 2**63, size).tolist()
    found = MinHash(sketch).sample(128, seed=9)(elements)
    wanted = Cpu().sign(definitions.as_shingles([sorted(elements)]), sketch=sketch, hashes=128, seed=9)[0]
    np.testing.assert_array_equal(found, wanted)


def test_hashes_of_strings_are_the_same_in_every_process() -> None:
    draws = MinHash("classic").sample(3, seed=0)
    assert draws(["tea", "milk"]).tolist() == draws({"milk", "tea"}).tolist()
    assert draws(["tea"])[0] == 18018664990345450396


@given(st.floats(0, 180), st.sampled_from([Hyperplanes(), CrossPolytope(16)]))
def test_angle_and_cosine_convert_into_each_other(angle: float, family: Family) -> None:
    cosine = family.similarity(angle)
    assert family.distance(cosine) == pytest.approx(angle, abs=1e-5)
    assert family.collision_probability(cosine) == pytest.approx(family.at_distance(angle), abs=1e-6)


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_hit_and_miss_add_up_and_far_pairs_collide_less(family: Family) -> None:
    far = family.farthest if math.isfinite(family.farthest) else 100.0
    distances = [far * i / 50 for i in range(51)]
    chances = [family.chance_at(d) for d in distances]
    assert all(hit + miss == pytest.approx(1, abs=1e-12) for hit, miss in chances)
    assert all(a.hit >= b.hit for a, b in pairwise(chances))
    assert chances[0] == Chance(1.0, 0.0)


@pytest.mark.parametrize("family", [*FAMILIES, MinHash().and_(5).or_(20), Hyperplanes().and_(8)], ids=repr)
def test_half_points_are_found_half_the_time(family: Family) -> None:
    half = family.half_point()
    assert (family.at_distance if family.by_distance else family.collision_probability)(half) == pytest.approx(0.5)


@given(st.floats(1e-9, 1e9), st.floats(0.01, 100))
def test_gaussian_lines_depend_only_on_distance_over_width(width: float, c: float) -> None:
    assert GaussianLines(width).at_distance(c * width) == pytest.approx(GaussianLines(1.0).at_distance(c))


@pytest.mark.parametrize("c", [0.01, 0.5, 1.0, 3.0, 50.0, 1e6])
def test_the_curve_of_gaussian_lines_equals_its_integral(c: float) -> None:
    """The integral of E max(0, 1 − c·|N|) is computed by the midpoint rule; for large c, p → 1 / (c·√(2π))."""
    top = min(1 / c, 40.0)
    t = (np.arange(200_000) + 0.5) * (top / 200_000)
    density = math.sqrt(2 / math.pi) * np.exp(-(t**2) / 2)
    found = GaussianLines(1.0).chance_at(c)
    assert found.hit == pytest.approx(float(((1 - c * t) * density).sum() * top / 200_000), rel=1e-8)
    if c == 1e6:
        assert found.hit == pytest.approx(1 / (c * math.sqrt(2 * math.pi)), rel=1e-9)


def test_a_polytope_of_two_axes_equals_two_hyperplanes_and_right_angles_give_one_in_2d() -> None:
    for degrees in (0.0, 1.5, 30.0, 89.25, 120.0, 179.0):
        assert CrossPolytope(2).at_distance(degrees) == pytest.approx((1 - degrees / 180) ** 2, rel=1e-6)
    for axes in (2, 16, 256, 1024):
        assert CrossPolytope(axes).at_distance(90) == pytest.approx(1 / (2 * axes), rel=1e-6)


@pytest.mark.parametrize("degrees", [0.5, 12.3, 45.5, 100.9])
def test_interpolation_between_whole_degrees_is_as_precise_as_the_integral(degrees: float) -> None:
    from tools.polytope_table import probabilities

    axes = (2, 16, 128, 1024)
    wanted = probabilities(degrees, axes)
    assert [CrossPolytope(n).at_distance(degrees) for n in axes] == pytest.approx(wanted, rel=1e-4)


def test_the_table_of_polytopes_is_up_to_date() -> None:
    """Some angles are checked; `python tools/polytope_table.py --check` takes a minute and checks all."""
    from lookalike.families.polytope import TABLE
    from tools.polytope_table import AXES, probabilities

    lines = [line.split() for line in TABLE.read_text().splitlines() if line[0].isdigit()]
    assert [int(line[0]) for line in lines] == list(range(181))
    for degrees in (1, 37, 90, 150):
        assert [float(p) for p in lines[degrees][1:]] == pytest.approx(probabilities(degrees, AXES), rel=1e-6)


@pytest.mark.parametrize("p", [0.0, 0.3, 1.0])
def test_half_and_steepest_points_of_a_flat_curve_are_found(p: float) -> None:
    """With unlimited distances and a flat curve, a search for the end of the curve would never stop."""

    class Flat(GaussianLines):
        def chance_at(self, distance: float) -> Chance:
            return Chance(p, 1 - p)

    flat = Flat(1.0)
    assert math.isfinite(flat.half_point()) and math.isfinite(flat.steepest_point())
    assert flat.curve(3).probability.tolist() == [p, p, p]


@pytest.mark.parametrize(
    ("ask", "code", "values"),
    [
        (
            lambda: MinHash().collision_probability(80),
            "similarity-out-of-range",
            {"value": 80, "meant": 0.8},
        ),
        (lambda: MinHash().collision_probability(math.nan), "similarity-out-of-range", {}),
        (lambda: MinHash().at_distance(-0.1), "distance-out-of-range", {"farthest": 1, "value": -0.1}),
        (lambda: MinHash("slow"), "not-one-of", {"option": "sketch", "value": "slow"}),  # type: ignore[arg-type]
        (lambda: MinHash().sample(0), "not-a-whole-number", {"option": "count", "value": 0}),
        (lambda: MinHash().sample(1)([]), "empty-set", {}),
        (lambda: MinHash().sample(1)([1.5]), "not-an-element", {"value": 1.5}),
        (lambda: MinHash().sensitivity(0.6, 0.2), "distances-not-ascending", {"d1": 0.6, "d2": 0.2}),
        (lambda: MinHash().curve(1), "not-a-whole-number", {"option": "points", "least": 2}),
        (lambda: BitSampling(0), "not-a-whole-number", {"option": "dimensions"}),
        (lambda: BitSampling(8).at_distance(9), "distance-out-of-range", {"farthest": 8, "value": 9}),
        (lambda: BitSampling(8).sample(1)("0101"), "sequence-of-another-length", {"expected": 8, "shape": (4,)}),
        (
            lambda: Hyperplanes().collision_probability(-1.5),
            "similarity-out-of-range",
            {"least": -1, "value": -1.5, "meant": None},
        ),
        (lambda: Hyperplanes().sample(1)([0, 0]), "vector-of-zeros", {}),
        (lambda: Hyperplanes().sample(1)([1, math.nan]), "vector-not-finite", {"position": 1}),
        (lambda: Signs(3).sample(1)([1, 2]), "vector-of-another-length", {"expected": 3, "length": 2}),
        (lambda: CrossPolytope(5), "not-one-of", {"option": "axes", "value": 5}),
        (lambda: GaussianLines(0.0), "not-positive", {"option": "width"}),
        (lambda: GaussianLines(1.0).collision_probability(0.5), "family-without-similarity", {}),
        (lambda: GaussianLines(1.0).at_distance(-1), "distance-out-of-range", {"farthest": None, "value": -1}),
        (lambda: GaussianLines(1.0).sample(1)([math.inf]), "vector-not-finite", {"position": 0}),
        (lambda: UnitLines(1.0, 3).sample(1)([1.0]), "vector-of-another-length", {"expected": 3, "length": 1}),
        (lambda: WeightedMinHash().sample(1)({}), "invalid-weights", {}),
        (lambda: WeightedMinHash().sample(1)({1: -1.0}), "invalid-weights", {}),
    ],
)
def test_invalid_arguments_are_refused(ask: Callable[[], object], code: str, values: dict[str, object]) -> None:
    with refused(code, **values):
        ask()
