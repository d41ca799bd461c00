"""Shares of unique elements: counted in a sample as the definition says, and extrapolated to more sets."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.flow import Shingles
from lookalike.planning import unique_elements
from lookalike.planning.unique_elements import unique_shares

sets_of = st.lists(st.frozensets(st.integers(0, 60), min_size=1, max_size=12), max_size=40)


def table(sets: list[frozenset[int]]) -> Shingles:
    offsets = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    return Shingles(offsets, np.array([x for s in sets for x in sorted(s)], np.uint64))


@given(sets_of)
def test_repeated_elements_are_those_of_the_definition(sets: list[frozenset[int]]) -> None:
    probes = np.arange(0, len(sets), 4)
    quarter, every = (Counter(x for s in some for x in s) for some in (sets[::4], sets))
    found = unique_elements._shared(table(sets), probes)
    probed = sets[::4]
    assert found[0].tolist() == [len(s) for s in probed]
    assert found[1].tolist() == [sum(quarter[x] > 1 for x in s) for s in probed]
    assert found[2].tolist() == [sum(every[x] > 1 for x in s) for s in probed]


@given(sets_of)
def test_elements_that_share_a_slot_are_not_mistaken_for_each_other(sets: list[frozenset[int]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unique_elements, "SLOTS", 3)
        sizes, before, now = unique_elements._shared(table(sets), np.arange(0, len(sets), 4))
    every = Counter(x for s in sets for x in s)
    assert (before <= now).all() and (now <= sizes).all()
    assert all(size <= len(s) for size, s in zip(sizes, sets[::4], strict=True))
    assert all(count <= sum(every[x] > 1 for x in s) for count, s in zip(now, sets[::4], strict=True))


@given(sets_of, st.floats(1, 1e6), st.floats(1, 100))
def test_shares_fall_with_more_sets(sets: list[frozenset[int]], growth: float, more: float) -> None:
    every = Counter(x for s in sets for x in s)
    now, later, last = (unique_shares(table(sets), by) for by in (1, growth, growth * more))
    assert now == pytest.approx([sum(every[x] == 1 for x in s) / len(s) for s in sets[::4]])
    assert (now >= later - 1e-9).all() and (later >= last - 1e-9).all() and (last >= 0).all()


@pytest.mark.parametrize("varied", [False, True])
def test_shares_of_many_sets_are_predicted_from_few(varied: bool) -> None:
    """Either all elements are equally frequent, or their frequencies vary and half of them occur only once."""
    rng = np.random.default_rng(3)

    def draw(count: int) -> list[frozenset[int]]:
        if not varied:
            return [frozenset(map(int, some)) for some in rng.integers(0, 2_000_000, (count, 100))]
        frequent = (100_000 * rng.random((count, 50)) ** 4).astype(int)
        rare = rng.integers(2**32, 2**62, (count, 50))
        return [frozenset(map(int, some)) for some in np.concatenate([frequent, rare], axis=1)]

    sets = draw(20_000)
    true = unique_shares(table(sets), 1).mean()
    for part, error in ((2_000, 0.25), (5_000, 0.1)):
        assert unique_shares(table(sets[:part]), len(sets) / part).mean() == pytest.approx(true, abs=error)
