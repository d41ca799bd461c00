"""The native edge of vectors and strings of bits: keys, pairs that are near, the nearest, and how near they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from lookalike.flow.arrays import Rows
from lookalike.kernel._native import bit_keys, measure_vectors, near_bits, near_vectors, nearest_vectors, vector_keys
from lookalike.kernel._native import common_ones as _common_ones

Floats = npt.NDArray[np.float32]
Keys = npt.NDArray[np.uint32]
Bits = npt.NDArray[np.uint64]
Matrix = npt.NDArray[np.floating]
Values = npt.NDArray[np.float64]

IsNear = Callable[[Rows, Rows], npt.NDArray[np.bool_]]
"""Rows left and right → which of these pairs are near, exactly. Threads ask on their own."""

Kind = Literal["products", "differences", "minima"]
KINDS: tuple[Kind, ...] = ("products", "differences", "minima")
Term = Literal["product", "squared difference", "minimum", "maximum"]
TERMS: tuple[Term, ...] = ("product", "squared difference", "minimum", "maximum")

LANES = 16
"""Vectors are padded with zeros to a multiple of so many coordinates."""


class Table(NamedTuple):
    """Vectors in single precision, padded, and a number that each brings to its pairs (none are zeros)."""

    values: Floats
    own: Floats | None = None


class Near(NamedTuple):
    """Pairs left < right in order, and how many were compared."""

    left: Rows
    right: Rows
    checked: int


class Nearest(NamedTuple):
    """Of each query so many rows, the nearest first, ties in order of rows, and how far they are; −1 is none."""

    rows: Rows
    far: Values
    checked: int


def padded_width(d: int) -> int:
    return max(LANES, -(-d // LANES) * LANES)


def padded(values: Matrix) -> Floats:
    """Single precision, with zeros behind each row: what the functions below take."""
    rows, d = values.shape
    out = np.zeros((rows, padded_width(d)), np.float32)
    out[:, :d] = values
    return out


def keys_of_vectors(values: Floats, *, bands: int, rows: int, seed: int, width: float = 0.0, threads: int = 1) -> Keys:
    """`bands` keys of each padded vector, band by band: `rows` hyperplanes each, or lines with bins of that width."""
    return vector_keys(values, bands, rows, seed, width, threads)


def keys_of_bits(bits: Bits, size: int, *, bands: int, rows: int, seed: int, threads: int = 1) -> Keys:
    """`bands` keys of each string of `size` bits: `rows` places each, drawn at random."""
    return bit_keys(bits, size, bands, rows, seed, threads)


def one_bucket(rows: int) -> Keys:
    """No keys at all: every pair is looked at."""
    return np.zeros((0, rows), np.uint32)


def pairs_of_vectors(
    table: Table,
    keys: Keys,
    kind: Kind,
    bound: float,
    *,
    sketches: Bits | None = None,
    differing: int = 0,
    threads: int = 1,
    most: int = 2**62,
    is_near: IsNear | None = None,
) -> Near:
    """Vectors that share a key and are near, up to the rounding of single precision.

    That is to say that x·y (products), or the sum of the lesser coordinates (minima), is at least
    bound + own(x) + own(y); or that |x − y| (differences) is at most that. Pairs whose `sketches` differ in more than
    `differing` bits are left out. Where more than `most` pairs are found, only those count that `is_near` leaves, if it
    is given; raises OverflowError if they are still more.
    """
    number = KINDS.index(kind)
    return Near(*near_vectors(*table, keys, sketches, differing, number, bound, threads, most, is_near))


def pairs_of_bits(
    bits: Bits, keys: Keys, differing: Keys, *, threads: int = 1, most: int = 2**62, is_near: IsNear | None = None
) -> Near:
    """Strings of bits that share a key and differ in at most so many places: of a pair, as many as the left row has.

    `most` and `is_near` as above.
    """
    return Near(*near_bits(bits, keys, differing, threads, most, is_near))


def nearest_by_cosine(
    tables: tuple[Table, Table],
    keys: tuple[Keys, Keys],
    exact: tuple[Matrix, Matrix],
    squares: tuple[Values, Values],
    *,
    margin: float,
    top: int,
    threads: int = 1,
) -> Nearest:
    """Of each query the rows of greatest cosine among those that share a key with it; `far` is minus the cosine.

    First of each pair are the vectors, then the queries: as unit vectors, their keys, as they were given, and the
    squares of their lengths. `margin` is what products of unit vectors may lose to single precision.
    """
    (one, two), (a, b), (x, y) = tables, keys, exact
    return Nearest(*nearest_vectors(*one, a, *two, b, x, y, *squares, 0, 1.0, margin, top, threads))


def nearest_by_distance(
    tables: tuple[Table, Table],
    keys: tuple[Keys, Keys],
    exact: tuple[Matrix, Matrix],
    *,
    scale: float,
    top: int,
    threads: int = 1,
) -> Nearest:
    """The same by distance, of which the tables' is `scale` times as large at most, but for what rows bring."""
    (one, two), (a, b), (x, y) = tables, keys, exact
    return Nearest(*nearest_vectors(*one, a, *two, b, x, y, None, None, 1, scale, 0.0, top, threads))


def measured(term: Term, one: Matrix, two: Matrix, left: Rows, right: Rows, threads: int = 1) -> Values:
    """Of rows of `one` and `two` the sum of products, or of another term, in double precision.

    It is summed in one order, the same everywhere.
    """
    return measure_vectors(one, two, left, right, TERMS.index(term), threads)


def common_ones(one: Bits, two: Bits, left: Rows, right: Rows, threads: int = 1) -> Rows:
    """In how many places both rows of each pair have a one."""
    return _common_ones(one, two, left, right, threads)


__all__ = [
    "Near",
    "Nearest",
    "Table",
    "common_ones",
    "keys_of_bits",
    "keys_of_vectors",
    "measured",
    "nearest_by_cosine",
    "nearest_by_distance",
    "one_bucket",
    "padded",
    "padded_width",
    "pairs_of_bits",
    "pairs_of_vectors",
]
