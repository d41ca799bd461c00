"""Chooses the cheaper method for a vector join: compare every pair, or only the pairs that share a bucket.

The plan is a pure function of the request and the data. The number of pairs that share a bucket is predicted from the
similarities of random pairs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Literal, get_args

import numpy as np

from lookalike.errors import InvalidOption
from lookalike.families.base import Family
from lookalike.families.hyperplanes import Hyperplanes
from lookalike.families.projections import GaussianLines
from lookalike.flow.checks import check_one_of, check_share, check_whole
from lookalike.joins.vectors.dense import Cosine
from lookalike.joins.vectors.measures import Cost, Matrix, Measure, Values
from lookalike.kernel.vectors import BlockPlan
from lookalike.notices import Notice

Method = Literal["auto", "exact", "lsh"]
SearchMethod = Literal["auto", "exact", "lsh", "ivf"]
"""The methods of a search for the nearest vectors. `ivf` is an inverted file: see `inverted.py`."""

SAMPLE = 20_000
"""The number of random pairs that are drawn to estimate the similarities of unrelated vectors."""

SKETCH = 128
"""The number of bits in a hyperplane sketch. The sketches of two vectors are compared before the vectors."""

# Costs in nanoseconds, like those of `Cost`.
STARTUP = 5e6  # before the first vector is hashed
SORT = 40.0  # per key
FETCH_SKETCH = 15.0  # per sketch
COMPARE_SKETCHES = 1.2  # per pair of sketches
FETCH_PAIR = 50.0  # per pair of vectors whose sketches agree, at random positions in memory

EXACT_ADVANTAGE = 1.3
"""Blocks of bits, which miss no pair, are preferred to bands that take up to this many times less time."""

MOST_BANDS = 1024
MOST_KEYS = 1 << 30
"""The maximum number of keys in memory, in all bands together; a key takes four bytes."""


@dataclass(frozen=True)
class VectorPlan:
    """The method of a join or search, and its parameters. Without bands, every pair is compared."""

    measure: Measure
    recall: float
    base: Family | None = None
    rows: int = 0
    bands: int = 0
    differing: int = SKETCH
    """The maximum number of bits in which the sketches of a candidate pair may differ; SKETCH if no sketches are
    used."""
    seed: int = 0
    brute_cost: float = 0.0
    hashed_cost: float = math.inf
    expected: float = 0.0
    """The number of near pairs, estimated from random pairs."""
    at_least: float = 0.0
    """A lower bound on the number of near pairs that is almost certain, allowing for sampling error."""
    lists: int = 0
    """The number of lists of the inverted file; 0 if there is none."""
    compared: float = 1.0
    """The share of the rows that a query is compared with, estimated from a sample."""
    listed_cost: float = math.inf
    """The predicted time of building an inverted file and searching it."""
    blocks: BlockPlan | None = None
    """How all pairs can be found without comparing every pair: by blocks of bits. Not used if there are bands."""

    @property
    def exact(self) -> bool:
        return self.bands == self.lists == 0

    @property
    def family(self) -> Family | None:
        """The family whose curve is the probability that a pair becomes a candidate; None if all pairs are compared."""
        return None if self.base is None else self.base.and_(self.rows).or_(self.bands)

    @property
    def reason(self) -> Notice:
        """The reason for choosing this method, with the predicted times."""
        brute, hashed = (in_seconds(cost) for cost in (self.brute_cost, self.hashed_cost))
        if self.lists:
            listed = in_seconds(self.listed_cost)
            return Notice("vectors-in-lists", lists=self.lists, share=self.compared, listed=listed, brute=brute)
        if not self.exact:
            exactly = {"brute": brute} if self.blocks is None else {"blocks": brute}
            return Notice("vectors-hashed", bands=self.bands, rows=self.rows, hashed=hashed, **exactly)
        if self.blocks is not None:
            return Notice(
                "vectors-in-blocks",
                agreeing=self.blocks.agreeing,
                count=self.blocks.blocks,
                blocks=brute,
                hashed=None if math.isinf(self.hashed_cost) else hashed,
            )
        if self.recall >= 1:
            return Notice("vectors-all-compared-for-recall", brute=brute)
        return Notice("vectors-all-compared", brute=brute, hashed=None if math.isinf(self.hashed_cost) else hashed)

    def to_dict(self) -> dict[str, Any]:
        """Returns the chosen method and its parameters, in the form saved with a result."""
        if self.exact and self.blocks is not None:
            return {"method": "exact", "blocks": self.blocks.blocks, "agreeing": self.blocks.agreeing}
        if self.lists:
            return {"method": "ivf", "lists": self.lists, "seed": self.seed}
        if self.base is None:
            return {"method": "exact"}
        chosen: dict[str, Any] = {"method": "lsh", "bands": self.bands, "rows": self.rows}
        if isinstance(self.base, GaussianLines):
            chosen["width"] = self.base.width
        if self.differing < SKETCH:
            chosen["differing"] = self.differing
        return chosen | {"seed": self.seed}


def in_seconds(nanoseconds: float) -> str:
    seconds = nanoseconds / 1e9
    if seconds < 0.1:
        return f"{1000 * seconds:.0f} ms" if seconds >= 0.01 else f"{max(1000 * seconds, 0.1):.1f} ms"
    return f"{seconds:,.0f} s" if seconds >= 100 else f"{seconds:.2g} s"


def resolve(measure: Measure, vectors: Matrix, recall: float, seed: int, method: Method = "auto") -> VectorPlan:
    """Returns the cheapest plan that `method` allows and that finds a pair at the bound with this probability."""
    check_options(recall, seed, method)
    if method == "lsh" and recall >= 1:
        raise InvalidOption("lsh-at-full-recall")
    n = len(vectors)
    plan = VectorPlan(measure, recall, seed=seed)
    if n < 2:
        return plan
    pairs = n * (n - 1) / 2
    values = random_values(measure, vectors, vectors, seed)
    cost = measure.cost(vectors)
    hits = int(np.count_nonzero(measure.reached(values)))
    sure = max(0.0, hits - 4 * math.sqrt(hits) - 4)
    expected, at_least = (pairs * count / len(values) for count in (hits, sure))
    plan = replace(plan, brute_cost=cost.every_pair(n), expected=expected, at_least=at_least)
    if (blocks := measure.blocks(vectors)) is not None:
        plan = replace(plan, brute_cost=blocks.cost, blocks=blocks)
    if recall >= 1 or method == "exact":
        return plan
    far = quantiles(measure.distances(values))
    plans = list(_plans(plan, vectors, far, cost))
    best = min(plans, key=lambda one: one.hashed_cost, default=plan)
    if method == "lsh" and best.exact:
        raise InvalidOption("lsh-out-of-reach", recall=recall)
    limit = plan.brute_cost if plan.blocks is None else plan.brute_cost / EXACT_ADVANTAGE
    if best.hashed_cost < limit or method == "lsh":
        return best
    return replace(plan, hashed_cost=best.hashed_cost)


def _plans(plan: VectorPlan, vectors: Matrix, far: Values, cost: Cost) -> Iterator[VectorPlan]:
    """Yields plans whose rows and bands reach the recall, with their predicted costs.

    `far` contains quantiles of the distances of random pairs, which predict how many pairs share a bucket.
    """
    n = len(vectors)
    reach = plan.measure.reach(vectors)
    if not math.isfinite(reach):  # too distant for any hash function
        return
    for (differing, lost), family in product(_sketch_choices(plan), plan.measure.families(vectors)):
        near = family.chance_at(reach).hit
        chances = [family.chance_at(float(x)) for x in far]
        hit = np.array([chance.hit for chance in chances])
        passing = np.array([1 - _tail(SKETCH, chance.miss, differing) for chance in chances])
        for rows in range(1, 33):
            bands = enough_bands(near**rows, min(plan.recall + lost, 1 - 1e-12))
            if bands is None or bands > min(MOST_BANDS, MOST_KEYS // n):
                break
            pairs = n * (n - 1) / 2
            colliding = pairs * float(np.mean(hit**rows))
            each = n * (rows * cost.function + SORT)
            total = STARTUP + n * cost.prepare
            if differing < SKETCH:
                through = pairs * float(np.mean(hit**rows * passing))
                sketched = n * FETCH_SKETCH + colliding * COMPARE_SKETCHES + through * (FETCH_PAIR + cost.meet)
                total += n * SKETCH * cost.function + bands * (each + sketched)
            else:
                total += bands * (each + n * cost.fetch + colliding * cost.meet)
            yield replace(plan, base=family, rows=rows, bands=bands, differing=differing, hashed_cost=total)


def enough_bands(once: float, wanted: float) -> int | None:
    """Returns the minimum number of bands that find a pair with probability `wanted`.

    `once` is the probability that one band finds it. Returns None if `once` is below 1e-12.
    """
    if once >= wanted:
        return 1
    return None if once < 1e-12 else math.ceil(math.log1p(-wanted) / math.log1p(-once))


def _sketch_choices(plan: VectorPlan) -> list[tuple[int, float]]:
    """Returns the uses of sketches to try: none and, for cosine, the strictest that the recall allows.

    Each consists of the maximum number of differing bits, and the probability that a pair at the bound is lost. This
    probability is at most a twentieth of the share of pairs that may be missed.
    """
    choices = [(SKETCH, 0.0)]
    if isinstance(plan.measure, Cosine):
        apart = Hyperplanes().chance(plan.measure.bound).miss
        losses = ((differing, _tail(SKETCH, apart, differing)) for differing in range(SKETCH // 2))
        choices += [choice for choice in losses if choice[1] <= (1 - plan.recall) / 20][:1]
    return choices


def _tail(n: int, p: float, most: int) -> float:
    """Returns the probability of more than `most` successes in n trials with success probability p."""
    return math.fsum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(most + 1, n + 1))


def random_values(measure: Measure, one: Matrix, two: Matrix, seed: int) -> Values:
    """Returns the similarities or distances of random pairs; within one table, of pairs of different rows."""
    rng = np.random.default_rng(seed)
    left = rng.integers(0, len(one), SAMPLE)
    right = (left + rng.integers(1, len(one), SAMPLE)) % len(one) if one is two else rng.integers(0, len(two), SAMPLE)
    return measure.values(one, two, left, right, 1)


def quantiles(values: Values) -> Values:
    """Returns 200 evenly spaced quantiles, which represent the distribution of the values."""
    return np.asarray(np.quantile(values, (np.arange(200) + 0.5) / 200))


def check_options(recall: Any, seed: Any, method: Any, methods: Any = Method) -> None:
    """Raises an error if an option of a vector join or search is invalid."""
    check_share("recall", recall)
    check_whole("seed", seed, 0, 2**64 - 1)
    check_one_of("method", method, get_args(methods))


__all__ = ["Method", "SearchMethod", "VectorPlan", "resolve"]
