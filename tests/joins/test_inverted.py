"""An inverted file reaches the recall, searches the same lists on every machine, and reports exact values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.joins.vectors import Cosine, Euclidean, nearest
from lookalike.joins.vectors.inverted import InvertedFile
from lookalike.joins.vectors.nearest import every_row, nearest_rows
from lookalike.joins.vectors.spaces import space_of
from tests.joins.test_nearest import clouds
from tests.refusals import refused

MEASURES: dict[str, Any] = {"cosine": Cosine(1), "euclidean": Euclidean(1)}


def pairs(found: Any) -> set[tuple[int, int]]:
    return {*zip(found.neighbours.query.tolist(), found.neighbours.row.tolist(), strict=True)}


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("recall", [0.8, 0.95])
def test_the_requested_recall_is_reached_and_the_sample_measures_it(measure: str, recall: float) -> None:
    x, y = clouds(8_000, 24), clouds(1000, 24, seed=1)
    exact = pairs(nearest_rows(x, y, measure, recall=1.0))
    found = nearest_rows(x, y, measure, recall=recall, method="ivf", threads=2)
    assert found.plan.lists == 358 and found.plan.compared < 0.5 and found.recall is not None
    share = len(exact & pairs(found)) / len(exact)
    assert share >= recall and abs(share - found.recall) < 0.05
    assert found.checked < 0.5 * len(x) * len(y)
    again = nearest_rows(x, y, measure, recall=recall, method="ivf")
    assert again.neighbours.row.tolist() == found.neighbours.row.tolist()
    assert again.neighbours.value.tolist() == found.neighbours.value.tolist()


@pytest.mark.parametrize("measure", MEASURES)
def test_values_are_those_of_the_exact_search(measure: str) -> None:
    x, y = clouds(3000, 24).astype(np.float32), clouds(200, 24, seed=1).astype(np.float32)
    exact = nearest_rows(x, y, measure, recall=1.0)
    found = nearest_rows(x, y, measure, recall=0.9, method="ivf")
    values = dict(
        zip(zip(exact.neighbours.query, exact.neighbours.row, strict=True), exact.neighbours.value, strict=True)
    )
    same = [
        (value, values[query, row])
        for query, row, value in zip(*found.neighbours, strict=True)
        if (query, row) in values
    ]
    assert len(same) > 1500 and all(one == other for one, other in same)


@given(st.integers(1, 300), st.integers(1, 40), st.integers(1, 12), st.sampled_from([*MEASURES]), st.integers(0, 2**32))
def test_the_neighbours_are_the_nearest_rows_of_the_lists_that_are_searched(
    n: int, d: int, top: int, measure: str, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    x: Any
    y: Any
    x, y = (rng.integers(1, 4, (rows, d)).astype(np.float32) for rows in (n, 20))
    file = InvertedFile.of(x, MEASURES[measure], max(1, n // 8), seed, 1)
    truth = every_row(x, y, MEASURES[measure], top, 1)
    file, share = file.tuned(y, truth.query, truth.row, 0.8, 1)
    first, query, lists = file._searched(file.space.prepare(y, 1).table.values, top, 1)
    assert not (lists == first[query]).any()
    searched = np.zeros((20, len(file.centres)), bool)
    searched[np.arange(20), first] = searched[query, lists] = True
    rows_of = [file.ids[file.starts[i] : file.starts[i + 1]] for i in range(len(file.centres))]
    found = file.nearest(y, top, 1)
    for i in range(20):
        rows = np.concatenate([rows_of[j] for j in np.flatnonzero(searched[i])])
        values = MEASURES[measure].values(y, x, np.full(len(rows), i), rows, 1)
        far = values if measure == "euclidean" else -values
        best = rows[np.lexsort((rows, far))][:top]
        assert found.rows[i, : len(best)].tolist() == best.tolist() and (found.rows[i, len(best) :] == -1).all()
    hits = sum(row in found.rows[i] for i, row in zip(truth.query, truth.row, strict=True))
    assert hits >= 0.8 * len(truth.query)  # tuned on these queries
    assert share <= found.checked / (20 * n) + 1e-9  # further lists are searched for queries with few rows
    assert (found.rows >= 0).sum() == 20 * min(top, n)


@given(st.integers(1, 80), st.integers(1, 300), st.sampled_from([*MEASURES]), st.floats(1e-30, 1e30))
def test_scores_are_whole_numbers_so_that_no_order_of_sums_changes_them(
    n: int, d: int, measure: str, scale: float
) -> None:
    rng = np.random.default_rng(d)
    x = scale * (rng.standard_normal((n, d)) + 3)
    space = space_of(MEASURES[measure], x)
    values = space.rounded(space.prepare(x, 1).table.values)
    centres = space.centres(values[: n // 2 + 1].astype(np.float64) * 5, np.full(n // 2 + 1, 5))
    whole, others = values.astype(np.int64), centres.astype(np.int64)
    assert (whole == values).all() and (others == centres).all()
    products = whole @ others.T
    exact = products if measure == "cosine" else 2 * products - (others * others).sum(axis=1)
    assert np.array_equal(space.scores(values, centres), exact)
    most = 2**24 if measure == "cosine" else 2**53
    assert np.abs(whole).astype(np.float64) @ np.abs(others).T.astype(np.float64) == pytest.approx(0, abs=most)
    assert np.array_equal(space.scores(values[::-1, ::-1], centres[:, ::-1]), exact[::-1])


def test_a_large_search_uses_lists_and_says_so() -> None:
    rng = np.random.default_rng(0)
    x = (rng.standard_normal((12_000, 24)) @ rng.standard_normal((24, 64))).astype(np.float32)
    found = la.nearest(x, recall=0.9)
    assert "lists of similar ones" in found.how and found.recall is not None and found.recall >= 0.9
    assert list(found.summary.seconds) == ["build", "search"]
    assert 'method = "ivf"' in found.rules
    assert (found.left_rows != found.right_rows).all() and len(found) == 10 * len(x)
    few = la.nearest(x, x[:1000], recall=0.9)
    assert "lists" not in few.how  # building them would take longer than the search


def test_lists_that_do_not_pay_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "search_cost", lambda *_: 1e30)
    x = clouds(8_000, 32).astype(np.float32)
    found = nearest_rows(x, x, "cosine", recall=0.9)
    assert found.plan.lists == 0 and found.build_seconds is None


@pytest.mark.parametrize("measure", MEASURES)
def test_equal_rows_are_one_list(measure: str) -> None:
    x = np.ones((1000, 5))
    found = nearest_rows(x, x[:800], measure, top=3, recall=0.5, method="ivf").neighbours
    assert found.row.reshape(-1, 3).tolist() == [[0, 1, 2]] * 800


def test_queries_whose_lists_have_few_rows_search_further_lists() -> None:
    x = clouds(2000, 8)
    found = nearest_rows(x, x, "cosine", top=500, recall=0.01, method="ivf")
    assert len(found.neighbours.query) == 500 * 2000 and found.checked < 0.5 * 2000 * 2000


@pytest.mark.parametrize("scale", [1e-60, 1e60])
@pytest.mark.parametrize("measure", MEASURES)
def test_no_scale_is_too_small_or_too_large(measure: str, scale: float) -> None:
    x = clouds(2000, 8)
    one, two = (nearest_rows(s * x, s * x, measure, recall=0.9, method="ivf") for s in (1.0, scale))
    assert len(pairs(one) & pairs(two)) > 0.95 * len(pairs(one))


def test_very_distant_points_are_found() -> None:
    x = clouds(2000, 8)
    x[7] = 1e18
    x[8] = x[7] * (1 + 1e-9)
    found = nearest_rows(x, x, "euclidean", top=1, recall=0.9, method="ivf", within=True).neighbours
    assert found.row[found.query == 7].tolist() == [8] and found.row[found.query == 8].tolist() == [7]


def test_seeds_change_the_lists_but_not_the_promise() -> None:
    x = clouds(4000, 16)
    exact = pairs(nearest_rows(x, x, "cosine", recall=1.0))
    for seed in (0, 1, 2):
        found = nearest_rows(x, x, "cosine", recall=0.9, method="ivf", seed=seed)
        assert len(exact & pairs(found)) >= 0.9 * len(exact)


@pytest.mark.parametrize(
    "options", [{"measure": "weighted-jaccard"}, {"recall": 1.0}, {"top": 5000}], ids=["measure", "recall", "top"]
)
def test_a_search_without_lists_refuses_them(options: Any) -> None:
    x = np.abs(clouds(1000, 8))
    measure = options.get("measure", "cosine").replace("-", " ")
    with refused("ivf-not-applicable", measure=measure, recall=options.get("recall", 0.9)):
        la.nearest(x, **{"method": "ivf", **options})


def test_a_join_has_no_lists() -> None:
    with refused("not-one-of", option="method"):
        la.find_pairs(clouds(50, 3), measure="cosine", threshold=0.9, method="ivf")  # type: ignore[arg-type]


def test_a_file_can_be_tuned_again() -> None:
    x, y = clouds(3000, 16), clouds(300, 16, seed=1)
    truth = every_row(x, y, MEASURES["cosine"], 10, 1)
    file = InvertedFile.of(x, MEASURES["cosine"], 200, 0, 1)
    shares = [file.tuned(y, truth.query, truth.row, recall, 1)[1] for recall in (0.5, 0.9, 0.99)]
    assert shares == sorted(shares) and shares[0] < shares[2]
    assert replace(file, gap=np.inf).nearest(y, 10, 1).rows.ravel().tolist() == truth.row.tolist()
