"""Arguments and results of the kernel methods for vectors and bit strings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from lookalike.flow.arrays import Rows

Floats = npt.NDArray[np.float32]
Keys = npt.NDArray[np.uint32]
Bits = npt.NDArray[np.uint64]
Matrix = npt.NDArray[np.floating]
Values = npt.NDArray[np.float64]

IsNear = Callable[[Rows, Rows], npt.NDArray[np.bool_]]
"""A function that takes the left and right rows of pairs, and returns for each pair whether it is near, computed
exactly. It is called from several threads.
"""

Kind = Literal["products", "differences", "minima"]
KINDS: tuple[Kind, ...] = ("products", "differences", "minima")
Term = Literal["product", "squared difference", "minimum", "maximum"]
TERMS: tuple[Term, ...] = ("product", "squared difference", "minimum", "maximum")

LANES = 16
"""Vectors are padded with zeros until their number of coordinates is a multiple of this."""


class Table(NamedTuple):
    """Padded vectors in single precision.

    `own` is the value that each vector adds to the bound of its pairs (None: 0).
    """

    values: Floats
    own: Floats | None = None


class Near(NamedTuple):
    """Sorted pairs of rows, left < right, and the number of pairs that were compared."""

    left: Rows
    right: Rows
    checked: int


class Nearest(NamedTuple):
    """For each query, its nearest rows in order, with ties by row, and their distances.

    Row −1 means that there is none.
    """

    rows: Rows
    far: Values
    checked: int


def padded_width(d: int) -> int:
    return max(LANES, -(-d // LANES) * LANES)


def padded(values: Matrix) -> Floats:
    """Converts vectors to single precision and pads them with zeros, as kernels require."""
    rows, d = values.shape
    out = np.zeros((rows, padded_width(d)), np.float32)
    out[:, :d] = values
    return out


def one_bucket(rows: int) -> Keys:
    """Returns keys with zero bands, which make the kernel compare every pair."""
    return np.zeros((0, rows), np.uint32)
