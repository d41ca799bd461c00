"""Represents signatures as sets, so that set joins can compare signatures without a list of candidates.

An element is a slot together with its value, so two signatures share as many elements as they have equal slots. If at
least o of h slots must be equal, two sets of h elements must have a Jaccard similarity of at least o / (2h − o).
"""

from __future__ import annotations

import numpy as np

from lookalike.flow import Shingles, Signatures
from lookalike.planning.resolve import ResolvedPlan

_SLOTS_APART, _MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


def as_sets(signatures: Signatures) -> Shingles:
    """Converts each signature to a set.

    Different values of a slot give different elements; different slots rarely collide.
    """
    rows, hashes = signatures.values.shape
    elements = signatures.values ^ np.arange(1, hashes + 1, dtype=np.uint64) * _SLOTS_APART
    for _ in range(2):  # mixes well enough for joins, which use both the first and the last bits
        elements *= _MIX
        elements ^= elements >> np.uint64(32)
    elements.sort(axis=1)
    return Shingles(np.arange(rows + 1, dtype=np.int64) * hashes, elements.ravel())


def least_overlap(resolved: ResolvedPlan) -> tuple[int, int]:
    """Converts the threshold, a share of equal slots, to a Jaccard similarity of these sets, as a fraction."""
    hashes, t = resolved.plan.hashes, resolved.threshold
    least = -(-hashes * t.numerator // t.denominator)
    return least, 2 * hashes - least
