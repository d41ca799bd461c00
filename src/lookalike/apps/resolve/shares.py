"""Estimates the share of pairs at each level of each field from weighted pairs, under the constraints on matches."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lookalike.apps.resolve.levels import AGREE, APART, LEVELS, WIDTHS, Floats, Levels

FEW = 20.0
"""The weight, in pairs, of what is assumed before learning: `WRONG`, or a field's shares whatever its parent field."""
WRONG = 0.05
"""The assumed share of matches in which a field is wrong, because people move and names are misread."""
ROUNDS = 20
CONVERGED = 1e-4
"""Learning the share of wrong values stops when it changes by no more than this."""


def spread(levels: Levels, weight: Floats) -> Floats:
    """Returns the weighted share of pairs at each level, as [field, level], smoothed by one additional pair."""
    more = counted(levels, weight) + 1 / LEVELS
    return np.asarray(more / more.sum(axis=1, keepdims=True))


def spread_with_errors(levels: Levels, weight: Floats, u: Floats) -> Floats:
    """Returns the weighted share of pairs at each level, smoothed by pairs in which the field is wrong.

    Their values are no more similar than those of other pairs, `u`. Unlike in `mixed`, errors that were seen are not
    counted again, so that repeated estimates do not wash out the differences between the groups of pairs.
    """
    more = counted(levels, weight) + FEW * WRONG * u
    return np.asarray(more / more.sum(axis=1, keepdims=True))


def counted(levels: Levels, weight: Floats) -> Floats:
    """Returns the total weight of the pairs at each level, as [field, level]."""
    columns = (
        np.bincount(column.astype(np.int64) + 1, weights=weight, minlength=LEVELS + 1)[1:] for column in levels.T
    )
    return np.stack(list(columns))


def spread_by_parent(levels: Levels, states: npt.NDArray[np.int64], parents: tuple[int, ...], weight: Floats) -> Floats:
    """Returns the shares as [field, state of the parent, level].

    They are equal for all states if a field has no parent.
    """
    of_all = spread(levels, weight)
    shares = np.repeat(of_all[:, None, :], 3, axis=1)
    for field, parent in enumerate(parents):
        for state in (APART, AGREE) if parent >= 0 else ():
            here = states[:, parent] == state
            seen = np.bincount(levels[here, field].astype(np.int64) + 1, weights=weight[here], minlength=LEVELS + 1)
            counts = seen[1:] + FEW * of_all[field]
            shares[field, state] = counts / counts.sum()
    return shares


def rising(m: Floats, u: Floats, pairs: float = 0.0) -> Floats:
    """Adjusts the shares `m` of matches so that m / u never falls as similarity rises.

    In some matches, a field is wrong, and its values are no more similar than those of other pairs. In all other
    matches, the density never falls as similarity rises. The share of wrong values is learned from the matches, of
    which there are `pairs`. A column that has nothing to do with the entities is wrong in all of them.

    >>> u = np.full(LEVELS, 1 / LEVELS)
    >>> unrelated = rising(u, u, 1e6)
    >>> bool(np.abs(np.log(unrelated / u)).max() < 0.1)
    True
    """
    right, wrong = m, WRONG
    for _ in range(ROUNDS):
        shape = pooled(pooled(right, WIDTHS), u)
        as_right = (1 - wrong) * shape / shape.sum()
        found = as_right + wrong * u
        right = m * as_right / found
        before, wrong = wrong, (FEW * WRONG + pairs * (1 - float(right.sum()))) / (FEW + pairs)
        if abs(before - wrong) < CONVERGED:
            break
    return np.asarray(found)


def mixed(shares: Floats, u: Floats) -> Floats:
    """Mixes the shares with `u`, those of other pairs, because a field is sometimes wrong (see `WRONG`)."""
    return np.asarray((1 - WRONG) * shares + WRONG * u)


def pooled(m: Floats, u: Floats) -> Floats:
    """Adjusts `m` so that m / u never falls, by pooling neighbouring levels.

    >>> pooled(np.array([0.5, 0.1, 0.4]), np.array([0.5, 0.25, 0.25])).round(3).tolist()
    [0.4, 0.2, 0.4]
    """
    blocks: list[tuple[float, float, int]] = []
    for a, b in zip(m.tolist(), u.tolist(), strict=True):
        block = (a, b, 1)
        while blocks and blocks[-1][0] * block[1] > block[0] * blocks[-1][1]:
            last = blocks.pop()
            block = (last[0] + block[0], last[1] + block[1], last[2] + block[2])
        blocks.append(block)
    return np.asarray(u * np.concatenate([np.full(size, a / b) for a, b, size in blocks]))
