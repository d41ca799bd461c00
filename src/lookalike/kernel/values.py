"""Results of kernel methods that consist of several arrays."""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.flow.arrays import Rows


@dataclass(frozen=True, eq=False)
class SimilarPairs:
    """Pairs `left[i] < right[i]`, ordered, with `intersection[i]` common elements."""

    left: Rows
    right: Rows
    intersection: Rows
    candidates: int
    """Distinct candidate pairs; -1 if buckets are so large that counting their pairs would cost too much."""
    checked: int
    """Pairs of sets that were compared."""
    in_large: int = 0
    """Pairs of buckets of more than SMALL_BUCKET members. Over MOST_COUNTED of them, `candidates` are not counted."""


@dataclass(frozen=True, eq=False)
class ExactPairs:
    """Pairs of rows, ordered, with `intersection[i]` common elements; and counts of the work."""

    left: Rows
    right: Rows
    intersection: Rows
    records: int
    """Distinct sets: equal ones are joined once."""
    index_hits: int
    """Entries of other sets that were read from lists of the index."""
    candidates: int
    """Distinct pairs of sets that passed the filters of length, prefix, position and bits."""
    compared: int
    """Pairs of sets that were compared."""


@dataclass(frozen=True, eq=False)
class Components:
    """`labels[row]` is the smallest row of row's component."""

    labels: Rows
    checked: int
