"""The protocol of vector measures, and checks of their bounds."""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from lookalike.errors import InvalidOption
from lookalike.families.base import Family
from lookalike.flow.arrays import Mask, Rows
from lookalike.flow.progress import Progress, silent
from lookalike.kernel import vectors as kernel

Matrix = npt.NDArray[Any]
Values = npt.NDArray[np.float64]


class Cost(NamedTuple):
    """Costs in nanoseconds on one core of a machine with AVX-512, measured in November 2026. Only the ratios matter."""

    compare: float
    """The cost per pair, if every pair is compared."""
    prepare: float
    """The cost per hashed vector, independent of the number of bands."""
    function: float
    """The cost per hash function and vector."""
    fetch: float
    """The cost, in each band, of fetching a vector from memory."""
    meet: float
    """The cost of comparing a pair that shares a bucket."""
    block: int = 0
    """The number of rows per block, if all pairs are compared block by block. Blocks on the diagonal compare each pair
    twice."""

    def every_pair(self, n: int) -> float:
        """Returns the cost of comparing all pairs of n vectors."""
        return self.compare * (n * (n - 1) + n * min(n, self.block)) / 2


class Block(NamedTuple):
    """Rows prepared for a matrix product of two blocks.

    Every near pair satisfies x·y ≥ bound + own(x) + own(y), and few other pairs do.
    """

    values: npt.NDArray[np.floating]
    own: npt.NDArray[np.floating]


class Measure(Protocol):
    """A measure of vectors with its bound. Pairs that reach the bound are called near."""

    name: ClassVar[str]
    is_distance: ClassVar[bool]
    on_bits: ClassVar[bool]
    """True if vectors are packed bits."""

    @property
    def bound(self) -> float:
        """The minimum similarity or the maximum distance of a near pair."""
        ...

    def check(self, vectors: Matrix, name: str) -> None:
        """Raises an error that names the first row to which the measure does not apply."""
        ...

    def usable(self, vectors: Matrix) -> Mask | None:
        """Returns a mask of the rows that can be in a pair (empty sets cannot); None if all rows can."""
        ...

    def values(self, one: Matrix, two: Matrix, left: Rows, right: Rows, threads: int) -> Values:
        """Computes the exact similarities or distances of pairs of rows."""
        ...

    def reached(self, values: Values) -> Mask: ...

    def families(self, vectors: Matrix) -> list[Family]:
        """Returns the families of hash functions to choose from."""
        ...

    def distances(self, values: Values) -> Values:
        """Converts values of this measure to the distance that its hash families use."""
        ...

    def reach(self, vectors: Matrix) -> float:
        """Returns the maximum distance of a near pair, as the distance that the hash families use."""
        ...

    def cost(self, vectors: Matrix) -> Cost: ...

    def blocks(self, vectors: Matrix) -> kernel.BlockPlan | None:
        """Returns how `every_pair` finds all pairs without comparing them all; None if it compares all of them."""
        ...

    def every_pair(self, vectors: Matrix, threads: int, most: int, progress: Progress = silent) -> kernel.Near:
        """Returns all pairs that may be near. Raises OverflowError if more than `most` are near."""
        ...

    def table(self, vectors: Matrix) -> kernel.Table: ...

    def keys(
        self, vectors: Matrix, table: kernel.Table, family: Family, bands: int, rows: int, seed: int, threads: int
    ) -> kernel.Keys: ...

    def pairs(
        self, vectors: Matrix, table: kernel.Table, keys: kernel.Keys, threads: int, most: int, **sketches: Any
    ) -> kernel.Near:
        """Finds the pairs that share a key and may be near."""
        ...


def exactly(measure: Measure, vectors: Matrix, threads: int = 1) -> kernel.IsNear:
    """Returns a function that decides exactly which candidate pairs reach the bound."""

    def is_near(left: Rows, right: Rows) -> Mask:
        return measure.reached(measure.values(vectors, vectors, left, right, threads))

    return is_near


def number(name: str, value: Any) -> float:
    """Converts a value to a finite float. Numeric strings are accepted. Raises an error for anything else."""
    try:
        given = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        given = math.nan
    if not math.isfinite(given):
        raise InvalidOption("not-a-number", option=name, value=value)
    return given


def positive_distance(value: Any) -> float:
    given = number("distance", value)
    if given <= 0:
        raise InvalidOption("not-positive", option="distance", value=given)
    return given


def share_threshold(value: Any) -> float:
    given = number("threshold", value)
    if not 0 < given <= 1:
        meant = f"{given / 100:g}" if 1 < given <= 100 else None
        raise InvalidOption("not-a-share", option="threshold", value=given, meant=meant)
    return given
