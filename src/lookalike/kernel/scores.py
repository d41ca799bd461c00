"""The part of the kernel protocol that selects from matrices of scores, such as products of vectors."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from lookalike.flow.arrays import Rows

Floats = npt.NDArray[np.floating[Any]]


class TopScores(Protocol):
    """Keeps the rows that may be among the nearest of each query.

    Greater scores are nearer. The error of a score is at most the sum of the margins of its query and its row. A row
    remains as long as fewer than `top` others are certainly better. More rows may remain than that.
    """

    @property
    def waiting(self) -> int:
        """The number of scores in memory."""
        ...

    def add(self, scores: Floats, own: Floats, *, first: int, first_row: int) -> None:
        """Adds a matrix of scores, with one row per query from number `first` on, and one column per row.

        `first_row` is the number of the first of these rows, and `own` contains their margins.
        """
        ...

    def remaining(self) -> tuple[Rows, Rows]:
        """Returns pairs of a query and a row, in order."""
        ...

    def keep(self, queries: Rows, rows: Rows) -> None:
        """Drops all pairs but these, which are in order."""
        ...


class Scoring(Protocol):
    """Selects from matrices of scores in single or double precision."""

    def top_scores(self, margins: Floats, top: int) -> TopScores:
        """Starts to select the `top` best rows per query. `margins` contains one error bound per query."""
        ...

    def scores_above(self, scores: Floats, own: Floats, bars: Floats) -> tuple[Rows, Rows]:
        """Returns the rows and columns, in order, of the scores that plus `own[column]` are at least `bars[row]`."""
        ...
