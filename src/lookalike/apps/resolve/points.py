"""The notes' way: 100 points a field, less for every difference; and a check of the points by an independent date.

Two records that are alike in a name, an address and a phone number have 300 points at most. How good a score is, a
field that had no part in it tells: of known matches the dates differ by 10 days on average, of random pairs by
45; of a group of pairs that differ by x days on average the share (45 − x) / 35 are matches.
"""

from __future__ import annotations

import numpy as np

from lookalike.apps.resolve.columns import Floats

POINTS = 100.0


def points(similarities: Floats) -> Floats:
    """[pair, field] → the points of each pair; a field that one of them lacks gives none.

    >>> points(np.array([[1.0, 0.9, 1.0], [0.5, np.nan, 0.0]])).tolist()
    [290.0, 50.0]
    """
    return np.asarray(POINTS * np.nan_to_num(similarities).sum(axis=1))


def valid_share(difference: float, of_matches: float, of_random: float) -> float:
    """The share of a group of pairs that are matches, by how far an independent date differs on average.

    >>> valid_share(10, 10, 45), valid_share(45, 10, 45), valid_share(17, 10, 45)
    (1.0, 0.0, 0.8)
    """
    if not of_matches < of_random:
        raise ValueError(f"matches must differ by less than random pairs do, got {of_matches} and {of_random}")
    return float(np.clip((of_random - difference) / (of_random - of_matches), 0, 1))
