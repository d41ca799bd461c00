"""FrequentPairs: pairs of items, the number of baskets that contain both, and measures derived from these counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.flow.arrays import Rows, take, to_arrow
from lookalike.flow.checks import check_whole
from lookalike.frequent.report import Report
from lookalike.results.restoring import MOST_ROWS, checked
from lookalike.results.result import Result
from lookalike.results.row import Row, rows_of
from lookalike.results.summary import Summary

if TYPE_CHECKING:
    from lookalike.display.card import Card
    from lookalike.results.saved import SavedTables


@dataclass(frozen=True, eq=False)
class FrequentPairs(Result):
    """Frequent pairs of items: `count[i]` baskets contain pair i.

    Pairs are sorted by descending count, then by left item and right item.

    `left` and `right` are the items of each pair, with left < right; `left_numbers` and `right_numbers` are their
    positions in `items`.

    `items` are the frequent items in ascending order (numbers by value, texts by code point), and `item_counts[i]` is
    the number of baskets that contain item i.
    """

    left_numbers: Rows
    right_numbers: Rows
    count: npt.NDArray[np.int64]
    items: pa.Array
    item_counts: npt.NDArray[np.int64]
    baskets: int
    least: int
    """The minimum number of baskets that contain a frequent pair: the support, as a count."""
    report: Report

    @property
    def summary(self) -> Summary:
        """The summary of the run. `documents` is the number of baskets, and `seconds` contains the time of each pass
        over the data."""
        return Summary(
            documents=self.baskets,
            pairs=len(self),
            seconds={f"{number}. {one.name}": one.seconds for number, one in enumerate(self.report.passes, 1)},
            memory=self.report.memory,
            warnings=self.report.notes,
        )

    @property
    def left(self) -> pa.Array:
        """The left item of each pair."""
        return self._named(self.left_numbers)

    @property
    def right(self) -> pa.Array:
        return self._named(self.right_numbers)

    def __len__(self) -> int:
        return len(self.left_numbers)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.top(len(self)))

    def __repr__(self) -> str:
        return f"FrequentPairs({len(self):,} in {self.least:,} or more of {self.baskets:,} baskets)"

    def top(self, n: int = 10) -> list[Row]:
        """Returns the n most frequent pairs, as (left, right, count)."""
        check_whole("n", n, 0)
        left, right = (self._named(side[:n]) for side in (self.left_numbers, self.right_numbers))
        return list(rows_of(pa.table({"left": left, "right": right, "count": to_arrow(self.count[:n])})))

    def _card(self) -> Card:
        from lookalike.display.cells import ROWS, FirstRows

        first = {name: getattr(self, name)[:ROWS] for name in ("left_numbers", "right_numbers", "count")}
        return replace(self._heading(), tables=[FirstRows(replace(self, **first).to_arrow(), len(self))])

    def to_arrow(self) -> pa.Table:
        """Returns a table with one row per pair: left, right, count, support, confidence and other measures.

        - `support`: the share of baskets that contain both items;
        - `confidence`: the share of the baskets with left that also contain right; `reverse_confidence`: the reverse;
        - `lift`: the ratio of the count to the count expected if the items were independent;
        - `interest`: confidence minus the share of all baskets that contain right.
        """
        count = self.count.astype(np.float64)
        left, right = (self.item_counts[side].astype(np.float64) for side in (self.left_numbers, self.right_numbers))
        baskets = float(max(self.baskets, 1))
        confidence = count / left
        return pa.table(
            {
                "left": self.left,
                "right": self.right,
                "count": to_arrow(self.count),
                "support": to_arrow(count / baskets),
                "confidence": to_arrow(confidence),
                "reverse_confidence": to_arrow(count / right),
                "lift": to_arrow(count * baskets / (left * right)),
                "interest": to_arrow(confidence - right / baskets),
            }
        )

    def _named(self, numbers: npt.NDArray[np.int64]) -> pa.Array:
        return take(self.items, numbers)

    def tables(self) -> dict[str, pa.Table]:
        return {"pairs": self.to_arrow()}

    def _facts(self) -> dict[str, Any]:
        return {"baskets": self.baskets, "least": self.least, "report": self.report.to_dict()}

    def _stored(self) -> dict[str, pa.Table]:
        numbers = {"left": self.left_numbers, "right": self.right_numbers, "count": self.count}
        return {
            "pairs": pa.table({name: to_arrow(values) for name, values in numbers.items()}),
            "items": pa.table({"item": self.items, "count": to_arrow(self.item_counts)}),
        }

    @classmethod
    def _restored(cls, facts: Mapping[str, Any], tables: SavedTables, summary: Summary) -> FrequentPairs:
        items = tables.with_columns("items", "item", "count")
        left, right = (tables.rows("pairs", name, items.num_rows) for name in ("left", "right"))
        count, counts = tables.rows("pairs", "count", MOST_ROWS), tables.rows("items", "count", MOST_ROWS)
        numbers = checked(facts, baskets=int, least=int)
        report = Report.from_dict(checked(facts, report=dict)["report"])
        return cls(left, right, count, items["item"].combine_chunks(), counts, report=report, **numbers)
