"""`distinct` agrees with `np.unique`."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lookalike.flow.distinct import distinct


@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 3)))
def test_distinct_equals_numpy_unique(values: list[int]) -> None:
    numbers = np.array(values, np.uint64)
    found = distinct(numbers)
    assert found.dtype == numbers.dtype and found.tolist() == np.unique(numbers).tolist()
