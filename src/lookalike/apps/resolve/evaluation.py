"""Evaluates a result by labels: its precision and recall, with their intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookalike.flow.arrays import Mask
from lookalike.trust.intervals import LEVEL, beta_quantile


@dataclass(frozen=True)
class Proportion:
    """A share of labelled pairs, `count` of `of`, with its 95 % interval (Clopper and Pearson's).

    >>> print(Proportion(9, 10))
    0.9000 (95% interval 0.5550 … 0.9975, 9 of 10)
    """

    count: int
    of: int

    @property
    def value(self) -> float:
        """The share; NaN without pairs."""
        return self.count / self.of if self.of else float("nan")

    @property
    def low(self) -> float:
        return beta_quantile((1 - LEVEL) / 2, self.count, self.of - self.count + 1) if self.count else 0.0

    @property
    def high(self) -> float:
        rest = self.of - self.count
        return beta_quantile(1 - (1 - LEVEL) / 2, self.count + 1, rest) if rest else 1.0

    def __str__(self) -> str:
        if not self.of:
            return "unknown"
        return f"{self.value:.4f} (95% interval {self.low:.4f} … {self.high:.4f}, {self.count:,} of {self.of:,})"


@dataclass(frozen=True)
class Evaluation:
    """The labelled pairs by whether they match and whether the result reports them."""

    labels: int
    matches: int
    """The labelled pairs that match."""
    reported: int
    """The labelled pairs that the result reports as matches."""
    right: int
    """The labelled pairs that match and are reported."""
    is_calibrated: bool = False
    """Whether the probabilities were calibrated by the labels."""

    @property
    def precision(self) -> Proportion:
        """The share of reported pairs that match, among labelled pairs."""
        return Proportion(self.right, self.reported)

    @property
    def recall(self) -> Proportion:
        """The share of matches that are reported, among labelled pairs."""
        return Proportion(self.right, self.matches)

    def __str__(self) -> str:
        calibrated = ", used to calibrate the probabilities" if self.is_calibrated else ""
        labels = f"{self.labels:,} {'pair' if self.labels == 1 else 'pairs'}{calibrated}"
        return f"{labels}. Precision {self.precision}. Recall {self.recall}"


def evaluated(matches: Mask, reported: Mask, is_calibrated: bool) -> Evaluation:
    """Counts labelled pairs, given for each whether it matches and whether it was reported."""
    of_matches, of_reported, right = (int(np.count_nonzero(each)) for each in (matches, reported, matches & reported))
    return Evaluation(len(matches), of_matches, of_reported, right, is_calibrated)
