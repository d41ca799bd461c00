"""Probabilities that two items collide, their AND and OR, and the choice of bands and rows for a recall."""

from __future__ import annotations

import math
from fractions import Fraction
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

    They have the largest number of rows r for which some number of bands b has b·r ≤ hashes and reaches the recall, and
    the least such b. More rows mean fewer false candidates; fewer bands mean fewer keys. For a recall of 1, the result
    is an exact join, which has no rows.

    The recall must be reached for sets of any size: if the slots of a pair agree independently of each other, which
    gives 1 − (1 − tʳ)ᵇ, and also if the share of slots that agree is as close to t as possible (`even_hit`). Slots of
    large sets are independent, and so are those of classic MinHash. Fast sketches of small sets are in between.
    """
    if recall >= 1:
        return 1, 0
    one = Chance(threshold, 1 - threshold)
    for rows in range(hashes, 0, -1):
        band, most = one.all(rows), hashes // rows
        if band.any(most).hit >= recall:
            for bands in range(1, most + 1):
                if band.any(bands).hit >= recall and even_hit(threshold, bands, rows, hashes) >= recall:
                    return bands, rows
    best = one.all(1).any(hashes).hit
    raise InvalidOption("recall-out-of-reach", hashes=hashes, at=threshold, recall=recall, best=best)


def even_hit(threshold: float, bands: int, rows: int, hashes: int) -> float:
    """Returns the probability that a band agrees if exactly the share `threshold` of all slots agrees.

    The slots that agree are at random places. If their number is not whole, the next smaller and the next greater
    number occur, with this mean.

    >>> even_hit(0.5, 2, 1, 2), even_hit(0.5, 1, 2, 4)  # 1 of 2 slots agrees; 2 of 4, and both are in the band
    (1.0, 0.16666666666666666)
    """
    equal = threshold * hashes
    fewer = math.floor(equal)
    more = equal - fewer
    hit = _hit_of_equal_slots(fewer, bands, rows, hashes)
    return hit if more == 0 else (1 - more) * hit + more * _hit_of_equal_slots(fewer + 1, bands, rows, hashes)


def _hit_of_equal_slots(equal: int, bands: int, rows: int, hashes: int) -> float:
    """Counts, by inclusion and exclusion, the ways to choose the equal slots so that they contain a whole band."""
    ways = 0
    for whole in range(1, min(bands, equal // rows) + 1):
        found = math.comb(bands, whole) * math.comb(hashes - whole * rows, equal - whole * rows)
        ways += found if whole % 2 else -found
    return float(Fraction(ways, math.comb(hashes, equal)))
