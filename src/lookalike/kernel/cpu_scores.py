"""Matrices of scores and searches of lists, for the CPU kernel. `scores.py` and `vectors.py` document the methods."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookalike.flow.arrays import Rows
from lookalike.kernel import _native, vectors
from lookalike.kernel.scores import Floats


class CpuScoring:
    """The methods of `Cpu` for matrices of scores, and for searches of lists."""

    threads: int

    def nearest_in_lists(
        self,
        tables: tuple[vectors.Table, vectors.Table],
        lists: vectors.Lists,
        exact: tuple[vectors.Matrix, vectors.Matrix],
        squares: tuple[vectors.Values, vectors.Values] | None,
        *,
        scale: float = 1.0,
        margin: float = 0.0,
        top: int,
    ) -> vectors.Nearest:
        by = (*(squares or (None, None)), int(squares is None), scale, margin, top, self.threads)
        return vectors.Nearest(*_native.nearest_in_lists(*tables[0], *tables[1], *lists, *exact, *by))

    def top_scores(self, margins: Floats, top: int) -> CpuTopScores:
        kind = _native.TopScores if margins.dtype == np.float32 else _native.TopScores64
        return CpuTopScores(kind(np.ascontiguousarray(margins), top), self.threads)

    def scores_above(self, scores: Floats, own: Floats, bars: Floats) -> tuple[Rows, Rows]:
        return _native.scores_above(
            np.ascontiguousarray(scores), np.ascontiguousarray(own), np.ascontiguousarray(bars), self.threads
        )


@dataclass(frozen=True, eq=False)
class CpuTopScores:
    """The best rows of each query, in the native module."""

    native: _native.TopScores | _native.TopScores64
    threads: int

    @property
    def waiting(self) -> int:
        return self.native.waiting()

    def add(self, scores: Floats, own: Floats, *, first: int, first_row: int) -> None:
        self.native.add(np.ascontiguousarray(scores), np.ascontiguousarray(own), first, first_row, self.threads)

    def remaining(self) -> tuple[Rows, Rows]:
        return self.native.remaining()

    def keep(self, queries: Rows, rows: Rows) -> None:
        self.native.keep(queries, rows)
