"""Separates matches from relatives: pairs of different entities that have much in common.

Papers of one issue agree in journal, volume, number and year; members of a household agree in surname, address and
phone. If there are more relatives than matches, two groups are not enough: the best division into two has strangers on
one side, and matches with relatives on the other. So the second group is divided again. Its more similar part is
considered the matches if the other part is larger and some field is, on average, evidence against the other part: in
true matches, most values of a field are right. Otherwise the other part consists of matches with errors, and there is
no third group.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lookalike.apps.resolve.levels import Floats, Levels
from lookalike.apps.resolve.shares import mixed, pooled, rising, spread

ROUNDS = 200
CONVERGED = 1e-3
SAMPLE = 100_000
"""The approximate number of pairs used. If there are more, they are sampled."""
CLOSE = 0.9
"""The initial probability that a likely match is a match if no field is evidence against it; otherwise it is 1 − CLOSE.
The result hardly depends on this value.
"""


class Groups(NamedTuple):
    """For each pair, the probabilities that it is a match, a pair of relatives, or a pair of strangers."""

    matches: Floats
    relatives: Floats
    strangers: Floats


def with_relatives(levels: Levels, m: Floats, u: Floats, likely: Floats) -> Groups | None:
    """Returns the probabilities of three groups, or None if two groups are enough.

    `m` and `u` are the shares [field, level] of matches and other pairs, and `likely` the probability of a match per
    pair. Fields are assumed to be independent within each group.
    """
    if likely.sum() < 2:  # too few for two groups
        return None
    step = max(1, -(-len(levels) // SAMPLE))
    sample, likely = levels[::step], likely[::step]
    close = _sums(np.minimum(np.log(m / u), 0), sample) == 0
    matches = likely * np.where(close, CLOSE, 1 - CLOSE)
    groups = Groups(matches, likely - matches, 1 - likely)
    for _ in range(ROUNDS):
        shares, sizes = _shares(sample, groups), [float(group.mean()) for group in groups]
        before, groups = groups.matches, _probable(sample, shares, sizes)
        if np.abs(groups.matches - before).max(initial=0) < CONVERGED:
            break
    m, r, u = shares
    weight = np.log(m / u)
    against = ((r * weight).sum(axis=1) < 0) & ((m * weight).sum(axis=1) > 0)
    if not against.any() or not 1 <= groups.matches.sum() < groups.relatives.sum():
        return None
    return _probable(levels, shares, sizes)


def _shares(levels: Levels, groups: Groups) -> tuple[Floats, Floats, Floats]:
    """Returns the shares [field, level] of matches, relatives and strangers.

    The shares are adjusted so that higher similarity favours relatives over strangers, and matches over relatives.
    """
    of_matches, of_relatives, u = (spread(levels, group) for group in groups)
    r = np.stack([mixed(near / near.sum(), b) for a, b in zip(of_relatives, u, strict=True) for near in [pooled(a, b)]])
    m = np.stack([rising(pooled(a, c), b) for a, b, c in zip(of_matches, u, r, strict=True)])
    return m, r, u


def _probable(levels: Levels, shares: tuple[Floats, Floats, Floats], sizes: list[float]) -> Groups:
    scores = np.stack(
        [np.log(max(size, 1e-300)) + _sums(np.log(share), levels) for size, share in zip(sizes, shares, strict=True)]
    )
    odds = np.exp(scores - scores.max(axis=0))
    return Groups(*(odds / odds.sum(axis=0)))


def _sums(values: Floats, levels: Levels) -> Floats:
    """Returns, for each pair, the sum over all fields of `values` [field, level] at its levels.

    Missing values add nothing.
    """
    padded = np.concatenate([values, np.zeros((len(values), 1))], axis=1)  # the last column is for level −1
    return np.asarray(sum(padded[field][levels[:, field]] for field in range(levels.shape[1])))
