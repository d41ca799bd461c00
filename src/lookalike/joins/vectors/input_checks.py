"""Checks the vectors that a user passes, and converts them to a table of numbers or packed bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.errors import MalformedInput
from lookalike.joins.vectors.measures import Matrix
from lookalike.joins.vectors.single_precision import pieces
from lookalike.storage.foreign_errors import brief

MOST_DIMENSIONS = 1 << 16


def check_lengths(vectors: Matrix, name: str, least: float = 0.0) -> None:
    """Raises an error if the squared length of a vector is not below 1e140, or is less than `least`."""
    for start, piece in pieces(vectors):
        with np.errstate(over="ignore"):
            squares = np.einsum("ij,ij->i", piece, piece, dtype=np.float64)
        bad = np.flatnonzero((squares < least) | ~(squares < 1e140))
        if len(bad):
            row = bad[0]
            code = "vector-too-short" if squares[row] < 1 else "vector-too-long"
            raise MalformedInput(code if piece[row].any() else "vector-without-direction", name=name, row=start + row)


def checked(vectors: Any, name: str = "the vectors given", *, bits: bool = False) -> Matrix:
    """Converts vectors to a matrix with one vector per row: numbers in single or double precision, or packed bits.

    With `bits`, the vectors must be packed bits (uint8), or booleans, which are packed. Otherwise they must be finite
    numbers, or booleans, which become 0 and 1.

    Raises an error if they are anything else.
    """
    if np.ma.is_masked(vectors):
        raise MalformedInput("masked-vectors", name=name)
    try:
        matrix = np.asarray(vectors)
    except ValueError:
        matrix = np.empty(0, object)
    except Exception as error:  # the object's own conversion may raise anything
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
    """Returns the number of coordinates per vector: eight per byte of packed bits, otherwise one per column."""
    matrix = np.asarray(vectors)
    return int(matrix.shape[1]) * (8 if bits and matrix.dtype != np.bool_ else 1)


def _not_a_table(vectors: Any, matrix: Matrix, name: str) -> MalformedInput:
    """Returns the error for an input that is not a table of numbers."""
    are_texts = matrix.dtype.kind in "SU"
    are_lists = not are_texts and isinstance(vectors, list | tuple) and all(hasattr(row, "__len__") for row in vectors)
    if are_lists and vectors:
        first = len(vectors[0])
        other = next((row for row, one in enumerate(vectors) if len(one) != first), None)
        if other is not None:
            return MalformedInput(
                "rows-differ-in-dimensions", name=name, first=first, row=other, other=len(vectors[other])
            )
    return MalformedInput(
        "not-a-table-of-numbers", name=name, dimensions=matrix.ndim, type="text" if are_texts else str(matrix.dtype)
    )
