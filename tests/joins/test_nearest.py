"""The nearest few of each query: exactly those of the definition, or as many of them as asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike import vectors as definitions
from lookalike.errors import InvalidOption, MalformedInput
from lookalike.joins.vectors import nearest
from lookalike.joins.vectors.nearest import nearest_rows

SIMILARITIES = ("cosine", "jaccard", "weighted jaccard")


def clouds(n: int, d: int, seed: int = 0) -> Any:
    """Points around a few middles: neighbours are much nearer than others."""
    rng = np.random.default_rng(seed)
    middles = np.random.default_rng(0).standard_normal((40, d))
    return middles[rng.integers(0, 40, n)] + 0.4 * rng.standard_normal((n, d))


@given(
    st.sampled_from(["cosine", "euclidean", "weighted jaccard", "jaccard", "hamming"]),
    st.integers(0, 70), st.integers(0, 20), st.integers(1, 9), st.integers(1, 12), st.integers(0, 2**32),
)  # fmt: skip
def test_the_nearest_are_those_of_the_definition_ties_in_order_of_rows(
    measure: str, n: int, asked: int, d: int, top: int, seed: int
) -> None:
    """Small whole numbers: many rows are equal, so that ties have to be broken."""
    rng = np.random.default_rng(seed)
    low, high = (0, 2) if measure in ("jaccard", "hamming") else (1, 4)
    x: Any
    y: Any
    x, y = (rng.integers(low, high, (rows, d)) for rows in (n, asked))
    values = definitions.pairwise(y, x, measure=measure)
    far = -values if measure in SIMILARITIES else values
    if measure in ("jaccard", "hamming"):
        x, y = (np.packbits(bits.astype(bool), axis=1) for bits in (x, y))
    nearest.ROWS, nearest.QUERIES, kept = 16, 8, (nearest.ROWS, nearest.QUERIES)
    try:
        found = nearest_rows(x, y, measure, top=top, recall=1.0).neighbours
    finally:
        nearest.ROWS, nearest.QUERIES = kept
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
def test_as_many_neighbours_are_found_as_asked_and_the_sample_says_so(measure: str, recall: float) -> None:
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


def test_no_row_is_its_own_neighbour() -> None:
    x = np.array([[0.0, 1.0], [0.0, 1.0], [0.0, 1.0], [5.0, 5.0], [5.0, 6.0]])
    found = la.nearest(x, top=1, measure="euclidean")
    assert list(zip(found.left.tolist(), found.right.tolist(), strict=True)) == [(0, 1), (1, 0), (2, 0), (3, 4), (4, 3)]
    hashed = la.nearest(clouds(3000, 16), top=3, method="lsh", recall=0.9)
    assert (hashed.left != hashed.right).all() and len(hashed) == 9000


def test_queries_that_meet_nobody_are_compared_with_all() -> None:
    x, y = clouds(3000, 16), np.concatenate([clouds(900, 16, seed=1), np.full((100, 16), 1000.0)])
    found = la.nearest(x, y, top=2, measure="euclidean", method="lsh")
    assert np.array_equal(np.bincount(found.left), np.full(1000, 2))


@pytest.mark.parametrize(
    ("vectors", "queries", "options", "said"),
    [
        ([[1.0, 2.0]], [[1.0]], {}, "2 dimensions and .* has 1"),
        ([[1.0, 2.0]], [[1.0, float("nan")]], {}, "the list given, row 0 holds NaN"),
        ([[0.0, 0.0]], [[1.0, 2.0]], {}, "row 0 is a vector of zeros"),
    ],
)
def test_odd_vectors_are_refused(vectors: Any, queries: Any, options: Any, said: str) -> None:
    with pytest.raises(MalformedInput, match=said):
        la.nearest(vectors, queries, **options)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"top": 0}, "top, the number of neighbours"),
        ({"top": True}, "top, the number of neighbours"),
        ({"recall": 0}, "recall"),
        ({"measure": "angle"}, "must be one of"),
        ({"method": "lsh", "recall": 1.0}, "leave out method"),
        ({"method": "quick"}, "method must be"),
        ({"shingles": "words:2"}, "shingles means nothing for vectors"),
        ({"bottom": 2}, "bottom is no option of nearest"),
        ({"column": "v"}, "no columns to name"),
    ],
)
def test_questions_that_cannot_be_are_refused(options: Any, said: str) -> None:
    with pytest.raises(InvalidOption, match=said):
        la.nearest([[1.0, 2.0]], [[2.0, 1.0]], **options)
