"""Pairs: documents that proved similar, with how similar they are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.errors import InvalidOption
from lookalike.flow.arrays import take, to_arrow
from lookalike.flow.checks import check_one_of
from lookalike.flow.stars import star_labels
from lookalike.flow.threshold import Threshold
from lookalike.results.clusters import Clusters
from lookalike.results.summary import Summary

MOST_PAIRS = 100_000_000
"""More pairs than this are refused: the table would not fit, and nobody would read it."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Rows `left_rows[i] < right_rows[i]` and their similarity, ordered by (left, right).

    `similarity` is exact unless the plan said otherwise (`summary.verified`); under `verify="none"` it is None.
    `ids` are the user's ids of all rows, or None if rows go by their position. `left` and `right` are the columns of
    the table: ids, or positions if there are no ids.
    """

    left_rows: npt.NDArray[np.int64]
    right_rows: npt.NDArray[np.int64]
    similarity: npt.NDArray[np.float64] | None
    threshold: Threshold
    rows: int
    ids: pa.Array | None = None
    summary: Summary = field(default_factory=Summary)

    @property
    def left(self) -> pa.Array:
        """Ids, or positions if there are no ids; the column of the table."""
        return self._named(self.left_rows)

    @property
    def right(self) -> pa.Array:
        return self._named(self.right_rows)

    def __len__(self) -> int:
        return len(self.left_rows)

    def __iter__(self) -> Iterator[tuple[Any, Any, float | None]]:
        table = self.to_arrow()
        columns = (table[name].to_pylist() for name in ("left", "right", "similarity"))
        return iter(zip(*columns, strict=True))

    def __repr__(self) -> str:
        return f"Pairs({len(self):,} at {self.threshold} or more, of {self.rows:,} documents)"

    def to_arrow(self) -> pa.Table:
        """A table of left, right (ids) and similarity, ordered by position of left, then right."""
        return self.to_reader(max(1, len(self))).read_all()

    def to_reader(self, rows: int = 1 << 16) -> pa.RecordBatchReader:
        """The same table in batches of so many rows, each made when it is asked for."""
        schema = self.summary.stamp(pa.Table.from_batches([self._batch(slice(0, 0))])).schema
        batches = (self._batch(slice(start, start + rows)) for start in range(0, len(self), rows))
        stamped = (batch.replace_schema_metadata(schema.metadata) for batch in batches)
        return pa.RecordBatchReader.from_batches(schema, stamped)

    def _batch(self, here: slice) -> pa.RecordBatch:
        left, right = self._named(self.left_rows[here]), self._named(self.right_rows[here])
        similarity = pa.nulls(len(left), pa.float64()) if self.similarity is None else to_arrow(self.similarity[here])
        return pa.RecordBatch.from_pydict({"left": left, "right": right, "similarity": similarity})

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def top(self, n: int = 10) -> list[tuple[Any, Any, float | None]]:
        """The n most similar pairs, ties in order of position."""
        if self.similarity is None:
            raise InvalidOption("pairs-not-verified")
        best = np.argsort(-self.similarity, kind="stable")[:n]
        return list(self._take(best))

    def of(self, id: Any) -> list[tuple[Any, float | None]]:
        """The partners of one document: (id, similarity), most similar first."""
        row = self._row(id)
        here = np.flatnonzero((self.left_rows == row) | (self.right_rows == row))
        partners = np.where(self.left_rows[here] == row, self.right_rows[here], self.left_rows[here])
        if self.similarity is None:
            return [(other, None) for other in self._named(partners).to_pylist()]
        order = np.lexsort((partners, -self.similarity[here]))
        names = self._named(partners[order]).to_pylist()
        return list(zip(names, self.similarity[here][order].tolist(), strict=True))

    def rethreshold(self, threshold: float | str) -> Pairs:
        """The pairs of a higher threshold, without computing anything again.

        A lower one is refused: pairs below the threshold of the run were never kept.
        """
        wanted = Threshold(threshold)
        if self.similarity is None:
            raise InvalidOption("pairs-not-verified")
        if wanted < self.threshold:
            raise InvalidOption("below-threshold-of-run", found=str(self.threshold), wanted=str(wanted))
        kept = np.flatnonzero(self.similarity >= float(wanted))
        return replace(
            self,
            left_rows=self.left_rows[kept],
            right_rows=self.right_rows[kept],
            similarity=self.similarity[kept],
            threshold=wanted,
            summary=replace(self.summary, pairs=len(kept)),
        )

    def clusters(self, linkage: Literal["connected", "star"] = "connected") -> Clusters:
        """The connected components of these pairs; or stars, whose members are similar to their first row."""
        check_one_of("linkage", linkage, ("connected", "star"))
        if linkage == "star":
            rows = np.arange(self.rows, dtype=np.int64)
            return Clusters(
                star_labels(rows, self.left_rows, self.right_rows, rows), ids=self.ids, summary=self.summary
            )
        return Clusters.from_edges(self.rows, self.left_rows, self.right_rows, ids=self.ids, summary=self.summary)

    def _named(self, rows: npt.NDArray[np.int64]) -> pa.Array:
        return to_arrow(rows) if self.ids is None else take(self.ids, rows)

    def _row(self, id: Any) -> int:
        if self.ids is None:
            if not isinstance(id, int | np.integer) or not 0 <= int(id) < self.rows:
                raise InvalidOption("no-such-position", last=self.rows - 1, value=id)
            return int(id)
        row = -1
        # Only an id of the ids' own kind is looked for: Arrow would take 10.5 for 10.
        if isinstance(id, int | np.integer if pa.types.is_integer(self.ids.type) else str):
            with suppress(pa.ArrowException, OverflowError, UnicodeEncodeError):  # no id could be that
                row = self.ids.index(pa.scalar(id, self.ids.type)).as_py()
        if row < 0:
            raise InvalidOption("no-such-id", value=id)
        return int(row)

    def _take(self, order: npt.NDArray[np.int64]) -> Iterator[tuple[Any, Any, float | None]]:
        return iter(
            replace(
                self,
                left_rows=self.left_rows[order],
                right_rows=self.right_rows[order],
                similarity=self._similarity(order),
            )
        )

    def _similarity(self, order: npt.NDArray[np.int64]) -> npt.NDArray[np.float64] | None:
        return None if self.similarity is None else self.similarity[order]
