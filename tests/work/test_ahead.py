"""Reading ahead changes when items are made, never which."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.work import ahead


@given(st.lists(st.integers()), st.integers(1, 4))
def test_the_items_are_the_same_in_the_same_order(items: list[int], depth: int) -> None:
    assert list(ahead(items, depth)) == items


def test_an_error_comes_out_where_its_item_would_have() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise KeyError("two")

    made = ahead(items())
    assert next(made) == 1
    with pytest.raises(KeyError, match="two"):
        next(made)


def test_a_user_who_stops_early_leaves_no_thread_behind() -> None:
    before = threading.active_count()
    made = ahead(iter(range(1000)))
    assert next(made) == 0
    made.close()  # type: ignore[attr-defined]
    assert threading.active_count() == before
