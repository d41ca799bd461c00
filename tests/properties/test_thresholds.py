"""Thresholds are decimals, compared in integers."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.errors import InvalidOption
from lookalike.flow.threshold import Threshold

decimals = st.integers(1, 10**9).map(lambda n: Decimal(n).scaleb(-9))
counts = st.tuples(st.integers(0, 2**40), st.integers(0, 2**40)).map(lambda n: (min(n), max(n)))


@given(decimals)
def test_a_threshold_is_the_decimal_as_it_is_written(value: Decimal) -> None:
    assert Threshold(str(value)).value == Fraction(value)
    assert Threshold(value) == Threshold(float(value)) == Threshold(str(Threshold(value)))


@given(decimals, counts)
def test_it_is_reached_exactly_where_the_fraction_is_as_large(value: Decimal, parts: tuple[int, int]) -> None:
    shared, union = parts
    assert Threshold(value).reached(shared, union) == (union > 0 and Fraction(shared, max(union, 1)) >= Fraction(value))


@given(st.integers(1, 10_000))
def test_a_similarity_that_is_the_threshold_reaches_it(n: int) -> None:
    """Tenths of a number of elements: where floor((1 − .9)·10) has lost pairs before."""
    for tenths in range(1, 11):
        assert Threshold(tenths / 10).reached(tenths * n, 10 * n)
        assert not Threshold(tenths / 10).reached(tenths * n - 1, 10 * n)


@given(decimals, decimals, counts)
def test_a_higher_threshold_is_reached_by_less(one: Decimal, other: Decimal, parts: tuple[int, int]) -> None:
    low, high = sorted((Threshold(one), Threshold(other)))
    if high.reached(*parts):
        assert low.reached(*parts)


@given(decimals, decimals)
def test_thresholds_are_ordered_as_numbers(one: Decimal, other: Decimal) -> None:
    assert (Threshold(one) < Threshold(other)) == (one < other)


def test_no_union_reaches_anything() -> None:
    assert not Threshold("0.000000001").reached(0, 0)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (80, r"must lie in \(0, 1\], got 80. Did you mean 0.8\?"),
        (0, r"must lie in \(0, 1\], got 0."),
        (-0.5, "got -0.5."),
        (1.5, r"got 1.5. Did you mean 0.015\?"),
        ("much", r"must be a number in \(0, 1\], got 'much'"),
        (float("nan"), "must be a number"),
        (float("inf"), "must be a number"),
        ("0.1234567891", "at most 9 decimal places"),
        (1 / 3, "at most 9 decimal places"),
    ],
)
def test_what_is_no_threshold_is_refused(value: float | str, message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        Threshold(value)
