"""Probabilities that two items collide, their AND and OR, and the choice of bands and rows for a recall."""

from __future__ import annotations

import math
from typing import NamedTuple

from lookalike.errors import InvalidOption


class Chance(NamedTuple):
    """The probabilities that two items collide (`hit`) and that they do not (`miss`).

    Both are stored because 1 − hit would lose the precision of a small miss probability, and vice versa.
    """

    hit: float
    miss: float

    def all(self, times: int) -> Chance:
        """Returns the chance that all of `times` functions agree: pʳ and 1 − pʳ, both to full precision."""
        if self.hit == 0:
            return Chance(0.0, 1.0)
        # near 1, the miss probability has more significant digits than the hit probability
        log = math.log1p(-self.miss) if self.miss < 0.5 else math.log(self.hit)
        return Chance(self.hit**times if self.hit < 0.5 else math.exp(times * log), -math.expm1(times * log))

    def any(self, times: int) -> Chance:
        """Returns the chance that at least one of `times` functions agrees: 1 − (1 − p)ᵇ and (1 − p)ᵇ."""
        miss, hit = Chance(self.miss, self.hit).all(times)
        return Chance(hit, miss)


def bands_and_rows(threshold: float, recall: float, hashes: int) -> tuple[int, int]:
    """Chooses the most selective bands and rows that find a pair at the threshold with probability `recall` or more.

    They have the largest number of rows r for which some number of bands b has b·r ≤ hashes and 1 − (1 − tʳ)ᵇ ≥ recall,
    and the least such b. More rows mean fewer false candidates; fewer bands mean fewer keys. For a recall of 1, the
    result is an exact join, which has no rows.
    """
    if recall >= 1:
        return 1, 0
    one = Chance(threshold, 1 - threshold)
    for rows in range(hashes, 0, -1):
        band, most = one.all(rows), hashes // rows
        if band.any(most).hit >= recall:
            return next(bands for bands in range(1, most + 1) if band.any(bands).hit >= recall), rows
    best = one.all(1).any(hashes).hit
    raise InvalidOption("recall-out-of-reach", hashes=hashes, at=threshold, recall=recall, best=best)
