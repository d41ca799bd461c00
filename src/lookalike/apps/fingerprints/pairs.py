"""What both searches for prints return: pairs of prints, the most similar first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.apps.fingerprints.minutiae import Print
from lookalike.flow.arrays import Rows
from lookalike.notices import Notice
from lookalike.results.result import Result
from lookalike.results.summary import Summary

Found = TypeVar("Found", bound="PrintPairs")


@dataclass(frozen=True, eq=False, kw_only=True)
class PrintPairs(Result):
    """Pairs of prints, the most similar first."""

    left_rows: Rows
    right_rows: Rows
    similarity: npt.NDArray[np.float64]
    prints: Sequence[Print]
    gallery: Sequence[Print]
    """The prints on the right of each pair; the same object as `prints` if no gallery was given."""
    summary: Summary
    """The summary of the run. `documents` is the number of prints, including those of the gallery, and `candidates` the
    number of pairs that were compared."""

    @property
    def left(self) -> pa.Array:
        """The names of the prints on the left, as in the table."""
        return pa.array([self.prints[row].name for row in self.left_rows], pa.string())

    @property
    def right(self) -> pa.Array:
        return pa.array([self.gallery[row].name for row in self.right_rows], pa.string())

    @property
    def within(self) -> bool:
        """True if the prints were compared with one another."""
        return self.gallery is self.prints

    @property
    def candidates(self) -> int:
        """The number of pairs that were compared, including those below the threshold."""
        return self.summary.candidates or 0

    @property
    def compared(self) -> int:
        """The number of pairs that a search without buckets would compare."""
        n = len(self.prints)
        return n * (n - 1) // 2 if self.within else n * len(self.gallery)

    def __len__(self) -> int:
        return len(self.left_rows)

    def tables(self) -> dict[str, pa.Table]:
        return {"matches": self.to_arrow()}


def with_reading(result: Found, seconds: float, warnings: Sequence[Notice]) -> Found:
    """Adds the time that reading took, and the warnings about files, to the summary."""
    summary = result.summary
    return replace(
        result,
        summary=replace(
            summary,
            malformed=len(warnings),
            seconds={"read": seconds, **summary.seconds},
            warnings=(*warnings, *summary.warnings),
        ),
    )
