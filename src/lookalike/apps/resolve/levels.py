"""Similarities → levels of agreement, and the weight of each: what a level says for or against a match.

A weight is log(m / u): how much more often matches have this level than other pairs do (Fellegi and Sunter, 1969).
Where a field goes with another (the volume with the journal, the street with the town), both are those given the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Levels = npt.NDArray[np.int8]

CUTS = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.9995])
"""Similarities at which a new level begins; the last is that of equal values."""
LEVELS = len(CUTS) + 1
WIDTHS = np.diff([0.0, *CUTS, 1.05])
"""The share of the scale that each level takes; equal values are given a twentieth."""

UNKNOWN, APART, AGREE = 0, 1, 2
"""What can be said of the field that another depends on."""


def levels_of(similarity: Floats) -> Levels:
    """0 … 12; −1 where there is nothing to compare.

    >>> levels_of(np.array([0.0, 0.87, 1.0, np.nan])).tolist()
    [0, 9, 12, -1]
    """
    found = np.searchsorted(CUTS, similarity, side="right").astype(np.int8)
    found[np.isnan(similarity)] = -1
    return found


@dataclass(frozen=True, eq=False)
class Weights:
    """What was learnt of the fields, in their order."""

    m: Floats
    """[field, state of the parent, level]: how matches are spread over the levels."""
    u: Floats
    """The same of other pairs."""
    parents: tuple[int, ...]
    """The field that each depends on; −1 for none."""
    agrees: tuple[int, ...]
    """The level from which on a field counts as agreeing, for those that depend on it."""
    odds: float
    """Matches to others among the candidates."""
    matches: float
    """How many matches are expected."""
    r: Floats | None = None
    """The same of relatives, where there are such; `u` is then of strangers."""
    relatives: float = 0.0
    """The share of relatives among pairs that do not match."""

    @property
    def prior(self) -> float:
        """The evidence that there is for any candidate."""
        return float(np.log(self.odds))

    def states(self, levels: Levels) -> npt.NDArray[np.int64]:
        return np.where(levels < 0, UNKNOWN, np.where(levels >= np.array(self.agrees), AGREE, APART))

    def evidence(self, levels: Levels) -> Floats:
        """[pair, field]: the weight of what each field says; 0 where there is nothing to compare."""
        return self._compared(levels, self.m)

    def kinship(self, levels: Levels) -> Floats:
        """What it says against a match that relatives agree in this too: log of strangers to all that do not match."""
        if self.r is None:
            return np.zeros(len(levels))
        as_relatives = self._compared(levels, self.r).sum(axis=1)
        return np.asarray(-np.logaddexp(np.log1p(-self.relatives), np.log(self.relatives) + as_relatives))

    def _compared(self, levels: Levels, shares: Floats) -> Floats:
        """[pair, field]: how much more often pairs of these shares have this level than strangers, as a logarithm."""
        states = self.states(levels)
        out = np.zeros(levels.shape)
        for field, parent in enumerate(self.parents):
            weights = np.zeros((3, LEVELS + 1))  # the last is for a level of −1
            weights[:, :LEVELS] = np.log(shares[field]) - np.log(self.u[field])
            state = np.zeros(len(levels), np.int64) if parent < 0 else states[:, parent]
            out[:, field] = weights[state, levels[:, field]]
        return out

    def score(self, levels: Levels) -> Floats:
        """The log odds that each pair is a match."""
        return np.asarray(self.evidence(levels).sum(axis=1) + self.kinship(levels) + self.prior)
