"""Support is a number of baskets or a share of them, compared without rounding errors."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.errors import InvalidOption
from lookalike.frequent.support import Support
from tests.refusals import refused


@given(st.integers(1, 10**6), st.integers(0, 10**9))
def test_a_share_is_the_least_whole_number_that_reaches_it(millionths: int, baskets: int) -> None:
    least = Support(f"{Decimal(millionths) / 10**6:f}0").least(baskets) if millionths < 10**6 else baskets or 1
    assert least * 10**6 >= millionths * baskets or least == 1
    assert least == 1 or (least - 1) * 10**6 < millionths * baskets


@pytest.mark.parametrize(
    ("given", "baskets", "least"),
    [
        (100, 9835, 100),
        ("100", 9835, 100),
        (np.int64(3), 10, 3),
        (1, 10, 1),
        ("1", 10, 1),
        (1.0, 10, 10),
        ("1.0", 10, 10),
        (0.07, 100, 7),  # 0.07 · 100 is 7.000000000000001 in floating point
        (0.29, 100, 29),
        (1e-9, 10, 1),
        (0.5, 0, 1),
        (0.1 + 0.2, 10, 3),  # 0.30000000000000004 would need 4 baskets
        (np.float32(0.4), 10, 4),
        (1e-15, 10**16, 10),
    ],
)
def test_whole_numbers_count_and_decimals_are_shares(given: Any, baskets: int, least: int) -> None:
    assert Support(given).least(baskets) == least


@pytest.mark.parametrize(
    "given", [0, -1, 0.0, -0.5, 1.5, 100.0, "0", "1.01", "many", "", None, True, float("nan"), float("inf"), [1]]
)
def test_an_invalid_support_is_refused(given: Any) -> None:
    with pytest.raises(InvalidOption):
        Support(given)


def test_a_count_written_as_a_float_is_refused_with_a_suggestion() -> None:
    with refused("support-share-above-one", meant=100):
        Support(100.0)


def test_more_baskets_than_any_data_has_are_refused() -> None:
    assert Support(10**18).least(5) == 10**18
    with refused("support-too-large"):
        Support(10**30)
