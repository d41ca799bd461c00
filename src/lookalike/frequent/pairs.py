"""FrequentPairs: pairs of items with the number of baskets that hold both, and what follows from that number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.flow.arrays import take
from lookalike.frequent.report import Report


@dataclass(frozen=True, eq=False)
class FrequentPairs:
    """Pairs `items[left[i]] < items[right[i]]` in `count[i]` baskets, ordered by count, then by left and right item.

    `items` are the frequent items in ascending order (numbers by value, texts by code point), and `item_counts` says
    in how many baskets each of them is.
    """

    left: npt.NDArray[np.int64]
    right: npt.NDArray[np.int64]
    count: npt.NDArray[np.int64]
    items: pa.Array
    item_counts: npt.NDArray[np.int64]
    baskets: int
    least: int
    """The support in baskets."""
    report: Report

    def __len__(self) -> int:
        return len(self.left)

    def __iter__(self) -> Iterator[tuple[Any, Any, int]]:
        return iter(self.top(len(self)))

    def __repr__(self) -> str:
        return f"FrequentPairs({len(self):,} in {self.least:,} or more of {self.baskets:,} baskets)"

    def top(self, n: int = 10) -> list[tuple[Any, Any, int]]:
        """The n most frequent pairs: (left, right, count)."""
        left, right = (self._named(side[:n]).to_pylist() for side in (self.left, self.right))
        return list(zip(left, right, self.count[:n].tolist(), strict=True))

    def to_arrow(self) -> pa.Table:
        """One row a pair.

        - `support`: the share of baskets that hold both;
        - `confidence`: of the baskets with left, the share that has right, too; `reverse_confidence`: the other way;
        - `lift`: how many times more often the two meet than if they were independent;
        - `interest`: confidence less the share of all baskets that hold right.
        """
        count = self.count.astype(np.float64)
        left, right = (self.item_counts[side].astype(np.float64) for side in (self.left, self.right))
        baskets = float(max(self.baskets, 1))
        confidence = count / left
        return pa.table(
            {
                "left": self._named(self.left),
                "right": self._named(self.right),
                "count": _arrow(self.count),
                "support": _arrow(count / baskets),
                "confidence": _arrow(confidence),
                "reverse_confidence": _arrow(count / right),
                "lift": _arrow(count * baskets / (left * right)),
                "interest": _arrow(confidence - right / baskets),
            }
        )

    def _named(self, numbers: npt.NDArray[np.int64]) -> pa.Array:
        return take(self.items, numbers)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)


def _arrow(values: npt.NDArray[Any]) -> pa.Array:
    """The same memory as Arrow. (`pa.array` looks for pandas first, and imports it where it is installed.)"""
    kind = pa.int64() if values.dtype == np.int64 else pa.float64()
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(np.ascontiguousarray(values))])
