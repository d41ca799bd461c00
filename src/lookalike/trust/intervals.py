"""Found partners of sampled documents → a share with its 95 % interval.

Document i of the sample has dᵢ true partners, of which hᵢ were found. The share is Σh / Σd: over all documents that is
the share of pairs found, each pair counted from both ends above and below. The interval has to be honest where it
matters most, at and near 1. There a bootstrap says [1, 1] after a sample that missed nothing, and a normal interval
nearly so. So this is an exact binomial interval (Clopper and Pearson), which then is the rule of three, with as many
trials as the pairs are worth: those of one document tend to be found or missed together, and what a sample of
documents says of them is less than their number (survey statisticians know this as the method of Korn and Graubard).

How much they go together is estimated: `rho`, 0 where each pair has its own luck, 1 where a document's pairs share
one. Few misses say little about it; until there are more it is pulled towards a guess.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[np.int64]

LEVEL = 0.95
GUESS = 0.2
"""What `rho` is taken for where nothing was missed."""
WORTH = 5
"""As many documents with misses say as much about `rho` as the guess does."""


@dataclass(frozen=True)
class Share:
    """A share of `of` pairs, seen from `documents` documents, and the interval that holds the true one."""

    value: float
    low: float
    high: float
    of: int
    documents: int

    @property
    def width(self) -> float:
        return self.high - self.low

    def to_dict(self) -> dict[str, Any]:
        """The numbers, as JSON takes them."""
        known = not math.isnan(self.value)
        return {"value": self.value if known else None, "interval": [self.low, self.high], "pairs": self.of}

    def __str__(self) -> str:
        if math.isnan(self.value):
            return "unknown: the sample has no such pair"
        return f"{_rounded(self.value)} (95 % interval {_rounded(self.low)} … {_rounded(self.high)})"


def sample_for(share: Share, sample: int, width: float) -> int:
    """About how many documents it takes for an interval of this width, from the share that a sample gave."""
    if not share.of or share.width <= width:
        return sample
    shrinks = 1 if share.value in (0, 1) else 2  # a rule of three goes by 1/n, all else by its root
    return int(sample * (share.width / width) ** shrinks)


UNKNOWN = Share(math.nan, 0.0, 1.0, 0, 0)


def share_found(of: Any, found: Any, population: int | None = None, twice: tuple[int, int] = (0, 0)) -> Share:
    """The share of partners found, from those of a simple random sample of documents out of `population`.

    Documents without partners belong to the sample too: leave their zeros in. `twice` is about partners that several
    sampled documents have in common: how many ordered pairs of views of one there were, and how many of these were
    both of a miss.

    >>> share_found([1] * 300, [1] * 300)
    Share(value=1.0, low=0.987..., high=1.0, of=300, documents=300)
    """
    d, h = np.asarray(of, np.int64), np.asarray(found, np.int64)
    total, documents = int(d.sum()), int(np.count_nonzero(d))
    if not total:
        return UNKNOWN
    value = int(h.sum()) / total
    left_out = 1.0 if population is None else max(0.0, 1 - len(d) / max(population, 1))
    if left_out == 0:  # everyone was asked
        return Share(value, value, value, total, documents)
    trials = total / design_effect(d, h, twice) / left_out
    low, high = exact_interval(value * trials, trials)
    return Share(value, min(low, value), max(high, value), total, documents)


def design_effect(d: Counts, h: Counts, twice: tuple[int, int] = (0, 0)) -> float:
    """How many times the variance of the share is that of as many pairs drawn one by one.

    Two pairs share a document either as the sampled end or as the other. The sampled ends say how far apart documents
    are. But documents that miss everything are rare in a sample, while all their partners miss them: so `rho` is looked
    for from both ends, and the greater one counts.
    """
    wide = d.astype(np.float64)
    total, missed = float(wide.sum()), wide - h
    beside = float((wide * (wide - 1)).sum()) / total  # partners that a partner has beside it, on average
    if not beside:
        return 1.0
    rho, missing = GUESS, float(missed.sum()) / total
    if 0 < missing < 1:
        alone = missing * (1 - missing)
        ends = [(float(((missed - missing * wide) ** 2).sum()) / (total * alone) - 1) / beside]
        if twice[0]:
            ends.append((twice[1] / twice[0] - missing**2) / alone)
        telling = int(np.count_nonzero(missed))
        rho = (telling * max([0.0, *ends]) + WORTH * GUESS) / (telling + WORTH)
    return 1 + rho * beside


def exact_interval(found: float, trials: float, level: float = LEVEL) -> tuple[float, float]:
    """Clopper and Pearson's interval of a share; trials need be no whole number."""
    tail, missed = (1 - level) / 2, trials - found
    low = 0.0 if found <= 0 else beta_quantile(tail, found, missed + 1)
    high = 1.0 if missed <= 0 else beta_quantile(1 - tail, found + 1, missed)
    return low, high


def beta_quantile(p: float, a: float, b: float) -> float:
    """The x at which a beta distribution has passed the share p, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if beta_below(middle, a, b) < p else (low, middle)
    return (low + high) / 2


def beta_below(x: float, a: float, b: float) -> float:
    """The share of a beta distribution below x: the regularised incomplete beta function, by its continued fraction."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # where the fraction converges fast
        return 1 - beta_below(1 - x, b, a)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    tiny = 1e-300
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, 10_000):
        for step in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                     -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):  # fmt: skip
            d = 1 / (1 + step * d or tiny)
            c = 1 + step / c or tiny
            fraction *= c * d
        if abs(c * d - 1) < 1e-12:
            break
    return front * fraction / a


def _rounded(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".")
