"""IndexMatches: the answers of an index to queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.flow.arrays import Rows, ids_of, take, to_arrow
from lookalike.results.restoring import count, entry
from lookalike.results.result import stored_ids
from lookalike.results.row_pairs import RowPairs, Values, row_of
from lookalike.results.summary import Summary, counted

if TYPE_CHECKING:
    from lookalike.results.saved import SavedTables


@dataclass(frozen=True, eq=False, kw_only=True)
class IndexMatches(RowPairs):
    """Documents of an index that are similar to queries: query `left_rows[i]` and row `right_rows[i]` of the index.

    The best documents of each query come first; ties are in the order in which they were added. `right` are their ids.
    """

    left_rows: Rows
    right_rows: Rows
    similarity: npt.NDArray[np.float64]
    containment: npt.NDArray[np.float64] | None
    """The share of the shingles of the query that are also in the document found; None if the index keeps no texts."""
    found_ids: pa.Array
    """The id of each document found, in the order of the pairs."""
    asked: str = ""
    """The condition that every answer meets, such as 'jaccard of 0.8 or more'."""
    queries: int
    """The number of queries."""
    query_ids: pa.Array | None = None
    """The ids of all queries; None if they are identified by position."""
    documents: int
    """The number of documents in the index."""
    distance: Values | None = None
    rules: str = ""
    summary: Summary = field(default_factory=Summary)

    def __repr__(self) -> str:
        of = f"for {counted(self.queries, 'query', 'queries')} among {counted(self.documents, 'document')}"
        return f"IndexMatches({len(self):,} by {self.asked}, {of})"

    @property
    def right(self) -> pa.Array:
        return self.found_ids

    @property
    def answered(self) -> int:
        """The number of queries for which a document was found."""
        return int(np.count_nonzero(np.bincount(self.left_rows)))

    def of(self, id: Any) -> list[tuple[Any, float | None]]:
        """Returns the answers to one query, best first, as (id, similarity)."""
        here = np.flatnonzero(self.left_rows == row_of(id, self.query_ids, self.queries))
        return self._partners(here, take(self.found_ids, here))

    def tables(self) -> dict[str, pa.Table]:
        return {"found": self.to_arrow()}

    def _batch(self, here: slice) -> pa.RecordBatch:
        rows = self.left_rows[here]
        columns = {
            "left": self._left_names(rows),
            "right": self.found_ids[here],
            "similarity": to_arrow(self.similarity[here]),
            "containment": pa.nulls(len(rows), pa.float64())
            if self.containment is None
            else to_arrow(self.containment[here]),
        }
        return pa.RecordBatch.from_pydict(columns)

    def _facts(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("asked", "queries", "documents", "rules")}

    def _stored(self) -> dict[str, pa.Table]:
        table = self._numbers()
        if self.containment is not None:
            table = table.append_column("containment", to_arrow(self.containment))
        return {"found": table, **stored_ids(self.found_ids, "found_ids"), **stored_ids(self.query_ids, "query_ids")}

    @classmethod
    def _restored(cls, facts: Mapping[str, Any], tables: SavedTables, summary: Summary) -> IndexMatches:
        queries, documents = count(facts, "queries"), count(facts, "documents")
        left = tables.rows("found", "left_row", queries)
        found = tables.ids("found_ids", len(left))
        if found is None:
            raise LookupError("found_ids")
        return cls(
            left_rows=left,
            right_rows=tables.rows("found", "right_row", 1 << 62),
            similarity=tables.floats("found", "similarity"),
            containment=tables.floats("found", "containment")
            if "containment" in tables["found"].column_names
            else None,
            found_ids=found,
            asked=entry(facts, "asked", str),
            rules=entry(facts, "rules", str),
            queries=queries,
            query_ids=tables.ids("query_ids", queries),
            documents=documents,
            summary=summary,
        )

    def _chosen(self, order: Rows) -> IndexMatches:
        return replace(
            self,
            left_rows=self.left_rows[order],
            right_rows=self.right_rows[order],
            similarity=self.similarity[order],
            containment=None if self.containment is None else self.containment[order],
            found_ids=take(self.found_ids, order),
            summary=replace(self.summary, pairs=len(order)),
        )

    def _left_names(self, rows: Rows) -> pa.Array:
        return ids_of(self.query_ids, rows)
