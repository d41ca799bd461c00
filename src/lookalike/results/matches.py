"""Matches: rows of one collection beside the rows of another, or of itself, that they are similar to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.errors import InvalidOption
from lookalike.flow.arrays import Rows
from lookalike.results.clusters import Clusters
from lookalike.results.summary import Summary


@dataclass(frozen=True, eq=False, kw_only=True)
class Matches:
    """Row `left_rows[i]` of the left collection is similar to row `right_rows[i]` of the right one.

    Ordered by (left, right). `left` and `right` are the columns of the table: ids, or positions if there are no ids.

    What `nearest` found is ordered by left, and then by nearness.

    Where one collection was joined with itself (`within`), each pair is there once, left before right; a measure whose
    sides are not alike, and `top`, give both (a, b) and (b, a) where both hold.
    """

    left_rows: Rows
    right_rows: Rows
    similarity: npt.NDArray[np.float64] | None
    """None where the measure is a distance that has no greatest, as the Euclidean one."""
    distance: npt.NDArray[np.int64] | npt.NDArray[np.float64] | None = None
    """How far apart they are, where the measure is a distance."""
    asked: str = ""
    """What was asked for: 'jaccard of 0.8 or more'."""
    of: str = "documents"
    """What rows are."""
    how: str = ""
    """How the pairs of vectors were found, and why so."""
    recall: float | None = None
    """The share of the nearest neighbours that was found, measured on a sample, where that was looked at."""
    left_total: int
    """Rows of the left collection."""
    right_total: int
    left_ids: pa.Array | None = None
    right_ids: pa.Array | None = None
    within: bool = False
    rules: str = ""
    """Everything the pairs depend on besides the data, as TOML."""
    summary: Summary = field(default_factory=Summary)

    @property
    def left(self) -> pa.Array:
        """Ids, or positions if there are no ids; the column of the table."""
        return _named(self.left_ids, self.left_rows)

    @property
    def right(self) -> pa.Array:
        return _named(self.right_ids, self.right_rows)

    def __len__(self) -> int:
        return len(self.left_rows)

    def __iter__(self) -> Iterator[tuple[Any, Any, float]]:
        table = self.to_arrow()
        value = "similarity" if self.distance is None else "distance"
        return iter(zip(*(table[name].to_pylist() for name in ("left", "right", value)), strict=True))

    def __repr__(self) -> str:
        rows = f"{self.left_total:,}" if self.within else f"{self.left_total:,} × {self.right_total:,}"
        return f"Matches({len(self):,} pairs by {self.asked}, of {rows} {self.of})"

    def to_arrow(self) -> pa.Table:
        """A table of left, right (ids), similarity and, by a measure that is a distance, distance."""
        columns = {"left": self.left, "right": self.right}
        if self.similarity is not None:
            columns["similarity"] = pa.array(self.similarity, pa.float64())
        if self.distance is not None:
            columns["distance"] = pa.array(self.distance)
        return pa.table(columns).replace_schema_metadata({"lookalike.join": self.rules} if self.rules else None)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def top(self, n: int = 10) -> list[tuple[Any, Any, float]]:
        """The n most similar pairs (by a distance: the n nearest), ties in order of position."""
        far = self.distance
        if far is None:
            assert self.similarity is not None  # one of the two is there
            far = -self.similarity
        best = np.argsort(far, kind="stable")[:n]
        similarity = None if self.similarity is None else self.similarity[best]
        distance = None if self.distance is None else self.distance[best]
        few = replace(
            self,
            left_rows=self.left_rows[best],
            right_rows=self.right_rows[best],
            similarity=similarity,
            distance=distance,
        )
        return list(few)

    def clusters(self) -> Clusters:
        """The connected components, where a collection was joined with itself."""
        if not self.within:
            raise InvalidOption("clusters-of-two-collections")
        return Clusters.from_edges(
            self.left_total, self.left_rows, self.right_rows, ids=self.left_ids, summary=self.summary
        )


def _named(ids: pa.Array | None, rows: Rows) -> pa.Array:
    return pa.array(rows, pa.int64()) if ids is None else ids.take(pa.array(rows, pa.int64()))
