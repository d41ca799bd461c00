"""Random hyperplanes, for angles: the hash of a vector is its side of a random hyperplane through the origin."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from lookalike.errors import InvalidOption
from lookalike.families.base import Family, Values
from lookalike.families.chance import Chance
from lookalike.flow.checks import check_whole
from lookalike.vector_distances import finite_vector

Vector = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Hyperplanes(Family):
    """Hashes a vector to its side of a random hyperplane. Two vectors collide with probability 1 − angle/180°.

    The similarity is the cosine, from −1 to 1. The distance is the angle in degrees, from 0 to 180.

    >>> Hyperplanes().collision_probability(0.5), Hyperplanes().at_distance(90)
    (0.666666666..., 0.5)
    """

    measure: ClassVar[str] = "cosine"
    least: ClassVar[float] = -1.0

    @property
    def farthest(self) -> float:
        return 180.0

    def chance(self, similarity: float) -> Chance:
        return self.chance_at(self.distance(similarity))

    def chance_at(self, distance: float) -> Chance:
        return Chance((180 - distance) / 180, distance / 180)

    def distance(self, similarity: float) -> float:
        return math.degrees(math.acos(similarity))

    def similarity(self, distance: float) -> float:
        return math.cos(math.radians(distance))

    def draw(self, count: int, seed: int) -> Callable[[Any], Values]:
        return in_blocks(count, seed, 1, self._normals, lambda products: products > 0)

    def _normals(self, rng: np.random.Generator, count: int, dimensions: int) -> Vector:
        return rng.standard_normal((count, dimensions))

    def example(self, at: float, seed: int) -> tuple[Vector, Vector, float]:
        return (*at_angle(math.acos(at), self._example_dimensions(), seed), at)

    def _example_dimensions(self) -> int:
        return 5


@dataclass(frozen=True)
class Signs(Hyperplanes):
    """Hyperplanes whose normal vectors consist of +1 and −1, so that hashing needs only sums.

    A sum of many numbers with random signs is nearly Gaussian, so the curve of `Hyperplanes` is a good approximation if
    the vectors have many `dimensions` and no dimension outweighs the others. With few dimensions, the approximation is
    poor: in the plane, the only two lines are the diagonals, and directions 5° and 35° from an axis are on the same
    side of both.
    """

    approximate: ClassVar[bool] = True
    dimensions: int

    def __post_init__(self) -> None:
        check_whole("dimensions", self.dimensions, 1)

    def _normals(self, rng: np.random.Generator, count: int, dimensions: int) -> Vector:
        if dimensions != self.dimensions:
            raise InvalidOption("vector-of-another-length", expected=self.dimensions, length=dimensions)
        return rng.choice(np.array([-1.0, 1.0]), (count, dimensions))

    def _example_dimensions(self) -> int:
        return self.dimensions


def direction(vector: Any) -> Vector:
    """Converts a vector to an array. Raises an error if all coordinates are 0, because it then has no direction."""
    array = finite_vector(vector)
    if not array.any():
        raise InvalidOption("vector-of-zeros")
    return array


def in_blocks(
    count: int,
    seed: int,
    each: int,
    normals: Callable[[np.random.Generator, int, int], Vector],
    values: Callable[[Vector], Values],
) -> Callable[[Any], Values]:
    """Draws `count` hash functions, each computed from the dot products of an item with `each` random vectors.

    The random vectors depend only on the seed and the number of dimensions. They are generated again for every item,
    block by block, because storing a hundred thousand vectors of a thousand dimensions would take too much memory.
    """

    def functions(vector: Any) -> Values:
        array, rng = direction(vector), np.random.default_rng(seed)
        most = max(1, 1_000_000 // (each * len(array)))
        blocks = [min(most, count - start) for start in range(0, count, most)]
        return np.concatenate([values(normals(rng, n, len(array)) @ array) for n in blocks])

    return functions


def at_angle(radians: float, dimensions: int, seed: int) -> tuple[Vector, Vector]:
    """Creates two random unit vectors with this angle between them."""
    basis = np.linalg.qr(np.random.default_rng(seed).standard_normal((dimensions, 2)))[0]
    return basis[:, 0], math.cos(radians) * basis[:, 0] + math.sin(radians) * basis[:, 1]
