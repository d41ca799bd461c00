"""Converts vectors to single precision for the kernel, a few rows at a time, and bounds the rounding errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from lookalike.flow.arrays import Rows
from lookalike.joins.vectors.measures import Matrix, Values
from lookalike.kernel import default
from lookalike.kernel import vectors as kernel

PIECE, CELLS = 1 << 14, 1 << 23
"""The maximum number of rows, and of numbers, in a piece. Vectors are checked, converted and hashed one piece at a
time."""

FARTHEST = 1e15
"""The limit on coordinates, in units of the measure. Larger ones are clipped, and such vectors are compared exactly."""


def margin(width: int) -> float:
    """Returns a bound on the error of the product of two unit vectors of this width in single precision."""
    return (width + 8) * 2.0**-23


def slack(lengths: Values) -> Values:
    """Returns, for each length, a bound on the error that rounding to single precision causes in such a vector."""
    return np.where(lengths < FARTHEST, lengths * 2.0**-23, np.inf)


def pieces(vectors: Matrix, width: int = 1) -> Iterator[tuple[int, Matrix]]:
    """Yields pieces of a few rows, each with the number of its first row. `width` is the length of a prepared row."""
    rows = max(1, min(PIECE, CELLS // max(width, vectors.shape[1])))
    for start in range(0, len(vectors), rows):
        yield start, np.asarray(vectors[start : start + rows])


def padded(vectors: Matrix, prepare: Callable[[Matrix], Values]) -> npt.NDArray[np.float32]:
    """Applies `prepare` to the vectors, and returns them in the padded layout of the kernel."""
    out = np.zeros((len(vectors), kernel.padded_width(vectors.shape[1])), np.float32)
    for start, piece in pieces(vectors):
        out[start : start + len(piece), : vectors.shape[1]] = np.clip(prepare(piece), -FARTHEST, FARTHEST)
    return out


def units(vectors: Matrix) -> Values:
    """Scales vectors to length 1, in double precision because squares may exceed the range of single precision."""
    values = np.asarray(vectors, np.float64)
    return np.asarray(values / np.sqrt(np.einsum("ij,ij->i", values, values))[:, None])


def from_middle(vectors: Matrix, unit: float) -> Callable[[Matrix], Values]:
    """Returns a function that converts points to coordinates relative to the median point, divided by `unit`.

    The median is that of a sample of rows. A mean could be shifted by a single distant point.
    """
    some = vectors[:: max(1, len(vectors) // 1024)]
    middle = np.median(some.astype(np.float64), axis=0) if len(some) else 0.0
    return lambda points: np.asarray((points - middle) / unit, np.float64)


def lengths_of(vectors: Matrix, prepare: Callable[[Matrix], Values]) -> Values:
    with np.errstate(over="ignore"):  # overflow gives infinity, as intended
        found = [np.linalg.norm(prepare(piece), axis=1) for _, piece in pieces(vectors)]
    return np.concatenate([np.zeros(0), *found])


def squares_of(vectors: Matrix, rows: Rows, threads: int) -> Values:
    if len(rows) > len(vectors):
        every = np.arange(len(vectors), dtype=np.int64)
        return default(threads).measured("product", vectors, vectors, every, every)[rows]
    unique, where = np.unique(rows, return_inverse=True)
    return default(threads).measured("product", vectors, vectors, unique, unique)[where]
