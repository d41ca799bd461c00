"""Vectors, measures and options that a join cannot use are refused, with the row or option."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import lookalike as la
from lookalike.joins.vectors import (
    Cosine,
    Euclidean,
    HammingBits,
    Measure,
    WeightedJaccard,
    join_vectors,
)
from lookalike.joins.vectors.measure_names import measure_of
from tests.refusals import refused


class Reluctant:
    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("call detach() first.")


@pytest.mark.parametrize(
    ("vectors", "measure", "code", "values"),
    [
        ([[1.0, 2.0], [float("nan"), 1.0]], Cosine(0.5), "vectors-not-finite", {"row": 1}),
        ([[1.0, math.inf], [2.0, 1.0]], Euclidean(0.5), "vectors-not-finite", {"row": 0, "value": math.inf}),
        ([[1.0, 2.0], [0.0, 0.0]], Cosine(0.5), "vector-without-direction", {"row": 1}),
        ([[1.0, 2.0], [1e-200, 0.0]], Cosine(0.5), "vector-too-short", {"row": 1}),
        ([[1.0, 2.0], [1e200, 0.0]], Euclidean(0.5), "vector-too-long", {"row": 1}),
        ([[1.0, 2.0], [1.0]], Cosine(0.5), "rows-differ-in-dimensions", {"first": 2, "row": 1, "other": 1}),
        ([[1.0, 2.0], [1.0, -2.0]], WeightedJaccard(0.5), "weight-out-of-range", {"row": 1, "value": -2}),
        ([1.0, 2.0], Cosine(0.5), "not-a-table-of-numbers", {"dimensions": 1}),
        ([["a"], ["b"]], Cosine(0.5), "not-a-table-of-numbers", {"dimensions": 2}),
        (Reluctant(), Cosine(0.5), "not-an-array", {"reason": "call detach() first"}),
        (np.ma.masked_array([[1.0, 2.0]], mask=[[True, False]]), Cosine(0.5), "masked-vectors", {}),
        ([[1.0, 0.0]], HammingBits(1), "not-packed-bits", {"type": "float64"}),
        (np.zeros((3, 0)), Cosine(0.5), "dimensions-out-of-range", {"dimensions": 0}),
    ],
)
def test_invalid_vectors_are_refused_with_their_row(
    vectors: Any, measure: Measure, code: str, values: dict[str, object]
) -> None:
    with refused(code, **values):
        join_vectors(vectors, measure)


def test_a_number_is_not_a_table() -> None:
    with refused("not-a-table-of-numbers", dimensions=0):
        la.find_pairs(np.array(5.0), measure="cosine", threshold=0.5)


@pytest.mark.parametrize(
    ("measure", "threshold", "distance", "code"),
    [
        ("cosine", 90, None, "cosine-out-of-range"),
        ("cosine", "much", None, "not-a-number"),
        ("cosine", True, None, "not-a-number"),
        ("cosine", None, 2, "distance-of-a-similarity"),
        ("cosine", None, None, "missing-threshold"),
        ("euclidean", None, 0, "not-positive"),
        ("euclidean", None, -1, "not-positive"),
        ("euclidean", 0.5, None, "threshold-of-a-distance"),
        ("euclidean", None, None, "missing-distance"),
        ("hamming", None, 2.5, "not-a-whole-number"),
        ("jaccard", 1.5, None, "not-a-share"),
        ("weighted-jaccard", 0, None, "not-a-share"),
        ("manhattan", None, 1, "not-one-of"),
        (3, None, 1, "not-one-of"),
    ],
)
def test_invalid_measures_and_bounds_are_refused(measure: Any, threshold: Any, distance: Any, code: str) -> None:
    with refused(code):
        measure_of(measure, threshold, distance)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"recall": 0}, "not-a-share"),
        ({"recall": "most"}, "not-a-share"),
        ({"seed": -1}, "not-in-whole-range"),
        ({"method": "best"}, "not-one-of"),
        ({"method": "lsh", "recall": 1.0}, "lsh-at-full-recall"),
    ],
)
def test_invalid_options_are_refused(options: Any, code: str) -> None:
    with refused(code):
        join_vectors([[1.0], [2.0]], Cosine("0.5"), **options)  # type: ignore[arg-type]
