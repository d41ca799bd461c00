"""Compares giants part by part: candidates whose sets are so large that two of them do not fit into memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from lookalike.engines.local.spill.batches import KeyLookup
from lookalike.engines.stages.arrows import StoredTexts
from lookalike.engines.stages.candidate_components import CandidateComponents
from lookalike.engines.stages.checking import Counts
from lookalike.engines.stages.huge_sets import overlaps, parts_needed
from lookalike.engines.stages.memory import SHINGLE, Allowance
from lookalike.engines.stages.signed_parts import SignedParts
from lookalike.flow.arrays import Mask, Rows
from lookalike.flow.distinct import distinct
from lookalike.flow.progress import Progress
from lookalike.kernel.protocol import Kernel
from lookalike.planning.resolve import ResolvedPlan

AT_ONCE = 1 << 16
"""The number of rows whose keys are compared with those of a giant at once."""


@dataclass(frozen=True, eq=False)
class GiantPairs:
    """The similar pairs in which at least one document is a giant."""

    left: Rows
    right: Rows
    similarity: npt.NDArray[np.float64]
    counts: Counts


def set_apart(
    components: CandidateComponents, windows: npt.NDArray[np.uint32], allowance: Allowance
) -> tuple[CandidateComponents, Mask]:
    """The components without giants, and a mask of the giants among the candidates."""
    giants = 2 * SHINGLE * windows.astype(np.int64) > allowance.tables
    rest = replace(
        components,
        rows=components.rows[~giants],
        component=components.component[~giants],
        indexed=components.indexed[~giants],
    )
    return rest, giants


def compare_giants(
    kernel: Kernel,
    resolved: ResolvedPlan,
    texts: StoredTexts,
    signed: SignedParts,
    components: CandidateComponents,
    giants: Mask,
    windows: npt.NDArray[np.uint32],
    allowance: Allowance,
    progress: Progress,
) -> GiantPairs:
    """Finds the similar pairs of giants with each other, and with other candidates."""
    empty, t = np.zeros(0, np.int64), resolved.threshold
    pairs = [(empty, empty), *_candidates(resolved, signed, components, giants)]
    left, right = np.concatenate([left for left, _ in pairs]), np.concatenate([right for _, right in pairs])
    elements = np.zeros(signed.rows, np.int64)
    elements[components.rows] = windows

    def compared(left: Rows, right: Rows) -> tuple[Rows, Rows]:
        parts = parts_needed(int(elements[distinct(np.concatenate([left, right]))].sum()), allowance.tables)
        return overlaps(kernel, resolved, texts, left, right, parts, huge=allowance.huge, progress=progress)

    if resolved.exact:  # every other document is a candidate, but few have sets that are large enough
        rows = components.rows[giants]
        sizes = elements.copy()
        sizes[rows] = compared(rows, rows)[1]
        small, large = np.minimum(elements[left], elements[right]), np.maximum(sizes[left], sizes[right])
        fitting = np.flatnonzero(small * t.denominator >= large * t.numerator)
        left, right = left[fitting], right[fitting]
    shared, total = compared(left, right)
    similar = np.flatnonzero((total > 0) & (shared * t.denominator >= total * t.numerator))
    counts = Counts(len(left), None if resolved.exact else len(left))
    return GiantPairs(left[similar], right[similar], shared[similar] / total[similar], counts)


def _candidates(
    resolved: ResolvedPlan, signed: SignedParts, components: CandidateComponents, giants: Mask
) -> Iterator[tuple[Rows, Rows]]:
    """Yields the candidate pairs of each giant, the smaller row on the left. Pairs of two giants appear once."""
    for giant in np.flatnonzero(giants):
        row = components.rows[giant]
        own = KeyLookup(signed).of(np.array([row]))
        keys = KeyLookup(signed)
        others = np.flatnonzero(components.component == components.component[giant])
        others = others[~giants[others] | (others > giant)]
        for first in range(0, len(others), AT_ONCE):
            rows = components.rows[others[first : first + AT_ONCE]]
            if not resolved.exact:
                rows = rows[(keys.of(rows) == own).any(axis=1)]
            yield np.minimum(rows, row), np.maximum(rows, row)
