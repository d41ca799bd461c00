"""The results of the first pass for consecutive rows, in memory. `signed_parts.py` stores them if they do not fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from lookalike.flow.sketches import Sketches


@dataclass(frozen=True, eq=False)
class SignedRows:
    """The sketches of consecutive rows, and their ids, if the source has ids."""

    sketches: Sketches
    ids: pa.Array | None

    def pieces(self, rows: int) -> Iterator[SignedRows]:
        """Yields the same rows in pieces of `rows` rows."""
        for start in range(0, len(self.sketches.flags), rows):
            columns = [column[start : start + rows] for column in vars(self.sketches).values()]
            yield SignedRows(Sketches(*columns), None if self.ids is None else self.ids[start : start + rows])

    @classmethod
    def none(cls, bands: int, *, with_ids: bool) -> SignedRows:
        """Returns an object without rows: the result for an empty source."""
        keys, hashes = np.zeros((0, bands), np.uint64), np.zeros((0, 2), np.uint64)
        numbers, flags, windows = np.zeros(0, np.int64), np.zeros(0, np.uint8), np.zeros(0, np.uint32)
        ids = pa.array([], pa.string()) if with_ids else None
        return cls(Sketches(hashes, hashes, flags, keys, numbers, numbers, windows), ids)
