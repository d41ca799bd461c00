"""Finds pairs of aligned prints that may come from the same finger: among the prints, or between them and a gallery."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.apps.fingerprints.grid import Grid
from lookalike.apps.fingerprints.minutiae import Print, restored_prints, stored_prints
from lookalike.apps.fingerprints.pairs import PrintPairs
from lookalike.apps.fingerprints.triples import Triples
from lookalike.flow import Shingles
from lookalike.flow.arrays import Rows
from lookalike.joins.measures import Shared
from lookalike.joins.sets import SetPairs, join_sets
from lookalike.kernel import default
from lookalike.results.restoring import MOST_ROWS, checked
from lookalike.results.summary import Summary

if TYPE_CHECKING:
    from lookalike.results.saved import SavedTables


@dataclass(frozen=True, eq=False, kw_only=True)
class PrintMatches(PrintPairs):
    """Pairs of prints that share a bucket in every group of hash functions, most similar first.

    `similarity` is the Jaccard similarity of the two sets of squares.
    """

    shared: Rows
    """For each pair, the number of squares in which both prints have minutiae."""
    buckets: Rows
    """For each pair, the number of buckets that contain both prints."""
    grid: Grid
    triples: Triples
    filled: float
    """The share of the grid's squares that a print fills, on average."""

    def __repr__(self) -> str:
        return f"PrintMatches({len(self):,} candidate pairs of {self.compared:,})"

    @property
    def expected_false_rate(self) -> float | None:
        """The expected share of pairs of prints from different fingers that become candidates.

        None if the grid has a margin, because squares are then not filled independently.
        """
        return None if self.grid.margin else self.triples.rate(self.filled**2)

    def to_arrow(self) -> pa.Table:
        return pa.table(
            {
                "left": self.left,
                "right": self.right,
                "similarity": pa.array(self.similarity, pa.float64()),
                "shared": pa.array(self.shared, pa.int64()),
                "buckets": pa.array(self.buckets, pa.int64()),
            }
        )

    def _facts(self) -> dict[str, Any]:
        return {"grid": asdict(self.grid), "triples": asdict(self.triples), "filled": self.filled}

    def _stored(self) -> dict[str, pa.Table]:
        names = ("left_rows", "right_rows", "shared", "buckets", "similarity")
        found = pa.table({name: getattr(self, name) for name in names})
        gallery = {} if self.within else {"gallery": stored_prints(self.gallery)}
        return {"matches": found, "prints": stored_prints(self.prints), **gallery}

    @classmethod
    def _restored(cls, facts: Mapping[str, Any], tables: SavedTables, summary: Summary) -> PrintMatches:
        prints = restored_prints(tables["prints"])
        gallery = restored_prints(tables["gallery"]) if "gallery" in tables else prints
        known = checked(facts, grid=dict[str, float], triples=dict[str, int], filled=float)
        return cls(
            left_rows=tables.rows("matches", "left_rows", len(prints)),
            right_rows=tables.rows("matches", "right_rows", len(gallery)),
            shared=tables.rows("matches", "shared", MOST_ROWS),
            buckets=tables.rows("matches", "buckets", MOST_ROWS),
            similarity=tables.array("matches", "similarity"),
            prints=prints,
            gallery=gallery,
            grid=Grid(**known["grid"]),
            triples=Triples(**known["triples"]),
            filled=known["filled"],
            summary=summary,
        )


def match(
    prints: Sequence[Print],
    gallery: Sequence[Print] | None = None,
    *,
    grid: Grid,
    triples: Triples,
    threshold: Any = 0,
    threads: int = 1,
) -> PrintMatches:
    """Finds the pairs that share a bucket in every group and whose similarity is at least `threshold`."""
    began = time.perf_counter()
    left = grid.sets(prints)
    right = left if gallery is None else grid.sets(gallery)
    found = _sharing_buckets(left, None if gallery is None else right, triples, threads)
    shared = _common(left, right, found, within=gallery is None)
    either = left.sizes[found.left] + right.sizes[found.right] - shared
    similarity = shared / np.maximum(either, 1)
    order = np.lexsort((found.right, found.left, -found.overlap, -similarity))
    order = order[similarity[order] >= float(threshold)]
    sizes = left.sizes if gallery is None else np.concatenate([left.sizes, right.sizes])
    return PrintMatches(
        left_rows=found.left[order],
        right_rows=found.right[order],
        shared=shared[order],
        buckets=found.overlap[order],
        similarity=similarity[order],
        prints=prints,
        gallery=prints if gallery is None else gallery,
        grid=grid,
        triples=triples,
        filled=float(sizes.mean()) / grid.squares if len(sizes) else 0.0,
        summary=Summary(
            documents=len(prints) + len(gallery or []),
            candidates=len(found.left),
            checked=len(found.left),
            pairs=len(order),
            seconds={"match": time.perf_counter() - began},
        ),
    )


def _sharing_buckets(left: Shingles, right: Shingles | None, triples: Triples, threads: int) -> SetPairs:
    """Finds the pairs that share a bucket in every group, and counts the shared buckets of each pair."""
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
    """Returns, for each pair, the number of squares that both prints have."""
    if within:
        return default().intersections(left, found.left, found.right)
    offsets = np.concatenate([left.offsets, left.offsets[-1] + right.offsets[1:]])
    both = Shingles(offsets, np.concatenate([left.values, right.values]))
    return default().intersections(both, found.left, found.right + len(left))
