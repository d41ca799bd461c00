"""Estimates the share of true pairs found, with its 95 % interval, from a sample of documents.

Document i of the sample, drawn with chance cᵢ, owns dᵢ pairs, of which hᵢ were found (`sampling.py`). The share is
Σ hᵢ/cᵢ divided by Σ dᵢ/cᵢ. The interval must be valid at and near 1, where it matters most: after a sample without
misses, a bootstrap gives [1, 1], and a normal interval is hardly wider. So an exact binomial interval (Clopper and
Pearson) is used, which then nearly equals the rule of three. The number of trials is the effective sample size (the
method of Korn and Graubard): that of independent trials with the same variance.

The variance of a small sample is uncertain too: what is rare, and counts much, is usually not in it. The exact interval
of k misses in n trials follows from k + 1 misses. Here the additional miss is that of a whole document, which counts as
much as the largest that was seen (as in the intervals of Fay and Feuer for weighted counts). If few documents have
misses, this is weak evidence, so it is averaged with a prior guess.

A document that misses all its partners is rare in a sample, but its partners show it: many of them miss the same
document. The limit is also computed as if such pairs belonged to the partners alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lookalike.trust.sampling import Chance

Counts = npt.NDArray[np.int64]
Weights = npt.NDArray[np.float64]

LEVEL = 0.95
GUESS = 0.4
"""The prior guess: a document that misses one partner misses this share of its others. Used unchanged if nothing was
missed."""
WORTH = 10
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

    @property
    def known(self) -> bool:
        """False if the sample has no pairs, or none that belongs to a sampled document (`sampling.py`)."""
        return not math.isnan(self.value)

    def to_dict(self) -> dict[str, Any]:
        """Returns the share in JSON types; the value is None if unknown."""
        return {"value": self.value if self.known else None, "interval": [self.low, self.high], "pairs": self.of}

    def __str__(self) -> str:
        if not self.of:
            return "unknown: the sample has no such pair"
        if not self.known:
            return "unknown: the sample is too small"
        return f"{_rounded(self.value)} (95% interval {_rounded(self.low)} … {_rounded(self.high)})"


def sample_for(share: Share, sample: int, width: float) -> int:
    """Estimates the sample size needed for an interval of this width, given the share found in a first sample."""
    if not share.known or share.width <= width:
        return sample
    shrinks = 1 if share.value in (0, 1) else 2  # the rule of three shrinks by 1/n, other intervals by 1/√n
    return int(sample * (share.width / width) ** shrinks)


@dataclass(frozen=True, eq=False)
class Seen:
    """What was seen of the sampled documents: one entry per document in each array.

    Pairs are counted in halves, since a pair of two equally likely documents belongs half to each.
    """

    chances: Chance
    """The chance of each document to be sampled."""
    owned: Counts
    """The halves of pairs that belong to each document. Documents without pairs are part of the sample."""
    found: Counts
    """Those of them that were found."""
    partners: Counts
    """The number of true partners of each document, whatever pairs belong to it."""
    least: float
    """The least chance of any document of the corpus."""
    pairs: int
    """The number of distinct pairs."""
    others: float = 0
    """The average number of other partners of the document of a pair that has fewer of them, in the whole result."""

    @property
    def documents(self) -> int:
        return int(np.count_nonzero(self.partners))


def share_found(seen: Seen, missed_by_partners: Weights | None = None) -> Share:
    """The share of pairs found, among all pairs of the corpus.

    `missed_by_partners` are the missed halves of each document, if pairs with a document that many miss do not belong
    to that document.

    >>> ones = np.ones(300, np.int64)
    >>> share_found(Seen(ones / 1000, ones, ones, ones, 1 / 1000, 300))
    Share(value=1.0, low=0.987..., high=1.0, of=300, documents=300)
    """
    weights = 1 / seen.chances
    owned, found = weights * seen.owned, weights * seen.found
    total = float(owned.sum())
    if not total:
        return Share(math.nan, 0.0, 1.0, seen.pairs, seen.documents)
    value = float(found.sum()) / total
    if (seen.chances == 1).all():
        return Share(value, value, value, seen.pairs, seen.documents)
    one_pair = 1 / seen.least  # the weight of a missed pair of two documents without reported partners
    guess = one_pair * (1 + GUESS * seen.others)

    def missed_share(missed: Weights, of: Weights) -> float:
        number = int(np.count_nonzero(missed))
        further = max(one_pair, (number * float(missed.max()) + WORTH * guess) / (number + WORTH))
        return upper_limit(missed, of, seen.chances, further)

    missed = missed_share(owned - found, owned)
    if missed_by_partners is not None:
        by_partners = weights * missed_by_partners
        missed = max(missed, missed_share(by_partners, found + by_partners))
    high = upper_limit(found, owned, seen.chances, max(one_pair, typical(owned)))
    return Share(value, min(1 - missed, value), max(high, value), seen.pairs, seen.documents)


def typical(weights: Weights) -> float:
    """The average weight of a document, if documents are drawn by weight; 0 without documents."""
    total = float(weights.sum())
    return float((weights**2).sum()) / total if total else 0.0


def upper_limit(part: Weights, whole: Weights, chances: Chance, further: float) -> float:
    """The upper limit of the share of `part` in `whole`, from the weighted counts of each sampled document.

    `further` is the weight of one further document that is in `part`, if the sample had one more.
    """
    total = float(whole.sum())
    share = float(part.sum()) / total
    variance = float(((1 - chances) * (part - share * whole) ** 2).sum())
    more = (float(part.sum()) + further) / (total + further)
    variance += (further * (1 - more)) ** 2
    if more >= 1 or not variance:
        return min(more, 1.0)
    trials = more * (1 - more) * (total + further) ** 2 / variance
    return beta_quantile(1 - (1 - LEVEL) / 2, more * trials, (1 - more) * trials)


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
