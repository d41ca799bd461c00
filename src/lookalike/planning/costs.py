"""Predicts the cost of an exact join and of bands from statistics of the sets, and chooses between them.

Costs depend on the data only. They are in nanoseconds of one core of the machine in docs/benchmarks, but only their
ratio matters. The constants below are fixed, so that a plan resolves to the same on every machine, with any memory and
any number of threads.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from lookalike.families import Banded
from lookalike.notices import Notice

# Both methods read a text, cut it and hash its shingles. Fitted to the stages of whole runs on one thread: short texts,
# market baskets and package descriptions, 10,000 to 300,000 of them (benchmarks/planner.py).
READ, HASH = 300, 5
"""Nanoseconds per text; per element of its set."""

# An exact join cuts every text again, into a set, and orders its elements by how rare they are. Fitted to
# `kernel.shingle` and `kernel.exact_pairs` on twelve collections at 0.6, 0.8 and 0.9, by least squares of relative
# errors; predictions are within a factor of two. Little of a large index is in the caches: a lookup took 90 ns in runs
# of 100,000 lookups, and 200 to 270 ns in runs of six million.
SET, CUT, ORDER, LOOKUP, MEET = 150, 20, 12, 80, 1
"""Nanoseconds per set; per element cut; ordered; looked up, times log₁₀(lookups) − 3.5; per set found in the index."""

# Signing takes much the same time for 3 elements as for 300 (docs/benchmarks/kernel.md, "The sketch alone"). In four
# collections with millions of false candidates, each took 15 to 47 ns for pairs, and half of that for clusters.
SIGN, KEY, CHECK = 1_000, 20, 20
"""Nanoseconds per set; per band key, computed and sorted; per false candidate."""

WORTH = 1.25
"""An exact join is chosen up to this multiple of the cost of bands, since it misses nothing."""

MOST_ELEMENTS = 1 << 26
"""An exact join holds all sets in memory, at 8 bytes per element: half a GiB. Beyond that, bands are used."""


@dataclass(frozen=True)
class SetFacts:
    """Estimates for all sets from a sample, at one threshold and banding. Rates are per pair of sets."""

    elements: float
    """Mean number of elements per set."""
    lookups: float
    """Mean number of elements per set that an exact join looks up in its index."""
    meetings: float
    """How often an exact join finds one of two sets when it looks up the other, per pair of sets."""
    false_candidates: float
    """Share of all pairs that bands would propose as false candidates."""
    elements_in_memory: float | None = None
    """Mean number of elements per set, huge texts included; None if the sample left out no huge text."""


@dataclass(frozen=True)
class Costs:
    """Predicted nanoseconds for all rows, by each method."""

    rows: int
    elements: float
    """Mean number of elements per set, huge texts included: an exact join holds all of them."""
    exact: float
    bands: float

    @classmethod
    def predict(cls, rows: int, facts: SetFacts, banding: Banded) -> Costs:
        size, pairs, lookups = facts.elements, rows * (rows - 1) / 2, rows * facts.lookups
        both = rows * (READ + size * HASH)
        lookup = LOOKUP * max(1.0, math.log10(max(lookups, 1)) - 3.5)
        exact = rows * (SET + size * (CUT + ORDER)) + lookups * lookup + pairs * facts.meetings * MEET
        bands = rows * (SIGN + banding.bands * KEY) + pairs * facts.false_candidates * CHECK
        in_memory = size if facts.elements_in_memory is None else facts.elements_in_memory
        return cls(rows, in_memory, both + exact, both + bands)

    @property
    def fits(self) -> bool:
        """True if an exact join can hold all sets in memory."""
        return self.rows * self.elements <= MOST_ELEMENTS

    @property
    def prefers_exact(self) -> bool:
        return self.fits and self.exact <= WORTH * self.bands

    @property
    def reason(self) -> Notice:
        """Why this method is chosen."""
        exact, bands = (round(cost / max(self.rows, 1) / 1000, 1) for cost in (self.exact, self.bands))
        sets = {"sets": self.rows, "elements": round(self.elements)}
        if not self.fits:
            return Notice("sets-too-many-to-join", **sets, bands_cost=bands)
        if not self.prefers_exact:
            return Notice("bands-cheaper", **sets, bands_cost=bands, exact_cost=exact)
        if self.exact > self.bands:
            return Notice("exact-join-misses-nothing", **sets, bands_cost=bands, exact_cost=exact)
        return Notice("exact-join-cheaper", **sets, bands_cost=bands, exact_cost=exact)
