"""Vectors, a few rows at a time, → what the kernel takes; and what single precision loses on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from lookalike.errors import MalformedInput
from lookalike.flow.arrays import Rows
from lookalike.joins.vectors.measures import Matrix, Values
from lookalike.kernel import default
from lookalike.kernel import vectors as kernel
from lookalike.storage.foreign_errors import brief

PIECE, CELLS = 1 << 14, 1 << 23
"""Rows that are looked at, or hashed, at a time; fewer where they would have more numbers than this."""

MOST_HASHES = 4096
"""Of a signature; whoever wants more takes several, of one seed after the other."""

FARTHEST = 1e15
"""In units of what counts; beyond this coordinates are cut, and nothing is known of where they were."""


def margin(width: int) -> float:
    """What single precision may lose of a product of unit vectors with so many coordinates."""
    return (width + 8) * 2.0**-23


def slack(lengths: Values) -> Values:
    """How far a vector of this length is from where single precision has it, at most."""
    return np.where(lengths < FARTHEST, lengths * 2.0**-23, np.inf)


def pieces(vectors: Matrix, width: int = 1) -> Iterator[tuple[int, Matrix]]:
    """A few rows at a time, each piece with the number of its first. Rows may become longer: as long as `width`."""
    rows = max(1, min(PIECE, CELLS // max(width, vectors.shape[1])))
    for start in range(0, len(vectors), rows):
        yield start, np.asarray(vectors[start : start + rows])


def padded(vectors: Matrix, prepare: Callable[[Matrix], Values]) -> npt.NDArray[np.float32]:
    """What `prepare` makes of the vectors, as the kernel takes it."""
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


def keys_of_signatures(
    rows_to_sign: Matrix, signed: Callable[[Matrix, int, int], Any], bands: int, rows: int, seed: int, threads: int
) -> kernel.Keys:
    """Signatures (of some rows, with so many hashes, of this seed), a few rows at a time, → keys, band by band."""
    out = np.empty((bands, len(rows_to_sign)), np.uint32)
    for number, first in enumerate(range(0, bands, MOST_HASHES // rows)):
        some = min(MOST_HASHES // rows, bands - first)
        for start, piece in pieces(rows_to_sign, some * rows):
            keys = default(threads).band_keys(signed(piece, some * rows, (seed + number) % 2**64), some, rows)
            out[first : first + some, start : start + len(piece)] = (keys >> np.uint64(32)).T
    return out


MOST_DIMENSIONS = 1 << 16


def check_lengths(vectors: Matrix, name: str, least: float = 0.0) -> None:
    """Refuses vectors whose squares leave the range of double precision, or are less than `least`."""
    for start, piece in pieces(vectors):
        with np.errstate(over="ignore"):
            squares = np.einsum("ij,ij->i", piece, piece, dtype=np.float64)
        bad = np.flatnonzero((squares < least) | ~(squares < 1e140))
        if len(bad):
            row = bad[0]
            code = "vector-too-short" if squares[row] < 1 else "vector-too-long"
            raise MalformedInput(code if piece[row].any() else "vector-without-direction", name=name, row=start + row)


def checked(vectors: Any, name: str = "the vectors given", *, bits: bool = False) -> Matrix:
    """A table of finite numbers, a row each, in single or double precision; or of packed bits."""
    if np.ma.is_masked(vectors):
        raise MalformedInput("masked-vectors", name=name)
    try:
        matrix = np.asarray(vectors)
    except ValueError:
        matrix = np.empty(0, object)
    except Exception as error:  # whatever the object's own conversion raises
        raise MalformedInput("not-an-array", name=name, reason=brief(error)) from None
    if matrix.dtype.kind == "b" and matrix.ndim == 2:
        matrix = np.packbits(matrix, axis=1) if bits else matrix.astype(np.float32)
    if matrix.ndim != 2 or matrix.dtype.kind not in "uif":
        raise _not_a_table(vectors, matrix, name)
    if not 1 <= matrix.shape[1] <= MOST_DIMENSIONS:
        raise MalformedInput("dimensions-out-of-range", name=name, most=MOST_DIMENSIONS, dimensions=matrix.shape[1])
    if bits:
        if matrix.dtype != np.uint8:
            raise MalformedInput("not-packed-bits", name=name, type=str(matrix.dtype))
    else:
        if matrix.dtype not in (np.float32, np.float64):
            matrix = matrix.astype(np.float32 if matrix.dtype.itemsize <= 2 else np.float64)
        for start, piece in pieces(matrix):
            bad = np.flatnonzero(~np.isfinite(piece).all(axis=1))
            if len(bad):
                row = piece[bad[0]]
                value = float(row[~np.isfinite(row)][0])
                raise MalformedInput("vectors-not-finite", name=name, row=start + bad[0], value=value)
    return np.ascontiguousarray(matrix)


def places_of(vectors: Any, bits: bool) -> int:
    """Coordinates of each vector: of packed bits eight in each number, of truths those that were given."""
    matrix = np.asarray(vectors)
    return int(matrix.shape[1]) * (8 if bits and matrix.dtype != np.bool_ else 1)


def _not_a_table(vectors: Any, matrix: Matrix, name: str) -> MalformedInput:
    """Error raised for anything that is not a table of numbers."""
    if isinstance(vectors, list | tuple) and vectors and all(hasattr(row, "__len__") for row in vectors):
        first = len(vectors[0])
        other = next((row for row, one in enumerate(vectors) if len(one) != first), None)
        if other is not None:
            return MalformedInput(
                "rows-differ-in-dimensions", name=name, first=first, row=other, other=len(vectors[other])
            )
    return MalformedInput("not-a-table-of-numbers", name=name, dimensions=matrix.ndim, type=str(matrix.dtype))
