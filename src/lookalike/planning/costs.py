"""Statistics of some sets → what an exact join would cost, and what bands would, and which of the two to take.

Costs are predicted from the data alone. They are given in nanoseconds of one core of the machine of
docs/benchmarks, but only their ratio matters: the constants below are frozen, so that a plan is resolved to the
same everywhere, whatever the machine, its memory and its threads.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from lookalike.families import Banded
from lookalike.notices import Notice

# Both ways read a text, cut it and hash its shingles. Fitted to the stages of whole runs on one thread: short texts,
# market baskets and package descriptions, 10,000 to 300,000 of them (benchmarks/planner.py).
READ, HASH = 300, 5
"""A text; an element of its set."""

# An exact join cuts every text again, into a set, and orders its elements by how rare they are. Fitted to
# `kernel.shingle` and `kernel.exact_pairs` on twelve collections at 0.6, 0.8 and 0.9, by least squares of relative
# errors; what is predicted is within a factor of two. Of a large index little is in the caches: a lookup cost 90 ns
# where there were 100,000 of them in all, 200 to 270 where there were six million.
SET, CUT, ORDER, LOOKUP, MEET = 150, 20, 12, 80, 1
"""A set; an element to be cut; to be ordered; to be looked up, times log₁₀(lookups) − 3.5; a set that is met."""

# Signing takes much the same time for 3 elements as for 300 (docs/benchmarks/kernel.md, "The sketch alone"). A chance
# candidate cost 15 to 47 ns in four collections with millions of them for pairs, half of that for clusters.
SIGN, KEY, CHECK = 1_000, 20, 20
"""A set; one of its band keys, made and sorted; a candidate in vain."""

WORTH = 1.25
"""An exact join is worth so many times the cost of bands: it misses nothing."""

MOST_ELEMENTS = 1 << 26
"""An exact join holds all sets, 8 bytes an element: half a GiB. Where there are more, bands are taken."""


@dataclass(frozen=True)
class SetFacts:
    """What a sample of sets says about all, at some threshold and bands. Rates are per pair of two sets."""

    elements: float
    """Of a set, on average."""
    lookups: float
    """How many elements of a set an exact join looks up in its index, on average."""
    meetings: float
    """How often two sets meet in the index of an exact join."""
    vain: float
    """The share of pairs that bands would propose in vain."""
    held: float | None = None
    """Elements of a set with those of giants, which the sample leaves out; None: it left out none."""


@dataclass(frozen=True)
class Costs:
    """Nanoseconds for all rows, by either way."""

    rows: int
    elements: float
    """Of a set, on average, giants included: all are held for an exact join."""
    exact: float
    bands: float

    @classmethod
    def predict(cls, rows: int, facts: SetFacts, banding: Banded) -> Costs:
        size, pairs, lookups = facts.elements, rows * (rows - 1) / 2, rows * facts.lookups
        both = rows * (READ + size * HASH)
        lookup = LOOKUP * max(1.0, math.log10(max(lookups, 1)) - 3.5)
        exact = rows * (SET + size * (CUT + ORDER)) + lookups * lookup + pairs * facts.meetings * MEET
        bands = rows * (SIGN + banding.bands * KEY) + pairs * facts.vain * CHECK
        return cls(rows, size if facts.held is None else facts.held, both + exact, both + bands)

    @property
    def fits(self) -> bool:
        """Whether an exact join may hold all sets."""
        return self.rows * self.elements <= MOST_ELEMENTS

    @property
    def prefers_exact(self) -> bool:
        return self.fits and self.exact <= WORTH * self.bands

    @property
    def reason(self) -> Notice:
        """Why the cheaper of the two is taken."""
        exact, bands = (round(cost / max(self.rows, 1) / 1000, 1) for cost in (self.exact, self.bands))
        sets = {"sets": self.rows, "elements": round(self.elements)}
        if not self.fits:
            return Notice("sets-too-many-to-join", **sets, bands=bands)
        if not self.prefers_exact:
            return Notice("bands-cheaper", **sets, bands=bands, exact=exact)
        if self.exact > self.bands:
            return Notice("exact-join-misses-nothing", **sets, bands=bands, exact=exact)
        return Notice("exact-join-cheaper", **sets, bands=bands, exact=exact)
