"""Levels of weighted pairs → their distribution over the levels of each field, under the constraints on matches."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lookalike.apps.resolve.levels import AGREE, APART, LEVELS, WIDTHS, Floats, Levels

FEW = 20.0
"""Weight, in pairs, of the unconditional distribution, if a field depends on another."""
WRONG = 0.05
"""Least share of matches in which a field is wrong: people move, and are misread."""


def spread(levels: Levels, weight: Floats) -> Floats:
    """[field, level]: shares, smoothed by one extra pair spread over all levels."""
    columns = (
        np.bincount(column.astype(np.int64) + 1, weights=weight, minlength=LEVELS + 1)[1:] for column in levels.T
    )
    more = np.stack(list(columns)) + 1 / LEVELS
    return np.asarray(more / more.sum(axis=1, keepdims=True))


def spread_by_parent(levels: Levels, states: npt.NDArray[np.int64], parents: tuple[int, ...], weight: Floats) -> Floats:
    """[field, state of the parent, level]: shares; the same for each state if a field has no parent."""
    of_all = spread(levels, weight)
    shares = np.repeat(of_all[:, None, :], 3, axis=1)
    for field, parent in enumerate(parents):
        for state in (APART, AGREE) if parent >= 0 else ():
            here = states[:, parent] == state
            seen = np.bincount(levels[here, field].astype(np.int64) + 1, weights=weight[here], minlength=LEVELS + 1)
            counts = seen[1:] + FEW * of_all[field]
            shares[field, state] = counts / counts.sum()
    return shares


def rising(m: Floats, u: Floats) -> Floats:
    """Shares of matches, adjusted so that neither density nor evidence falls as similarity rises."""
    found = pooled(pooled(m, WIDTHS), u)
    return mixed(found / found.sum(), u)


def mixed(shares: Floats, u: Floats) -> Floats:
    """Shares mixed with those of other pairs, since a field is sometimes wrong."""
    return np.asarray((1 - WRONG) * shares + WRONG * u)


def pooled(m: Floats, u: Floats) -> Floats:
    """m with the least change so that m / u never falls: neighbouring levels are pooled.

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
