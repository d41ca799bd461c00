"""Vectors and strings of bits: arguments and results of a kernel."""

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
"""Rows left and right → which of these pairs are near, exactly. Called by several threads."""

Kind = Literal["products", "differences", "minima"]
KINDS: tuple[Kind, ...] = ("products", "differences", "minima")
Term = Literal["product", "squared difference", "minimum", "maximum"]
TERMS: tuple[Term, ...] = ("product", "squared difference", "minimum", "maximum")

LANES = 16
"""Vectors are padded with zeros to a multiple of this number of coordinates."""


class Table(NamedTuple):
    """Padded vectors in single precision. `own` is what each vector adds to the bound of its pairs (None: zeros)."""

    values: Floats
    own: Floats | None = None


class Near(NamedTuple):
    """Pairs left < right in order, and how many were compared."""

    left: Rows
    right: Rows
    checked: int


class Nearest(NamedTuple):
    """For each query its nearest rows in order, ties by row, and their distances; −1 means none."""

    rows: Rows
    far: Values
    checked: int


def padded_width(d: int) -> int:
    return max(LANES, -(-d // LANES) * LANES)


def padded(values: Matrix) -> Floats:
    """The values in single precision, padded with zeros, as kernels require."""
    rows, d = values.shape
    out = np.zeros((rows, padded_width(d)), np.float32)
    out[:, :d] = values
    return out


def one_bucket(rows: int) -> Keys:
    """A key table with zero bands, for which every pair is compared."""
    return np.zeros((0, rows), np.uint32)
