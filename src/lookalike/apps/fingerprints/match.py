"""Prints → the pairs that may be of one finger: among themselves (many-many), or with a gallery (many-one)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.apps.fingerprints.grid import Grid
from lookalike.apps.fingerprints.minutiae import Print
from lookalike.apps.fingerprints.triples import Triples
from lookalike.flow import Shingles
from lookalike.flow.arrays import Rows
from lookalike.joins.measures import Shared
from lookalike.joins.sets import SetPairs, join_sets
from lookalike.kernel import default


@dataclass(frozen=True, eq=False)
class Matches:
    """Candidate pairs, with what they have in common; the most similar first."""

    left: Rows
    right: Rows
    shared: Rows
    """Squares that both have."""
    buckets: Rows
    """Functions that hold both."""
    similarity: npt.NDArray[np.float64]
    """Of their sets of squares (Jaccard)."""
    prints: Sequence[Print]
    gallery: Sequence[Print]
    """The same prints, where they were compared among themselves."""
    grid: Grid
    triples: Triples
    filled: float
    """The share of squares that a print has, on average."""

    def __len__(self) -> int:
        return len(self.left)

    def __repr__(self) -> str:
        return f"Matches({len(self):,} candidate pairs of {self.compared:,})"

    @property
    def compared(self) -> int:
        """Pairs that there are, all of which a search without buckets would have to look at."""
        n = len(self.prints)
        return n * (n - 1) // 2 if self.gallery is self.prints else n * len(self.gallery)

    @property
    def expected_in_vain(self) -> float | None:
        """The share of pairs of different fingers that are expected to be candidates, from how full the squares are.

        None with a margin: squares are then filled together, and not one by one.
        """
        return None if self.grid.margin else self.triples.rate(self.filled**2)

    def to_arrow(self) -> pa.Table:
        return pa.table(
            {
                "left": pa.array([self.prints[row].name for row in self.left], pa.string()),
                "right": pa.array([self.gallery[row].name for row in self.right], pa.string()),
                "similarity": pa.array(self.similarity, pa.float64()),
                "shared": pa.array(self.shared, pa.int64()),
                "buckets": pa.array(self.buckets, pa.int64()),
            }
        )

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)


def match(
    prints: Sequence[Print],
    gallery: Sequence[Print] | None = None,
    *,
    grid: Grid,
    triples: Triples,
    threshold: Any = 0,
    threads: int = 1,
) -> Matches:
    """The pairs that meet in a bucket (in every group of them), and whose squares are similar enough."""
    left = grid.sets(prints)
    right = left if gallery is None else grid.sets(gallery)
    found = _meeting(left, None if gallery is None else right, triples, threads)
    shared = _common(left, right, found, within=gallery is None)
    either = left.sizes[found.left] + right.sizes[found.right] - shared
    similarity = shared / np.maximum(either, 1)
    order = np.lexsort((found.right, found.left, -found.overlap, -similarity))
    order = order[similarity[order] >= float(threshold)]
    sizes = left.sizes if gallery is None else np.concatenate([left.sizes, right.sizes])
    return Matches(
        left=found.left[order],
        right=found.right[order],
        shared=shared[order],
        buckets=found.overlap[order],
        similarity=similarity[order],
        prints=prints,
        gallery=prints if gallery is None else gallery,
        grid=grid,
        triples=triples,
        filled=float(sizes.mean()) / grid.squares if len(sizes) else 0.0,
    )


def _meeting(left: Shingles, right: Shingles | None, triples: Triples, threads: int) -> SetPairs:
    """Pairs with a common bucket in every group, and how many buckets they share in all of them."""
    width = len(left) if right is None else len(right)
    keys, counts = np.zeros(0, np.int64), np.zeros(0, np.int64)
    for group in range(triples.groups):
        one = triples.buckets(left, group)
        two = None if right is None else triples.buckets(right, group)
        found = join_sets(one, two, measure=Shared(1), threads=threads)
        here = found.left * width + found.right
        if group:
            here, known, new = np.intersect1d(keys, here, assume_unique=True, return_indices=True)
            counts = counts[known] + found.overlap[new]
        else:
            counts = found.overlap
        keys = here
    return SetPairs(keys // max(width, 1), keys % max(width, 1), counts)


def _common(left: Shingles, right: Shingles, found: SetPairs, *, within: bool) -> Rows:
    """How many squares the prints of each pair have in common."""
    if within:
        return default().intersections(left, found.left, found.right)
    offsets = np.concatenate([left.offsets, left.offsets[-1] + right.offsets[1:]])
    both = Shingles(offsets, np.concatenate([left.values, right.values]))
    return default().intersections(both, found.left, found.right + len(left))
