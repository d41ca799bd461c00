"""Matrices of scores, for the CPU kernel. `scores.py` documents the methods."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookalike.flow.arrays import Rows
from lookalike.kernel import _native
from lookalike.kernel.scores import Floats


class CpuScoring:
    """The methods of `Cpu` for matrices of scores."""

    threads: int

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
