"""Signatures of 8 bits per slot, for an index that keeps no texts, and the similarities that they estimate.

Two slots with different values have equal bytes with probability 1/256. If a share m of the bytes of two documents is
equal, the unbiased estimate of their similarity is therefore (m − 1/256) / (1 − 1/256) (Li and König, "b-bit minwise
hashing", 2010). Its standard deviation at a similarity J is about √(J·(1 − J) / slots).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lookalike.engines.stages.signature_sets import as_sets
from lookalike.families.amplify import Banded
from lookalike.flow import Documents, Shingles, Signatures
from lookalike.flow.arrays import Rows
from lookalike.flow.threshold import Threshold
from lookalike.kernel.protocol import Kernel
from lookalike.planning.resolve import ResolvedPlan

Short = npt.NDArray[np.uint8]
"""One row per document and one byte per slot."""

VALUES = 256
"""The number of values of a byte."""


def short_signatures(kernel: Kernel, documents: Documents, plan: ResolvedPlan) -> Short:
    """Signs documents. The byte of a slot is the last one of the key that a band of this slot alone would have."""
    p = plan.plan
    banding = Banded(p.hashes, 1)
    made = kernel.sketch(documents, plan.shingles, sketch=p.sketch, hashes=p.hashes, seed=p.seed, banding=banding)
    return made.keys.astype(np.uint8)


def sets_of_slots(short: Short, plan: ResolvedPlan) -> Shingles:
    """Converts each signature to a set of its slots with their bytes."""
    return as_sets(Signatures(short.astype(np.uint64), plan.signed_by))


def least_equal(threshold: Threshold, slots: int) -> int:
    """Returns the least number of equal bytes for which the estimated similarity reaches the threshold."""
    p, q = threshold.numerator, threshold.denominator
    return -(-slots * (q + (VALUES - 1) * p) // (VALUES * q))


def estimated(equal: Rows, slots: int) -> npt.NDArray[np.float64]:
    """Estimates similarities from the numbers of equal bytes.

    >>> estimated(np.array([0, 1, 64, 128]), 128).round(3).tolist()
    [0.0, 0.004, 0.498, 1.0]
    """
    return np.maximum(0, VALUES * equal - slots) / ((VALUES - 1) * slots)
