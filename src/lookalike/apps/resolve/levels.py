"""Similarities → levels of agreement, and the weight of each level: its evidence for or against a match.

A weight is log(m / u), where m and u are the shares of matches and of other pairs with this level (Fellegi and Sunter,
1969). If a field depends on another (the volume on the journal, the street on the town), the shares are conditional.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Levels = npt.NDArray[np.int8]

CUTS = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.9995])
"""Similarities at which levels start; the last level is for equal values."""
LEVELS = len(CUTS) + 1
WIDTHS = np.diff([0.0, *CUTS, 1.05])
"""Width of each level; equal values count as 0.05."""

UNKNOWN, APART, AGREE = 0, 1, 2
"""State of the field that another depends on."""


def levels_of(similarity: Floats) -> Levels:
    """Levels 0 … 12; −1 if a value is missing.

    >>> levels_of(np.array([0.0, 0.87, 1.0, np.nan])).tolist()
    [0, 9, 12, -1]
    """
    found = np.searchsorted(CUTS, similarity, side="right").astype(np.int8)
    found[np.isnan(similarity)] = -1
    return found


@dataclass(frozen=True, eq=False)
class Weights:
    """What was learned, per field."""

    m: Floats
    """[field, state of the parent, level]: share of matches per level."""
    u: Floats
    """Share of other pairs per level."""
    parents: tuple[int, ...]
    """The field that each depends on; −1 for none."""
    agrees: tuple[int, ...]
    """Least level at which a field counts as agreeing, for fields that depend on it."""
    odds: float
    """Odds of a match among the candidates."""
    matches: float
    """Expected number of matches."""
    r: Floats | None = None
    """Share of relatives per level, if there are relatives; `u` is then that of strangers."""
    relatives: float = 0.0
    """The share of relatives among pairs that do not match."""

    @property
    def prior(self) -> float:
        """Log odds of any candidate."""
        return float(np.log(self.odds))

    def states(self, levels: Levels) -> npt.NDArray[np.int64]:
        return np.where(levels < 0, UNKNOWN, np.where(levels >= np.array(self.agrees), AGREE, APART))

    def evidence(self, levels: Levels) -> Floats:
        """[pair, field]: the weight of each field's level; 0 if a value is missing."""
        return self._compared(levels, self.m)

    def kinship(self, levels: Levels) -> Floats:
        """Evidence against a match because relatives agree in these fields too: log of strangers to all non-matches."""
        if self.r is None:
            return np.zeros(len(levels))
        as_relatives = self._compared(levels, self.r).sum(axis=1)
        return np.asarray(-np.logaddexp(np.log1p(-self.relatives), np.log(self.relatives) + as_relatives))

    def _compared(self, levels: Levels, shares: Floats) -> Floats:
        """[pair, field]: log ratio of these shares to those of strangers."""
        states = self.states(levels)
        out = np.zeros(levels.shape)
        for field, parent in enumerate(self.parents):
            weights = np.zeros((3, LEVELS + 1))  # the last column is for level −1
            weights[:, :LEVELS] = np.log(shares[field]) - np.log(self.u[field])
            state = np.zeros(len(levels), np.int64) if parent < 0 else states[:, parent]
            out[:, field] = weights[state, levels[:, field]]
        return out

    def score(self, levels: Levels) -> Floats:
        """Log odds of a match, per pair."""
        return np.asarray(self.evidence(levels).sum(axis=1) + self.kinship(levels) + self.prior)
