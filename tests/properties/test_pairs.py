"""Reported pairs are true, complete among the candidates, and consistent between thresholds."""

from __future__ import annotations

import dataclasses
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lookalike.distances import jaccard_fraction
from lookalike.engines.base import Answer
from lookalike.engines.local.engine import Local
from lookalike.engines.reference.engine import Reference
from lookalike.engines.reference.textbook import all_pairs
from lookalike.flow import Documents, Words
from lookalike.flow.threshold import Threshold
from lookalike.planning.plan import Plan
from lookalike.results.clusters import Clusters
from lookalike.results.pairs import Pairs
from lookalike.storage.parts import MemoryParts
from lookalike.testing import Rows
from tests.properties.corpora import as_table, families_of_sets, texts
from tests.refusals import refused

local = Local(threads=2)
thresholds = st.sampled_from(["0.1", "0.25", "0.5", "0.666666666", "0.75", "0.8", "0.9", "1"]).map(Threshold)


def run(plan: Plan, rows: list[str]) -> Answer:
    return local.run(plan, Rows(rows, batch_rows=4), MemoryParts())


def pairs_of(plan: Plan, rows: list[str]) -> Pairs:
    found = run(plan, rows).pairs
    assert found is not None
    return found


def as_dict(pairs: Pairs) -> dict[tuple[int, int], float]:
    assert pairs.similarity is not None
    return dict(
        zip(
            zip(pairs.left_rows.tolist(), pairs.right_rows.tolist(), strict=True),
            pairs.similarity.tolist(),
            strict=True,
        )
    )


@given(families_of_sets(), thresholds, st.sampled_from(["fast", "classic"]))
def test_verified_pairs_are_those_of_brute_force_among_the_candidates(
    sets: list[set[int]], threshold: Threshold, sketch: str
) -> None:
    plan = Plan(threshold=threshold, sketch=sketch, shingles=Words(1), bands=20, rows=5).resolve()  # type: ignore[arg-type]
    shingles = as_table(sets)
    signatures = local.sign(shingles, plan)
    candidates = local.propose(signatures, plan)
    found = local.verify(candidates, shingles, signatures, plan)
    true = all_pairs(sets, threshold)
    assert as_dict(found) == {pair: similarity for pair, similarity in true.items() if pair in candidates.to_set()}
    assert all(jaccard_fraction(sets[i], sets[j]) >= threshold.value for i, j in as_dict(found))


@given(families_of_sets(), thresholds)
def test_with_one_hash_per_band_no_similar_pair_is_missed(sets: list[set[int]], threshold: Threshold) -> None:
    """128 bands of one row miss a pair of similarity .5 once in 10³⁸: LSH is as good as an exact join here."""
    plan = Plan(threshold=threshold, bands=128, rows=1, shingles=Words(1)).resolve()
    shingles = as_table(sets)
    signatures = local.sign(shingles, plan)
    found = local.verify(local.propose(signatures, plan), shingles, signatures, plan)
    half = Threshold("0.5")
    assert {p for p, s in as_dict(found).items() if s >= 0.5} == set(all_pairs(sets, max(threshold, half)))


@given(texts(), thresholds)
def test_every_pair_reported_by_a_run_is_true_and_copies_are_never_missed(
    rows: list[str], threshold: Threshold
) -> None:
    plan = Plan(threshold=threshold, shingles=Words(2), bands=20, rows=5)
    found = as_dict(pairs_of(plan, rows))
    sets = [set(s.tolist()) for s in Reference().shingle(Documents.from_texts(rows), plan.resolve())]
    true = all_pairs(sets, threshold)
    assert found.items() <= true.items()
    assert {pair for pair, similarity in true.items() if similarity == 1} <= set(found)


@given(texts(), thresholds, st.sampled_from(["auto", "exact", "lsh"]))
def test_pairs_are_ordered_and_appear_once(rows: list[str], threshold: Threshold, method: str) -> None:
    found = pairs_of(Plan(threshold=threshold, shingles=Words(1), method=method), rows)  # type: ignore[arg-type]
    listed = list(zip(found.left_rows.tolist(), found.right_rows.tolist(), strict=True))
    assert listed == sorted(set(listed))
    assert all(0 <= i < j < len(rows) for i, j in listed)
    assert found.summary.pairs == len(found)


@given(texts(), thresholds, st.sampled_from(["exact", "signature", "none"]))
def test_clusters_are_the_connected_components_of_the_pairs(rows: list[str], threshold: Threshold, verify: str) -> None:
    plan = Plan(threshold=threshold, shingles=Words(2), verify=verify, bands=20, rows=3)  # type: ignore[arg-type]
    found = pairs_of(plan, rows)
    clusters = run(dataclasses.replace(plan, goal="clusters"), rows).clusters
    assert clusters is not None
    np.testing.assert_array_equal(clusters.labels, found.clusters().labels)
    np.testing.assert_array_equal(clusters.labels, Reference().connect(found).labels)
    assert (clusters.labels <= np.arange(len(rows))).all()
    assert (clusters.labels[clusters.labels] == clusters.labels).all()


@given(texts(), thresholds, thresholds)
def test_rethreshold_upwards_equals_running_again(rows: list[str], one: Threshold, other: Threshold) -> None:
    low, high = sorted((one, other))
    plan = Plan(threshold=low, shingles=Words(1), bands=20, rows=3)
    again = pairs_of(dataclasses.replace(plan, threshold=high), rows)
    raised = pairs_of(plan, rows).rethreshold(str(high))
    assert as_dict(raised) == as_dict(again)
    assert raised.threshold == high
    assert raised.summary.pairs == len(raised)
    np.testing.assert_array_equal(raised.clusters().labels, again.clusters().labels)


@given(texts(), thresholds, thresholds)
def test_rethreshold_downwards_is_refused(rows: list[str], one: Threshold, other: Threshold) -> None:
    low, high = sorted((one, other))
    found = pairs_of(Plan(threshold=high, shingles=Words(1), bands=20, rows=3), rows)
    if low < high:
        with refused("below-threshold-of-run", found=str(high), wanted=str(low)):
            found.rethreshold(str(low))


def test_unverified_pairs_cannot_be_rethresholded() -> None:
    found = pairs_of(Plan(verify="none"), ["a b c", "a b c"])
    assert len(found) == 1
    with refused("pairs-not-verified"):
        found.rethreshold("0.9")


@given(texts(), st.permutations(range(12)))
def test_the_order_of_the_documents_does_not_matter(rows: list[str], order: list[int]) -> None:
    plan = Plan(threshold=Threshold("0.5"), shingles=Words(1), bands=20, rows=3)
    order = [i for i in order if i < len(rows)]
    found = as_dict(pairs_of(plan, rows))
    shuffled = as_dict(pairs_of(plan, [rows[i] for i in order]))
    back = {(min(order[i], order[j]), max(order[i], order[j])): s for (i, j), s in shuffled.items()}
    assert back == found


@given(texts(), texts())
def test_other_documents_do_not_change_whether_two_are_a_pair(rows: list[str], others: list[str]) -> None:
    plan = Plan(threshold=Threshold("0.5"), shingles=Words(1), bands=20, rows=3)
    alone, together = as_dict(pairs_of(plan, rows)), as_dict(pairs_of(plan, rows + others))
    assert alone == {(i, j): s for (i, j), s in together.items() if j < len(rows)}


def test_a_document_that_occurs_many_times_is_compared_once() -> None:
    rows = ["to be or not to be that is the question"] * 300 + ["to be or not to be this is the question"] * 300
    plan = Plan(threshold=Threshold("0.3"), shingles=Words(2), goal="clusters", bands=20, rows=3)
    result = run(plan, rows)
    assert result.clusters is not None
    assert result.clusters.sizes() == {600: 1}
    assert result.summary.checked <= 1
    pairs = pairs_of(dataclasses.replace(plan, goal="pairs"), rows)
    assert len(pairs) == len(list(combinations(range(600), 2)))
    assert pairs.summary.candidates == pairs.summary.checked == 1


@given(st.integers(1, 40), st.lists(st.tuples(st.integers(0, 39), st.integers(0, 39)), max_size=60))
def test_components_by_numpy_are_those_by_breadth_first_search(rows: int, edges: list[tuple[int, int]]) -> None:
    """`Pairs.clusters` merges components with NumPy; breadth-first search is the textbook method."""
    edges = [(min(i, j), max(i, j)) for i, j in edges if max(i, j) < rows and i != j]
    left, right = (np.array([edge[side] for edge in edges], dtype=np.int64) for side in (0, 1))
    pairs = Pairs(left, right, None, Threshold(1), rows)
    np.testing.assert_array_equal(Clusters.from_edges(rows, left, right).labels, Reference().connect(pairs).labels)
