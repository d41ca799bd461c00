"""Converts similarities to levels of agreement, each with a weight: its evidence for or against a match.

The weight of a level is log(m / u), where m is the share of matches with this level and u the share of other pairs
(Fellegi and Sunter, 1969). If a field depends on another, as the street depends on the town, both shares are
conditional on the other field.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Levels = npt.NDArray[np.int8]

CUTS = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.9995])
"""The similarities at which levels 1, 2, … start. The last level is for equal values."""
LEVELS = len(CUTS) + 1
WIDTHS = np.diff([0.0, *CUTS, 1.05])
"""The width of each level in similarity, for densities. The level of equal values has a width of about 0.05."""

UNKNOWN, APART, AGREE = 0, 1, 2
"""States of the field on which another depends: a value is missing, the values differ, or they agree."""


def levels_of(similarity: Floats) -> Levels:
    """Returns the level of each similarity, from 0 to 12; −1 if a value is missing (NaN).

    >>> levels_of(np.array([0.0, 0.87, 1.0, np.nan])).tolist()
    [0, 9, 12, -1]
    """
    found = np.searchsorted(CUTS, similarity, side="right").astype(np.int8)
    found[np.isnan(similarity)] = -1
    return found


@dataclass(frozen=True, eq=False)
class Weights:
    """The learned weights of all fields."""

    m: Floats
    """The share of matches at each level, as [field, state of the parent, level]."""
    u: Floats
    """The share of non-matches at each level, indexed like `m`."""
    parents: tuple[int, ...]
    """For each field, the field on which it depends (its parent); −1 if there is none."""
    agrees: tuple[int, ...]
    """For each field, the lowest level that counts as agreement for the fields that depend on it."""
    odds: float
    """The odds that a candidate is a match."""
    matches: float
    """The expected number of matches."""
    r: Floats | None = None
    """The share of relatives at each level, indexed like `m`; None without relatives. With relatives, `u` is for
    strangers only.
    """
    relatives: float = 0.0
    """The share of relatives among pairs that do not match."""

    @property
    def prior(self) -> float:
        """The log odds that a candidate is a match, before its fields are compared."""
        return float(np.log(self.odds))

    def states(self, levels: Levels) -> npt.NDArray[np.int64]:
        return np.where(levels < 0, UNKNOWN, np.where(levels >= np.array(self.agrees), AGREE, APART))

    def evidence(self, levels: Levels) -> Floats:
        """Returns the weight of each field's level, as [pair, field]; 0 if a value is missing."""
        return self._compared(levels, self.m)

    def kinship(self, levels: Levels) -> Floats:
        """Returns the evidence against a match that results from relatives, who agree in these fields too.

        It is the log ratio between the probabilities of these levels among strangers and among all non-matches.
        """
        if self.r is None:
            return np.zeros(len(levels))
        as_relatives = self._compared(levels, self.r).sum(axis=1)
        return np.asarray(-np.logaddexp(np.log1p(-self.relatives), np.log(self.relatives) + as_relatives))

    def _compared(self, levels: Levels, shares: Floats) -> Floats:
        """Returns the log of `shares` / `u` at each field's level, as [pair, field]; 0 if a value is missing."""
        states = self.states(levels)
        out = np.zeros(levels.shape)
        for field, parent in enumerate(self.parents):
            weights = np.zeros((3, LEVELS + 1))  # the last column is for level −1
            weights[:, :LEVELS] = np.log(shares[field]) - np.log(self.u[field])
            state = np.zeros(len(levels), np.int64) if parent < 0 else states[:, parent]
            out[:, field] = weights[state, levels[:, field]]
        return out

    def score(self, levels: Levels) -> Floats:
        """Returns the log odds that each pair is a match."""
        return np.asarray(self.evidence(levels).sum(axis=1) + self.kinship(levels) + self.prior)
