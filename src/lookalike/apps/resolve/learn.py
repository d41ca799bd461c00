"""Levels of candidate pairs → weights, without labels: expectation–maximisation under what is known of matches.

Three things are known, and keep the two groups that it finds from being something else than matches and the rest:
matches are the more frequent the more similar (their density never falls); more similar is never evidence against; and
what agrees only because something else does is not counted twice (a tree of dependencies between fields, Chow and Liu).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lookalike.apps.resolve.columns import Codes
from lookalike.apps.resolve.levels import AGREE, APART, LEVELS, WIDTHS, Floats, Levels, Weights

ROUNDS = 40
STILL = 1e-3
"""When no probability moves by more than this, the weights are learnt."""
FEW = 20.0
"""So many pairs are taken to follow the rest of their field, where a field depends on another."""
WRONG = 0.05
"""In so many matches, at least, a field has nothing to do with what it should be: people move, and are misread."""
SAMPLE = 400_000
"""As many candidates are enough to learn from."""

_STRICT = np.array([1, 1, 1, 1, 2, 2, 3, 4, 5, 8, 12, 15, 45], np.float64)
_LOOSE = np.array([1, 2, 3, 5, 6, 8, 10, 10, 10, 10, 12, 10, 13], np.float64)
"""How matches are spread over the levels, to begin with: names and numbers agree, texts are similar."""


def learn(levels: Levels, loose: list[bool], rivals: tuple[Codes, Codes] | None) -> Weights:
    """The weights of all fields; `loose` are those of texts. `rivals` are the rows of both sides, each matched once."""
    fields = levels.shape[1]
    start = np.stack([_LOOSE / _LOOSE.sum() if soft else _STRICT / _STRICT.sum() for soft in loose])
    spread = _smooth(_counts(levels, np.ones(len(levels))))
    weights = Weights(
        np.repeat(start[:, None, :], 3, axis=1),
        np.repeat(spread[:, None, :], 3, axis=1),
        (-1,) * fields,
        (LEVELS,) * fields,
        0.05,
        0.05 * len(levels),
    )
    weights, likely = _maximise(weights, levels, rivals)
    if rivals is None and fields > 1:  # where each is matched once, rivals tell relatives from matches better
        ratio = weights.m[:, 0] / weights.u[:, 0]
        agrees = tuple(int(np.argmax(row > 1)) if (row > 1).any() else LEVELS for row in ratio)
        weights = replace(weights, agrees=agrees)
        parents = dependencies(weights.states(levels), 1 - likely)
        weights, likely = _maximise(replace(weights, parents=parents), levels, rivals)
    return weights


def _maximise(weights: Weights, levels: Levels, rivals: tuple[Codes, Codes] | None) -> tuple[Weights, Floats]:
    likely = probabilities(weights.score(levels), rivals)
    for _ in range(ROUNDS):
        weights = _estimate(weights, levels, likely)
        before, likely = likely, probabilities(weights.score(levels), rivals)
        if np.abs(likely - before).max(initial=0) < STILL:
            break
    return weights, likely


def probabilities(score: Floats, rivals: tuple[Codes, Codes] | None = None) -> Floats:
    """From log odds. With `rivals` a record has one match at most, so that its candidates share one probability."""
    odds = np.exp(np.clip(score, -500, 500))
    if rivals is None:
        return np.asarray(odds / (1 + odds))
    left, right = rivals
    of_left, of_right = np.bincount(left, weights=odds), np.bincount(right, weights=odds)
    return np.asarray(odds / (1 + of_left[left] + of_right[right] - odds))


def _estimate(weights: Weights, levels: Levels, likely: Floats) -> Weights:
    """What is most likely, where these are the probabilities of being a match."""
    matches, others = _smooth(_counts(levels, likely)), _smooth(_counts(levels, 1 - likely))
    u = np.repeat(others[:, None, :], 3, axis=1)
    m = np.repeat(matches[:, None, :], 3, axis=1)
    states = weights.states(levels)
    for field, parent in enumerate(weights.parents):
        for state in (APART, AGREE) if parent >= 0 else ():
            here = states[:, parent] == state
            for shares, of_all, chance in ((m, matches, likely), (u, others, 1 - likely)):
                counts = _counts(levels[here, field : field + 1], chance[here])[0] + FEW * of_all[field]
                shares[field, state] = counts / counts.sum()
        for state in range(3):
            rising = pooled(pooled(m[field, state], WIDTHS), u[field, state])
            m[field, state] = (1 - WRONG) * rising / rising.sum() + WRONG * u[field, state]
    expected = float(likely.sum())
    odds = (expected + 1e-9) / (len(likely) - expected + 1e-9)
    return replace(weights, m=m, u=u, odds=odds, matches=expected)


def pooled(m: Floats, u: Floats) -> Floats:
    """m, changed as little as it takes for m / u never to fall: neighbouring levels that fall are put together.

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


def dependencies(states: Codes, weight: Floats) -> tuple[int, ...]:
    """Each field's parent in the tree that joins fields by what they tell of one another in pairs that do not match."""
    fields = states.shape[1]
    told = np.zeros((fields, fields))
    for a in range(fields):
        for b in range(a):
            both = (states[:, a] > 0) & (states[:, b] > 0)
            table = np.bincount(
                2 * (states[both, a] - APART) + states[both, b] - APART, weights=weight[both], minlength=4
            ).reshape(2, 2)
            share = (table + 0.5) / (table + 0.5).sum()
            apart = share.sum(axis=1, keepdims=True) * share.sum(axis=0, keepdims=True)
            told[a, b] = told[b, a] = float((share * np.log(share / apart)).sum() * table.sum())
    parents = [-1] * fields
    inside = [0]
    while len(inside) < fields:
        _, a, b = max((told[a, b], -a, -b) for a in inside for b in range(fields) if b not in inside)
        parents[-b] = -a
        inside.append(-b)
    return tuple(parents)


def _counts(levels: Levels, weight: Floats) -> Floats:
    columns = (
        np.bincount(column.astype(np.int64) + 1, weights=weight, minlength=LEVELS + 1)[1:] for column in levels.T
    )
    return np.stack(list(columns))


def _smooth(counts: Floats) -> Floats:
    """Shares, with one pair more, spread over all levels: what was not seen may be yet."""
    more = counts + 1 / LEVELS
    return np.asarray(more / more.sum(axis=1, keepdims=True))
