"""Predicted costs: they grow with every statistic, and the cheaper method is chosen."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from lookalike.planning.costs import FEW, MOST_KEPT, WORTH, Costs, SetFacts

rows = st.integers(0, 10**9)
shares = st.floats(0, 1)
facts = st.builds(
    SetFacts,
    st.floats(0, 10_000),
    st.floats(0, 3_000),
    st.floats(0, 100),
    shares,
    bytes=st.floats(0, 50_000),
    sampled=shares,
    kept=shares,
    joined=shares,
    distinct=shares,
)
thresholds = st.floats(0.01, 1)
band_counts = st.integers(1, 64)


@given(rows, facts, band_counts, thresholds, st.floats(0, 1000))
def test_more_of_anything_costs_more(n: int, sets: SetFacts, bands: int, threshold: float, more: float) -> None:
    before = Costs.predict(n, sets, bands, threshold)
    for name, ours, other in (
        ("lookups", "exact", "bands"),
        ("meetings", "exact", "bands"),
        ("false_candidates", "bands", "exact"),
        ("hits", "bands", "exact"),
    ):
        after = Costs.predict(n, replace(sets, **{name: getattr(sets, name) + more}), bands, threshold)
        assert getattr(after, ours) >= getattr(before, ours) and getattr(after, other) == getattr(before, other)


@given(rows, facts, band_counts, thresholds, st.floats(0, 1))
def test_pairs_that_are_found_cost_the_same_with_both_methods(
    n: int, sets: SetFacts, bands: int, threshold: float, share: float
) -> None:
    before, after = (Costs.predict(n, replace(sets, similar=some), bands, threshold) for some in (0.0, share))
    more = after.exact - before.exact
    assert more >= 0 and abs(more - (after.bands - before.bands)) <= 1e-9 * (after.exact + after.bands)


@given(rows, facts, band_counts, thresholds)
def test_an_exact_join_is_chosen_for_a_little_more_cost(n: int, sets: SetFacts, bands: int, threshold: float) -> None:
    costs = Costs.predict(n, sets, bands, threshold)
    exact, reason = costs.choice()
    if exact:
        assert costs.exact <= WORTH * costs.bands
    else:
        assert costs.bands < costs.exact
    assert reason.values["sets"] == n
    assert reason.code.startswith("exact-join") == exact


def test_the_method_that_was_faster_in_benchmarks_is_chosen() -> None:
    """Statistics of collections on which both methods were timed at 0.8 (docs/benchmarks/planner.md)."""
    titles = Costs.predict(
        300_000, SetFacts(8.8, 2.3, 1e-6, 1e-6, bytes=61, sampled=0.5, kept=0.05, joined=0.02), 16, 0.8
    )
    assert titles.choice()[0] and titles.exact < 0.6 * titles.bands
    documents = Costs.predict(100_000, SetFacts(314, 64, 1e-4, 0, bytes=2000, sampled=0.3, kept=0, joined=0), 16, 0.8)
    assert documents.choice()[0] and documents.exact > 1.1 * documents.bands
    characters = Costs.predict(300_000, SetFacts(56, 12, 1e-2, 1e-7, bytes=61, sampled=0.4), 16, 0.8)
    assert not characters.choice()[0] and characters.exact > 2 * characters.bands


def test_small_sets_take_longer_to_sign() -> None:
    """With bands, the signatures of small sets are mostly filled from other slots."""
    small, large = (Costs.predict(10**6, SetFacts(size, 0, 0, 0, bytes=6 * size), 16, 0.8) for size in (10.0, 1000.0))
    assert small.exact < 0.8 * small.bands and large.exact > large.bands


def test_copies_cost_an_exact_join_little() -> None:
    sets = SetFacts(63, 12, 1e-3, 0, bytes=390, kept=0.2, joined=0.2)
    ratios = []
    for distinct in (1.0, 0.6, 0.3):
        costs = Costs.predict(100_000, replace(sets, distinct=distinct), 16, 0.8)
        ratios.append(costs.exact / costs.bands)
    assert ratios == sorted(ratios, reverse=True)


def test_nothing_is_counted_if_there_are_few_elements() -> None:
    sets = SetFacts(100, 0, 0, 0, kept=0.0, joined=0.0)
    few, many = FEW // 100, FEW // 100 + 1
    assert Costs.predict(few, sets, 16, 0.8).exact == Costs.predict(few, replace(sets, kept=1.0), 16, 0.8).exact
    assert Costs.predict(many, sets, 16, 0.8).exact < Costs.predict(many, replace(sets, kept=1.0), 16, 0.8).exact


below = st.floats(0, MOST_KEPT, exclude_max=True)


@given(rows, facts, band_counts, thresholds, below, below)
def test_sets_that_can_be_left_out_make_an_exact_join_cheaper(
    n: int, sets: SetFacts, bands: int, threshold: float, one: float, other: float
) -> None:
    """If more sets than MOST_KEPT would be kept, nothing is counted, so that the cost falls by that of counting."""
    less, more = (Costs.predict(n, replace(sets, kept=kept), bands, threshold) for kept in sorted([one, other]))
    assert less.exact <= more.exact * (1 + 1e-9)


def test_an_exact_join_may_have_any_size() -> None:
    small = SetFacts(5, 2, 0, 0)
    assert Costs.predict(10_000_000, small, 16, 0.8).choice()[0]
    assert Costs.predict(2_000_000_000, small, 16, 0.8).choice()[0]
