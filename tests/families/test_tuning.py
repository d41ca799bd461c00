"""`tune`: choices reach the recall, no cheaper construction does, and their predictions are correct."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.families.amplify import Banded, choose_bands
from lookalike.families.base import Family
from lookalike.families.hyperplanes import Hyperplanes
from lookalike.families.minhash import MinHash
from lookalike.families.projections import GaussianLines
from lookalike.families.tuning import Cost, describe, tune
from tests.refusals import refused

thresholds = st.sampled_from([0.3, 0.5, 0.8, 0.9, 0.95])
recalls = st.sampled_from([0.5, 0.9, 0.99, 0.999])
costs = st.builds(Cost, key=st.sampled_from([0.0, 1.0, 10.0]), check=st.sampled_from([0.0, 100.0, 1e6]))


@given(thresholds, recalls, st.integers(20, 80), costs)
@settings(max_examples=25)
def test_all_choices_meet_the_recall_within_the_hashes_in_order_of_cost(
    t: float, recall: float, hashes: int, cost: Cost
) -> None:
    if MinHash().or_(hashes).collision_probability(t) < recall:
        with refused("recall-out-of-reach", hashes=hashes, at=t, recall=recall):
            tune(t, recall, hashes=hashes, cost=cost)
        return
    found = tune(t, recall, hashes=hashes, cost=cost)
    choices = [found.best, *found.alternatives]
    assert len({each.family for each in choices}) == len(choices)
    assert [each.cost for each in choices] == sorted(each.cost for each in choices)
    for each in choices:
        assert each.recall == pytest.approx(each.family.collision_probability(t)) and each.recall >= recall - 1e-12
        assert each.hashes <= hashes
        assert each.cost == pytest.approx(cost.of(each.hashes, each.keys, each.false_positives))


@given(thresholds, recalls, st.integers(10, 40), costs)
@settings(max_examples=20)
def test_no_bands_and_rows_are_cheaper_than_the_best(t: float, recall: float, hashes: int, cost: Cost) -> None:
    """The cost of every choice of bands and rows is computed here with the trapezoidal rule."""
    x = np.linspace(0, t, 400)
    possible = []
    for rows in range(1, hashes + 1):
        for bands in range(1, hashes // rows + 1):
            banded = Banded(bands, rows)
            if banded.collision_probability(t) >= recall:
                area = float(np.trapezoid([banded.collision_probability(s) for s in x], x))
                possible.append(cost.of(banded.hashes, bands, area))
    if possible:
        assert tune(t, recall, hashes=hashes, cost=cost).best.cost <= min(possible) * (1 + 1e-3) + 1e-3


def area(family: Family, low: float, high: float, miss: bool = False) -> float:
    x = np.linspace(low, high, 20_001)
    return float(np.trapezoid([family.miss_probability(s) if miss else family.collision_probability(s) for s in x], x))


@pytest.mark.parametrize("family", [MinHash(), Hyperplanes()])
def test_without_a_distribution_errors_are_areas(family: Family) -> None:
    found = tune(0.7, 0.95, hashes=60, family=family)
    for each in (found.best, found.alternatives[-1]):
        span = 1 - family.least
        assert each.false_positives == pytest.approx(area(each.family, family.least, 0.7) / span, rel=1e-3)
        assert each.false_negatives == pytest.approx(area(each.family, 0.7, 1, miss=True) / span, rel=1e-3)


def test_a_distribution_decides_what_false_positives_cost() -> None:
    """A few rows suffice if nearly all pairs are far below the threshold, but not if many are just below it."""
    rng = np.random.default_rng(1)
    far, near = rng.uniform(0, 0.1, 5000), rng.uniform(0.4, 0.75, 5000)
    easy, hard = (tune(0.8, 0.99, similarities=each).best for each in (far, near))
    assert easy.hashes < hard.hashes and easy.cost < hard.cost
    assert easy.false_negatives == 0.0
    for each, sample in ((easy, far), (hard, near)):
        wanted = np.mean([each.family.collision_probability(s) for s in sample])
        assert each.false_positives == pytest.approx(wanted, rel=0.01)


def test_counts_are_equivalent_to_repetitions() -> None:
    once = tune(0.8, similarities=[0.1, 0.1, 0.1, 0.5, 0.9])
    assert tune(0.8, similarities=([0.1, 0.5, 0.9], [3, 1, 1])) == once


def test_a_pair_at_the_threshold_counts_as_similar() -> None:
    found = tune(0.8, similarities=[0.8, 0.8]).best
    assert found.false_positives == 0 and found.false_negatives == pytest.approx(1 - found.recall)


def test_an_and_of_ors_files_an_item_under_every_combination() -> None:
    two = tune(0.8, hashes=128).best
    assert describe(two.family) == "AND 4, OR 3, AND 2, OR 5"
    assert (two.hashes, two.keys) == (4 * 3 * 2 * 5, 3**2 * 5)


def test_the_choice_of_plans_is_among_the_choices() -> None:
    found = tune(0.8, 0.99, hashes=128)
    assert choose_bands(0.8, 0.99, 128) in [each.family for each in (found.best, *found.alternatives)]


def test_families_of_distances_are_tuned_by_distance() -> None:
    found = tune(distance=1.0, recall=0.9, family=GaussianLines(4.0)).best
    assert found.family.at_distance(1.0) == pytest.approx(found.recall) and found.recall >= 0.9


def test_a_tuning_prints_as_a_table() -> None:
    lines = str(tune(0.8)).splitlines()
    assert lines[0].split() == ["hashes", "keys", "recall", "false", "missed", "cost"]
    assert len(lines) == 12 and all(len(line) <= 90 for line in lines)


@pytest.mark.parametrize(
    ("call", "code", "values"),
    [
        (lambda: tune(80), "similarity-out-of-range", {"value": 80, "meant": 0.8}),
        (lambda: tune(0.8, 1.0), "recall-not-below-one", {"value": 1.0}),
        (lambda: tune(0.8, hashes=0), "not-in-whole-range", {"option": "hashes"}),
        (lambda: tune(0.8, hashes=2**63), "not-in-whole-range", {"option": "hashes"}),
        (lambda: tune(0.8, family="minhash"), "not-a-family", {"value": "minhash"}),  # type: ignore[arg-type]
        (lambda: tune(0.8, cost=3), "not-a-cost", {"value": 3}),  # type: ignore[arg-type]
        (lambda: tune(0.8, similarities="high"), "invalid-similarities", {}),
        (lambda: tune(0.8, family=GaussianLines(1.0)), "family-of-distances", {}),
        (lambda: tune(distance=-1.0, family=GaussianLines(1.0)), "not-positive", {"option": "distance", "value": -1}),
        (lambda: tune(distance=0.5), "family-of-similarities", {}),
        (lambda: tune(0.8, similarities=[]), "invalid-similarities", {}),
        (lambda: tune(0.8, similarities=[0.5, math.nan]), "invalid-similarities", {}),
        (lambda: tune(0.8, similarities=([0.5], [-1])), "invalid-counts", {}),
        (lambda: tune(0.8, similarities=[0.2, 90]), "similarity-out-of-range", {"value": 90, "meant": 0.9}),
        (lambda: tune(distance=1, family=GaussianLines(1.0), similarities=[-1]), "distance-out-of-range", {}),
        (lambda: Cost(hash=-1), "negative-number", {"option": "hash", "value": -1}),
    ],
)
def test_invalid_arguments_are_refused(call: Callable[[], object], code: str, values: dict[str, object]) -> None:
    with refused(code, **values):
        call()


@pytest.mark.parametrize("t", [0.05, 0.8, 0.99])
def test_many_hashes_can_be_tuned(t: float) -> None:
    """Numbers of keys and bands that no float can hold ended with an OverflowError."""
    few, many = tune(t, hashes=1000), tune(t, hashes=5000)
    assert many.best.cost <= few.best.cost
