"""The kernel methods for records, which are rows of weighted tokens, with their arguments and results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

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


class Records(Protocol):
    """Methods for records, which are rows of weighted tokens."""

    def nearest_records(
        self, queries: TokenRows, index: TokenRows | None, weights: Weights, *, top: int, budget: int
    ) -> Neighbours:
        """Finds, for each query, the `top` rows of `index` with the largest cosine. In a tie, lower rows come first.

        If `index` is None, the other queries are searched.

        `weights` are the squared weights of the tokens. For each query, only the rarest tokens are looked up: as many
        as have at most `budget` index entries in total.
        """
        ...

    def shared_weights(self, one: TokenRows, two: TokenRows, weights: Weights, left: Rows, right: Rows) -> Weights:
        """Returns, for each pair of rows, the sum of the weights of the tokens that they have in common."""
        ...
