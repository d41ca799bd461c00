"""Predicted costs: what makes a method dearer makes it no more likely to be chosen; limits are of the data."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from lookalike.families import Banded
from lookalike.planning.costs import MOST_ELEMENTS, WORTH, Costs, SetFacts

rows = st.integers(0, 10**9)
facts = st.builds(SetFacts, st.floats(0, 10_000), st.floats(0, 3_000), st.floats(0, 100), st.floats(0, 1))
bandings = st.builds(Banded, st.integers(1, 64), st.integers(1, 20))


@given(rows, facts, bandings, st.floats(0, 1000))
def test_more_of_anything_costs_more(n: int, sets: SetFacts, banding: Banded, more: float) -> None:
    before = Costs.predict(n, sets, banding)
    for name, ours, other in (
        ("lookups", "exact", "bands"),
        ("meetings", "exact", "bands"),
        ("vain", "bands", "exact"),
    ):
        after = Costs.predict(n, replace(sets, **{name: getattr(sets, name) + more}), banding)
        assert getattr(after, ours) >= getattr(before, ours) and getattr(after, other) == getattr(before, other)


@given(rows, facts, bandings)
def test_the_cheaper_way_is_chosen_but_for_a_quarter_and_for_memory(n: int, sets: SetFacts, banding: Banded) -> None:
    costs = Costs.predict(n, sets, banding)
    if costs.prefers_exact:
        assert costs.exact <= WORTH * costs.bands and n * sets.elements <= MOST_ELEMENTS
    else:
        assert costs.bands < costs.exact or n * sets.elements > MOST_ELEMENTS
    assert costs.reason.values["sets"] == n
    assert costs.reason.code.startswith("exact-join") == costs.prefers_exact


def test_what_was_measured_is_chosen() -> None:
    """Facts of collections on which both ways were timed (docs/benchmarks/planner.md), at 0.8."""
    bands = Banded(16, 6)
    titles = Costs.predict(300_000, SetFacts(8.8, 2.3, 1e-6, 1e-6), bands)
    assert titles.prefers_exact
    documents = Costs.predict(100_000, SetFacts(314, 64, 1e-4, 0), bands)
    assert not documents.prefers_exact and documents.exact > 4 * documents.bands


def test_sets_that_would_not_fit_go_by_bands() -> None:
    small = SetFacts(5, 2, 0, 0)
    assert Costs.predict(10_000_000, small, Banded(16, 6)).prefers_exact
    assert not Costs.predict(20_000_000, small, Banded(16, 6)).prefers_exact
    assert not Costs.predict(10_000_000, replace(small, held=10), Banded(16, 6)).prefers_exact, "giants are held too"
