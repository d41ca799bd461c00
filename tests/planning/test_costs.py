"""Predicted costs: they grow with every statistic, and the cheaper method is chosen."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from lookalike.planning.costs import MOST_ELEMENTS, WORTH, Costs, SetFacts

rows = st.integers(0, 10**9)
facts = st.builds(SetFacts, st.floats(0, 10_000), st.floats(0, 3_000), st.floats(0, 100), st.floats(0, 1))
band_counts = st.integers(1, 64)


@given(rows, facts, band_counts, st.floats(0, 1000))
def test_more_of_anything_costs_more(n: int, sets: SetFacts, bands: int, more: float) -> None:
    before = Costs.predict(n, sets, bands)
    for name, ours, other in (
        ("lookups", "exact", "bands"),
        ("meetings", "exact", "bands"),
        ("false_candidates", "bands", "exact"),
    ):
        after = Costs.predict(n, replace(sets, **{name: getattr(sets, name) + more}), bands)
        assert getattr(after, ours) >= getattr(before, ours) and getattr(after, other) == getattr(before, other)


@given(rows, facts, band_counts)
def test_an_exact_join_is_chosen_up_to_a_quarter_more_cost_if_it_fits_in_memory(
    n: int, sets: SetFacts, bands: int
) -> None:
    costs = Costs.predict(n, sets, bands)
    exact, reason = costs.choice()
    if exact:
        assert costs.exact <= WORTH * costs.bands and n * sets.elements <= MOST_ELEMENTS
    else:
        assert costs.bands < costs.exact or n * sets.elements > MOST_ELEMENTS
    assert reason.values["sets"] == n
    assert reason.code.startswith("exact-join") == exact


def test_the_method_that_was_faster_in_benchmarks_is_chosen() -> None:
    """Statistics of collections on which both methods were timed at 0.8 (docs/benchmarks/planner.md)."""
    bands = 16
    titles = Costs.predict(300_000, SetFacts(8.8, 2.3, 1e-6, 1e-6), bands)
    assert titles.choice()[0]
    documents = Costs.predict(100_000, SetFacts(314, 64, 1e-4, 0), bands)
    assert not documents.choice()[0] and documents.exact > 4 * documents.bands


def test_bands_are_used_if_the_sets_do_not_fit_in_memory() -> None:
    small = SetFacts(5, 2, 0, 0)
    assert Costs.predict(10_000_000, small, 16).choice()[0]
    assert not Costs.predict(20_000_000, small, 16).choice()[0]
    assert not Costs.predict(10_000_000, replace(small, elements_in_memory=10), 16).choice()[0]
