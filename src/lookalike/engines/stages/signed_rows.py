"""The results of the first pass for consecutive rows, in memory. `signed_parts.py` stores them if they do not fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np
import pyarrow as pa

from lookalike.flow.sketches import Sketches


@dataclass(frozen=True, eq=False)
class SignedRows:
    """The sketches of consecutive rows, and their ids, if the source has ids."""

    sketches: Sketches
    ids: pa.Array | None

    @property
    def nbytes(self) -> int:
        arrays = [self.ids] if self.ids is not None else []
        return sum(array.nbytes for array in [*vars(self.sketches).values(), *arrays])

    def pieces(self, rows: int) -> Iterator[SignedRows]:
        """Yields the same rows in pieces of `rows` rows."""
        for start in range(0, len(self.sketches.flags), rows):
            columns = [column[start : start + rows] for column in vars(self.sketches).values()]
            yield SignedRows(Sketches(*columns), None if self.ids is None else self.ids[start : start + rows])

    @classmethod
    def joined(cls, batches: Sequence[SignedRows]) -> SignedRows:
        """Combines the rows of one or more batches, in order."""
        columns = [
            np.concatenate([getattr(some.sketches, field.name) for some in batches]) for field in fields(Sketches)
        ]
        ids = None if batches[0].ids is None else pa.concat_arrays([some.ids for some in batches])
        return cls(Sketches(*columns), ids)

    @classmethod
    def none(cls, bands: int, *, with_ids: bool) -> SignedRows:
        """Returns an object without rows: the result for an empty source."""
        keys, prints = np.zeros((0, bands), np.uint64), np.zeros((0, 2), np.uint64)
        numbers, flags, windows = np.zeros(0, np.int64), np.zeros(0, np.uint8), np.zeros(0, np.uint32)
        ids = pa.array([], pa.string()) if with_ids else None
        return cls(Sketches(prints, flags, keys, numbers, numbers, windows), ids)
