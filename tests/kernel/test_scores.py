"""The selection of scores agrees with sorting them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.kernel import Cpu

kinds = st.sampled_from([np.float32, np.float64])


@given(st.integers(0, 40), st.integers(0, 700), kinds, st.integers(0, 99), st.sampled_from([1, 2]))
def test_scores_above_a_bar_are_those_of_numpy(n: int, m: int, kind: Any, seed: int, threads: int) -> None:
    rng = np.random.default_rng(seed)
    scores: Any = rng.integers(-5, 6, (n, m)).astype(kind)
    own: Any
    bars: Any
    own, bars = rng.integers(-2, 3, m).astype(kind), rng.integers(2, 9, n).astype(kind)
    row, column = Cpu(threads).scores_above(scores, own, bars)
    wanted = np.nonzero(scores + own >= bars[:, None])
    assert np.array_equal(row, wanted[0]) and np.array_equal(column, wanted[1])


@given(
    st.integers(0, 20), st.integers(0, 900), st.integers(1, 12), st.integers(1, 400), kinds, st.integers(0, 99),
    st.sampled_from([1, 2]),
)  # fmt: skip
def test_rows_that_may_be_among_the_best_remain(
    n: int, m: int, top: int, step: int, kind: Any, seed: int, threads: int
) -> None:
    """The scores come in blocks of rows and of queries. Whole numbers are exact, and many are equal."""
    rng = np.random.default_rng(seed)
    scores: Any = rng.integers(0, 30, (n, m)).astype(kind)
    margins: Any
    own: Any
    margins, own = rng.integers(0, 2, n).astype(kind), rng.integers(0, 3, m).astype(kind)
    found = Cpu(threads).top_scores(margins, top)
    for start in range(0, m, step):
        for first in range(0, n, 7):
            some = np.ascontiguousarray(scores[first : first + 7, start : start + step])
            found.add(some, own[start : start + step], first=first, first_row=start)
    query, row = found.remaining()
    assert (np.diff(query * max(1, m) + row) > 0).all()
    kept = np.zeros((n, m), bool)
    kept[query, row] = True
    most, least = scores + own + margins[:, None], scores - own - margins[:, None]
    for q in range(n):
        sure = np.sort(least[q])[::-1][top - 1] if m >= top else -np.inf
        assert kept[q][most[q] >= sure].all()
    assert found.waiting >= len(query)


def test_only_pairs_that_are_kept_remain() -> None:
    found = Cpu().top_scores(np.zeros(2, np.float32), 2)
    scores = np.array([[3, 3, 3, 3], [1, 2, 3, 4]], np.float32)
    found.add(scores, np.full(4, 5, np.float32), first=0, first_row=10)
    assert found.remaining()[1].tolist() == [10, 11, 12, 13] * 2
    found.keep(np.array([0, 1, 1]), np.array([11, 12, 13]))
    assert [side.tolist() for side in found.remaining()] == [[0, 1, 1], [11, 12, 13]] and found.waiting == 3


def test_few_scores_are_kept_in_memory() -> None:
    scores = np.random.default_rng(0).random((4, 20_000)).astype(np.float32)
    found = Cpu().top_scores(np.zeros(4, np.float32), 10)
    found.add(scores, np.zeros(20_000, np.float32), first=0, first_row=0)
    assert found.waiting <= 4 * 84
    query, row = found.remaining()
    best = np.argsort(-scores, axis=1)[:, :10]
    assert all(set(best[q].tolist()) <= set(row[query == q].tolist()) for q in range(4))


def test_shapes_must_agree() -> None:
    found = Cpu().top_scores(np.zeros(2, np.float32), 2)
    with pytest.raises(ValueError, match="margin per column"):
        found.add(np.zeros((2, 3), np.float32), np.zeros(2, np.float32), first=0, first_row=0)
    with pytest.raises(ValueError, match="not so many queries"):
        found.add(np.zeros((2, 3), np.float32), np.zeros(3, np.float32), first=1, first_row=0)
    with pytest.raises(ValueError, match="a bar per row"):
        Cpu().scores_above(np.zeros((2, 3), np.float32), np.zeros(3, np.float32), np.zeros(3, np.float32))
