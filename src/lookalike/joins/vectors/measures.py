"""How near vectors are: cosine and Euclidean, a class each, with what a join asks of it.

A product in single precision only proposes, with a margin for its rounding. What is reported, and what decides, is
computed in double precision in one order (`kernel.vectors.products`), so that every machine agrees.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from lookalike.errors import InvalidOption
from lookalike.kernel import vectors as kernel

Rows = npt.NDArray[np.int64]
Matrix = npt.NDArray[np.floating]
Values = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table as the kernel takes it: x·y − half(x) − half(y) ≥ least holds of every near pair, and of few others."""

    values: npt.NDArray[np.float32]
    halves: npt.NDArray[np.float32] | None
    least: float


class Measure(Protocol):
    """What joins ask of a measure."""

    name: ClassVar[str]
    is_distance: ClassVar[bool]

    @property
    def bound(self) -> float:
        """The least similarity, or the greatest distance, that counts."""
        ...

    def check(self, vectors: Matrix) -> None:
        """Refuses vectors that this measure says nothing of, and names the row."""
        ...

    def prepare(self, vectors: Matrix) -> Prepared: ...

    def values(self, one: Matrix, two: Matrix, left: Rows, right: Rows, threads: int) -> Values:
        """The exact values of pairs of rows: similarities, or distances."""
        ...

    def reached(self, values: Values) -> npt.NDArray[np.bool_]: ...


@dataclass(frozen=True)
class Cosine:
    """The cosine of the angle between two vectors, of at least `threshold`."""

    name: ClassVar[str] = "cosine"
    is_distance: ClassVar[bool] = False
    threshold: float

    def __post_init__(self) -> None:
        if not -1 < self.threshold <= 1:
            hint = f" Did you mean {self.threshold / 100:g}?" if 1 < self.threshold <= 100 else ""
            raise InvalidOption(
                f"a cosine of at least {self.threshold:g} cannot be asked for: it lies in −1 … 1.{hint}"
            )

    @property
    def bound(self) -> float:
        return self.threshold

    def check(self, vectors: Matrix) -> None:
        squares = np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)
        bad = np.flatnonzero((squares < 1e-140) | (squares > 1e140))
        if len(bad):
            what = "consists of zeros and has no direction" if not vectors[bad[0]].any() else "is too long or too short"
            raise InvalidOption(f"vector {bad[0]:,} {what}; it has no cosine. Leave such vectors out.")

    def prepare(self, vectors: Matrix) -> Prepared:
        norms = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
        values = kernel.padded(vectors / norms[:, None].astype(vectors.dtype))
        return Prepared(values, None, self.threshold - margin(values.shape[1]))

    def values(self, one: Matrix, two: Matrix, left: Rows, right: Rows, threads: int) -> Values:
        found = kernel.products(one, two, left, right, threads)
        squares = (self._squares(one, left, threads), self._squares(two, right, threads))
        return np.asarray(np.clip(found / np.sqrt(squares[0] * squares[1]), -1.0, 1.0))

    @staticmethod
    def _squares(vectors: Matrix, rows: Rows, threads: int) -> Values:
        unique, where = np.unique(rows, return_inverse=True)
        return kernel.products(vectors, vectors, unique, unique, threads)[where]

    def reached(self, values: Values) -> npt.NDArray[np.bool_]:
        return np.asarray(values >= self.threshold)


@dataclass(frozen=True)
class Euclidean:
    """The straight line between two points, of at most `distance`."""

    name: ClassVar[str] = "euclidean"
    is_distance: ClassVar[bool] = True
    distance: float

    def __post_init__(self) -> None:
        if not (isinstance(self.distance, int | float) and 0 < self.distance < math.inf):
            raise InvalidOption(f"a Euclidean distance must be a positive number, got {self.distance!r}")

    @property
    def bound(self) -> float:
        return self.distance

    def check(self, vectors: Matrix) -> None:
        pass

    def prepare(self, vectors: Matrix) -> Prepared:
        """|x − y|² ≤ d² is x·y − |x|²/2 − |y|²/2 ≥ −d²/2. Measured from the middle and in units of d: small numbers."""
        middle = vectors.mean(axis=0, dtype=np.float64) if len(vectors) else 0.0
        values = kernel.padded((vectors - middle) / self.distance)
        halves = np.einsum("ij,ij->i", values, values, dtype=np.float64) / 2
        largest = float(halves.max(initial=0.5))
        least = -0.5 - 4 * largest * margin(values.shape[1])
        return Prepared(values, halves.astype(np.float32), least)

    def values(self, one: Matrix, two: Matrix, left: Rows, right: Rows, threads: int) -> Values:
        return np.asarray(np.sqrt(kernel.squared_distances(one, two, left, right, threads)))

    def reached(self, values: Values) -> npt.NDArray[np.bool_]:
        return np.asarray(values <= self.distance)


def margin(width: int) -> float:
    """What single precision may lose of a product of unit vectors with so many coordinates."""
    return (width + 8) * 2.0**-23


def checked(vectors: Any, name: str = "vectors") -> Matrix:
    """A matrix of finite numbers, a row each, in single or double precision."""
    try:
        matrix = np.asarray(vectors)
        if matrix.dtype.kind in "bui" or matrix.dtype == np.float16:
            matrix = matrix.astype(np.float32 if matrix.dtype.itemsize <= 2 else np.float64)
    except ValueError:
        matrix = np.empty(0, object)
    if matrix.ndim != 2 or matrix.dtype not in (np.float32, np.float64):
        lengths = (
            {len(row) for row in vectors} if isinstance(vectors, list | tuple) and all(map(_sized, vectors)) else set()
        )
        if len(lengths) > 1:
            first = len(vectors[0])
            row = next(i for i, one in enumerate(vectors) if len(one) != first)
            raise InvalidOption(
                f"{name} must have one number of dimensions: row 0 has {first}, row {row} {len(vectors[row])}"
            )
        raise InvalidOption(
            f"{name} must be a table of numbers, a row each; got {matrix.ndim} dimensions of {matrix.dtype}"
        )
    if matrix.shape[1] < 1 or matrix.shape[1] > 1 << 16:
        raise InvalidOption(f"{name} must have 1 … 65,536 dimensions, got {matrix.shape[1]:,}")
    for start in range(0, len(matrix), 1 << 16):
        bad = np.flatnonzero(~np.isfinite(matrix[start : start + (1 << 16)]).all(axis=1))
        if len(bad):
            raise InvalidOption(f"{name} must be finite numbers; row {start + bad[0]:,} has NaN or infinity")
    return np.ascontiguousarray(matrix)


def _sized(row: object) -> bool:
    return hasattr(row, "__len__")
