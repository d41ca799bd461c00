"""Counts what a higher threshold would leave of the pairs of a result, for the slider of a report."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lookalike.flow.arrays import Rows
from lookalike.results.clusters import connected_components

MOST_STEPS = 40
MOST_PAIRS = 2_000_000
"""The maximum number of pairs of which clusters are counted at each step."""


@dataclass(frozen=True)
class Step:
    """What is left at a threshold: pairs, their clusters, and the documents of these. None if not counted."""

    threshold: float
    pairs: int
    clusters: int | None
    documents: int | None


def steps_of(left: Rows, right: Rows, similarity: npt.NDArray[np.float64], lowest: float) -> list[Step]:
    """Returns what is left at thresholds from `lowest` to 1, in steps of 0.01 or, if these are too many, 0.025 or more.

    Pairs are added from the highest threshold to the lowest, so each is looked at once.
    """
    values = thresholds(lowest)
    ordered = np.sort(similarity)
    counts = (len(ordered) - np.searchsorted(ordered, np.array(values) - 1e-12)).tolist()
    if len(similarity) > MOST_PAIRS:
        return [Step(value, count, None, None) for value, count in zip(values, counts, strict=True)]
    rows, places = np.unique(np.concatenate([left, right]), return_inverse=True)
    one, two = np.split(places.astype(np.int64), 2)
    label, is_in = np.arange(len(rows), dtype=np.int64), np.zeros(len(rows), bool)
    above, steps = np.inf, list[Step]()
    for value, count in zip(values[::-1], counts[::-1], strict=True):
        new = np.flatnonzero((similarity >= value - 1e-12) & (similarity < above))
        label = connected_components(len(rows), label[one[new]], label[two[new]])[label]
        is_in[one[new]] = is_in[two[new]] = True
        steps.append(Step(value, count, len(np.unique(label[is_in])), int(is_in.sum())))
        above = value - 1e-12
    return steps[::-1]


def thresholds(lowest: float) -> list[float]:
    """Returns round thresholds from at most `lowest` to 1.

    >>> thresholds(0.957)
    [0.957, 0.96, 0.97, 0.98, 0.99, 1.0]
    """
    for thousandths in (10, 25, 50):
        first = int(np.floor(lowest * 1000 / thousandths + 1e-9)) + 1
        if 1000 // thousandths - first + 2 <= MOST_STEPS:
            break
    return [round(lowest, 6), *(at * thousandths / 1000 for at in range(first, 1000 // thousandths + 1))]
