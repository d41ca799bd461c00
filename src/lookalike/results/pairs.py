"""Pairs: similar documents or vectors of one collection, with their similarity or distance."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.errors import InvalidOption
from lookalike.flow.arrays import Rows, ids_of
from lookalike.flow.checks import check_one_of
from lookalike.flow.stars import first_survivors
from lookalike.flow.threshold import Threshold
from lookalike.results.clusters import Clusters, star_labels
from lookalike.results.reporting import DocumentReport
from lookalike.results.restoring import count, entry
from lookalike.results.result import stored_ids
from lookalike.results.row_pairs import RowPairs, Values, row_of
from lookalike.results.summary import Overview, Summary

if TYPE_CHECKING:
    from lookalike.results.saved import SavedTables

MOST_PAIRS = 100_000_000
"""The maximum number of pairs. A run that finds more raises an error, because the table would not fit in memory."""


@dataclass(frozen=True, eq=False)
class Pairs(DocumentReport, RowPairs):
    """Pairs of similar rows of one collection, ordered by left row, then by right row.

    In every pair, `left_rows[i] < right_rows[i]`. `similarity` is exact unless the plan specifies otherwise
    (`summary.verified`). With `verify="none"`, it is None.
    """

    left_rows: Rows
    right_rows: Rows
    similarity: npt.NDArray[np.float64] | None
    threshold: Threshold | float | None
    """The minimum similarity of a pair; None if the measure is a distance."""
    rows: int
    """The number of rows in the collection."""
    ids: pa.Array | None = None
    """The ids of all rows; None if rows are identified by position."""
    summary: Summary = field(default_factory=Summary)
    _: KW_ONLY
    measure: str = "jaccard"
    distance: Values | None = None
    greatest_distance: float | None = None
    """The maximum distance of a pair; None if the measure is a similarity."""
    noun: str = "documents"
    """A plural noun for the rows, such as 'vectors'."""
    how: str = ""
    """How pairs of vectors were found, and why this method was chosen."""
    rules: str = ""
    limit: int | None = None
    """The number of most similar pairs that were asked for (`top`); None if all were."""

    def __repr__(self) -> str:
        return f"Pairs({len(self):,} by {self.asked}, of {self.rows:,} {self.noun})"

    @property
    def asked(self) -> str:
        """The condition that every pair meets, such as 'jaccard of 0.8 or more'."""
        if self.greatest_distance is not None:
            return f"{self.measure} distance of {self.greatest_distance:g} or less"
        if self.limit is not None:
            return f"{self.measure} of {self.threshold} or more, at most the {self.limit:,} most similar"
        return f"{self.measure} of {self.threshold} or more"

    def of(self, id: Any) -> list[tuple[Any, float | None]]:
        """Returns the partners of one document, best first, as (id, similarity) or (id, distance)."""
        row = row_of(id, self.ids, self.rows)
        here = np.flatnonzero((self.left_rows == row) | (self.right_rows == row))
        partners = np.where(self.left_rows[here] == row, self.right_rows[here], self.left_rows[here])
        return self._partners(here, ids_of(self.ids, partners))

    def rethreshold(self, threshold: float | str | None = None, *, distance: float | None = None) -> Pairs:
        """Selects the pairs with at least this similarity, or at most this distance. Nothing is computed again.

        A threshold below that of the run, or a distance above it, raises an error, because such pairs were not kept.
        """
        if (threshold is None) == (distance is None):
            raise InvalidOption("threshold-or-distance")
        if distance is not None:
            return self._within_distance(distance)
        if self.greatest_distance is not None:
            raise InvalidOption("pairs-by-distance", measure=self.measure)
        assert threshold is not None and self.threshold is not None
        wanted = Threshold(threshold)
        if self.similarity is None:
            raise InvalidOption("pairs-not-verified")
        if float(wanted) < float(self.threshold):
            raise InvalidOption("below-threshold-of-run", found=str(self.threshold), wanted=str(wanted))
        chosen = self._chosen(np.flatnonzero(self.similarity >= float(wanted)))
        return replace(chosen, threshold=wanted)._read_from(self._source, self._data, self._checksum)

    def _within_distance(self, distance: object) -> Pairs:
        if self.distance is None or self.greatest_distance is None:
            raise InvalidOption("pairs-by-similarity", measure=self.measure)
        wanted = _finite(distance)
        if wanted > self.greatest_distance:
            raise InvalidOption("beyond-distance-of-run", found=self.greatest_distance, wanted=wanted)
        return replace(self._chosen(np.flatnonzero(self.distance <= wanted)), greatest_distance=wanted)

    def clusters(self, linkage: Literal["connected", "star"] = "connected") -> Clusters:
        """Groups the rows into clusters. With linkage="star", every other member is similar to the representative.

        In a star cluster, every row is similar to the first row.
        """
        check_one_of("linkage", linkage, ("connected", "star"))
        if linkage == "star":
            labels = star_labels(first_survivors(self.rows, self.left_rows, self.right_rows))
            return Clusters(labels, ids=self.ids, summary=self.summary)._read_from(
                self._source, self._data, self._checksum
            )
        clusters = Clusters.from_edges(self.rows, self.left_rows, self.right_rows, ids=self.ids, summary=self.summary)
        return clusters._read_from(self._source, self._data, self._checksum)

    def _overview(self) -> Overview:
        return self.clusters()._overview(pairs=len(self))

    def tables(self) -> dict[str, pa.Table]:
        return {"pairs": self.to_arrow()}

    def _facts(self) -> dict[str, Any]:
        exact = isinstance(self.threshold, Threshold)
        return {
            "threshold": str(self.threshold) if exact else self.threshold,
            "rows": self.rows,
            "measure": self.measure,
            "greatest_distance": self.greatest_distance,
            "noun": self.noun,
            "how": self.how,
            "rules": self.rules,
            "limit": self.limit,
        }

    def _stored(self) -> dict[str, pa.Table]:
        return {"pairs": self._numbers(), **stored_ids(self.ids)}

    @classmethod
    def _restored(cls, facts: Mapping[str, Any], tables: SavedTables, summary: Summary) -> Pairs:
        rows = count(facts, "rows")
        threshold = entry(facts, "threshold", str, float, int, type(None))
        return cls(
            left_rows=tables.rows("pairs", "left_row", rows),
            right_rows=tables.rows("pairs", "right_row", rows),
            similarity=tables.array("pairs", "similarity"),
            threshold=Threshold(threshold) if isinstance(threshold, str) else threshold,
            rows=rows,
            ids=tables.ids(rows=rows),
            summary=summary,
            distance=tables.array("pairs", "distance"),
            greatest_distance=entry(facts, "greatest_distance", float, int, type(None)),
            limit=entry({"limit": None, **facts}, "limit", int, type(None)),
            **{name: entry(facts, name, str) for name in ("measure", "noun", "how", "rules")},
        )

    def _chosen(self, order: Rows) -> Pairs:
        return super()._chosen(order)._read_from(self._source, self._data, self._checksum)

    def _about(self) -> dict[str, str]:
        return super()._about() | ({} if self.limit is None else {"lookalike.top": str(self.limit)})

    def _left_names(self, rows: Rows) -> pa.Array:
        return ids_of(self.ids, rows)

    _right_names = _left_names


def _finite(distance: object) -> float:
    """Converts a distance to a float. Raises an error if it is not a finite number; True and False are not numbers."""
    try:
        given = float(distance) if not isinstance(distance, bool) and isinstance(distance, Real) else math.nan
    except OverflowError:
        given = math.inf
    if not math.isfinite(given):
        raise InvalidOption("not-a-number", option="distance", value=distance)
    return given
