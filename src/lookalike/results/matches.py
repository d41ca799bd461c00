"""Matches: similar pairs of rows from two collections, or from one collection joined with itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.errors import InputError, InvalidOption, NoInput
from lookalike.flow.arrays import Rows, ids_of
from lookalike.flow.checks import check_whole
from lookalike.results.clusters import Clusters
from lookalike.results.restoring import checked
from lookalike.results.result import stored_ids
from lookalike.results.row_pairs import RowPairs, Values, row_of
from lookalike.results.shown import Shown, display
from lookalike.results.summary import Summary

if TYPE_CHECKING:
    from lookalike.results.saved import SavedTables

FACTS = ("asked", "noun", "how", "recall", "left_total", "right_total", "within", "rules")
"""The fields that are saved as JSON: all except arrays, ids and the summary."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Matches(RowPairs):
    """Pairs of similar rows: row `left_rows[i]` of the left collection and row `right_rows[i]` of the right collection.

    Pairs are ordered by left row, then by right row. The results of `nearest` are ordered by left row, with the nearest
    neighbour first.

    If one collection was joined with itself (`within`), each pair is listed once, with the earlier row on the left.
    With `top`, or with an asymmetric measure, both (a, b) and (b, a) are listed if both match.
    """

    left_rows: Rows
    right_rows: Rows
    similarity: npt.NDArray[np.float64] | None
    distance: Values | None = None
    asked: str = ""
    """The condition that every match meets, such as 'jaccard of 0.8 or more'."""
    noun: str = "documents"
    """A plural noun for the rows, such as 'vectors'."""
    how: str = ""
    """How the matches of vectors were found, and why this method was chosen."""
    recall: float | None = None
    """The share of the nearest neighbours that were found, measured on a sample; None if not measured."""
    left_total: int
    """The number of rows in the left collection."""
    right_total: int
    left_ids: pa.Array | None = None
    """The ids of all rows of the left collection; None if rows are identified by position."""
    right_ids: pa.Array | None = None
    within: bool = False
    rules: str = ""
    summary: Summary = field(default_factory=Summary)

    _inputs: ClassVar[tuple[tuple[Any, Mapping[str, Any]], ...] | None] = None
    """The data of the join, and the options for opening it; None if it cannot be read again."""

    def __repr__(self) -> str:
        rows = f"{self.left_total:,}" if self.within else f"{self.left_total:,} × {self.right_total:,}"
        return f"Matches({len(self):,} by {self.asked}, of {rows} {self.noun})"

    def of(self, id: Any) -> list[tuple[Any, float | None]]:
        """Returns the matches of one row of the left collection, best first, as (id, similarity) or (id, distance)."""
        here = np.flatnonzero(self.left_rows == row_of(id, self.left_ids, self.left_total))
        return self._partners(here, ids_of(self.right_ids, self.right_rows[here]))

    def clusters(self) -> Clusters:
        """Returns the connected components of the matches.

        Raises an error unless a collection was joined with itself.
        """
        if not self.within:
            raise InvalidOption("clusters-of-two-collections")
        edges = self.left_rows, self.right_rows
        return Clusters.from_edges(self.left_total, *edges, ids=self.left_ids, summary=self.summary)

    def show(self, n: int = 5, left: Any = None, right: Any = None) -> Shown:
        """Shows the texts of the first `n` matches, with their differences marked.

        Scripts print it; notebooks and prompts display what is returned.

        `left` and `right` are the data of the join. They can be omitted, unless they were iterators, or the result was
        loaded, pickled or copied.
        """
        from lookalike.io.open import open_source

        check_whole("n", n, 1)
        if self.noun != "documents":
            raise InvalidOption("report-of-vectors", method="show")
        inputs = self._inputs
        if left is not None:
            inputs = ((left, {}),) if right is None else ((left, {}), (right, {}))
        if inputs is None or len(inputs) != 2 - self.within:
            raise NoInput("matches-without-texts")
        sources = [open_source(data, **how) for data, how in inputs]
        totals = [self.left_total, self.right_total][: len(sources)]
        for source, documents in zip(sources, totals, strict=True):
            if (rows := source.total_rows()) not in (None, documents):
                raise InputError("data-of-another-result", rows=rows, documents=documents)
        module = import_module("lookalike.report.shown")
        return display(module.show_matches(self, sources[0], sources[-1], n))

    def _joined_from(self, *inputs: tuple[Any, Mapping[str, Any]]) -> Matches:
        """Stores the data of the join and the options for opening it, unless it can be read only once."""
        if not any(isinstance(data, Iterator) for data, _ in inputs):
            object.__setattr__(self, "_inputs", inputs)
        return self

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_inputs"}

    def tables(self) -> dict[str, pa.Table]:
        return {"matches": self.to_arrow()}

    def _facts(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in FACTS}

    def _stored(self) -> dict[str, pa.Table]:
        ids = stored_ids(self.left_ids, "left_ids") | stored_ids(self.right_ids, "right_ids")
        return {"matches": self._numbers(), **ids}

    @classmethod
    def _restored(cls, facts: Mapping[str, Any], tables: SavedTables, summary: Summary) -> Matches:
        numbers = checked(facts, left_total=int, right_total=int, recall=float | None, within=bool)
        words = checked(facts, asked=str, noun=str, how=str, rules=str)
        left, right = numbers["left_total"], numbers["right_total"]
        return cls(
            left_rows=tables.rows("matches", "left_row", left),
            right_rows=tables.rows("matches", "right_row", right),
            similarity=tables.array("matches", "similarity"),
            distance=tables.array("matches", "distance"),
            left_ids=tables.ids("left_ids", left),
            right_ids=tables.ids("right_ids", right),
            summary=summary,
            **numbers,
            **words,
        )

    def _chosen(self, order: Rows) -> Matches:
        chosen = super()._chosen(order)
        return chosen if self._inputs is None else chosen._joined_from(*self._inputs)

    def _left_names(self, rows: Rows) -> pa.Array:
        return ids_of(self.left_ids, rows)

    def _right_names(self, rows: Rows) -> pa.Array:
        return ids_of(self.right_ids, rows)
