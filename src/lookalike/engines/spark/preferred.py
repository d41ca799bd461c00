"""The order of preference, as tasks know it: a rank per row. A smaller rank is preferred.

Ranks are unique. They are stored part by part, next to the other results that depend on the preference, unless earlier
rows are preferred: then the rank of a row is its number.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from lookalike.engines.spark.corpus import part_name
from lookalike.engines.spark.staging import Staging
from lookalike.flow.arrays import Mask, Rows, to_numpy
from lookalike.flow.preference import Preference, pair_numbers

RANKS = "ranks"
"""The stage that contains the rank of each row, in the order of the rows of a part."""


@dataclass(frozen=True, eq=False)
class PreferredRows:
    """Which rows are kept rather than others: `Preference`, without the order, which is stored."""

    stored: bool = False
    """True if ranks are stored. Otherwise, the rank of a row is its number."""
    always_kept: int = 0
    """Rows with a smaller rank are always kept."""
    different: tuple[Rows, Rows] | None = None
    alone: Rows | None = None

    @classmethod
    def of(cls, preference: Preference) -> PreferredRows:
        return cls(True, preference.always_kept, preference.different, preference.alone)

    def ranks(self, staging: Staging, part: int, rows: Rows, step: int) -> Rows:
        """Returns the ranks of these rows of a part."""
        if not self.stored:
            return rows
        return to_numpy(staging.get(part_name(RANKS, part), ["rank"])["rank"])[rows - part * step]

    def best_copies(self, rows: Rows, first: Rows, rank: Rows) -> Rows:
        """Returns, for each row, the position of its most preferred copy, given the position of its first copy.

        Rows that somebody decided on are not treated as copies.
        """
        decided = [rows for rows in (self.alone, *(self.different or ())) if rows is not None]
        group = first
        if decided:
            group = np.where(np.isin(rows, np.concatenate(decided)), len(rows) + np.arange(len(rows)), first)
        order = np.lexsort((rank, group))
        starts = np.flatnonzero(np.diff(group[order], prepend=-1))
        best = np.empty_like(first)
        best[order] = np.repeat(order[starts], np.diff(np.append(starts, len(order))))
        return best

    def excluded(self, rows: Rows) -> Mask:
        """Rows that are similar to nothing, because somebody excluded them."""
        return np.zeros(len(rows), dtype=bool) if self.alone is None else np.isin(rows, self.alone)

    def are_different(self, left: Rows, right: Rows) -> Mask:
        """Pairs of rows that somebody decided are different."""
        if self.different is None:
            return np.zeros(len(left), dtype=bool)
        return np.isin(pair_numbers(left, right), pair_numbers(*self.different))


def store_ranks(staging: Staging, preference: Preference, parts: tuple[int, ...], step: int) -> None:
    """Stores the rank of each row, which is its place in the order of preference."""
    rank = np.empty(len(preference.order), dtype=np.int64)
    rank[preference.order] = np.arange(len(rank))
    for part in parts:
        staging.put(part_name(RANKS, part), pa.table({"rank": rank[part * step : (part + 1) * step]}))
