"""Sizes of memory are parsed as people write them."""

from __future__ import annotations

from typing import Any

import pytest

from lookalike.flow.byte_sizes import bytes_of
from tests.refusals import refused


@pytest.mark.parametrize(
    ("size", "value"),
    [("1", 1), ("1k", 1000), ("1 KiB", 1024), ("256MiB", 1 << 28), ("256mib", 1 << 28), ("0.5GiB", 1 << 29), (7, 7)],
)
def test_units_are_powers_of_ten_or_of_two(size: Any, value: int) -> None:
    assert bytes_of(size) == value


@pytest.mark.parametrize("size", ["", "0", "-1MiB", "MiB", "1XiB", "1e3", 0, -1, True, 1.5, None, "0.0001"])
def test_invalid_sizes_are_refused(size: Any) -> None:
    with refused("not-a-size", option="memory"):
        bytes_of(size)
