"""Approximate scores of pairs of a query and a row. For most measures, they are matrix products of prepared blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lookalike.joins.vectors.bits import BitJaccard, HammingBits
from lookalike.joins.vectors.dense import Cosine, Euclidean
from lookalike.joins.vectors.measures import Matrix, Measure, Values
from lookalike.joins.vectors.single_precision import FARTHEST, from_middle, lengths_of, margin, units

Floats = npt.NDArray[np.floating]

ANYWHERE = 1e37
"""The margin of vectors whose coordinates were clipped: greater than any score, and finite in single precision."""


class Side(NamedTuple):
    """Prepared queries or rows."""

    values: Floats
    sizes: Floats
    """The squared length, number of ones or total weight of each vector; zeros if scores do not depend on it."""
    margins: Floats
    """The error bound of each vector. The error of a score is at most the sum of the bounds of its two vectors."""


class Scorer(NamedTuple):
    prepare: Callable[[Matrix], Side]
    score: Callable[[Side, Side], Floats]
    """Returns a matrix with one row of scores per query; greater scores are nearer."""


def scorer(measure: Measure, vectors: Matrix) -> Scorer:
    """Returns the functions that prepare and score vectors for a measure.

    `vectors` are all rows that will be scored.
    """
    if isinstance(measure, Cosine):
        return Scorer(_directions, lambda queries, rows: queries.values @ rows.values.T)
    if isinstance(measure, Euclidean):
        return Scorer(_points(vectors), _minus_half)
    if isinstance(measure, HammingBits):
        return Scorer(_zeros_and_ones, _minus_half)
    if isinstance(measure, BitJaccard):
        return Scorer(_zeros_and_ones, _shares)
    return Scorer(_weights, _minima)


def _directions(vectors: Matrix) -> Side:
    values = units(vectors).astype(np.float32)
    none = np.zeros(len(values), np.float32)
    return Side(values, none, none + np.float32(margin(vectors.shape[1])))


def _points(vectors: Matrix) -> Callable[[Matrix], Side]:
    """Returns a function that prepares points for the score x·y − |y|²/2.

    This is −|x − y|²/2 up to a constant per query.
    """
    scaled = from_middle(vectors, spread_of(vectors))
    some = scaled(vectors[:: max(1, len(vectors) // 256)])
    squares = np.einsum("ij,ij->i", some, some)
    apart = squares[:, None] + squares - 2 * some @ some.T
    np.fill_diagonal(apart, np.inf)
    lost = 4 * margin(vectors.shape[1])
    near = (
        float(np.median(apart.min(axis=1, initial=np.inf))) / 16 if len(some) else 1.0
    )  # divided by 16, because neighbours among all rows are nearer than in the sample
    single = lost * float(np.quantile(squares, 0.9) if len(some) else 0.0) < 0.02 * near
    kind: Any = np.float32 if single else np.float64
    lost = lost if single else lost * 2.0**-29

    def side(points: Matrix) -> Side:
        given = scaled(points)
        values = np.clip(given, -FARTHEST, FARTHEST).astype(kind)
        squares = np.einsum("ij,ij->i", values, values, dtype=np.float64)
        cut = (np.abs(given) > FARTHEST).any(axis=1)
        return Side(values, squares.astype(kind), np.where(cut, ANYWHERE, lost * squares).astype(kind))

    return side


def spread_of(vectors: Matrix) -> float:
    """Returns the median distance of rows from the median point: a unit that suits the range of single precision."""
    from_there = from_middle(vectors, 1.0)
    for some in (vectors[:: max(1, len(vectors) // 1024)], vectors):
        lengths = lengths_of(some, from_there)
        if lengths.any():
            return float(np.median(lengths[lengths > 0]))
    return 1.0


def _zeros_and_ones(bits: Matrix) -> Side:
    """Converts bits to numbers in single precision, in which sums of bits are exact."""
    values = np.unpackbits(bits, axis=1).astype(np.float32)
    return Side(values, values.sum(axis=1), np.full(len(values), 1e-6, np.float32))


def _minus_half(queries: Side, rows: Side) -> Floats:
    scores = queries.values @ rows.values.T
    scores -= rows.sizes / 2
    return scores


def _shares(queries: Side, rows: Side) -> Floats:
    common = queries.values @ rows.values.T
    return np.asarray(common / np.maximum(queries.sizes[:, None] + rows.sizes - common, 1))


def _weights(vectors: Matrix) -> Side:
    values: Values = np.asarray(vectors, np.float64)
    return Side(values, values.sum(axis=1), np.full(len(values), 1e-9))


def _minima(queries: Side, rows: Side) -> Floats:
    """Returns weighted Jaccard similarities, one query at a time, because sums of minima are not matrix products."""
    scores = np.empty((len(queries.values), len(rows.values)))
    for i, (query, size) in enumerate(zip(queries.values, queries.sizes, strict=True)):
        lesser = np.minimum(query, rows.values).sum(axis=1)
        scores[i] = lesser / np.maximum(size + rows.sizes - lesser, 1e-300)
    return scores
