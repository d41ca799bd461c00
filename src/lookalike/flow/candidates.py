"""Candidates: pairs of documents that share a band key and have not been verified yet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, eq=False)
class Candidates:
    """Pairs of row numbers with `left[i] < right[i]`. Each pair appears once; pairs are sorted by (left, right)."""

    left: npt.NDArray[np.int64]
    right: npt.NDArray[np.int64]

    @classmethod
    def from_pairs(cls, pairs: set[tuple[int, int]]) -> Candidates:
        ordered = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
        return cls(np.ascontiguousarray(ordered[:, 0]), np.ascontiguousarray(ordered[:, 1]))

    def __len__(self) -> int:
        return len(self.left)

    def to_set(self) -> set[tuple[int, int]]:
        return set(zip(self.left.tolist(), self.right.tolist(), strict=True))
