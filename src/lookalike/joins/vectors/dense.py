"""Cosine similarity and Euclidean distance of vectors.

Single precision is only used to propose pairs, with a margin for rounding. Reported values and decisions are computed
in double precision, in a fixed order (`kernel.vectors.measured`), so that all machines agree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from lookalike.errors import InvalidOption
from lookalike.families.base import Family
from lookalike.families.hyperplanes import Hyperplanes
from lookalike.families.projections import GaussianLines
from lookalike.flow.arrays import Mask, Rows
from lookalike.flow.distinct import distinct
from lookalike.flow.progress import Progress, silent
from lookalike.joins.vectors.brute import BLOCK, near_pairs
from lookalike.joins.vectors.input_checks import check_lengths
from lookalike.joins.vectors.measures import (
    Block,
    Cost,
    Matrix,
    Values,
    exactly,
    number,
    positive_distance,
)
from lookalike.joins.vectors.single_precision import (
    FARTHEST,
    from_middle,
    lengths_of,
    margin,
    padded,
    slack,
    squares_of,
    units,
)
from lookalike.kernel import default
from lookalike.kernel import vectors as kernel

WIDTHS = (1, 1.5, 2, 3, 4, 6, 8)
"""The bin widths to choose from, as multiples of the maximum distance of near points."""

MEASURED_AT_ONCE = 1 << 22
"""The maximum number of pairs that are measured at a time."""


@dataclass(frozen=True)
class Cosine:
    """The cosine of the angle between two vectors. Vectors are near if it is at least `threshold`."""

    name: ClassVar[str] = "cosine"
    is_distance: ClassVar[bool] = False
    on_bits: ClassVar[bool] = False
    threshold: float

    def __post_init__(self) -> None:
        given = number("threshold", self.threshold)
        object.__setattr__(self, "threshold", given)
        if not -1 < given <= 1:
            meant = given / 100 if 1 < given <= 100 else None
            raise InvalidOption("cosine-out-of-range", value=given, meant=meant)

    @property
    def bound(self) -> float:
        return self.threshold

    def check(self, vectors: Matrix, name: str) -> None:
        check_lengths(vectors, name, least=1e-140)

    def usable(self, vectors: Matrix) -> Mask | None:
        return None

    def values(self, one: Matrix, two: Matrix, left: Rows, right: Rows, threads: int) -> Values:
        found = default(threads).measured("product", one, two, left, right)
        lengths = np.sqrt(squares_of(one, left, threads) * squares_of(two, right, threads))
        return np.asarray(np.clip(found / lengths, -1.0, 1.0))

    def reached(self, values: Values) -> Mask:
        return np.asarray(values >= self.threshold)

    def families(self, vectors: Matrix) -> list[Family]:
        return [Hyperplanes()]

    def distances(self, values: Values) -> Values:
        return np.degrees(np.arccos(values))

    def reach(self, vectors: Matrix) -> float:
        return Hyperplanes().distance(self.threshold)

    def cost(self, vectors: Matrix) -> Cost:
        d = vectors.shape[1]
        prepare = 6.0 * d + 0.75 * rotated(d)
        return Cost(_compare(d), prepare=prepare, function=1.2, fetch=0.15 * d, meet=0.05 * d, block=BLOCK)

    def blocks(self, vectors: Matrix) -> kernel.BlockPlan | None:
        return None

    def every_pair(self, vectors: Matrix, threads: int, most: int, progress: Progress = silent) -> kernel.Near:
        def block(rows: slice) -> Block:
            values = units(vectors[rows]).astype(np.float32)
            return Block(values, np.zeros(len(values), np.float32))

        bound = self.threshold - margin(vectors.shape[1])
        return near_pairs(len(vectors), block, bound, exactly(self, vectors, threads), most, threads, progress)

    def table(self, vectors: Matrix) -> kernel.Table:
        return kernel.Table(padded(vectors, units))

    def keys(
        self, vectors: Matrix, table: kernel.Table, family: Family, bands: int, rows: int, seed: int, threads: int
    ) -> kernel.Keys:
        return default(threads).keys_of_vectors(table.values, bands=bands, rows=rows, seed=seed)

    def pairs(
        self, vectors: Matrix, table: kernel.Table, keys: kernel.Keys, threads: int, most: int, **sketches: Any
    ) -> kernel.Near:
        bound = self.threshold - margin(table.values.shape[1])
        is_near = exactly(self, vectors)
        return default(threads).pairs_of_vectors(table, keys, "products", bound, most=most, is_near=is_near, **sketches)


@dataclass(frozen=True)
class Euclidean:
    """The Euclidean distance between two points. Points are near if it is at most `distance`.

    Coordinates are taken relative to the median point, because single precision cannot separate points that are near
    each other but far from the origin.
    """

    name: ClassVar[str] = "euclidean"
    is_distance: ClassVar[bool] = True
    on_bits: ClassVar[bool] = False
    distance: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "distance", positive_distance(self.distance))

    @property
    def bound(self) -> float:
        return self.distance

    def check(self, vectors: Matrix, name: str) -> None:
        check_lengths(vectors, name)

    def usable(self, vectors: Matrix) -> Mask | None:
        return None

    def values(self, one: Matrix, two: Matrix, left: Rows, right: Rows, threads: int) -> Values:
        return np.asarray(np.sqrt(default(threads).measured("squared difference", one, two, left, right)))

    def reached(self, values: Values) -> Mask:
        return np.asarray(values <= self.distance)

    def families(self, vectors: Matrix) -> list[Family]:
        return [GaussianLines(width * self.distance) for width in WIDTHS]

    def distances(self, values: Values) -> Values:
        return values

    def reach(self, vectors: Matrix) -> float:
        """Returns the maximum distance of near points in single precision, except for very distant points."""
        moved = slack(lengths_of(vectors, self._scaled(vectors)))
        return float(self.distance * (1 + 2 * min(moved.max(initial=0.0), _most_moved(moved))))

    def cost(self, vectors: Matrix) -> Cost:
        d = vectors.shape[1]
        prepare = 18.0 * d + 0.75 * rotated(d)
        return Cost(_compare(d), prepare=prepare, function=3.9, fetch=0.15 * d, meet=0.06 * d, block=BLOCK)

    def _scaled(self, vectors: Matrix) -> Callable[[Matrix], Values]:
        return from_middle(vectors, self.distance)

    def blocks(self, vectors: Matrix) -> kernel.BlockPlan | None:
        return None

    def every_pair(self, vectors: Matrix, threads: int, most: int, progress: Progress = silent) -> kernel.Near:
        """Finds all pairs that may be near: x·y ≥ −d²/2 + |x|²/2 + |y|²/2, that is |x − y|² ≤ d².

        The margin for rounding grows with |x|² and |y|². Raises OverflowError if there are more than `most` near pairs.
        """
        scaled = self._scaled(vectors)
        far = np.quantile(lengths_of(vectors, scaled), 0.9, method="lower") if len(vectors) else 0.0
        single = far * far * 4 * margin(vectors.shape[1]) < 0.1  # else rounding errors are too large to separate pairs
        kind: Any
        kind, lost = (
            (np.float32, 4 * margin(vectors.shape[1]))
            if single
            else (np.float64, 4 * margin(vectors.shape[1]) * 2.0**-29)
        )

        def block(rows: slice) -> Block:
            values = np.clip(scaled(vectors[rows]), -FARTHEST, FARTHEST).astype(kind)
            halves = np.einsum("ij,ij->i", values, values, dtype=np.float64) / 2
            return Block(values, (halves * (1 - lost)).astype(kind))

        return near_pairs(
            len(vectors), block, -0.5 * (1 + lost), exactly(self, vectors, threads), most, threads, progress
        )

    def table(self, vectors: Matrix) -> kernel.Table:
        scaled = self._scaled(vectors)
        return kernel.Table(padded(vectors, scaled), slack(lengths_of(vectors, scaled)).astype(np.float32))

    def keys(
        self, vectors: Matrix, table: kernel.Table, family: Family, bands: int, rows: int, seed: int, threads: int
    ) -> kernel.Keys:
        assert isinstance(family, GaussianLines)
        width = family.width / self.distance
        return default(threads).keys_of_vectors(table.values, bands=bands, rows=rows, seed=seed, width=width)

    def pairs(
        self, vectors: Matrix, table: kernel.Table, keys: kernel.Keys, threads: int, most: int, **sketches: Any
    ) -> kernel.Near:
        bound = 1 + margin(table.values.shape[1])
        is_near = exactly(self, vectors)
        near = default(threads).pairs_of_vectors(table, keys, "differences", bound, most=most, is_near=is_near)
        assert table.own is not None
        return self._with_far(near, vectors, table.own, threads)

    def _with_far(self, near: kernel.Near, vectors: Matrix, moved: Any, threads: int) -> kernel.Near:
        """Adds the near pairs of points that are so distant that hashing, which uses single precision, may miss them.

        Two near points have similar distances from the median point, so few pairs have to be compared.
        """
        bar = _most_moved(moved) * (1 - 1e-6)
        some = np.flatnonzero(moved > 0.9 * bar)
        if not (moved[some] > bar).any():
            return near
        lengths = lengths_of(vectors[some], self._scaled(vectors))
        order = np.argsort(lengths, kind="stable")
        lengths, order, n = lengths[order], some[order], len(vectors)
        far = np.arange(np.searchsorted(slack(lengths), bar, "right"), len(some))
        since = np.searchsorted(lengths, lengths[far] * (1 - 1e-9) - 1)  # the least length of a near point
        keys, checked = [near.left * n + near.right], near.checked
        for few in np.array_split(np.arange(len(far)), 1 + int((far - since).sum()) // MEASURED_AT_ONCE):
            count = far[few] - since[few]
            one = np.repeat(order[far[few]], count)
            other = order[np.arange(count.sum()) + np.repeat(since[few] - np.cumsum(count) + count, count)]
            left, right = np.minimum(one, other), np.maximum(one, other)
            true = self.reached(self.values(vectors, vectors, left, right, threads))
            keys.append(left[true] * n + right[true])
            checked += len(true)
        both = distinct(np.concatenate(keys))
        return kernel.Near(both // n, both % n, checked)


def _most_moved(moved: npt.NDArray[np.floating]) -> float:
    """Returns the limit on the rounding error of hashed points, in units of the maximum distance.

    It is twice the 99.9% quantile, but at least 0.001. The few points above this limit are compared separately.
    """
    return float(2 * max(np.quantile(moved, 0.999, method="lower"), 0.0005)) if len(moved) else 0.0


def _compare(d: int) -> float:
    """Returns the cost in nanoseconds of one entry of a matrix product, including its comparison with the bound."""
    return 0.7 + 0.0165 * d


def rotated(d: int) -> int:
    """Returns the number of coordinates (hash functions) of a rotation. Must equal `rotated_width` in the kernel."""
    return max(512, 1 << (d - 1).bit_length())
