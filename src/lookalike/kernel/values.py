"""Results of kernel methods that consist of several arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from lookalike.flow.arrays import Rows


@dataclass(frozen=True, eq=False)
class SimilarPairs:
    """Sorted pairs of rows `left[i]` < `right[i]`, whose sets have `intersection[i]` common elements."""

    left: Rows
    right: Rows
    intersection: Rows
    candidates: int
    """The number of distinct candidate pairs, or −1 if there are too many to count."""
    checked: int
    """The number of pairs of sets that were compared."""
    in_large: int = 0
    """The number of pairs in buckets larger than SMALL_BUCKET. If it exceeds MOST_COUNTED, `candidates` is -1."""


@dataclass(frozen=True, eq=False)
class ExactPairs:
    """Pairs of rows whose sets have `intersection[i]` common elements, and counts of the work done."""

    left: Rows
    right: Rows
    intersection: Rows
    records: int
    """The number of distinct sets. Equal sets are joined once."""
    index_hits: int
    """The number of entries that were read from the index."""
    candidates: int
    """The number of distinct pairs of sets that passed the filters by length, prefix, position and bits."""
    compared: int
    """The number of pairs of sets that were compared."""


@dataclass(frozen=True, eq=False)
class Components:
    """The connected components: `labels[row]` is the smallest row in the component of `row`."""

    labels: Rows
    checked: int
    left: Rows
    """The left rows of the similar pairs that merged two components: the edges of a spanning forest."""
    right: Rows


@dataclass(frozen=True, eq=False)
class Survivors:
    """The survivor that replaces each row (itself if it survives), and the number of their common elements."""

    survivor: Rows
    intersection: Rows
    """0 for rows that survive."""
    checked: int
    """The number of pairs of sets that were compared."""


class Runs(NamedTuple):
    """Distinct runs of consecutive windows."""

    documents: Rows
    """The first document that contains each run."""
    starts: Rows
    """The window of this document with which the run begins."""
    lengths: Rows
    """The number of windows."""
    counts: Rows
    """The number of documents that contain the rarest of the windows."""
