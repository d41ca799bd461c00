"""Predicts the costs of an exact join and of bands from statistics of the sets, and chooses the cheaper method.

Costs depend only on the data. They are nanoseconds on one core of the machine in docs/benchmarks, but only their ratio
matters. The constants below are fixed, so that a plan is resolved the same way on every machine, with any memory and
any number of threads.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from lookalike.notices import Notice

# Both methods read each text, cut it and hash its shingles. These costs were fitted to the stages of whole runs on one
# thread, with 10,000 to 300,000 short texts, market baskets or package descriptions (benchmarks/planner.py).
READ, HASH = 300, 5
"""Nanoseconds per text, and per element of its set."""

# An exact join cuts every text again into a set and orders the elements from rare to common. These costs were fitted to
# `kernel.shingle` and `kernel.exact_pairs` on twelve collections at 0.6, 0.8 and 0.9, by least squares of relative
# errors; predictions are within a factor of two. Little of a large index is in the caches: a lookup took 90 ns in runs
# with 100,000 lookups, and 200 to 270 ns in runs with six million.
SET, CUT, ORDER, LOOKUP, MEET = 150, 20, 12, 80, 1
"""Nanoseconds per set; per element that is cut, ordered, or looked up (times log₁₀(lookups) − 3.5, if above 1); and per
set found in the index."""

# Signing takes about the same time for 3 elements as for 300 (docs/benchmarks/kernel.md, "The sketch alone"). In four
# collections with millions of false candidates, each candidate took 15 to 47 ns for pairs, and half that for clusters.
SIGN, KEY, CHECK = 1_000, 20, 20
"""Nanoseconds per signed set, per band key (computed and sorted), and per false candidate."""

WORTH = 1.25
"""An exact join is chosen if it costs at most this multiple of the cost of bands, because it misses no pair."""

MOST_ELEMENTS = 1 << 26
"""The maximum number of elements of all sets together for an exact join, which keeps them in memory: 512 MiB, at 8
bytes per element."""


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
    elements_in_memory: float | None = None
    """The mean number of elements per set, including huge texts; None if there are no huge texts."""


@dataclass(frozen=True)
class Costs:
    """The predicted cost of each method for all rows, in nanoseconds."""

    rows: int
    elements: float
    """The mean number of elements per set, including huge texts, because an exact join keeps all sets in memory."""
    exact: float
    bands: float

    @classmethod
    def predict(cls, rows: int, facts: SetFacts, bands: int) -> Costs:
        size, pairs, lookups = facts.elements, rows * (rows - 1) / 2, rows * facts.lookups
        both = rows * (READ + size * HASH)
        lookup = LOOKUP * max(1.0, math.log10(max(lookups, 1)) - 3.5)
        exact = rows * (SET + size * (CUT + ORDER)) + lookups * lookup + pairs * facts.meetings * MEET
        by_bands = rows * (SIGN + bands * KEY) + pairs * facts.false_candidates * CHECK
        in_memory = size if facts.elements_in_memory is None else facts.elements_in_memory
        return cls(rows, in_memory, both + exact, both + by_bands)

    def choice(self) -> tuple[bool, Notice]:
        """Returns True if an exact join is chosen, and the reason for the choice."""
        exact, bands = (round(cost / max(self.rows, 1) / 1000, 1) for cost in (self.exact, self.bands))
        sets = {"sets": self.rows, "elements": round(self.elements)}
        if self.rows * self.elements > MOST_ELEMENTS:
            return False, Notice("sets-too-many-to-join", **sets, bands_cost=bands)
        if self.exact > WORTH * self.bands:
            return False, Notice("bands-cheaper", **sets, bands_cost=bands, exact_cost=exact)
        if self.exact > self.bands:
            return True, Notice("exact-join-misses-nothing", **sets, bands_cost=bands, exact_cost=exact)
        return True, Notice("exact-join-cheaper", **sets, bands_cost=bands, exact_cost=exact)
