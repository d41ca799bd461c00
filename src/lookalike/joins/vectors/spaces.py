"""Prepares vectors for an inverted file, and rounds them to whole numbers, on which products are exact.

Every product of two rounded vectors, and every sum on the way to it, is a whole number that a float can represent. So
the order in which a matrix product adds its terms does not matter: all machines choose the same lists. Vectors are
rounded only for that; reported values are computed from the original vectors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from lookalike.flow.arrays import Rows
from lookalike.joins.vectors.dense import Cosine
from lookalike.joins.vectors.measures import Matrix, Measure, Values
from lookalike.joins.vectors.scores import spread_of
from lookalike.joins.vectors.single_precision import from_middle, lengths_of, margin, padded, pieces, slack, squares_of
from lookalike.kernel import vectors as kernel

Whole = npt.NDArray[np.floating]

LONGEST = 4095
"""The maximum length of a rounded direction. The product of two is below 2²⁴, up to which single precision is exact."""

FARTHEST, STEPS = 64, 1 << 11
"""The limit on the coordinates of a rounded point, and the number of steps per unit. With at most 2¹⁶ coordinates,
scores stay below 2⁵³, up to which double precision is exact."""


class Prepared(NamedTuple):
    """Vectors in the form that the kernel compares."""

    table: kernel.Table
    squares: Values | None
    """The squared lengths; None for distances."""


class Space(Protocol):
    def prepare(self, vectors: Matrix, threads: int) -> Prepared: ...

    def rounded(self, values: kernel.Floats) -> Whole:
        """Rounds prepared vectors to whole numbers."""
        ...

    def centres(self, sums: Values, counts: Rows) -> Whole:
        """Returns the rounded centres of lists, given the sums of their rounded vectors. No list is empty."""
        ...

    def scores(self, values: Whole, centres: Whole) -> Whole:
        """Returns a matrix with one row of scores per vector. Greater scores are nearer."""
        ...

    def errors(self, width: int) -> tuple[float, float]:
        """Returns the scale and the margin of prepared vectors of this width: see `Vectors.nearest_in_lists`."""
        ...


@dataclass(frozen=True)
class Directions:
    """Vectors for cosines."""

    length: float
    """The length to which directions are scaled before they are rounded."""

    def prepare(self, vectors: Matrix, threads: int) -> Prepared:
        squares = squares_of(vectors, np.arange(len(vectors), dtype=np.int64), threads)
        scale = 1 / np.sqrt(squares)
        values = np.zeros((len(vectors), kernel.padded_width(vectors.shape[1])), np.float32)
        for start, piece in pieces(vectors):
            stop = start + len(piece)
            values[start:stop, : vectors.shape[1]] = piece * scale[start:stop, None]
        return Prepared(kernel.Table(values), squares)

    def rounded(self, values: kernel.Floats) -> Whole:
        return np.asarray(np.rint(values * np.float32(self.length)))

    def centres(self, sums: Values, counts: Rows) -> Whole:
        largest = np.maximum(np.abs(sums).max(axis=1, keepdims=True), 1)
        whole = np.rint(sums / largest * 2.0**18)  # so that the sums of squares are exact
        lengths = np.sqrt(np.maximum((whole * whole).sum(axis=1), 1))
        return np.asarray(np.rint(whole * (self.length / lengths)[:, None]), np.float32)

    def scores(self, values: Whole, centres: Whole) -> Whole:
        return np.asarray(values @ centres.T)

    def errors(self, width: int) -> tuple[float, float]:
        return 1.0, 2 * margin(width)


@dataclass(frozen=True, eq=False)
class Points:
    """Points around the median point, for Euclidean distances. The unit is the power of two nearest to the
    median distance from that point."""

    vectors: Matrix
    unit: float

    def prepare(self, vectors: Matrix, threads: int) -> Prepared:
        scaled = from_middle(self.vectors, self.unit)
        own = slack(lengths_of(vectors, scaled)).astype(np.float32)
        return Prepared(kernel.Table(padded(vectors, scaled), own), None)

    def rounded(self, values: kernel.Floats) -> Whole:
        return np.rint(np.clip(values, -FARTHEST, FARTHEST).astype(np.float64) * STEPS)

    def centres(self, sums: Values, counts: Rows) -> Whole:
        return np.asarray(np.rint(sums / counts[:, None]))

    def scores(self, values: Whole, centres: Whole) -> Whole:
        """Returns 2x·y − |y|², which is −|x − y|² up to a constant per vector."""
        return np.asarray(2 * (values @ centres.T) - (centres * centres).sum(axis=1))

    def errors(self, width: int) -> tuple[float, float]:
        return (1 + margin(width)) / self.unit, margin(width)


def space_of(measure: Measure, vectors: Matrix) -> Space:
    if isinstance(measure, Cosine):
        return Directions(float(LONGEST - 1 - int(np.sqrt(vectors.shape[1]) / 2)))  # rounding may lengthen a vector
    return Points(vectors, float(np.exp2(np.rint(np.log2(spread_of(vectors))))))  # scaling by it rounds nothing
