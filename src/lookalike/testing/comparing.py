"""Assertions that two values are equal. For arrays, the error reports the first difference."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa


def same(about: str, expected: Any, got: Any) -> None:
    equal = expected.equals(got) if isinstance(expected, pa.Array) and isinstance(got, pa.Array) else expected == got
    assert equal, f"{about}: expected {expected!r}, got {got!r}"


def same_array(about: str, expected: npt.NDArray[Any] | None, got: npt.NDArray[Any] | None) -> None:
    if expected is None or got is None:
        raise AssertionError(f"{about}: expected an array, got {got!r}")
    assert got.dtype == expected.dtype, f"{about}: expected dtype {expected.dtype}, got {got.dtype}"
    assert got.shape == expected.shape, f"{about}: expected shape {expected.shape}, got {got.shape}"
    differ = np.argwhere(expected != got)
    if len(differ):
        at = tuple(int(i) for i in differ[0])
        raise AssertionError(f"{about}: at {at} expected {expected[at]!r}, got {got[at]!r} ({len(differ)} differ)")
