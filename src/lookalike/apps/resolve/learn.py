"""Learns weights from the levels of candidate pairs, without labels, by constrained expectation–maximisation.

Four constraints ensure that the two groups found are matches and non-matches. The density of matches never falls as
similarity rises, except in a share of matches, learned per field, in which the field is wrong. Higher similarity is
never evidence against a match. Fields that agree only because another field agrees are not counted twice (Chow–Liu tree
of dependencies between fields). Pairs that do not match may still be related (`relatives`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lookalike.apps.resolve.columns import Codes
from lookalike.apps.resolve.levels import AGREE, APART, LEVELS, Floats, Levels, Weights
from lookalike.apps.resolve.rarity import Bounds
from lookalike.apps.resolve.relatives import CONNECTED, Groups, connected, connects, summed, with_relatives
from lookalike.apps.resolve.shares import mixed, pooled, rising, spread, spread_by_parent
from lookalike.flow.progress import Progress, Steps, silent

ROUNDS = 40
CONVERGED = 1e-3
"""Learning stops when no probability changes by more than this."""
SAMPLE = 400_000
"""The approximate number of candidates used for learning. If there are more, they are sampled."""
DOUBT = 0.5
"""The initial share of matches in which a field is wrong. With less doubt, two columns that have nothing to do with the
entities can outweigh all others before their shares of wrong values are learned.
"""
FEW = 0.05
"""The share of candidates that are assumed to match at first."""
MOST = 0.5
"""If no match was found so, or too few, at least this share is assumed to match instead, and confirmed if more are
found."""
BLOCK = 1 << 16
"""The approximate number of weights that are compared with one field at once."""

_STRICT = np.array([1, 1, 1, 1, 2, 2, 3, 4, 5, 8, 12, 15, 45], np.float64)
_LOOSE = np.array([1, 2, 3, 5, 6, 8, 10, 10, 10, 10, 12, 10, 13], np.float64)
"""The initial distributions of matches over the levels. In strict fields, most values of a match are equal; in loose
fields, they are similar.
"""


@dataclass(frozen=True, eq=False)
class Unmatched:
    """How near to each other records are that have no match, compared with other candidates.

    Two records without a match can each be the other's nearest, which must not make them a match.
    """

    rivalry: Floats
    """The share of pairs at each level of rivalry among the candidates within one of the tables. None of them match."""
    sizes: tuple[float, float]
    """The number of records of each table, among which the pairs to learn from were found."""

    def share(self, matches: float) -> float:
        """Returns the estimated share of the pairs of two nearest records in which both have no match."""
        return float(np.prod([max(0.0, 1 - matches / size) for size in self.sizes]))


def learn(
    levels: Levels,
    loose: list[bool],
    rivals: tuple[Codes, Codes] | None,
    bounds: Bounds | None = None,
    progress: Progress = silent,
    random: Levels | None = None,
    ends: tuple[Codes, Codes] | None = None,
    unmatched: Unmatched | None = None,
) -> Weights:
    """Learns the weights of all fields.

    `loose` marks fields of free text. `rivals` are the left and right rows of the pairs if matches are one-to-one.
    `bounds` limit the scores of pairs. They are needed if there are only one or two fields, because any division of the
    levels of one field into two groups is then as likely as any other. `random` are the levels of random pairs, which
    hardly ever match. Learning starts from them if most candidates match, because the candidates then do not show what
    pairs that do not match look like, and no match is found at first, or matches connect pairs that are said not to
    match. `ends` are the left and right records of the pairs.
    `unmatched` describes records without a match, if matches are one-to-one.
    """
    fields = levels.shape[1]
    first = _initial(spread(levels, np.ones(len(levels))), loose, FEW, len(levels))
    weights, likely = _maximise(first, levels, rivals, bounds, progress, unmatched)
    linked = ends if rivals is None and fields > 2 else None
    if random is not None and len(random) and (weights.matches < 1 or _lacks_matches(linked, likely)):
        first = _initial(spread(random, np.ones(len(random))), loose, MOST, len(levels))
        again, likely_again = _maximise(first, levels, rivals, bounds, progress, unmatched)
        better = weights.matches < 1 or _fit(again, levels) > _fit(weights, levels)
        joined = linked is None or connects(linked, likely, likely_again - likely) or weights.matches < 1
        if again.matches > MOST * len(levels) and better and joined:
            weights, likely = again, likely_again
    if rivals is None and fields > 1:  # with one-to-one matches, rivals distinguish relatives from matches better
        groups = with_relatives(levels, weights.m[:, 0], weights.u[:, 0], likely, ends)
        if groups is not None:
            likely = groups.matches
            weights = _estimate(weights, levels, likely)
        ratio = weights.m[:, 0] / weights.u[:, 0]
        agrees = tuple(int(np.argmax(row > 1)) if (row > 1).any() else LEVELS for row in ratio)
        weights = replace(weights, agrees=agrees)
        if fields > 2:  # of two fields, a dependency would explain every pair that agrees in both, and leave no match
            weights = replace(weights, parents=dependencies(weights.states(levels), 1 - likely))
        if groups is None:
            weights, _ = _maximise(weights, levels, rivals, bounds, progress)
        else:  # keep the groups, because learning again with the tree would merge matches and relatives
            weights = _with_relatives(_estimate(weights, levels, likely), levels, groups)
    return weights


def _lacks_matches(ends: tuple[Codes, Codes] | None, likely: Floats) -> bool:
    """True if matches connect many pairs that are said not to match, and most candidates may match.

    If A matches B and B matches C, then A and C match, too.
    """
    if ends is None:
        return False
    missed = float((connected(ends, likely) & (likely <= 0.5)).sum())
    return missed > CONNECTED * max(1.0, MOST * len(likely) - float(likely.sum()))


def _fit(weights: Weights, levels: Levels) -> float:
    """Returns the mean log likelihood of the pairs, if fields are independent."""
    share = weights.odds / (1 + weights.odds)
    groups = ((share, weights.m), (1 - share, weights.u))
    return float(np.logaddexp(*(np.log(size) + summed(np.log(shares[:, 0]), levels) for size, shares in groups)).mean())


def _initial(u: Floats, loose: list[bool], share: float, pairs: int) -> Weights:
    """Returns the weights to start from, given the shares `u` of pairs that do not match."""
    right = np.stack([_LOOSE / _LOOSE.sum() if soft else _STRICT / _STRICT.sum() for soft in loose])
    m, u = (np.repeat(shares[:, None, :], 3, axis=1) for shares in ((1 - DOUBT) * right + DOUBT * u, u))
    fields = len(loose)
    return Weights(m, u, (-1,) * fields, (LEVELS,) * fields, share / (1 - share), share * pairs)


def _maximise(
    weights: Weights,
    levels: Levels,
    rivals: tuple[Codes, Codes] | None,
    bounds: Bounds | None,
    progress: Progress,
    unmatched: Unmatched | None = None,
) -> tuple[Weights, Floats]:
    likely = probabilities(_bounded(weights, levels, bounds), rivals)
    done = 0.0
    for number in range(1, ROUNDS + 1):
        weights = _estimate(weights, levels, likely, unmatched)
        before, likely = likely, probabilities(_bounded(weights, levels, bounds), rivals)
        change = float(np.abs(likely - before).max(initial=0))
        if change < CONVERGED:
            break
        # changes shrink by about the same factor in every round, so their logarithms show how far it is to the end
        done = max(done, number / ROUNDS, float(np.log(change) / np.log(CONVERGED)))
        progress("learn", int(100 * done), Steps(100))
    return weights, likely


def _bounded(weights: Weights, levels: Levels, bounds: Bounds | None) -> Floats:
    score = weights.score(levels)
    return score if bounds is None else bounds.applied(score, weights.matches)


def probabilities(score: Floats, rivals: tuple[Codes, Codes] | None = None) -> Floats:
    """Converts log odds to probabilities. With `rivals`, a record has at most one match, so its candidates compete."""
    odds = np.exp(np.clip(score, -500, 500))
    if rivals is None:
        return np.asarray(odds / (1 + odds))
    left, right = rivals
    of_left, of_right = np.bincount(left, weights=odds), np.bincount(right, weights=odds)
    return np.asarray(odds / (1 + of_left[left] + of_right[right] - odds))


def _estimate(weights: Weights, levels: Levels, likely: Floats, unmatched: Unmatched | None = None) -> Weights:
    """Estimates the maximum-likelihood weights, given the probability that each pair is a match."""
    states = weights.states(levels)
    u = spread_by_parent(levels, states, weights.parents, 1 - likely)
    found = spread_by_parent(levels, states, weights.parents, likely)
    expected = float(likely.sum())
    if unmatched is not None:
        share = unmatched.share(expected)
        u[-1] = (1 - share) * u[-1] + share * unmatched.rivalry
    by_field = (zip(*field, strict=True) for field in zip(found, u, strict=True))
    m = np.stack([[rising(*shares, expected) for shares in field] for field in by_field])
    odds = (expected + 1e-9) / (len(likely) - expected + 1e-9)
    return replace(weights, m=m, u=u, odds=odds, matches=expected)


def _with_relatives(weights: Weights, levels: Levels, groups: Groups) -> Weights:
    """Returns the weights with separate shares for the two kinds of non-matches: strangers and relatives.

    All of them are mixed with errors, because all groups were divided as if the surest pairs had none.
    """
    states = weights.states(levels)
    found, near, u = (spread_by_parent(levels, states, weights.parents, group) for group in groups)
    for field, state in np.ndindex(u.shape[:2]):
        found[field, state] = pooled(found[field, state], u[field, state])
    share = float(groups.relatives.sum() / (groups.relatives.sum() + groups.strangers.sum()))
    found /= found.sum(axis=2, keepdims=True)
    return replace(weights, m=mixed(found, u), u=u, r=mixed(near, u), relatives=share)


def dependencies(states: Codes, weight: Floats) -> tuple[int, ...]:
    """Returns the parent of each field in the tree with the most mutual information among non-matches (root: −1)."""
    information = _mutual_information(states, weight)
    fields = len(information)
    parents = np.full(fields, -1)
    root = int(information.sum(axis=1).argmax())  # not the first field, so that the order of columns is irrelevant
    nearest, best = np.full(fields, root), information[root].copy()  # of the fields in the tree, for each field
    outside = np.ones(fields, bool)
    outside[root] = False
    for _ in range(fields - 1):
        first = np.flatnonzero(outside & (best == best[outside].max()))
        added = int(first[nearest[first].argmin()])
        parents[added] = nearest[added]
        outside[added] = False
        nearer = (information[added] > best) | ((information[added] == best) & (added < nearest))
        nearest[nearer], best[nearer] = added, information[added][nearer]
    return tuple(parents.tolist())


def _mutual_information(states: Codes, weight: Floats) -> Floats:
    """Returns the mutual information of each two fields, times the weight of the pairs in which both have values.

    Weights are added in the order of the pairs. A product of matrices would be faster, but differ between machines.
    """
    of_each = states.T.astype(np.int8)  # by field
    fields = len(of_each)
    information = np.zeros((fields, fields))
    width = min(fields, max(8, BLOCK // max(1, len(states))))  # more than 1: NumPy adds one column in another order
    for first in range(0, fields, width):
        first = min(first, fields - width)
        here = slice(first, first + width)
        apart, agree = (np.where(states[:, here] == state, weight[:, None], 0.0) for state in (APART, AGREE))
        for field in range(first + 1, fields):
            ways = [np.flatnonzero(of_each[field] == state) for state in (APART, AGREE)]
            table = np.array([part[pairs].sum(axis=0) for pairs in ways for part in (apart, agree)])
            share = (table + 0.5) / _added(table + 0.5)
            of_field, of_others = share[[0, 0, 2, 2]] + share[[1, 1, 3, 3]], share[[0, 1, 0, 1]] + share[[2, 3, 2, 3]]
            information[field, here] = _added(share * np.log(share / (of_field * of_others))) * _added(table)
    lower = np.tril(information, -1)
    return lower + lower.T


def _added(table: Floats) -> Floats:
    return np.asarray(table[0] + table[1] + table[2] + table[3])
