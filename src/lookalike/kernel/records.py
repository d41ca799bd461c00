"""The native edge of records: rows of weighted tokens → the nearest of each, and how much two rows share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lookalike.flow.arrays import Rows
from lookalike.kernel._native import nearest_records, shared_weights

Weights = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TokenRows:
    """Rows of tokens: ascending, without repeats. Tokens are numbered by rarity, the rarest first."""

    offsets: Rows
    tokens: npt.NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.offsets) - 1


class Neighbours(NamedTuple):
    """Pairs in order of `left`, nearest first; and how many entries of the index were looked at."""

    left: Rows
    right: Rows
    score: Weights
    looked_at: int


def nearest(
    queries: TokenRows, index: TokenRows | None, weights: Weights, *, top: int, budget: int, threads: int = 1
) -> Neighbours:
    """The `top` rows of `index` (of the queries themselves if None) with the largest cosine, ties by row.

    `weights` are the squares of the tokens' weights. Of each row so many of its rarest tokens are looked up as have at
    most `budget` entries in the index together.
    """
    of = queries if index is None else index
    found = nearest_records(
        queries.offsets, queries.tokens, of.offsets, of.tokens, weights, top, budget, index is None, threads
    )
    return Neighbours(*found)


def shared(one: TokenRows, two: TokenRows, weights: Weights, left: Rows, right: Rows, *, threads: int = 1) -> Weights:
    """For each pair of rows the sum of the weights of the tokens that both have."""
    return shared_weights(one.offsets, one.tokens, two.offsets, two.tokens, weights, left, right, threads)


__all__ = ["Neighbours", "TokenRows", "nearest", "shared"]
