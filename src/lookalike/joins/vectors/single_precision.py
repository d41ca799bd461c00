"""Vectors, a few rows at a time, → what the kernel takes; and what single precision loses on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from lookalike.flow.arrays import Rows
from lookalike.joins.vectors.measures import Matrix, Values
from lookalike.kernel import default
from lookalike.kernel import vectors as kernel

PIECE, CELLS = 1 << 14, 1 << 23
"""Rows that are looked at, or hashed, at a time; fewer where they would have more numbers than this."""

FARTHEST = 1e15
"""In units of what counts; beyond this coordinates are cut, and nothing is known of where they were."""


def margin(width: int) -> float:
    """What single precision may lose of a product of unit vectors with so many coordinates."""
    return (width + 8) * 2.0**-23


def slack(lengths: Values) -> Values:
    """How far a vector of this length is from where single precision has it, at most."""
    return np.where(lengths < FARTHEST, lengths * 2.0**-23, np.inf)


def pieces(vectors: Matrix, width: int = 1) -> Iterator[tuple[int, Matrix]]:
    """Pieces of a few rows, each with the number of its first row. `width` is the length of a row after preparation."""
    rows = max(1, min(PIECE, CELLS // max(width, vectors.shape[1])))
    for start in range(0, len(vectors), rows):
        yield start, np.asarray(vectors[start : start + rows])


def padded(vectors: Matrix, prepare: Callable[[Matrix], Values]) -> npt.NDArray[np.float32]:
    """The vectors after `prepare`, in the padded layout of the kernel."""
    out = np.zeros((len(vectors), kernel.padded_width(vectors.shape[1])), np.float32)
    for start, piece in pieces(vectors):
        out[start : start + len(piece), : vectors.shape[1]] = np.clip(prepare(piece), -FARTHEST, FARTHEST)
    return out


def units(vectors: Matrix) -> Values:
    """The directions, in double precision: the square of a single-precision number may be none."""
    values = np.asarray(vectors, np.float64)
    return np.asarray(values / np.sqrt(np.einsum("ij,ij->i", values, values))[:, None])


def from_middle(vectors: Matrix, unit: float) -> Callable[[Matrix], Values]:
    """Points, counted from the middle of all of them, in units.

    The middle is a median, of rows spread over all, because a single point far away would move a mean.
    """
    some = vectors[:: max(1, len(vectors) // 1024)]
    middle = np.median(some.astype(np.float64), axis=0) if len(some) else 0.0
    return lambda points: np.asarray((points - middle) / unit, np.float64)


def lengths_of(vectors: Matrix, prepare: Callable[[Matrix], Values]) -> Values:
    with np.errstate(over="ignore"):  # what is too far away is infinitely far
        found = [np.linalg.norm(prepare(piece), axis=1) for _, piece in pieces(vectors)]
    return np.concatenate([np.zeros(0), *found])


def squares_of(vectors: Matrix, rows: Rows, threads: int) -> Values:
    if len(rows) > len(vectors):
        every = np.arange(len(vectors), dtype=np.int64)
        return default(threads).measured("product", vectors, vectors, every, every)[rows]
    unique, where = np.unique(rows, return_inverse=True)
    return default(threads).measured("product", vectors, vectors, unique, unique)[where]
