"""Bit sampling, for Hamming distance: the hash of a sequence is its value at a random position."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from lookalike.errors import InvalidOption
from lookalike.families.base import Family, Values
from lookalike.families.chance import Chance
from lookalike.flow.checks import check_whole


@dataclass(frozen=True)
class BitSampling(Family):
    """Hashes a sequence to its value at a random position.

    Sequences that differ in d of n positions collide with probability 1 − d/n. The distance is the number of positions
    that differ; the similarity is the share of positions that agree.

    >>> BitSampling(64).sensitivity(8, 24)
    Sensitivity(d1=8, d2=24, p1=0.875, p2=0.625)
    """

    measure: ClassVar[str] = "hamming"
    dimensions: int

    def __post_init__(self) -> None:
        check_whole("dimensions", self.dimensions, 1)

    @property
    def farthest(self) -> float:
        return float(self.dimensions)

    def chance(self, similarity: float) -> Chance:
        return Chance(similarity, 1 - similarity)

    def chance_at(self, distance: float) -> Chance:
        return Chance((self.dimensions - distance) / self.dimensions, distance / self.dimensions)

    def distance(self, similarity: float) -> float:
        return self.dimensions * (1 - similarity)

    def similarity(self, distance: float) -> float:
        return (self.dimensions - distance) / self.dimensions

    def draw(self, count: int, seed: int) -> Callable[[Any], Values]:
        places = np.random.default_rng(seed).integers(0, self.dimensions, count)

        def values(sequence: Any) -> Values:
            array = np.array(list(sequence)) if isinstance(sequence, str | bytes) else np.asarray(sequence)
            if array.shape != (self.dimensions,):
                raise InvalidOption("sequence-of-another-length", expected=self.dimensions, shape=array.shape)
            return np.asarray(array[places])

        return values

    def example(self, at: float, seed: int) -> tuple[Values, Values, float]:
        rng = np.random.default_rng(seed)
        first = rng.integers(0, 2, self.dimensions)
        second = first.copy()
        changed = round(self.dimensions * (1 - at))
        second[rng.choice(self.dimensions, changed, replace=False)] ^= 1
        return first, second, self.similarity(changed)
