"""Thresholds are decimals and are compared in integer arithmetic."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.flow.threshold import Threshold
from tests.refusals import refused

decimals = st.integers(1, 10**9).map(lambda n: Decimal(n).scaleb(-9))
counts = st.tuples(st.integers(0, 2**40), st.integers(0, 2**40)).map(lambda n: (min(n), max(n)))


@given(decimals)
def test_a_threshold_is_the_decimal_as_it_is_written(value: Decimal) -> None:
    assert Threshold(str(value)).value == Fraction(value)
    assert Threshold(value) == Threshold(float(value)) == Threshold(str(Threshold(value)))


@given(decimals, counts)
def test_a_fraction_reaches_a_threshold_if_it_is_at_least_as_large(value: Decimal, parts: tuple[int, int]) -> None:
    shared, union = parts
    assert Threshold(value).reached(shared, union) == (union > 0 and Fraction(shared, max(union, 1)) >= Fraction(value))


@given(st.integers(1, 10_000))
def test_a_similarity_that_is_the_threshold_reaches_it(n: int) -> None:
    """Regression: with floats, floor((1 − .9)·10) lost pairs at tenths of the number of elements."""
    for tenths in range(1, 11):
        assert Threshold(tenths / 10).reached(tenths * n, 10 * n)
        assert not Threshold(tenths / 10).reached(tenths * n - 1, 10 * n)


@given(decimals, decimals, counts)
def test_a_higher_threshold_is_reached_by_fewer_fractions(one: Decimal, other: Decimal, parts: tuple[int, int]) -> None:
    low, high = sorted((Threshold(one), Threshold(other)))
    if high.reached(*parts):
        assert low.reached(*parts)


@given(decimals, decimals)
def test_thresholds_are_ordered_as_numbers(one: Decimal, other: Decimal) -> None:
    assert (Threshold(one) < Threshold(other)) == (one < other)


def test_no_union_reaches_anything() -> None:
    assert not Threshold("0.000000001").reached(0, 0)


@pytest.mark.parametrize(
    ("value", "code", "meant"),
    [
        (80, "not-a-share", "0.8"),
        (0, "not-a-share", None),
        (-0.5, "not-a-share", None),
        (1.5, "not-a-share", None),
        ("much", "not-a-share", None),
        (float("nan"), "not-a-share", None),
        (float("inf"), "not-a-share", None),
        ("0.1234567891", "too-many-decimal-places", None),
        ("0.3333333333333333", "too-many-decimal-places", None),
    ],
)
def test_an_invalid_threshold_is_refused(value: float | str, code: str, meant: str | None) -> None:
    with refused(code) as refusal:
        Threshold(value)
    assert refusal.value.values.get("meant") == meant
