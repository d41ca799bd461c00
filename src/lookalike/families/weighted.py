"""Weighted MinHash: hash functions that collide with a probability equal to the weighted Jaccard similarity.

`darts` is the definition in plain Python. The functions drawn here use the kernel, which gives the same values.
ProbMinHash is faster, but ignores the total weight of a set and compares only shares of weight.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from lookalike.errors import InvalidOption
from lookalike.families.base import Family, Values
from lookalike.families.chance import Chance
from lookalike.families.minhash import number
from lookalike.kernel import default

SLOTS = 1024
"""The number of hash functions per seed."""


@dataclass(frozen=True)
class WeightedMinHash(Family):
    """Hashes a weighted set to the first random point (element, height) whose height is below the element's weight.

    Two sets collide with probability Σ min / Σ max: the sum, over all elements, of the lesser of an element's two
    weights, divided by the sum of the greater. A set is a dictionary that maps elements to weights, which are 0 or
    between 10⁻¹⁰⁰ and 10¹⁰⁰. If all weights are 1, this is MinHash.

    >>> draws = WeightedMinHash().sample(1000, seed=3)
    >>> float(draws.agree({"tea": 2.0, "milk": 0.5}, {"tea": 1.0, "milk": 0.5, "rum": 0.5}).mean())  # 1.5 / 3
    0.501
    """

    measure: ClassVar[str] = "weighted jaccard"

    def chance(self, similarity: float) -> Chance:
        return Chance(similarity, 1 - similarity)

    def chance_at(self, distance: float) -> Chance:
        return Chance(1 - distance, distance)

    def draw(self, count: int, seed: int) -> Callable[[Any], Values]:
        def values(weights: Mapping[Any, float]) -> Values:
            elements = np.array([number(element) for element in weights], np.uint64)
            heights = np.array([float(weight) for weight in weights.values()])
            if not (np.isfinite(heights).all() and (heights >= 0).all() and heights.any()):
                raise InvalidOption("invalid-weights")
            offsets = np.array([0, len(elements)])
            parts = [
                default().sign_weighted(offsets, elements, heights, hashes=SLOTS, seed=seed + i)[0]
                for i in range(-(-count // SLOTS))
            ]
            return np.concatenate(parts)[:count]

        return values

    def example(self, at: float, seed: int) -> tuple[dict[int, float], dict[int, float], float]:
        """Creates two sets whose similarity is about `at`, and returns them with their exact similarity.

        The first has weights from a wide range; the second has about the share `at` of each weight.
        """

        rng = np.random.default_rng(seed)
        elements = rng.integers(0, 2**63, 20).tolist()
        heights = np.exp(rng.normal(0, 2, 20))
        lower = heights * (at + min(at, 1 - at) * rng.uniform(-1, 1, 20))
        first, second = (dict(zip(elements, weights.tolist(), strict=True)) for weights in (heights, lower))
        return first, second, float(lower.sum() / heights.sum())
