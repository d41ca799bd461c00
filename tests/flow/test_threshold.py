"""Thresholds are exactly the decimals that the user wrote."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.errors import InvalidOption
from lookalike.flow.threshold import Threshold
from tests.refusals import refused


def test_a_float_is_the_decimal_it_prints_as() -> None:
    assert Threshold(0.8).value == Fraction(4, 5)
    assert Threshold(0.1).value == Fraction(1, 10)
    assert Threshold("0.85") == Threshold(0.85)


def test_the_pair_that_floor_arithmetic_loses_is_kept() -> None:
    """floor((1 − 0.9)·10) is 0 in floating point, and a pair of similarity 9/10 was once lost to it."""
    assert int((1 - 0.9) * 10) == 0
    assert Threshold(0.9).reached(9, 10)


@pytest.mark.parametrize(
    "value", [0, -0.1, 1.0001, 80, "x", "nan", "inf", None, "0.1234567891", 1e-12, "1e-99999999", "1e99999999"]
)
def test_an_invalid_threshold_is_refused(value: object) -> None:
    with pytest.raises(InvalidOption) as refusal:
        Threshold(value)  # type: ignore[arg-type]
    assert refusal.value.values["option"] == "threshold"


@given(st.integers(1, 10**9), st.integers(-3, 3))
def test_a_float_that_missed_its_decimal_by_rounding_errors_is_that_decimal(billionths: int, steps: int) -> None:
    """`numpy.arange(0.5, 1, 0.1)[3]` is 0.7999999999999999, and was refused for its 16 decimal places."""
    near = billionths / 10**9
    for _ in range(abs(steps)):
        near = math.nextafter(near, math.inf if steps > 0 else 0)
    assert Threshold(near) == Threshold(np.float64(near)) == Threshold(f"{billionths}e-9")


def test_single_precision_is_the_decimal_it_prints_as() -> None:
    assert Threshold(np.float32(0.8)) == Threshold(0.8)  # type: ignore[arg-type]


def test_the_error_for_a_percentage_suggests_the_decimal() -> None:
    with refused("not-a-share", value=1.2, meant=None):
        Threshold(1.2)
    with refused("not-a-share", value=80, meant="0.8"):
        Threshold(80)


@given(st.integers(1, 10**9))
def test_printing_and_parsing_are_inverse(billionths: int) -> None:
    threshold = Threshold(f"{billionths}e-9")
    assert Threshold(str(threshold)) == threshold
