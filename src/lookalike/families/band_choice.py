"""Choose bands and rows that reach a given recall."""

from __future__ import annotations

from lookalike.errors import InvalidOption
from lookalike.families.amplify import Banded, banded_chance


def choose_bands(threshold: float, recall: float, hashes: int) -> Banded:
    """The most selective bands that find a pair at the threshold with probability `recall` or more.

    They have the largest number of rows r for which some b has b·r ≤ hashes and 1 − (1 − tʳ)ᵇ ≥ recall, and the least
    such b. More rows mean fewer false candidates; fewer bands mean fewer keys. A recall of 1 gives an exact join.

    >>> choose_bands(0.8, 0.99, 128), choose_bands(0.8, 1.0, 128)
    (Banded(bands=16, rows=6), Banded(bands=1, rows=0))
    """
    if recall >= 1:
        return Banded(1, 0)
    for rows in range(hashes, 0, -1):
        most = hashes // rows
        if banded_chance(threshold, most, rows) >= recall:
            enough = (bands for bands in range(1, most + 1) if banded_chance(threshold, bands, rows) >= recall)
            return Banded(next(enough), rows)
    best = banded_chance(threshold, hashes, 1)
    raise InvalidOption("recall-out-of-reach", hashes=hashes, at=threshold, recall=recall, best=best)
