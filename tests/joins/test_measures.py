"""Every bound of a measure follows from its definition, which agrees with `lookalike.distances`."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike import distances
from lookalike.errors import InvalidOption
from lookalike.joins.measures import SIMILARITIES, Hamming, Measure, similarity_measure
from tests.joins.strategies import measures, names, thresholds
from tests.refusals import refused

sizes = st.integers(1, 40)


def exact(name: str, a: int, b: int, o: int) -> Fraction:
    """The similarity as a fraction; for cosine, its square."""
    return {
        "jaccard": Fraction(o, a + b - o),
        "dice": Fraction(2 * o, a + b),
        "cosine": Fraction(o * o, a * b),
        "overlap": Fraction(o, min(a, b)),
        "containment": Fraction(o, a),
    }[name]


@given(names, thresholds, sizes, sizes)
def test_pairs_have_a_similarity_of_the_threshold_or_more(name: str, threshold: str, a: int, b: int) -> None:
    least = Fraction(Decimal(threshold)) ** (2 if name == "cosine" else 1)
    measure = similarity_measure(name, threshold)
    for o in range(min(a, b) + 1):
        assert measure.reached(a, b, o) == (o > 0 and exact(name, a, b, o) >= least)


@given(st.integers(0, 12), sizes, sizes)
def test_hamming_counts_the_elements_of_only_one_set(distance: int, a: int, b: int) -> None:
    for o in range(min(a, b) + 1):
        assert Hamming(distance).reached(a, b, o) == (a + b - 2 * o <= distance)


@given(measures(), sizes, sizes)
def test_the_least_overlap_makes_a_pair_and_one_less_does_not(measure: Measure, a: int, b: int) -> None:
    least = measure.least_overlap(a, b)
    assert least >= 0
    for o in range(min(a, b) + 1):
        assert measure.reached(a, b, o) == (o >= least)


@given(measures(), sizes, sizes)
def test_sizes_outside_of_the_range_cannot_be_paired(measure: Measure, a: int, b: int) -> None:
    low, high = measure.sizes(a)
    assert low >= 1
    assert measure.reached(a, b, min(a, b)) == (low <= b and (high is None or b <= high))


@given(measures(), sizes, sizes, sizes)
def test_the_least_overlap_never_decreases_as_the_other_set_grows(measure: Measure, a: int, b: int, more: int) -> None:
    assert measure.least_overlap(a, b) <= measure.least_overlap(a, b + more)


@given(measures(), st.sets(st.integers(0, 14), min_size=1), st.sets(st.integers(0, 14), min_size=1))
def test_the_prefixes_of_a_pair_share_an_element(measure: Measure, left: set[int], right: set[int]) -> None:
    """In any order of the elements; the prefix of the smaller set may be the shorter index prefix."""
    a, b, o = len(left), len(right), len(left & right)
    if not measure.reached(a, b, o) or not o:
        return
    whole = b if not measure.symmetric else measure.probe_prefix(b)
    assert {*sorted(left)[: measure.probe_prefix(a)]} & {*sorted(right)[:whole]}
    if b <= a:
        assert {*sorted(left)[: measure.probe_prefix(a)]} & {*sorted(right)[: measure.index_prefix(b)]}


@given(measures(), sizes)
def test_only_hamming_pairs_sets_without_a_common_element(measure: Measure, a: int) -> None:
    assert isinstance(measure, Hamming) or measure.probe_prefix(a) <= a


@given(st.sets(st.integers(0, 9), min_size=1), st.sets(st.integers(0, 9), min_size=1))
def test_the_displayed_similarity_equals_the_exact_measure(left: set[int], right: set[int]) -> None:
    a, b, o = len(left), len(right), len(left & right)
    for name in ("jaccard", "dice", "overlap", "containment"):
        assert SIMILARITIES[name](1).similarity(a, b, o) == getattr(distances, name)(left, right)
    vectors = [[float(i in one) for i in range(10)] for one in (left, right)]
    assert SIMILARITIES["cosine"](1).similarity(a, b, o) == pytest.approx(distances.cosine(*vectors))
    assert Hamming.distance(a, b, o) == len(left ^ right)


@given(st.lists(st.integers(0, 5), min_size=1), st.lists(st.integers(0, 5), min_size=1), st.integers(1, 50))
def test_sum_bags_are_paired_by_the_sum_definition_of_bag_jaccard(
    left: list[int], right: list[int], percent: int
) -> None:
    similarity = distances.bag_jaccard_fraction(left, right, union="sum")
    o = sum(min(left.count(e), right.count(e)) for e in {*left})
    measure = similarity_measure("sum-bag", f"{percent / 100:.2f}")
    assert measure.reached(len(left), len(right), o) == (similarity >= Fraction(percent, 100))
    assert measure.similarity(len(left), len(right), o) == float(similarity)


def test_nine_of_ten_is_reached_at_nine_tenths() -> None:
    """Regression: (1 − 0.9) · 10 is less than 1 in floating point, and prefixes computed that way lost this pair."""
    measure = similarity_measure("jaccard", 0.9)
    assert measure.reached(10, 9, 9) and not measure.reached(10, 10, 9)
    assert measure.sizes(10) == (9, 11)
    assert measure.probe_prefix(10) == 2
    assert similarity_measure("cosine", 0.9).reached(10, 10, 9)


def test_a_sum_bag_threshold_above_one_half_is_refused() -> None:
    assert similarity_measure("sum-bag", "0.5").reached(3, 3, 3)
    with refused("sum-bag-above-half"):
        similarity_measure("sum-bag", "0.500000001")


@pytest.mark.parametrize(
    ("name", "threshold"), [("jacard", "0.8"), ("jaccard", "80"), ("edit", "0.5"), ("cosine", "0")]
)
def test_invalid_measures_and_thresholds_are_refused(name: str, threshold: str) -> None:
    with pytest.raises(InvalidOption):
        similarity_measure(name, threshold)
