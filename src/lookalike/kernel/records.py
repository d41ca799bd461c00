"""Arguments and results of the kernel methods for records, which are rows of weighted tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lookalike.flow.arrays import Rows

Weights = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TokenRows:
    """Rows of tokens, each ascending and without repetitions. Tokens are numbered by rarity, the rarest first."""

    offsets: Rows
    tokens: npt.NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.offsets) - 1


class Neighbours(NamedTuple):
    """Pairs of rows, sorted by `left` and then by descending score. `looked_at` is the number of index entries read."""

    left: Rows
    right: Rows
    score: Weights
    looked_at: int
