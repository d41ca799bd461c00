"""The nearest rows of each query equal the definition, or include the requested share of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike import vector_distances as definitions
from lookalike.errors import InvalidOption
from lookalike.joins.vectors import nearest
from lookalike.joins.vectors.nearest import nearest_rows
from lookalike.notices import Notice
from tests.refusals import refused

SIMILARITIES = ("cosine", "jaccard", "weighted jaccard")


def clouds(n: int, d: int, seed: int = 0) -> Any:
    """Points around a few centres: neighbours are much nearer than other points."""
    rng = np.random.default_rng(seed)
    middles = np.random.default_rng(0).standard_normal((40, d))
    return middles[rng.integers(0, 40, n)] + 0.4 * rng.standard_normal((n, d))


@given(
    st.sampled_from(["cosine", "euclidean", "weighted jaccard", "jaccard", "hamming"]),
    st.integers(0, 70), st.integers(0, 20), st.integers(1, 9), st.integers(1, 12), st.integers(0, 2**32),
)  # fmt: skip
def test_the_nearest_equal_the_definition_with_ties_in_order_of_rows(
    measure: str, n: int, asked: int, d: int, top: int, seed: int
) -> None:
    """Small whole numbers make many rows equal, so that ties have to be broken."""
    rng = np.random.default_rng(seed)
    low, high = (0, 2) if measure in ("jaccard", "hamming") else (1, 4)
    x: Any
    y: Any
    x, y = (rng.integers(low, high, (rows, d)) for rows in (n, asked))
    values = definitions.pairwise(y, x, measure=measure)
    far = -values if measure in SIMILARITIES else values
    if measure in ("jaccard", "hamming"):
        x, y = (np.packbits(bits.astype(bool), axis=1) for bits in (x, y))
    kept = nearest.ROWS, nearest.QUERIES, nearest.WAITING
    nearest.ROWS, nearest.QUERIES, nearest.WAITING = 16, 8, 2
    try:
        found = nearest_rows(x, y, measure, top=top, recall=1.0).neighbours
    finally:
        nearest.ROWS, nearest.QUERIES, nearest.WAITING = kept
    for query in range(asked):
        here = found.query == query
        got = found.row[here]
        best = sorted(range(n), key=lambda row: (round(far[query, row], 9), row))[:top]
        assert np.allclose(found.value[here], values[query, best]) and np.allclose(
            values[query, got], found.value[here]
        )
        assert measure == "cosine" or got.tolist() == best  # equal cosines of unequal vectors may round otherwise
        tied = np.diff(found.value[here]) == 0
        assert (np.diff(got)[tied] > 0).all()


@pytest.mark.parametrize("measure", ["cosine", "euclidean"])
@pytest.mark.parametrize("recall", [0.8, 0.95])
def test_the_requested_recall_is_reached_and_the_sample_measures_it(measure: str, recall: float) -> None:
    x, y = clouds(12_000, 24), clouds(1000, 24, seed=1)
    exact = nearest_rows(x, y, measure, recall=1.0)
    found = nearest_rows(x, y, measure, recall=recall, method="lsh", threads=2)
    assert not found.plan.exact and found.recall is not None
    true, got = ({*zip(f.neighbours.query.tolist(), f.neighbours.row.tolist(), strict=True)} for f in (exact, found))
    assert len(got) == len(true) == 10_000
    share = len(true & got) / len(true)
    assert share >= recall and abs(share - found.recall) < 0.05
    assert (
        nearest_rows(x, y, measure, recall=recall, method="lsh").neighbours.row.tolist()
        == found.neighbours.row.tolist()
    )


@pytest.mark.parametrize("scale", [1e-23, 1, 1e16, 1e40])
@pytest.mark.parametrize("method", ["exact", "lsh"])
def test_no_scale_is_too_small_or_too_large(scale: float, method: Any) -> None:
    x, y = clouds(3000, 8), clouds(50, 8, seed=1)
    found = nearest_rows(x * scale, y * scale, "euclidean", top=5, method=method, recall=0.9).neighbours
    far = definitions.pairwise(y, x, measure="euclidean")
    true = np.argsort(far, axis=1, kind="stable")[:, :5]
    same = found.row.reshape(50, 5) == true
    assert same.all() if method == "exact" else same.mean() > 0.5
    assert np.allclose(found.value, scale * far[found.query, found.row])


def test_very_distant_points_are_distinguished() -> None:
    """At 10¹² times the spread and more, where clipped or single-precision coordinates are useless."""
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((400, 3)), rng.standard_normal((60, 3))
    for rows, scale in ((slice(0, 20), 1e6), (slice(20, 40), 1e13), (slice(40, 60), 1e20)):
        x[rows] *= scale
        y[rows] *= scale
    found = nearest_rows(x, y, "euclidean", top=5, recall=1.0).neighbours
    far = definitions.pairwise(y, x, measure="euclidean")
    assert np.allclose(found.value.reshape(60, 5), np.sort(far, axis=1)[:, :5])


def test_equal_rows_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = []
    best = nearest._best

    def counted(found: nearest.Neighbours, *way: Any) -> nearest.Neighbours:
        looked_at.append(len(found.row))
        return best(found, *way)

    monkeypatch.setattr(nearest, "_best", counted)
    found = nearest_rows(np.ones((40_000, 2)), np.ones((20, 2)), "cosine", top=3)
    assert found.neighbours.row.tolist() == [0, 1, 2] * 20
    assert max(looked_at) < 20 * 3 * nearest.ROWS


def test_no_queries_have_no_neighbours() -> None:
    for method in ("auto", "exact", "lsh"):
        assert len(la.nearest(clouds(30, 4), clouds(0, 4), top=3, method=method)) == 0


def test_too_many_neighbours_are_refused_before_the_search() -> None:
    x = np.ones((20_000, 2), np.float32)
    with refused("too-many-matches", pairs=200_000_000, advice=Notice("choose-fewer-neighbours")):
        la.nearest(x, x, top=10_000)


def test_column_names_are_ignored_for_queries_without_columns() -> None:
    table = pa.table({"v": [[1.0, 2.0], [2.0, 1.0]], "w": [[1.0], [1.0]], "name": ["a", "b"]})
    for queries in ([[3.0, 1.0]], np.array([[3, 1]])):
        assert la.nearest(table, queries, column="v", id="name", top=1).to_arrow()["right"].to_pylist() == ["b"]
    with pytest.raises(InvalidOption):
        la.nearest(table, [[3.0, 1.0]], column="v", query_column="v")


def test_booleans_are_counted_before_they_are_packed() -> None:
    x = np.array([[1, 1, 1], [0, 0, 0]], bool)
    assert la.find_pairs(x, measure="hamming", distance=3).similarity.tolist() == [0.0]  # type: ignore[union-attr]
    with refused("dimensions-differ", left=3, right=4):
        la.nearest(x, np.ones((1, 4), bool), measure="hamming")


def test_numpy_numbers_are_accepted() -> None:
    found = la.nearest(clouds(30, 4), top=np.int64(3), recall=np.float32(0.9))  # type: ignore[arg-type]
    assert len(found) == 90 and "top = 3\nrecall = 0.9\n" in found.rules


def test_no_row_is_its_own_neighbour() -> None:
    x = np.array([[0.0, 1.0], [0.0, 1.0], [0.0, 1.0], [5.0, 5.0], [5.0, 6.0]])
    found = la.nearest(x, top=1, measure="euclidean")
    assert list(zip(found.left_rows.tolist(), found.right_rows.tolist(), strict=True)) == [
        (0, 1),
        (1, 0),
        (2, 0),
        (3, 4),
        (4, 3),
    ]
    hashed = la.nearest(clouds(3000, 16), top=3, method="lsh", recall=0.9)
    assert (hashed.left_rows != hashed.right_rows).all() and len(hashed) == 9000


def test_queries_that_share_no_bucket_are_compared_with_all_rows() -> None:
    x, y = clouds(3000, 16), np.concatenate([clouds(900, 16, seed=1), np.full((100, 16), 1000.0)])
    found = la.nearest(x, y, top=2, measure="euclidean", method="lsh")
    assert np.array_equal(np.bincount(found.left_rows), np.full(1000, 2))


@pytest.mark.parametrize(
    ("vectors", "queries", "code", "values"),
    [
        ([[1.0, 2.0]], [[1.0]], "dimensions-differ", {"left": 2, "right": 1}),
        ([[1.0, 2.0]], np.array(5.0), "not-a-table-of-numbers", {"dimensions": 0}),
        (np.array(5.0), None, "not-a-table-of-numbers", {"dimensions": 0}),
        ([[1.0, 2.0]], [[1.0, float("nan")]], "vectors-not-finite", {"row": 0}),
        ([[0.0, 0.0]], [[1.0, 2.0]], "vector-without-direction", {"row": 0}),
    ],
)
def test_invalid_vectors_are_refused(vectors: Any, queries: Any, code: str, values: dict[str, object]) -> None:
    with refused(code, **values):
        la.nearest(vectors, queries)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"top": 0}, "not-in-whole-range"),
        ({"top": True}, "not-in-whole-range"),
        ({"recall": 0}, "not-a-share"),
        ({"measure": "angle"}, "not-one-of"),
        ({"method": "lsh", "recall": 1.0}, "lsh-not-applicable"),
        ({"method": "quick"}, "not-one-of"),
        ({"bottom": 2}, "unknown-option"),
    ],
)
def test_invalid_options_are_refused(options: Any, code: str) -> None:
    with refused(code):
        la.nearest([[1.0, 2.0]], [[2.0, 1.0]], **options)


@pytest.mark.parametrize("options", [{"shingles": "words:2"}, {"column": "v"}])
def test_options_that_do_not_apply_to_vectors_are_refused(options: Any) -> None:
    with pytest.raises(InvalidOption):
        la.nearest([[1.0, 2.0]], [[2.0, 1.0]], **options)
