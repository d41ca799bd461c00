"""What other thresholds would give: the pairs reported, and the precision and recall that the model expects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookalike.apps.resolve.columns import Codes, Floats
from lookalike.apps.resolve.entities import one_to_one
from lookalike.apps.resolve.learn import probabilities

LOWEST, HIGHEST, STEPS = float(np.log(0.01 / 0.99)), float(np.log(0.9999 / 0.0001)), 60
"""The range of thresholds, as log odds, and the number of steps in it."""
THRESHOLDS = (0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999)
"""Round thresholds, which are always included."""


@dataclass(frozen=True)
class AtThreshold:
    """What a threshold would give, if the probabilities are right.

    `low` and `high` are the 95 % interval of the precision, which is narrow if there are many pairs: it does not cover
    errors of the model.
    """

    threshold: float
    pairs: int
    precision: float
    recall: float
    """The share of the expected matches among all candidates."""
    low: float
    high: float


def alternatives(left: Codes, right: Codes, score: Floats, is_one_to_one: bool) -> Floats:
    """Returns the probabilities of the candidates that some threshold would report: all, or the best of each record."""
    if not is_one_to_one:
        return probabilities(score)
    likely = np.flatnonzero(score > LOWEST)
    return probabilities(score[likely[one_to_one(left[likely], right[likely], score[likely])]])


def trade_off(probability: Floats) -> list[AtThreshold]:
    """Returns what each threshold would give, from the probabilities of all candidates.

    >>> steps = trade_off(np.array([0.9, 0.9, 0.2]))
    >>> steps[0].pairs, steps[0].recall, round(steps[0].precision, 3)
    (3, 1.0, 0.667)
    """
    ordered = np.sort(probability)[::-1]
    matches, variance = np.cumsum(ordered), np.cumsum(ordered * (1 - ordered))
    found = []
    even = 1 / (1 + np.exp(-np.linspace(LOWEST, HIGHEST, STEPS + 1)[1:]))
    for threshold in np.unique([*even, *THRESHOLDS]).tolist():
        pairs = int(np.searchsorted(-ordered, -threshold, side="right"))
        if pairs:
            precision, error = matches[pairs - 1] / pairs, 1.96 * np.sqrt(variance[pairs - 1]) / pairs
            low, high = max(0.0, float(precision - error)), min(1.0, float(precision + error))
            recall = float(matches[pairs - 1] / matches[-1])
            found.append(AtThreshold(threshold, pairs, float(precision), recall, low, high))
    return found
