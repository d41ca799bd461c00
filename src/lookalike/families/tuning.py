"""Finds the cheapest construction of ANDs and ORs that reaches a recall at a threshold, and the next cheapest ones.

The search covers OR of AND (bands of rows, an S-curve), AND of OR of AND, and OR of AND of OR of AND. More bands find
more pairs but cost more, so for every choice of the other numbers, only the least number of bands that reaches the
recall is tried.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.errors import InvalidOption
from lookalike.families.amplify import Amplified, And, Banded, Or
from lookalike.families.base import Family
from lookalike.families.chance import Chance
from lookalike.families.minhash import MinHash
from lookalike.flow.arrays import Mask
from lookalike.flow.checks import check_whole, is_finite

Numbers = npt.NDArray[np.float64]
NODES = 40
"""The number of points for numerical integration on each side of the threshold."""
STEPS = 400
"""If the user gives more similarities than this, they are grouped into about this many bins."""
MOST_HASHES = 1 << 16
"""The time grows with the number of hashes."""
MOST_KEYS = 10**300
"""Some constructions have more keys than fit into a float; they are too expensive, whatever the price of a key."""
SHOWN = 10
"""The number of alternatives in a `Tuning`."""


@dataclass(frozen=True)
class Cost:
    """Prices, in any unit: `hash` for one hash, `key` for one key, and `check` for comparing an item with all others.

    `check` is multiplied by the share of all pairs that are false candidates. For example, with ten million items,
    `check` is 1e7 if a comparison costs as much as a hash of price 1.
    """

    hash: float = 1.0
    key: float = 4.0
    check: float = 10_000.0

    def __post_init__(self) -> None:
        for name in ("hash", "key", "check"):
            value = getattr(self, name)
            if not (is_finite(value) and value >= 0):
                raise InvalidOption("negative-number", option=name, value=value)

    def of(self, hashes: int, keys: int, false_positives: float) -> float:
        return self.hash * hashes + self.key * min(keys, MOST_KEYS) + self.check * false_positives


@dataclass(frozen=True)
class Choice:
    """A construction with its expected recall, errors and cost."""

    family: Family
    recall: float
    """The probability that a pair at the threshold is found."""
    false_positives: float
    """The number of false candidates, as a share of all pairs."""
    false_negatives: float
    """The number of missed pairs that reach the threshold, as a share of all pairs."""
    hashes: int
    keys: int
    """The number of buckets per item. An AND of ORs needs a bucket for every combination of their keys."""
    cost: float


@dataclass(frozen=True)
class Tuning:
    """The best construction, and alternatives in order of cost. `str()` returns a table."""

    best: Choice
    alternatives: tuple[Choice, ...]

    def __repr__(self) -> str:
        best = self.best
        return f"Tuning({describe(best.family)}: {best.hashes:,} hashes, recall {best.recall:.4f})"

    def _repr_html_(self) -> str:
        from lookalike.display.card import Card
        from lookalike.display.cells import FirstRows

        choices = (self.best, *self.alternatives)
        columns: dict[str, Any] = {"construction": [describe(choice.family) for choice in choices]}
        for name in ("hashes", "keys", "recall", "false_positives", "false_negatives", "cost"):
            columns[name] = [getattr(choice, name) for choice in choices]
        title, words = repr(self).removesuffix(")").split("(", 1)
        return Card(title, words, tables=[FirstRows.of(pa.table(columns))]).html()

    def __str__(self) -> str:
        head = f"{'':<34} {'hashes':>6} {'keys':>6} {'recall':>7} {'false':>9} {'missed':>9} {'cost':>10}"
        lines = [
            f"{describe(each.family):<34} {each.hashes:>6,} {each.keys:>6,} {each.recall:>7.4f} "
            f"{each.false_positives:>9.2e} {each.false_negatives:>9.2e} {each.cost:>10,.0f}"
            for each in (self.best, *self.alternatives)
        ]
        return "\n".join([head, *lines])


def tune(
    threshold: float | None = None,
    recall: float = 0.99,
    *,
    distance: float | None = None,
    hashes: int = 128,
    family: Family | None = None,
    cost: Cost | None = None,
    similarities: Any = None,
) -> Tuning:
    """Finds the cheapest construction with at most `hashes` hashes and at least this recall at the threshold.

    Recall is the probability that a pair exactly at the threshold is found.

    `similarities` are the similarities of a random sample of your pairs, or a tuple of two arrays: similarities and
    their counts. The shares of false positives and false negatives then refer to these pairs. By default, all
    similarities are assumed to be equally likely: false positives are the area under the curve to the left of the
    threshold, and false negatives are the area above the curve to its right. For a family that has only a distance,
    pass `distance` instead of `threshold`.

    >>> tuning = tune(threshold=0.8, recall=0.99, hashes=128)
    >>> tuning.best.family, round(tuning.best.recall, 4)
    (Or(family=And(family=Banded(bands=3, rows=4), rows=2), bands=5), 0.9931)
    """
    if not isinstance(family, Family | None):
        raise InvalidOption("not-a-family", value=family)
    if not isinstance(cost, Cost | None):
        raise InvalidOption("not-a-cost", value=cost)
    base = family or MinHash()
    where = _place(base, threshold, distance)
    if not (is_finite(recall) and 0 < recall < 1):
        raise InvalidOption("recall-not-below-one", value=recall)
    check_whole("hashes", hashes, 1, MOST_HASHES)
    price = cost or Cost()
    at = base.chance_at(where) if base.by_distance else base.chance(where)
    pairs = _pairs(base, where, similarities)
    found: list[Choice] = []
    for construction in _constructions(base, at, recall, hashes):
        keys = _keys(construction)
        # skip a construction if its hashes and keys alone cost more than the most expensive choice kept
        if len(found) > SHOWN and price.of(construction.hashes, keys, 0) > found[-1].cost:
            continue
        found.append(_judged(construction, base, at, pairs, price))
        found.sort(key=lambda choice: (choice.cost, choice.keys, choice.hashes))
        del found[SHOWN + 1 :]
    if not found:
        best = Banded(hashes, 1, base).amplify(at).hit
        raise InvalidOption("recall-out-of-reach", hashes=hashes, at=where, recall=recall, best=best)
    return Tuning(found[0], tuple(found[1:]))


def describe(family: Family) -> str:
    """Describes a construction from the inside out, such as "AND 6, OR 16"."""
    if isinstance(family, Banded):
        return f"AND {family.rows}, OR {family.bands}"
    if isinstance(family, And):
        return ", ".join(filter(None, [describe(family.family), f"AND {family.rows}"]))
    if isinstance(family, Or):
        return ", ".join(filter(None, [describe(family.family), f"OR {family.bands}"]))
    return ""


def _constructions(base: Family, at: Chance, recall: float, hashes: int) -> Iterator[Amplified]:
    """Yields all constructions that reach the recall with at most `hashes` hashes, each with the fewest inner bands."""
    for rows in range(1, hashes + 1):
        row = And(base, rows).amplify(at)
        if bands := _least_bands(row, recall, hashes // rows):
            yield Banded(bands, rows, base)
        for over in range(2, hashes // rows + 1):
            for times in range(1, hashes // (rows * over) + 1):
                # the probability that each inner OR must reach, if `over` of them are ANDed and `times` such ANDs are
                # ORed
                wanted = (-math.expm1(math.log1p(-recall) / times)) ** (1 / over)
                bands = _least_bands(row, wanted, hashes // (rows * over * times))
                if bands > 1:  # with one band, the inner OR has no effect
                    inner = And(Banded(bands, rows, base), over)
                    yield Or(inner, times) if times > 1 else inner


def _least_bands(inner: Chance, wanted: float, most: int) -> int:
    """Returns the least number of bands with which an OR reaches the probability `wanted`; 0 if it exceeds `most`."""
    if most < 1 or inner.hit <= 0:
        return 0
    if inner.hit >= 1:
        return 1
    log = math.log(inner.miss) if inner.hit > 0.5 else math.log1p(-inner.hit)
    needed = math.log1p(-wanted) / log  # may be infinite
    if needed >= most + 2:
        return 0
    bands = max(1, math.floor(needed) - 1)
    while bands <= most:
        if -math.expm1(bands * log) >= wanted:
            return bands
        bands += 1
    return 0


def _judged(
    construction: Amplified, base: Family, at: Chance, pairs: tuple[Sequence[Chance], Numbers, Mask], cost: Cost
) -> Choice:
    chances, weights, wanted = pairs
    found = [_through(construction, base, chance) for chance in chances]
    false = float(sum(w * p.hit for w, p, good in zip(weights, found, wanted, strict=True) if not good))
    missed = float(sum(w * p.miss for w, p, good in zip(weights, found, wanted, strict=True) if good))
    hashes, keys = construction.hashes, _keys(construction)
    recall = _through(construction, base, at).hit
    return Choice(construction, recall, false, missed, hashes, keys, cost.of(hashes, keys, false))


def _through(construction: Family, base: Family, chance: Chance) -> Chance:
    """Returns the chance of the construction, given the chance of its innermost family (`base`)."""
    if construction is base or not isinstance(construction, Amplified):
        return chance
    return construction.amplify(_through(construction.family, base, chance))


def _keys(family: Family) -> int:
    if isinstance(family, Banded):
        return family.bands * _keys(family.family)
    if isinstance(family, And):
        return int(_keys(family.family) ** family.rows)
    if isinstance(family, Or):
        return _keys(family.family) * family.bands
    return 1


def _place(family: Family, threshold: float | None, distance: float | None) -> float:
    if family.by_distance:
        if distance is None or threshold is not None:
            raise InvalidOption("family-of-distances", family=repr(family))
        if not (is_finite(distance) and distance > 0):
            raise InvalidOption("not-positive", option="distance", value=distance)
        return float(distance)
    if distance is not None:
        raise InvalidOption("family-of-similarities", family=repr(family))
    if threshold is not None and not is_finite(threshold):
        raise InvalidOption("not-a-number", option="threshold", value=threshold)
    value = 0.8 if threshold is None else float(threshold)
    family.collision_probability(value)  # raises an error if it is out of range
    return value


def _pairs(family: Family, where: float, similarities: Any) -> tuple[list[Chance], Numbers, Mask]:
    """Returns groups of pairs with equal similarity: their chances under `family`, shares of all pairs, and a mask.

    The mask is True for groups that match: their similarity is at least `where` or, for a family by distance, their
    distance is at most `where`.
    """
    if similarities is None:
        low, high = family._span()
        at, weight = np.polynomial.legendre.leggauss(NODES)
        pieces = [(low, where), (where, max(high, where))]
        places = np.concatenate([a + (b - a) * (at + 1) / 2 for a, b in pieces])
        weights = np.concatenate([(b - a) * weight / 2 for a, b in pieces])
    else:
        places, weights = _given(similarities, where)
        refusing = family.at_distance if family.by_distance else family.collision_probability
        for end in (float(places.min()), float(places.max())):
            refusing(end)
    chance = family.chance_at if family.by_distance else family.chance
    wanted = places <= where if family.by_distance else places >= where
    return [chance(float(x)) for x in places], np.asarray(weights / weights.sum()), wanted


def _given(similarities: Any, where: float) -> tuple[Numbers, Numbers]:
    counted = isinstance(similarities, tuple) and len(similarities) == 2
    places, weights = similarities if counted else (similarities, None)
    try:
        places = np.asarray(places, np.float64).ravel()
        weights = np.ones(len(places)) if weights is None else np.asarray(weights, np.float64).ravel()
    except (TypeError, ValueError):
        raise InvalidOption("invalid-similarities") from None
    if not len(places) or len(places) != len(weights) or not np.isfinite(places).all():
        raise InvalidOption("invalid-similarities")
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
        raise InvalidOption("invalid-counts")
    if len(places) <= STEPS:
        return places, weights
    # many similarities are binned; no bin contains similarities on both sides of the threshold
    low, high = min(float(places.min()), where), max(float(places.max()), where)
    edges = np.unique([*np.linspace(low, where, STEPS // 2), *np.linspace(where, high, STEPS // 2)])
    counts = np.histogram(places, bins=edges, weights=weights)[0]
    return ((edges[1:] + edges[:-1]) / 2)[counts > 0], counts[counts > 0]
