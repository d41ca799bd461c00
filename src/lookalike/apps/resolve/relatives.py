"""Separates matches from relatives: pairs of different entities that have much in common.

Papers of one issue agree in journal, volume, number and year; members of a household agree in surname, address and
phone. If there are more relatives than matches, two groups are not enough: the best division into two has strangers on
one side, and matches with relatives on the other. So the second group is divided again. Its more similar part is
considered the matches if three conditions are met. Otherwise the other part consists of matches with errors, and there
is no third group:

- The other part is larger.
- Most of its pairs disagree in a field in which matches agree, and in which they are hardly more similar than
  strangers: members of a household have different given names. Errors may occur in any field, but not always in one.
- Matches do not connect its pairs. If A matches B and B matches C, then A and C are no relatives.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lookalike.apps.resolve.columns import Codes
from lookalike.apps.resolve.levels import Floats, Levels
from lookalike.apps.resolve.shares import mixed, pooled, rising, spread, spread_with_errors
from lookalike.flow.arrays import Mask
from lookalike.results.clusters import connected_components

ROUNDS = 200
CONVERGED = 1e-3
SAMPLE = 100_000
"""The approximate number of pairs used. If there are more, they are sampled."""
CLOSE = 0.99
"""The initial probability that a likely match is a match if hardly any field is evidence against it; otherwise it is
1 − CLOSE.
"""
TOLERATED = (1e-9, 0.5)
"""The evidence against a match, in nats, that a match may have initially. The first value that yields relatives is
used. The second one is for tables with columns that have nothing to do with the entities.
"""
AGREES = float(np.log(2))
"""Matches agree in a field if, on average, it doubles the odds of a match, compared with strangers."""
STRANGE = 0.75
"""Relatives are hardly more similar than strangers if their mean evidence is at least this share of that of
strangers."""
CONNECTED = 0.1
"""If matches connect the two records of more than this share of the relatives, the relatives are matches."""

Shares = tuple[Floats, Floats, Floats]
"""The shares [field, level] of matches, relatives and strangers."""
Ends = tuple[Codes, Codes]


class Groups(NamedTuple):
    """For each pair, the probabilities that it is a match, a pair of relatives, or a pair of strangers."""

    matches: Floats
    relatives: Floats
    strangers: Floats


def with_relatives(levels: Levels, m: Floats, u: Floats, likely: Floats, ends: Ends | None) -> Groups | None:
    """Returns the probabilities of three groups, or None if two groups are enough.

    `m` and `u` are the shares [field, level] of matches and other pairs, and `likely` the probability of a match per
    pair. `ends` are the left and right records of the pairs, or None if they are unknown. Fields are assumed to be
    independent within each group.
    """
    if likely.sum() < 2:  # too few for two groups
        return None
    step = max(1, -(-len(levels) // SAMPLE))
    sample, likely = levels[::step], likely[::step]
    against = summed(np.minimum(np.log(m / u), 0), sample)
    for tolerated in TOLERATED:
        start = likely * np.where(against >= -tolerated, CLOSE, 1 - CLOSE)
        groups, shares, sizes = _fitted(sample, Groups(start, likely - start, 1 - likely))
        if _contradicted(sample, groups, shares):
            of_all = _probable(levels, shares, sizes)
            if ends is None or len(m) <= 2 or not connects(ends, of_all.matches, of_all.relatives):
                return of_all
    return None


def _fitted(levels: Levels, groups: Groups) -> tuple[Groups, Shares, list[float]]:
    """Fits three groups by expectation–maximisation. Returns them with their shares and sizes."""
    for _ in range(ROUNDS):
        shares, sizes = _shares(levels, groups), [float(group.mean()) for group in groups]
        before, groups = groups.matches, _probable(levels, shares, sizes)
        if np.abs(groups.matches - before).max(initial=0) < CONVERGED:
            break
    return groups, shares, sizes


def _contradicted(levels: Levels, groups: Groups, shares: Shares) -> bool:
    """True if there are more relatives than matches, and most relatives disagree in a field in which matches agree."""
    if not 1 <= groups.matches.sum() < groups.relatives.sum():
        return False
    m, r, u = shares
    weight = np.log(m / u)
    of_matches, of_relatives, of_strangers = ((share * weight).sum(axis=1) for share in (m, r, u))
    if len(m) <= 2:  # two records that agree in only one of two fields are hardly ever the same
        return bool(((of_matches > 0) & (of_relatives < 0)).any())
    fields = np.flatnonzero((of_matches > AGREES) & (of_relatives < STRANGE * of_strangers))
    against = np.zeros(len(levels), bool)
    for field in fields.tolist():
        there = levels[:, field] >= 0
        against |= there & (weight[field][levels[:, field]] < 0)
    return bool(groups.relatives @ against > groups.relatives.sum() / 2)


def connects(ends: Ends, matches: Floats, others: Floats) -> bool:
    """True if matches connect the records of many of the other pairs: they are matches, too.

    `matches` and `others` are probabilities per pair.
    """
    some = others > 0.5
    together = connected(ends, matches)[some]
    return len(together) == 0 or bool(together.mean() > CONNECTED)


def connected(ends: Ends, matches: Floats) -> Mask:
    """Returns which pairs of records are connected by matches, the pairs with probabilities above 0.5."""
    left, right = ends
    match = matches > 0.5
    labels = connected_components(int(max(left.max(), right.max())) + 1, left[match], right[match])
    return np.asarray(labels[left] == labels[right])


def _shares(levels: Levels, groups: Groups) -> Shares:
    """Returns the shares [field, level] of matches, relatives and strangers.

    The shares are adjusted so that higher similarity favours relatives over strangers, and matches over relatives.
    """
    u = spread(levels, groups.strangers)
    if len(u) <= 2:  # too few fields to learn from the pairs how often each of them is wrong
        of_matches, of_relatives = (spread(levels, group) for group in groups[:2])
        r = np.stack([pooled(*shares) for shares in zip(of_relatives, u, strict=True)])
        r = mixed(r / r.sum(axis=1, keepdims=True), u)
        m = np.stack([rising(pooled(a, c), b) for a, b, c in zip(of_matches, u, r, strict=True)])
        return m, r, u
    of_matches, of_relatives = (spread_with_errors(levels, group, u) for group in groups[:2])
    r = np.stack([pooled(*shares) for shares in zip(of_relatives, u, strict=True)])
    r /= r.sum(axis=1, keepdims=True)
    m = np.stack([pooled(pooled(a, c), b) for a, b, c in zip(of_matches, u, r, strict=True)])
    m /= m.sum(axis=1, keepdims=True)
    return m, r, u


def _probable(levels: Levels, shares: Shares, sizes: list[float]) -> Groups:
    scores = np.stack(
        [np.log(max(size, 1e-300)) + summed(np.log(share), levels) for size, share in zip(sizes, shares, strict=True)]
    )
    odds = np.exp(scores - scores.max(axis=0))
    return Groups(*(odds / odds.sum(axis=0)))


def summed(values: Floats, levels: Levels) -> Floats:
    """Returns, for each pair, the sum over all fields of `values` [field, level] at its levels.

    Missing values add nothing.
    """
    padded = np.concatenate([values, np.zeros((len(values), 1))], axis=1)  # the last column is for level −1
    return np.asarray(sum(padded[field][levels[:, field]] for field in range(levels.shape[1])))
