"""Weighted Jaccard similarity of vectors of weights: Σ min / Σ max."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from lookalike.errors import MalformedInput
from lookalike.families.base import Family
from lookalike.families.weighted import WeightedMinHash
from lookalike.flow.arrays import Mask, Rows
from lookalike.flow.progress import Progress, silent
from lookalike.joins.vectors.measures import Cost, Matrix, Values, exactly, share_threshold
from lookalike.joins.vectors.minhash_keys import keys_of_signatures
from lookalike.joins.vectors.single_precision import FARTHEST, margin, padded, pieces
from lookalike.kernel import default
from lookalike.kernel import vectors as kernel


@dataclass(frozen=True)
class WeightedJaccard:
    """Weighted Jaccard similarity, Σ min / Σ max.

    Vectors are near if it is at least `threshold`; zero vectors never are.
    """

    name: ClassVar[str] = "weighted jaccard"
    is_distance: ClassVar[bool] = False
    on_bits: ClassVar[bool] = False
    threshold: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "threshold", share_threshold(self.threshold))

    @property
    def bound(self) -> float:
        return self.threshold

    def check(self, vectors: Matrix, name: str) -> None:
        for start, given in pieces(vectors):
            piece = given.astype(np.float64)
            odd = (piece < 0) | ((piece != 0) & (piece < 1e-100)) | (piece > 1e100)
            for row in np.flatnonzero(odd.any(axis=1)):
                weight = piece[row][odd[row]][0]
                raise MalformedInput("weight-out-of-range", name=name, row=start + row, value=weight)

    def usable(self, vectors: Matrix) -> Mask | None:
        return np.concatenate([np.zeros(0, bool), *(piece.any(axis=1) for _, piece in pieces(vectors))])

    def values(self, one: Matrix, two: Matrix, left: Rows, right: Rows, threads: int) -> Values:
        lesser = default(threads).measured("minimum", one, two, left, right)
        greater = default(threads).measured("maximum", one, two, left, right)
        return np.asarray(lesser / np.where(greater > 0, greater, 1.0))

    def reached(self, values: Values) -> Mask:
        return np.asarray(values >= self.threshold)

    def families(self, vectors: Matrix) -> list[Family]:
        return [WeightedMinHash()]

    def distances(self, values: Values) -> Values:
        return 1 - values

    def reach(self, vectors: Matrix) -> float:
        return 1 - self.threshold

    def cost(self, vectors: Matrix) -> Cost:
        d = vectors.shape[1]
        return Cost(compare=0.06 * d + 1, prepare=28.0 * d, function=150.0, fetch=0.15 * d, meet=0.06 * d)

    def blocks(self, vectors: Matrix) -> kernel.BlockPlan | None:
        return None

    def every_pair(self, vectors: Matrix, threads: int, most: int, progress: Progress = silent) -> kernel.Near:
        return self.pairs(vectors, self.table(vectors), kernel.one_bucket(len(vectors)), threads, most)

    def table(self, vectors: Matrix) -> kernel.Table:
        """Returns the weights divided by the median total weight, with each row's share of the bound.

        Σ min / Σ max ≥ t means Σ min ≥ t/(1 + t)·(Σx + Σy), because Σ min + Σ max = Σx + Σy. The median is used
        because, with a mean, one very heavy row would reduce the precision of all others. A row beyond the range of
        single precision passes this test with every row.
        """
        sums = np.concatenate([np.zeros(0), *(piece.sum(axis=1, dtype=np.float64) for _, piece in pieces(vectors))])
        unit = float(np.median(sums)) if len(sums) else 1.0
        values = padded(vectors, lambda piece: np.asarray(piece, np.float64) / unit)
        share = self.threshold / (1 + self.threshold) * (1 - 4 * margin(values.shape[1]))
        own = np.where(sums / unit < FARTHEST, values.sum(axis=1, dtype=np.float64) * share, -np.inf)
        return kernel.Table(values, own.astype(np.float32))

    def keys(
        self, vectors: Matrix, table: kernel.Table, family: Family, bands: int, rows: int, seed: int, threads: int
    ) -> kernel.Keys:
        def signed(piece: Matrix, hashes: int, seed: int) -> Any:
            row, element = np.nonzero(piece)
            offsets = np.searchsorted(row, np.arange(len(piece) + 1))
            weights = piece[row, element].astype(np.float64)
            elements = element.astype(np.uint64)
            return default(threads).sign_weighted(offsets, elements, weights, hashes=hashes, seed=seed)

        return keys_of_signatures(vectors, signed, bands, rows, seed, threads)

    def pairs(
        self, vectors: Matrix, table: kernel.Table, keys: kernel.Keys, threads: int, most: int, **sketches: Any
    ) -> kernel.Near:
        is_near = exactly(self, vectors)
        return default(threads).pairs_of_vectors(table, keys, "minima", -1e-30, most=most, is_near=is_near)
