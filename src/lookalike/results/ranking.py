"""Ranks rows by several criteria, and counts how many removed rows each criterion decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from lookalike.flow.arrays import Rows
from lookalike.notices import Notice
from lookalike.results.rule_keys import Keys

INPUT_ORDER = "input order"
"""What decides between rows that are equal by all criteria."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """The rows of a source in order of preference."""

    keys: Mapping[str, Keys]
    """For each criterion, such as a survivor rule, a number per row. Rows with smaller numbers are preferred.

    The first criterion comes first; each criterion breaks the ties of the ones before it.
    """
    rows: int
    warnings: tuple[Notice, ...] = ()

    def order(self) -> Rows:
        """Returns all rows, the most preferred one first.

        >>> Ranking({"shortest": np.array([1, 0, 1]), "best:score": np.array([5, 5, 4])}, 3).order().tolist()
        [1, 2, 0]
        """
        keys = (*self.keys.values(),)[::-1]
        return np.lexsort(keys) if keys else np.arange(self.rows, dtype=np.int64)  # both put earlier rows first

    def decided(self, removed: Rows, kept: Rows) -> dict[str, int]:
        """Counts the removed rows that each criterion decided.

        These are the rows for which it is the first criterion that distinguishes between the removed row and the row
        kept in its place.
        """
        counts, tied = {}, np.ones(len(removed), dtype=np.bool_)
        for name, key in self.keys.items():
            differ = tied & (key[removed] != key[kept])
            counts[name] = int(np.count_nonzero(differ))
            tied &= ~differ
        return counts | {INPUT_ORDER: int(np.count_nonzero(tied))}
