"""Checks the contract of families: their hash functions collide with the declared probability."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lookalike.families.base import Family


def check_family(
    family: Family,
    *,
    at: Sequence[float] | None = None,
    draws: int = 100_000,
    sigmas: float = 4.5,
    seed: int = 0,
) -> None:
    """Raises AssertionError unless the functions of the family collide with the declared probability.

    `at` lists similarities or, if `family.by_distance` is true, distances (default: five values over the range). For
    each of them, `family.example` creates two items, which are hashed with `draws` functions. The share of functions
    that agree must lie within `sigmas` standard errors of the declared probability. With the default of 4.5 standard
    errors, a correct family fails about once in 150,000 comparisons. The probability must not decrease as similarity
    increases, and the same seed must draw the same functions.
    """
    chance = family.chance_at if family.by_distance else family.chance
    x, probability = family.curve(101)
    _expect(bool(np.all((probability >= 0) & (probability <= 1))), f"{family}: a probability lies outside 0 … 1")
    steps = np.diff(probability) * (-1 if family.by_distance else 1)
    _expect(bool(np.all(steps >= -1e-12)), f"{family}: the curve falls with similarity near {x[int(steps.argmin())]:g}")
    for place in at or [float(x[i]) for i in (5, 30, 50, 75, 95)]:
        one, other, really = family.example(place, seed)
        hit, miss = chance(really)
        _expect(abs(hit + miss - 1) < 1e-9, f"{family}: at {really:g} hit and miss add up to {hit + miss}")
        functions, few = family.sample(draws, seed), [family.sample(100, seed) for _ in range(2)]
        values, others = functions(one), functions(other)
        agree = family.agree(values, others)
        _expect(agree.shape == (draws,) and agree.dtype == np.bool_, f"{family}: one truth value a draw is expected")
        _expect(np.array_equal(few[0](one), few[1](one)), f"{family}: the same seed draws other functions")
        _expect(bool(family.agree(values, values).all()), f"{family}: an item does not collide with itself")
        share, error = float(agree.mean()), math.sqrt(max(hit * miss, 1 / draws) / draws)
        _expect(
            abs(share - hit) <= sigmas * error,
            f"{family}: at {really:g} the declared collision probability is {hit:.6f}, but {share:.6f} of {draws:,} "
            f"draws collide, {abs(share - hit) / error:.1f} standard errors away",
        )


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise AssertionError(otherwise)
