"""Predicts the costs of an exact join and of bands from statistics of the sets, and chooses the cheaper method.

Costs depend only on the data. They are nanoseconds on one core of the machine in docs/benchmarks, but only their ratio
matters. The constants below are fixed, so that a plan is resolved the same way on every machine, with any memory and
any number of threads.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lookalike.flow.threshold import Threshold
from lookalike.notices import Notice

# Both methods read each text (Parquet takes about 2.8 ns per byte), cut it and hash its shingles. These costs, and all
# others below, were fitted to the CPU time of stages on one thread and of whole runs on one or two threads, with 28,000
# to 300,000 titles, package descriptions, generated documents or market baskets (benchmarks/planner.py).
START, READ, BYTE, HASH = 10_000_000, 300, 5, 3
"""Nanoseconds per run (a small part of its start-up), per text, per byte of it, and per element of its set."""

# An exact join first counts a sample of all elements, to leave out sets that can have no partner. It cuts the remaining
# texts again into sets, counts all their elements, and orders those of the sets that still remain, from rare to common.
# Little of a large index is in the caches: a lookup took 90 ns in runs with 100,000 lookups, and 200 to 270 ns in runs
# with six million.
COUNT, SET, CUT, PRUNE, ORDER, PREFIX, LOOKUP, MEET = 25, 150, 17, 10, 13, 85, 115, 1
"""Nanoseconds per element that is counted in the sample; per set; per element that is cut, counted again, ordered, or
in the prefix of a set that is indexed; per element that is looked up (times log₁₀(lookups) − 3.5, if above 1); and per
set found in the index."""

# Small sets take longer to sign than large ones, because most slots of their signatures stay empty and are then filled
# from others: beyond cutting and hashing, 1.7 µs for 9 elements, and 0.1 µs for 600.
SIGN, FULL, KEY, HIT, CHECK, MISMATCH = 1_650, 220, 20, 85, 16, 1.6
"""Nanoseconds per signed set, if it is small; the number of elements at which that has fallen to 1/e; nanoseconds per
band key (computed and sorted), per band in which similar sets meet, per false candidate, and per element of it."""

PAIR, MERGE = 130, 9
"""With both methods, nanoseconds per pair that reaches the threshold, and per element of one of its sets."""

RELATED = 0.2
"""The share of documents that are assumed to have a near-duplicate, or nearly one. A sample is too small to show it,
since it rarely contains two related documents. In corpora that were counted, it was 3% to 20%. This is the upper end:
at 15%, generated documents were joined exactly at 0.7, which cost 1.6 times as much as bands. Above a threshold of
0.75, fewer documents are kept because of a related one: 8% to 9% of generated ones at 0.9, and 3.5% at 0.95."""

WORTH = 1.3
"""An exact join is chosen if it costs at most this multiple of the cost of bands, because it misses no pair."""

MOST_KEPT = 0.5
"""Nothing is counted if a larger share of sets would be kept (`engines/stages/pruning.py`)."""

FEW = 1 << 21
"""Nothing is counted if all sets together have no more elements than this: counting would take longer."""


@dataclass(frozen=True)
class SetFacts:
    """Mean sizes and rates of all sets, estimated from a sample, for a given threshold and banding."""

    elements: float
    """The mean number of elements per set."""
    lookups: float
    """The mean number of elements per set that an exact join looks up in its index."""
    meetings: float
    """The mean number of times, per pair of sets, that an exact join finds one set when it looks up the other."""
    false_candidates: float
    """The share of all pairs that would be false candidates of the bands."""
    bytes: float = 0.0
    """The mean size of a text in bytes."""
    sampled: float = 1.0
    """The share of all elements that an exact join counts, to leave out sets."""
    kept: float = 1.0
    """The share of sets that it then does not leave out, because they share common elements with others."""
    joined: float = 1.0
    """The share of sets that it does not leave out either after it has counted all elements."""
    similar: float = 0.0
    """The share of all pairs that reach the threshold, according to the bands."""
    hits: float = 0.0
    """The mean number of bands, per pair of sets, in which sets meet that reach the threshold."""
    distinct: float = 1.0
    """The share of texts that are not copies of an earlier one. Both methods set copies aside after the first pass."""


def share_to_count(threshold: Threshold, size: int, unique: npt.NDArray[np.float64] | None = None) -> float:
    """The share of all possible shingles that is counted to leave out documents of about `size` shingles.

    `unique` is the share of unique shingles in each document of a sample (default: all shingles are unique). A document
    is left out if its counted shingles include more unique ones than may be unique. Their number varies from document
    to document; two standard deviations are allowed for. Counting more costs time and memory. Counting less keeps
    documents that could be left out. Documents that are related to others are not in the sample; their shares of unique
    shingles are assumed to be evenly spread.

    >>> share_to_count(Threshold("0.8"), 300)
    0.3125
    >>> share_to_count(Threshold("0.8"), 300, np.array([1, 0.4]))  # half of the documents contain boilerplate
    0.625
    """
    may_be_unique = size * (threshold.denominator - threshold.numerator) // threshold.denominator
    unique = np.ones(1) if unique is None or not len(unique) else unique
    costs = []
    for sixteenth in range(1, 17):
        share = sixteenth / 16
        in_sample = unique * share * size
        kept = float((in_sample - 2 * np.sqrt(in_sample * (1 - share)) <= may_be_unique).mean())
        kept += (1 - kept) * RELATED * min(1.0, (1 - float(threshold)) / share)
        costs.append(share * COUNT + kept * (CUT + PRUNE + ORDER))
    return (1 + costs.index(min(costs))) / 16


@dataclass(frozen=True)
class Costs:
    """The predicted cost of each method for all rows, in nanoseconds."""

    rows: int
    elements: float
    """The mean number of elements per set."""
    exact: float
    bands: float

    @classmethod
    def predict(cls, rows: int, facts: SetFacts, bands: int, threshold: float) -> Costs:
        size, distinct = facts.elements, rows * facts.distinct
        pairs = distinct * max(0.0, distinct - 1) / 2
        both = START + rows * (READ + facts.bytes * BYTE + size * HASH)
        both += pairs * facts.similar * (PAIR + size * MERGE)
        counts = facts.kept < MOST_KEPT and rows * size > FEW
        related = RELATED * min(1.0, 4 * (1 - threshold))
        kept, joined = (share + (1 - share) * related if counts else 1.0 for share in (facts.kept, facts.joined))
        # Elements of related documents are rarely shared with others, and take no lookups that find other sets.
        lookups = distinct * facts.joined * facts.lookups
        lookup = LOOKUP * max(1.0, math.log10(max(lookups, 1)) - 3.5)
        exact = rows * size * facts.sampled * COUNT * counts
        exact += distinct * kept * (SET + size * (CUT + PRUNE * counts))
        exact += distinct * joined * size * (ORDER + PREFIX * (1 - threshold) * (1 - facts.joined))
        exact += lookups * lookup + pairs * facts.meetings * MEET
        by_bands = rows * (SIGN * math.exp(-size / FULL) + bands * KEY) + distinct * RELATED * size * CUT
        by_bands += pairs * (facts.hits * HIT + facts.false_candidates * (CHECK + size * MISMATCH))
        return cls(rows, size, both + exact, both + by_bands)

    def choice(self) -> tuple[bool, Notice]:
        """Returns True if an exact join is chosen, and the reason for the choice."""
        exact, bands = (round(cost / max(self.rows, 1) / 1000, 1) for cost in (self.exact, self.bands))
        sets = {"sets": self.rows, "elements": round(self.elements)}
        if self.exact > WORTH * self.bands:
            return False, Notice("bands-cheaper", **sets, bands_cost=bands, exact_cost=exact)
        if self.exact > self.bands:
            return True, Notice("exact-join-misses-nothing", **sets, bands_cost=bands, exact_cost=exact)
        return True, Notice("exact-join-cheaper", **sets, bands_cost=bands, exact_cost=exact)
