"""Choose bands and rows that reach a given recall."""

from __future__ import annotations

from lookalike.errors import InvalidOption
from lookalike.families.amplify import Banded
from lookalike.families.base import Chance


def choose_bands(threshold: float, recall: float, hashes: int) -> Banded:
    """Chooses the most selective bands that find a pair at the threshold with probability `recall` or more.

    >>> choose_bands(0.8, 0.99, 128), choose_bands(0.8, 1.0, 128)
    (Banded(bands=16, rows=6), Banded(bands=1, rows=0))
    """
    return Banded(*bands_and_rows(threshold, recall, hashes))


def bands_and_rows(threshold: float, recall: float, hashes: int) -> tuple[int, int]:
    """The numbers of bands and rows that `choose_bands` chooses.

    They have the largest number of rows r for which some b has b·r ≤ hashes and 1 − (1 − tʳ)ᵇ ≥ recall, and the least
    such b. More rows mean fewer false candidates; fewer bands mean fewer keys. A recall of 1 gives an exact join, which
    has no rows.
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
