"""Signatures: a fixed number of hashes per document. The share of equal hashes estimates the similarity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lookalike.errors import PlanMismatch
from lookalike.flow.signature import check_same_rules


@dataclass(frozen=True, eq=False)
class Signatures:
    """The signatures of consecutive documents, the first of which is row `start`. Each signature is a row of `hashes`
    slots.

    `made_by` describes the rules (shingling, sketch, hashes, seed). Signatures made with different rules
    cannot be mixed.
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
        """Returns the share of slots in which two signatures agree: an unbiased estimate of the Jaccard similarity."""
        return float(np.mean(self.values[i] == self.values[j]))

    def merge(self, other: Signatures) -> Signatures:
        """Returns the elementwise minimum: for each document, the signature of the union of its sets in both
        objects."""
        check_same_rules(self.made_by, other.made_by)
        if self.values.shape != other.values.shape or self.start != other.start:
            raise PlanMismatch("signatures-of-different-documents")
        return Signatures(np.minimum(self.values, other.values), self.made_by, self.start)
