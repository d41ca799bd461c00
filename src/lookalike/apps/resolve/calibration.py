"""Calibrates scores by labels: log odds that fit labelled pairs, as a straight line of the learned log odds.

Which pairs are labelled hardly matters, as long as pairs of the same score are equally likely to be labelled, whether
they match or not: the line then also fits if only doubtful pairs were labelled. (It is known as Platt's scaling.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookalike.apps.resolve.columns import Floats
from lookalike.flow.arrays import Mask

FEWEST = 5
"""With fewer labels of a kind, scores are not calibrated."""
SURE = 20.0
"""Scores beyond this are no more certain: nobody labels enough pairs to see odds of e^20 to 1."""
SPREAD = np.array([1.0, 3.0])
"""Before labels are known, the standard deviations of the slope around 1, and of the shift around 0: a shift by 3
multiplies all odds by 20."""
LEAST = 0.01
"""The smallest slope. Higher scores stay better, whatever the labels are."""


@dataclass(frozen=True)
class Calibration:
    """The log odds of a match are slope · score + shift."""

    slope: float
    shift: float

    def applied(self, score: Floats) -> Floats:
        return np.asarray(self.slope * score + self.shift)


def fitted(score: Floats, matches: Mask) -> Calibration | None:
    """Fits the line to labelled pairs by penalised maximum likelihood; None if there are too few labels of a kind.

    >>> score = np.array([4.0, 4.0, 4.0, 4.0, -4.0, -4.0, -4.0, -4.0, 4.0, -4.0])  # one in five is wrong, odds of 4
    >>> line = fitted(score, np.array([1, 1, 1, 1, 0, 0, 0, 0, 0, 1], bool))
    >>> line.slope < 0.5, abs(line.shift) < 1e-9
    (True, True)
    """
    if min(int(matches.sum()), int((~matches).sum())) < FEWEST:
        return None
    base = np.stack([np.clip(score, -SURE, SURE), np.ones(len(score))], axis=1)
    line = _fit(base, matches, np.array([1.0, 0.0]), np.array([True, True]))
    if line[0] < LEAST:
        line = _fit(base, matches, np.array([LEAST, 0.0]), np.array([False, True]))
    return Calibration(float(line[0]), float(line[1]))


def _fit(base: Floats, matches: Mask, line: Floats, free: Mask) -> Floats:
    """Minimises the loss, which is convex, by Newton's method with steps that are halved while they do not help."""
    loss = _loss(base, matches, line)
    for _ in range(100):
        chance = 1 / (1 + np.exp(-base @ line))
        gradient = base.T @ (chance - matches) + (line - [1, 0]) / SPREAD**2
        curvature = (base.T * (chance * (1 - chance))) @ base + np.diag(1 / SPREAD**2)
        step = np.zeros(2)
        step[free] = np.linalg.solve(curvature[np.ix_(free, free)], gradient[free])
        while (after := _loss(base, matches, line - step)) > loss and np.abs(step).max() > 1e-12:
            step /= 2
        line = line - step
        if loss - after < 1e-12:
            break
        loss = after
    return line


def _loss(base: Floats, matches: Mask, line: Floats) -> float:
    odds = base @ line
    fit = np.logaddexp(0, np.where(matches, -odds, odds)).sum()
    return float(fit + (((line - [1, 0]) / SPREAD) ** 2).sum() / 2)
