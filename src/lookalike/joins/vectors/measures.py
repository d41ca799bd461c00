"""The protocol of measures of vectors, and checks of their bounds."""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from lookalike.errors import InvalidOption
from lookalike.families import Family
from lookalike.flow.arrays import Mask, Rows
from lookalike.flow.progress import Progress, silent
from lookalike.kernel import vectors as kernel

Matrix = npt.NDArray[Any]
Values = npt.NDArray[np.float64]


class Cost(NamedTuple):
    """Nanoseconds on one core of a machine with AVX-512, November 2026. Ratios count, and they last."""

    compare: float
    """Two vectors, where every pair is compared."""
    prepare: float
    """A vector that is to be hashed, whatever the bands."""
    function: float
    """A hash of a vector."""
    fetch: float
    """A vector that is fetched for a band."""
    meet: float
    """Two vectors that share a bucket."""
    block: int = 0
    """Rows of a block, where every pair is compared by blocks: those on the diagonal have each pair twice."""

    def every_pair(self, n: int) -> float:
        """Comparing all of n vectors with one another."""
        return self.compare * (n * (n - 1) + n * min(n, self.block)) / 2


class Block(NamedTuple):
    """Some rows for a product of blocks: x·y ≥ bound + own(x) + own(y) holds of every near pair, and of few others."""

    values: npt.NDArray[np.floating]
    own: npt.NDArray[np.floating]


class Measure(Protocol):
    """A measure of vectors, as joins use it."""

    name: ClassVar[str]
    is_distance: ClassVar[bool]
    on_bits: ClassVar[bool]
    """Whether vectors are packed bits."""

    @property
    def bound(self) -> float:
        """The least similarity, or the greatest distance, that counts."""
        ...

    def check(self, vectors: Matrix, name: str) -> None:
        """Refuse vectors that the measure does not apply to, by row number."""
        ...

    def usable(self, vectors: Matrix) -> Mask | None:
        """Rows that may be similar to others, as empty sets never are; None is all of them."""
        ...

    def values(self, one: Matrix, two: Matrix, left: Rows, right: Rows, threads: int) -> Values:
        """The exact values of pairs of rows: similarities, or distances."""
        ...

    def reached(self, values: Values) -> Mask: ...

    def families(self, vectors: Matrix) -> list[Family]:
        """Hash functions to choose from."""
        ...

    def distances(self, values: Values) -> Values:
        """Values as distances of these families."""
        ...

    def reach(self, vectors: Matrix) -> float:
        """The distance at which pairs at the bound are hashed."""
        ...

    def cost(self, vectors: Matrix) -> Cost: ...

    def every_pair(self, vectors: Matrix, threads: int, most: int, progress: Progress = silent) -> kernel.Near:
        """Pairs that may be near, among all. Raises OverflowError beyond `most` pairs."""
        ...

    def table(self, vectors: Matrix) -> kernel.Table: ...

    def keys(
        self, vectors: Matrix, table: kernel.Table, family: Family, bands: int, rows: int, seed: int, threads: int
    ) -> kernel.Keys: ...

    def pairs(
        self, vectors: Matrix, table: kernel.Table, keys: kernel.Keys, threads: int, most: int, **sketches: Any
    ) -> kernel.Near:
        """Pairs that share a key and may be near."""
        ...


def exactly(measure: Measure, vectors: Matrix, threads: int = 1) -> kernel.IsNear:
    """Which pairs of rows reach the bound, of those that single precision, or a rougher rule, lets through."""

    def is_near(left: Rows, right: Rows) -> Mask:
        return measure.reached(measure.values(vectors, vectors, left, right, threads))

    return is_near


def number(name: str, value: Any) -> float:
    """A finite number, also if it is written as a string."""
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
