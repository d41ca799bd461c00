"""Signatures: a fixed number of hashes per document; two signatures agree in a share equal to the similarity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lookalike.errors import PlanMismatch


@dataclass(frozen=True, eq=False)
class Signatures:
    """One row of `hashes` slots per document, documents `start … start + len`.

    `made_by` describes the rules (shingling, sketch, hashes, seed). Signatures of different rules cannot be mixed.
    """

    values: npt.NDArray[np.uint64]
    made_by: str
    start: int = 0

    def __len__(self) -> int:
        return len(self.values)

    @property
    def hashes(self) -> int:
        return int(self.values.shape[1])

    def similarity(self, i: int, j: int) -> float:
        """The share of slots in which two signatures agree: an unbiased estimate of the Jaccard similarity."""
        return float(np.mean(self.values[i] == self.values[j]))

    def merge(self, other: Signatures) -> Signatures:
        """The signatures of the unions of the documents' sets: the elementwise minimum."""
        if self.made_by != other.made_by:
            raise PlanMismatch("signatures-of-different-rules", one=self.made_by, other=other.made_by)
        if self.values.shape != other.values.shape or self.start != other.start:
            raise PlanMismatch("signatures-of-different-documents")
        return Signatures(np.minimum(self.values, other.values), self.made_by, self.start)
