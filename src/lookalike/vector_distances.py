"""Similarities and distances between the rows of two arrays: of corresponding rows, or of all pairs of rows.

Everything is computed in float64, and a value depends only on its two rows, not on the number of rows or the block
size. For that reason, matrix products are not used: the rounding of BLAS depends on the shapes of the matrices.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from lookalike.errors import InvalidOption
from lookalike.flow.checks import check_one_of

Array = npt.NDArray[np.float64]
BLOCK = 4_000_000
"""The maximum number of differences (elements of two rows, subtracted) that are in memory at once."""


def between(x: Any, y: Any, measure: str) -> Array:
    """Returns the similarity or distance between each row of x and the corresponding row of y.

    >>> between([[2, 7], [0, 0]], [[6, 4], [0, 3]], "euclidean").tolist()
    [5.0, 3.0]
    """
    function = _function(measure)
    first, second = vectors(x, measure, "x"), vectors(y, measure, "y")
    if first.shape != second.shape:
        raise InvalidOption("shapes-differ", left=first.shape, right=second.shape)
    return function(first, second)


def pairwise(x: Any, y: Any = None, *, measure: str) -> Array:
    """Returns the matrix of similarities or distances between every row of x and every row of y (default: x).

    >>> pairwise([[1, 0], [0, 2]], [[1, 0], [1, 1], [0, 1]], measure="angle").round(9).tolist()
    [[0.0, 45.0, 90.0], [90.0, 45.0, 0.0]]
    """
    function = _function(measure)
    first = vectors(x, measure, "x")
    second = first if y is None else vectors(y, measure, "y")
    if first.shape[1] != second.shape[1]:
        raise InvalidOption("lengths-differ", what="vectors", left=first.shape[1], right=second.shape[1])
    result = np.empty((len(first), len(second)))
    rows = max(1, BLOCK // max(1, second.size))
    for start in range(0, len(first), rows):
        result[start : start + rows] = function(first[start : start + rows, None, :], second[None, :, :])
    return result


def vectors(data: Any, measure: str, name: str) -> Array:
    """Converts `data` to a float64 array with one vector per row.

    For cosine and angle, each row is scaled by a power of two, which does not change the result. Raises an error, with
    `name` as the name of the argument, if the measure is not defined for a row.
    """
    try:
        array = np.asarray(data, np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidOption("not-rows-of-numbers", name=name, reason=str(error)) from None
    if array.ndim != 2:
        raise InvalidOption("not-two-dimensional", name=name, shape=array.shape)
    _refuse(~np.isfinite(array).all(axis=1), "row-not-finite", name)
    if measure in ("cosine", "angle"):
        _refuse(~array.any(axis=1), "row-of-zeros", name)
        # scaled by a power of two, so that no square overflows
        array = np.ldexp(array, -np.frexp(np.abs(array).max(axis=1, initial=0.0, keepdims=True))[1])
    if measure == "weighted jaccard":
        _refuse((array < 0).any(axis=1), "row-with-negative-weight", name)
    if measure == "jaccard":
        _refuse(~((array == 0) | (array == 1)).all(axis=1), "row-not-of-bits", name)
    return array


def finite_vector(data: Any) -> Array:
    """Converts `data` to a float64 array.

    Raises an error if it is not one-dimensional, or has a value that is not finite.
    """
    array = np.asarray(data, np.float64)
    if array.ndim != 1:
        raise InvalidOption("not-a-vector", shape=array.shape)
    if not np.isfinite(array).all():
        position = int((~np.isfinite(array)).argmax())
        raise InvalidOption("vector-not-finite", position=position, value=float(array[position]))
    return array


def _refuse(bad: Any, code: str, name: str) -> None:
    """Raises the error `code` about the first row of the argument `name` that is marked in `bad`, if there is one."""
    if bad.any():
        raise InvalidOption(code, name=name, row=int(bad.argmax()))


def _function(measure: str) -> Callable[[Array, Array], Array]:
    check_one_of("measure", measure, tuple(MEASURES))
    return MEASURES[measure]


# Each function below takes two arrays that can be broadcast together, and reduces the last axis.


def _cosine(x: Array, y: Array) -> Array:
    lengths = np.sqrt((x * x).sum(axis=-1)) * np.sqrt((y * y).sum(axis=-1))
    return np.asarray(np.clip((x * y).sum(axis=-1) / lengths, -1.0, 1.0))


def _angle(x: Array, y: Array) -> Array:
    return np.degrees(np.arccos(_cosine(x, y)))


def _euclidean(x: Array, y: Array) -> Array:
    return np.asarray(np.sqrt(((x - y) ** 2).sum(axis=-1)))


def _manhattan(x: Array, y: Array) -> Array:
    return np.asarray(np.abs(x - y).sum(axis=-1))


def _chebyshev(x: Array, y: Array) -> Array:
    return np.asarray(np.abs(x - y).max(axis=-1, initial=0.0))


def _hamming(x: Array, y: Array) -> Array:
    return np.asarray((x != y).sum(axis=-1), np.float64)


def _weighted_jaccard(x: Array, y: Array) -> Array:
    """Returns Σ min / Σ max of corresponding elements, or 0 if both rows are all zeros.

    For rows of 0 and 1, this is the Jaccard similarity of the two sets.
    """

    greater = np.maximum(x, y).sum(axis=-1)
    return np.asarray(np.minimum(x, y).sum(axis=-1) / np.where(greater > 0, greater, 1.0))


MEASURES: dict[str, Callable[[Array, Array], Array]] = {
    "cosine": _cosine,
    "angle": _angle,
    "euclidean": _euclidean,
    "manhattan": _manhattan,
    "chebyshev": _chebyshev,
    "hamming": _hamming,
    "jaccard": _weighted_jaccard,
    "weighted jaccard": _weighted_jaccard,
}
"""Maps the name of each measure to its function. The measures cosine, jaccard and weighted jaccard are similarities;
all others are distances.
"""
