"""What was taken for matches → matches, and relatives: different things that have much in common.

Papers of one issue agree in journal, volume, number and year, members of a household in surname, address and phone.
Where there are more of them than of matches, two groups do not do: the best division into two is strangers here,
matches and relatives there. So the second is divided again. The smaller, closer part are the matches if the other
part is the larger one, and if on average some field speaks against it: in most matches, a field is not wrong. If
not, the other part are just matches with errors in them, and there is no third group.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lookalike.apps.resolve.levels import Floats, Levels
from lookalike.apps.resolve.shares import mixed, pooled, rising, spread

ROUNDS = 200
STILL = 1e-3
SAMPLE = 100_000
"""As many pairs are enough to tell relatives by."""
CLOSE = 0.9
"""To begin with, so much of a likely match that no field speaks against is a match, and of another the rest of it.

What comes of it hardly depends on where it begins."""


class Groups(NamedTuple):
    """The probabilities of each pair to be a match, of relatives, of strangers."""

    matches: Floats
    relatives: Floats
    strangers: Floats


def with_relatives(levels: Levels, m: Floats, u: Floats, likely: Floats) -> Groups | None:
    """The three groups, from the shares [field, level] of two and the probability of a match by them; None for two.

    Fields are taken to be independent within each of them.
    """
    if likely.sum() < 2:  # too few to be of two sorts
        return None
    step = max(1, -(-len(levels) // SAMPLE))
    sample, likely = levels[::step], likely[::step]
    close = _table(np.minimum(np.log(m / u), 0), sample) == 0
    matches = likely * np.where(close, CLOSE, 1 - CLOSE)
    groups = Groups(matches, likely - matches, 1 - likely)
    for _ in range(ROUNDS):
        shares, sizes = _shares(sample, groups), [float(group.mean()) for group in groups]
        before, groups = groups.matches, _probable(sample, shares, sizes)
        if np.abs(groups.matches - before).max(initial=0) < STILL:
            break
    m, r, u = shares
    weight = np.log(m / u)
    against = ((r * weight).sum(axis=1) < 0) & ((m * weight).sum(axis=1) > 0)
    if not against.any() or not 1 <= groups.matches.sum() < groups.relatives.sum():
        return None
    return _probable(levels, shares, sizes)


def _shares(levels: Levels, groups: Groups) -> tuple[Floats, Floats, Floats]:
    """Of each group; the nearer one is, the more similar: strangers, relatives, matches."""
    of_matches, of_relatives, u = (spread(levels, group) for group in groups)
    r = np.stack([mixed(near / near.sum(), b) for a, b in zip(of_relatives, u, strict=True) for near in [pooled(a, b)]])
    m = np.stack([rising(pooled(a, c), b) for a, b, c in zip(of_matches, u, r, strict=True)])
    return m, r, u


def _probable(levels: Levels, shares: tuple[Floats, Floats, Floats], sizes: list[float]) -> Groups:
    scores = np.stack(
        [np.log(max(size, 1e-300)) + _table(np.log(share), levels) for size, share in zip(sizes, shares, strict=True)]
    )
    odds = np.exp(scores - scores.max(axis=0))
    return Groups(*(odds / odds.sum(axis=0)))


def _table(values: Floats, levels: Levels) -> Floats:
    """The sum over the fields of the value of a pair's level; nothing where there is nothing to compare."""
    padded = np.concatenate([values, np.zeros((len(values), 1))], axis=1)  # the last is for a level of −1
    return np.asarray(sum(padded[field][levels[:, field]] for field in range(levels.shape[1])))
