"""Estimates the share of true partners found, with its 95% interval, from a sample of documents.

Document i of the sample has dᵢ true partners, of which hᵢ were found. The share is Σh / Σd. Over all documents, this is
the share of pairs found, since each pair counts twice, once per document, in numerator and denominator. The interval
must be valid at and near 1, where it matters most: after a sample without misses, a bootstrap gives [1, 1], and a
normal interval is hardly wider. Therefore, an exact binomial interval (Clopper and Pearson) is used, which then nearly
equals the rule of three. The number of trials is the effective sample size (the method of Korn and Graubard): pairs of
one document tend to be found or missed together, so they are worth fewer independent trials.

The effective sample size depends on how unequally the pairs are distributed among documents. If a sample happens to
miss the documents of one large family, its pairs seem to be evenly distributed, and its share is wrong as well.
Therefore, the pairs that the result reports for all documents are also considered, if they are distributed less evenly
than those of the sample.

The correlation `rho` between pairs of one document is estimated: 0 if they are independent, 1 if all are found or
missed together. Few misses are weak evidence, so the estimate is shrunk towards a prior guess.
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
"""The prior guess of `rho`. If nothing was missed, it is used unchanged."""
WORTH = 5
"""The weight of the prior guess, expressed as a number of documents with misses."""


@dataclass(frozen=True)
class Share:
    """A share with its 95% interval, measured on `of` distinct pairs of `documents` sampled documents."""

    value: float
    low: float
    high: float
    of: int
    documents: int

    @property
    def width(self) -> float:
        return self.high - self.low

    def to_dict(self) -> dict[str, Any]:
        """Returns the share in JSON types; the value is None if unknown."""
        known = not math.isnan(self.value)
        return {"value": self.value if known else None, "interval": [self.low, self.high], "pairs": self.of}

    def __str__(self) -> str:
        if math.isnan(self.value):
            return "unknown: the sample has no such pair"
        return f"{_rounded(self.value)} (95% interval {_rounded(self.low)} … {_rounded(self.high)})"


def sample_for(share: Share, sample: int, width: float) -> int:
    """Estimates the sample size needed for an interval of this width, given the share found in a first sample."""
    if not share.of or share.width <= width:
        return sample
    shrinks = 1 if share.value in (0, 1) else 2  # the rule of three shrinks by 1/n, other intervals by 1/√n
    return int(sample * (share.width / width) ** shrinks)


UNKNOWN = Share(math.nan, 0.0, 1.0, 0, 0)


def share_found(
    of: Any,
    found: Any,
    population: int | None = None,
    shared: tuple[int, int] = (0, 0),
    *,
    twice: int = 0,
    others: float = 0,
) -> Share:
    """Estimates the share of true partners found, from a simple random sample of documents out of `population`.

    `of` and `found` count the partners of each sampled document, including zeros for documents without partners.
    `shared` counts ordered pairs of sampled documents with a common partner: all of them, and those in which both
    documents miss this partner. `twice` is the number of pairs of two sampled documents. `of` counts them twice, and so
    does the share, but not the number of pairs that it reports. `others` is the average number of other partners of the
    document of a pair, over all documents of the population, as far as it is known.

    >>> share_found([1] * 300, [1] * 300)
    Share(value=1.0, low=0.987..., high=1.0, of=300, documents=300)
    """
    d, h = np.asarray(of, np.int64), np.asarray(found, np.int64)
    total, documents = int(d.sum()), int(np.count_nonzero(d))
    if not total:
        return UNKNOWN
    value = int(h.sum()) / total
    unsampled = 1.0 if population is None else max(0.0, 1 - len(d) / max(population, 1))
    if unsampled == 0:  # all documents were sampled
        return Share(value, value, value, total - twice, documents)
    trials = total / design_effect(d, h, shared, others) / unsampled
    low, high = exact_interval(value * trials, trials)
    return Share(value, min(low, value), max(high, value), total - twice, documents)


def other_partners(partners: Counts) -> float:
    """Returns the average number of other partners of the document of a pair.

    `partners` is the number of partners of each document.
    """
    wide = partners.astype(np.float64)
    return float((wide * (wide - 1)).sum()) / max(float(wide.sum()), 1.0)


def half_of_pairs(partners: Counts) -> int:
    """Returns the least number of documents that have half of all pairs, given each document's number of partners."""
    most_first = np.sort(partners)[::-1].cumsum()
    return int(np.searchsorted(most_first, most_first[-1] / 2)) + 1 if len(most_first) else 0


def design_effect(d: Counts, h: Counts, shared: tuple[int, int] = (0, 0), others: float = 0) -> float:
    """Returns the variance of the share, as a multiple of its variance if pairs were drawn independently.

    Two pairs can have the sampled document in common, or the partner. Documents of which all pairs are missed are rare
    in a sample, but common as partners. So `rho` is estimated in both ways, and the larger estimate is used.
    """
    wide = d.astype(np.float64)
    total, missed = float(wide.sum()), wide - h
    sampled_others = other_partners(d)
    others = max(others, sampled_others)
    if not others:
        return 1.0
    rho, missing = GUESS, float(missed.sum()) / total
    if 0 < missing < 1:
        variance = missing * (1 - missing)
        estimates = []
        if sampled_others:
            estimates.append((float(((missed - missing * wide) ** 2).sum()) / (total * variance) - 1) / sampled_others)
        if shared[0]:
            estimates.append((shared[1] / shared[0] - missing**2) / variance)
        with_misses = int(np.count_nonzero(missed))
        rho = (with_misses * max([0.0, *estimates]) + WORTH * GUESS) / (with_misses + WORTH)
    return 1 + rho * others


def exact_interval(found: float, trials: float, level: float = LEVEL) -> tuple[float, float]:
    """Returns the interval of Clopper and Pearson for the share `found` / `trials`, which need not be whole numbers."""
    tail, missed = (1 - level) / 2, trials - found
    low = 0.0 if found <= 0 else beta_quantile(tail, found, missed + 1)
    high = 1.0 if missed <= 0 else beta_quantile(1 - tail, found + 1, missed)
    return low, high


def beta_quantile(p: float, a: float, b: float) -> float:
    """Returns the p-quantile of a beta distribution, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if beta_below(middle, a, b) < p else (low, middle)
    return (low + high) / 2


def beta_below(x: float, a: float, b: float) -> float:
    """Returns the distribution function of a beta distribution at x (the regularised incomplete beta function)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # below this point, the continued fraction converges fast
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
