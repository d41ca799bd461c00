"""Pairs of rows with their similarity or distance: the base class of `Pairs` and `Matches`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, SupportsIndex

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.errors import InvalidOption
from lookalike.flow.arrays import Rows, to_arrow
from lookalike.flow.checks import check_whole
from lookalike.results.result import Result
from lookalike.results.row import Row, rows_of

if TYPE_CHECKING:
    from lookalike.display.card import Card

Values = npt.NDArray[np.float64] | npt.NDArray[np.int64]


class RowPairs(Result):
    """Pairs of similar rows: `left_rows[i]` and `right_rows[i]`.

    Tables have the columns left and right (ids, or positions if there are no ids), and similarity, distance or both,
    depending on the measure.
    """

    left_rows: Rows
    right_rows: Rows
    similarity: npt.NDArray[np.float64] | None
    """The similarity of each pair; None if pairs were not verified, or if the measure is a distance without an upper
    limit (Euclidean)."""
    distance: Values | None
    """The distance of each pair; None if the measure is a similarity."""
    rules: str
    """Everything that the pairs depend on besides the data, as TOML; empty if the summary contains the plan."""

    @property
    def left(self) -> pa.Array:
        """The ids of the left rows, or their positions if there are no ids."""
        return self._left_names(self.left_rows)

    @property
    def right(self) -> pa.Array:
        return self._right_names(self.right_rows)

    def __len__(self) -> int:
        return len(self.left_rows)

    def __getitem__(self, place: SupportsIndex | slice | str) -> Any:
        """Returns one pair as a row with named values, the pairs of a slice, or a column of the table.

        For example: `pairs[0].similarity`, `pairs[:10]`, `pairs["similarity"]`.
        """
        if isinstance(place, str):
            return self.to_arrow()[place].combine_chunks()
        if isinstance(place, slice):
            return self._chosen(np.arange(*place.indices(len(self)), dtype=np.int64))
        return next(iter(self._chosen(np.array([range(len(self))[place]]))))

    def __iter__(self) -> Iterator[Row]:
        """Yields (left, right, similarity) for each pair, or (left, right, distance) if the measure is a distance."""
        value = "similarity" if self.distance is None else "distance"
        return rows_of(self.to_arrow().select(["left", "right", value]))

    def head(self, n: int = 5) -> list[Row]:
        """Returns the first `n` pairs. `top` returns the best pairs."""
        check_whole("n", n, 0)
        return list(self[:n])

    def to_arrow(self) -> pa.Table:
        """Returns a table with the columns left and right (ids), and similarity, distance or both."""
        return self.to_reader(max(1, len(self))).read_all()

    def to_reader(self, rows: int = 1 << 16) -> pa.RecordBatchReader:
        """Returns the table of `to_arrow` as a stream of batches with at most `rows` rows each."""
        schema = self.summary.stamp(pa.Table.from_batches([self._batch(slice(0, 0))])).schema
        if about := self._about():
            schema = schema.with_metadata({**(schema.metadata or {}), **about})
        batches = (self._batch(slice(start, start + rows)) for start in range(0, len(self), rows))
        stamped = (batch.replace_schema_metadata(schema.metadata) for batch in batches)
        return pa.RecordBatchReader.from_batches(schema, stamped)

    def _about(self) -> dict[str, str]:
        """Returns the metadata of the table, in addition to that of the summary."""
        return {"lookalike.join": self.rules} if self.rules else {}

    def top(self, n: int = 10) -> list[Row]:
        """Returns the n most similar pairs or, if the measure is a distance, the n nearest pairs. Ties keep their
        order."""
        check_whole("n", n, 0)
        best = np.argsort(self._ranks(), kind="stable")[:n]
        return list(self._chosen(best))

    def _ranks(self) -> Values:
        """Returns a sort key for each pair; the best pair has the smallest key."""
        if self.distance is not None:
            return self.distance
        if self.similarity is None:
            raise InvalidOption("pairs-not-verified")
        return -self.similarity

    def _partners(self, here: Rows, partners: pa.Array) -> list[tuple[Any, float | None]]:
        """Returns partners as (id, value), best first. `here` are the indices of the pairs, and `partners` the ids."""
        values = self.similarity if self.distance is None else self.distance
        names = partners.to_pylist()
        if values is None:
            return [(name, None) for name in names]
        order = np.argsort(self._ranks()[here], kind="stable").tolist()
        return [(names[i], values[here[i]].item()) for i in order]

    def _batch(self, here: slice) -> pa.RecordBatch:
        columns = {"left": self._left_names(self.left_rows[here]), "right": self._right_names(self.right_rows[here])}
        if self.similarity is not None:
            columns["similarity"] = to_arrow(self.similarity[here])
        elif self.distance is None:
            columns["similarity"] = pa.nulls(len(columns["left"]), pa.float64())
        if self.distance is not None:
            columns["distance"] = to_arrow(self.distance[here])
        return pa.RecordBatch.from_pydict(columns)

    def _card(self) -> Card:
        from lookalike.display.cells import ROWS, FirstRows
        from lookalike.display.charts import similarity_chart

        first = FirstRows(pa.Table.from_batches([self._batch(slice(0, ROWS))]), len(self))
        return replace(self._heading(), chart=similarity_chart(self.similarity), tables=[first])

    def _numbers(self) -> pa.Table:
        """Returns the table to save: the row numbers of all pairs, with similarity or distance."""
        columns: dict[str, Any] = {"left_row": self.left_rows, "right_row": self.right_rows}
        columns |= {"similarity": self.similarity, "distance": self.distance}
        return pa.table({name: to_arrow(values) for name, values in columns.items() if values is not None})

    def _chosen(self, order: Rows) -> Self:
        """Returns the pairs with these indices, in this order."""
        pairs: Any = self  # every subclass is a dataclass
        chosen: Self = replace(
            pairs,
            left_rows=self.left_rows[order],
            right_rows=self.right_rows[order],
            similarity=None if self.similarity is None else self.similarity[order],
            distance=None if self.distance is None else self.distance[order],
            summary=replace(self.summary, pairs=len(order)),
        )
        return chosen

    def _left_names(self, rows: Rows) -> pa.Array:
        raise NotImplementedError

    def _right_names(self, rows: Rows) -> pa.Array:
        raise NotImplementedError


def row_of(id: Any, ids: pa.Array | None, rows: int) -> int:
    """Returns the row with this id. If there are no ids, `id` is the position of the row."""
    if ids is None:
        if not isinstance(id, int | np.integer) or not 0 <= int(id) < rows:
            raise InvalidOption("no-such-position", last=rows - 1, value=id)
        return int(id)
    row = -1
    # A value of another type is not looked up: Arrow would convert 10.5 to 10.
    if isinstance(id, int | np.integer if pa.types.is_integer(ids.type) else str):
        with suppress(pa.ArrowException, OverflowError, UnicodeEncodeError):  # such a value cannot be an id
            row = ids.index(pa.scalar(id, ids.type)).as_py()
    if row < 0:
        raise InvalidOption("no-such-id", value=id)
    return int(row)
