"""Random lines, for Euclidean distance: the hash of a point is the bin that its projection onto a line falls into."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from lookalike.errors import InvalidOption
from lookalike.families.base import Family, Values
from lookalike.families.chance import Chance
from lookalike.flow.checks import check_whole, is_finite
from lookalike.vector_distances import finite_vector

Point = npt.NDArray[np.float64]


class _Lines(Family):
    """Base class of both families of lines. Lines are divided into bins of length `width`, with a random shift."""

    measure: ClassVar[str] = "euclidean"
    width: float

    def __post_init__(self) -> None:
        if not (is_finite(self.width) and self.width > 0):
            raise InvalidOption("not-positive", option="width", value=self.width)

    @property
    def farthest(self) -> float:
        return math.inf

    @property
    def by_distance(self) -> bool:
        return True

    def chance(self, similarity: float) -> Chance:
        raise InvalidOption("family-without-similarity")

    def similarity(self, distance: float) -> float:
        raise InvalidOption("family-without-similarity")

    def distance(self, similarity: float) -> float:
        return self.similarity(similarity)

    @abstractmethod
    def _directions(self, rng: np.random.Generator, count: int, dimensions: int) -> Point: ...

    def draw(self, count: int, seed: int) -> Callable[[Any], Values]:
        def values(point: Any) -> Values:
            array = finite_vector(point)
            rng = np.random.default_rng(seed)
            shifts = rng.random(count)
            return np.floor(self._directions(rng, count, len(array)) @ array / self.width + shifts)

        return values

    def example(self, at: float, seed: int) -> tuple[Point, Point, float]:
        rng = np.random.default_rng(seed)
        first, step = rng.standard_normal((2, self._example_dimensions()))
        return first, first + step * (at / np.linalg.norm(step)), at

    def _example_dimensions(self) -> int:
        return 5


@dataclass(frozen=True)
class GaussianLines(_Lines):
    """Hashes a point to the bin of its projection on a vector of Gaussian numbers. The curve is exact.

    Let a be the width of a bin. The projections of two points at distance c·a are c·a·|N| apart, where N is Gaussian.
    They share a bin with probability E max(0, 1 − c·|N|) = erf(x/√2) − √(2/π)·(1 − e^(−x²/2))/x, where x = 1/c.

    >>> GaussianLines(1.0).sensitivity(0.5, 2.0)
    Sensitivity(d1=0.5, d2=2.0, p1=0.6095..., p2=0.1954...)
    """

    width: float

    def chance_at(self, distance: float) -> Chance:
        if not distance:
            return Chance(1.0, 0.0)
        x = self.width / distance
        if math.isinf(x):
            return Chance(1.0, 0.0)
        across = -math.sqrt(2 / math.pi) / x * math.expm1(-x * x / 2)
        return Chance(math.erf(x / math.sqrt(2)) - across, math.erfc(x / math.sqrt(2)) + across)

    def _directions(self, rng: np.random.Generator, count: int, dimensions: int) -> Point:
        return rng.standard_normal((count, dimensions))


@dataclass(frozen=True)
class UnitLines(_Lines):
    """Hashes a point to the bin of its projection on a random unit vector. The curve depends on `dimensions`.

    In the plane, with bins of width a, the family is (a/2, 2a, 1/2, 1/3)-sensitive. With more dimensions, projections
    are shorter and two points are more likely to share a bin: in five or more dimensions, points at distance 2a share a
    bin with a probability above 1/3.

    >>> [round(UnitLines(1.0, dimensions=n).at_distance(2), 3) for n in (2, 3, 4, 5)]
    [0.163, 0.25, 0.312, 0.359]
    """

    width: float
    dimensions: int = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole("dimensions", self.dimensions, 1)

    def chance_at(self, distance: float) -> Chance:
        c = distance / self.width
        if self.dimensions == 1:
            return Chance(max(0.0, 1 - c), min(1.0, c))
        # E max(0, 1 − c·|cos φ|), where φ, with density sinⁿ⁻² φ, is the angle between the line and x − y
        first = math.acos(1 / c) if c > 1 else 0.0
        every, here = _sines(self.dimensions - 2, 0.0), _sines(self.dimensions - 2, first)
        across = c * (1 - math.sin(first) ** (self.dimensions - 1)) / (self.dimensions - 1)
        hit = (here - across) / every
        return Chance(hit, across / every if c <= 1 else 1 - hit)

    def _directions(self, rng: np.random.Generator, count: int, dimensions: int) -> Point:
        if dimensions != self.dimensions:
            raise InvalidOption("vector-of-another-length", expected=self.dimensions, length=dimensions)
        normals = rng.standard_normal((count, dimensions))
        return np.asarray(normals / np.linalg.norm(normals, axis=1, keepdims=True))

    def _example_dimensions(self) -> int:
        return self.dimensions


def _sines(power: int, start: float) -> float:
    """Returns the integral of sin^power from `start` to 90°, by repeated integration by parts."""
    total = math.pi / 2 - start if power % 2 == 0 else math.cos(start)
    for n in range(2 + power % 2, power + 1, 2):
        total = (math.cos(start) * math.sin(start) ** (n - 1) + (n - 1) * total) / n
    return total
