"""The native edge of vectors and strings of bits: keys, pairs that are near, and how near they are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lookalike.kernel._native import bit_keys, measure_vectors, near_bits, near_vectors, vector_keys

Floats = npt.NDArray[np.float32]
Keys = npt.NDArray[np.uint32]
Bits = npt.NDArray[np.uint64]
Rows = npt.NDArray[np.int64]

LANES = 16
"""Vectors are padded with zeros to a multiple of so many coordinates."""


class Near(NamedTuple):
    """Pairs left < right in order, and how many were compared."""

    left: Rows
    right: Rows
    checked: int


def padded(values: npt.NDArray[np.floating]) -> Floats:
    """Single precision, with zeros behind each row: what the functions below take."""
    rows, d = values.shape
    out = np.zeros((rows, max(LANES, -(-d // LANES) * LANES)), np.float32)
    out[:, :d] = values
    return out


def keys_of_vectors(values: Floats, *, bands: int, rows: int, seed: int, width: float = 0.0, threads: int = 1) -> Keys:
    """`bands` keys of each padded vector, band by band: `rows` hyperplanes each, or lines with bins of that width."""
    return vector_keys(values, bands, rows, seed, width, threads)


def keys_of_bits(bits: Bits, size: int, *, bands: int, rows: int, seed: int, threads: int = 1) -> Keys:
    """`bands` keys of each string of `size` bits: `rows` places each, drawn at random."""
    return bit_keys(bits, size, bands, rows, seed, threads)


def pairs_of_vectors(
    values: Floats,
    keys: Keys,
    least: float,
    *,
    halves: Floats | None = None,
    sketches: Bits | None = None,
    differing: int = 0,
    threads: int = 1,
    most: int = 2**62,
) -> Near:
    """Padded vectors that share a key and have x·y − half(x) − half(y) ≥ least, up to the rounding of single precision.

    Pairs whose `sketches` differ in more than `differing` bits are left out. Raises OverflowError beyond `most` pairs.
    """
    return Near(*near_vectors(values, halves, keys, sketches, differing, least, threads, most))


def pairs_of_bits(bits: Bits, keys: Keys, distance: int, *, threads: int = 1, most: int = 2**62) -> Near:
    """Strings of bits that share a key and differ in at most `distance` places."""
    return Near(*near_bits(bits, keys, distance, threads, most))


def products(
    one: npt.NDArray[np.floating], two: npt.NDArray[np.floating], left: Rows, right: Rows, threads: int = 1
) -> npt.NDArray[np.float64]:
    """x·y of rows of `one` and `two` in double precision, summed in one order, the same everywhere."""
    return measure_vectors(one, two, left, right, False, threads)


def squared_distances(
    one: npt.NDArray[np.floating], two: npt.NDArray[np.floating], left: Rows, right: Rows, threads: int = 1
) -> npt.NDArray[np.float64]:
    """|x − y|², in the same manner."""
    return measure_vectors(one, two, left, right, True, threads)


__all__ = [
    "Near",
    "keys_of_bits",
    "keys_of_vectors",
    "padded",
    "pairs_of_bits",
    "pairs_of_vectors",
    "products",
    "squared_distances",
]
