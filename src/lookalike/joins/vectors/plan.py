"""How a join of vectors is done: every pair, or only those that share a bucket, whichever is predicted to cost less.

A pure function of the question and of the data: similarities of pairs drawn at random say how full buckets will be.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from lookalike.errors import InvalidOption
from lookalike.families import Family, GaussianLines, Hyperplanes
from lookalike.joins.vectors.measures import Cosine, Euclidean, Matrix, Measure, Values

SAMPLE = 20_000
"""Pairs drawn to see how similar vectors are that have nothing to do with one another."""

SKETCH = 128
"""Bits of hyperplanes by which pairs are looked at before their vectors are."""

# Nanoseconds on one core of a machine with AVX-512, November 2026. Ratios count, and they last.
PRODUCT = 0.02  # a coordinate of a product of blocks
PICK = 0.6  # finding the near ones among such products
FUNCTION = 1.0  # a coordinate of a rotation
SORT = 40.0  # a key
GATHER = 0.15  # a coordinate of a vector that is fetched
COMPARE = 0.05  # a coordinate of a product of two such vectors
FETCH = 15.0  # a sketch
SKIM = 1.2  # two sketches

MOST_BANDS = 1024
WIDTHS = (1, 1.5, 2, 3, 4, 6, 8)
"""Bins of lines that are considered, in distances that count."""


@dataclass(frozen=True)
class VectorPlan:
    """Nothing left open: `family` is None where every pair is compared."""

    measure: Measure
    recall: float
    rows: int = 0
    bands: int = 0
    width: float = 0.0
    differing: int = SKETCH
    """Sketches may differ in so many bits; in all of them if they are not looked at."""
    seed: int = 0
    brute_cost: float = 0.0
    hashed_cost: float = math.inf

    @property
    def exact(self) -> bool:
        return self.bands == 0

    @property
    def family(self) -> Family | None:
        """The curve of the pairs that become candidates."""
        return None if self.exact else _base(self.measure, self.width).and_(self.rows).or_(self.bands)

    @property
    def reason(self) -> str:
        """Why it is done so, in words."""
        brute, hashed = (f"{cost / 1e9:,.3g} s" for cost in (self.brute_cost, self.hashed_cost))
        if self.recall >= 1:
            return f"every pair is compared (about {brute} on one core): a recall of 1 leaves nothing to chance"
        if self.exact:
            than = "and no hashing would be quicker" if math.isinf(self.hashed_cost) else f"hashing would take {hashed}"
            return f"every pair is compared: about {brute} on one core, {than}"
        return f"{self.bands} bands of {self.rows} rows: about {hashed} on one core; every pair would take {brute}"


def resolve(measure: Measure, vectors: Matrix, recall: float, seed: int) -> VectorPlan:
    """The cheapest way that finds a pair at the bound with probability `recall`."""
    if isinstance(recall, bool) or not isinstance(recall, int | float) or not 0 < recall <= 1:
        raise InvalidOption(f"recall must lie in (0, 1], got {recall!r}")
    n, d = vectors.shape
    brute = n * (n - 1) / 2 * (d * PRODUCT + PICK)
    plan = VectorPlan(measure, recall, seed=seed, brute_cost=brute)
    if recall >= 1 or n < 2:
        return plan
    ways = list(_ways(plan, _drawn(measure, vectors, seed), n, d))
    best = min(ways, key=lambda way: way.hashed_cost, default=plan)
    cheapest = best if best.hashed_cost < brute else plan
    return replace(cheapest, hashed_cost=best.hashed_cost)


def _ways(plan: VectorPlan, drawn: Values, n: int, d: int) -> Iterator[VectorPlan]:
    """Rows and bands that reach the recall, and what they are predicted to take.

    Pairs that meet by chance are as many as among those drawn.
    """
    widths = [c * plan.measure.bound for c in WIDTHS] if isinstance(plan.measure, Euclidean) else [0.0]
    differing, lost = _sketching(plan)
    wanted = min(plan.recall + lost, 1 - 1e-12)
    for width in widths:
        family = _base(plan.measure, width)
        near = family.chance_at(_distance(plan.measure)).hit
        chance = np.array([family.chance_at(float(x)).hit for x in drawn])
        for rows in range(1, 33):
            once = near**rows
            bands = 1 if once >= wanted else math.ceil(math.log1p(-wanted) / math.log1p(-once))
            if bands > MOST_BANDS:
                break
            meeting = n * (n - 1) / 2 * float(np.mean(chance**rows))
            each = n * (rows * FUNCTION + SORT)
            if differing < SKETCH:
                cost = n * SKETCH * FUNCTION + bands * (each + n * FETCH + meeting * SKIM)
            else:
                cost = bands * (each + n * d * GATHER + meeting * d * COMPARE)
            yield replace(plan, rows=rows, bands=bands, width=width, differing=differing, hashed_cost=cost)


def _sketching(plan: VectorPlan) -> tuple[int, float]:
    """How many bits of the sketches of a pair at the bound may differ, and how likely it is that more do."""
    if not isinstance(plan.measure, Cosine):
        return SKETCH, 0.0
    apart = Hyperplanes().chance_at(_distance(plan.measure)).miss
    for differing in range(SKETCH):
        lost = _tail(SKETCH, apart, differing)
        if lost <= (1 - plan.recall) / 20:
            return (
                (differing, lost) if differing < SKETCH // 2 - 12 else (SKETCH, 0.0)
            )  # half of all bits differ by chance
    return SKETCH, 0.0


def _tail(n: int, p: float, most: int) -> float:
    """The probability of more than `most` successes in n trials."""
    return math.fsum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(most + 1, n + 1))


def _base(measure: Measure, width: float) -> Family:
    return GaussianLines(width) if isinstance(measure, Euclidean) else Hyperplanes()


def _distance(measure: Measure) -> float:
    """The bound as a distance of the family."""
    return measure.bound if measure.is_distance else Hyperplanes().distance(measure.bound)


def _drawn(measure: Measure, vectors: Matrix, seed: int) -> Values:
    """Distances of pairs drawn at random, two hundred quantiles of them."""
    rng = np.random.default_rng(seed)
    n = len(vectors)
    left = rng.integers(0, n, SAMPLE)
    right = (left + rng.integers(1, n, SAMPLE)) % n
    found: npt.NDArray[Any] = measure.values(vectors, vectors, left, right, 1)
    if not measure.is_distance:
        found = np.degrees(np.arccos(found))
    return np.asarray(np.quantile(found, (np.arange(200) + 0.5) / 200))


__all__ = ["VectorPlan", "resolve"]
