"""Finds the similar pairs among candidates, or their connected components, for all engines with a kernel.

`keys[i]` and `sets[i]` belong to the same document. Results refer to documents by this position i.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lookalike.engines.stages.arrows import KernelArrows
from lookalike.engines.stages.candidate_components import bucket_components
from lookalike.engines.stages.signature_sets import as_sets, least_overlap
from lookalike.flow import Shingles
from lookalike.flow.arrays import Hashes, Rows
from lookalike.flow.buckets import ALL, MOST_COUNTED, Share
from lookalike.kernel.protocol import Kernel
from lookalike.kernel.values import SimilarPairs
from lookalike.planning.resolve import ResolvedPlan
from lookalike.results.pairs import MOST_PAIRS

FEW_PAIRS = 32
"""Clusters are found by an exact join if it would find at most about this many pairs per set."""


@dataclass
class Counts:
    """The counts of one call, or the sums over several calls."""

    checked: int = 0
    candidates: int | None = 0
    """The number of distinct candidate pairs; None if not counted."""
    in_large: int = 0
    """The number of pairs in large buckets. If it exceeds MOST_COUNTED, candidates are not counted."""

    def of_pairs(self) -> dict[str, int | None]:
        """The counts that the summary of pairs shows."""
        return {"candidates": self.candidates, "checked": self.checked}

    def add(self, other: Counts) -> None:
        self.checked += other.checked
        self.in_large += other.in_large
        if self.candidates is None or other.candidates is None or self.in_large > MOST_COUNTED:
            self.candidates = None
        else:
            self.candidates += other.candidates


@dataclass(frozen=True, eq=False)
class Similar:
    """Pairs of positions, with the size of each intersection (`shared`) and union (`total`), or None if not compared.

    With `verify="signature"`, these are the number of equal slots and the number of slots.
    """

    left: Rows
    right: Rows
    shared: Rows | None
    total: Rows | None
    counts: Counts

    @property
    def similarity(self) -> npt.NDArray[np.float64] | None:
        return None if self.shared is None or self.total is None else self.shared / self.total


def similar(
    kernel: Kernel,
    resolved: ResolvedPlan,
    keys: Hashes,
    sets: Shingles,
    share: Share = ALL,
    most: int = MOST_PAIRS,
) -> Similar:
    """Finds the candidate pairs that are similar. Raises OverflowError if there are more than `most`."""
    if resolved.plan.verify == "none":
        left, right = kernel.candidates(keys, share, most)
        return Similar(left, right, None, None, Counts(0, len(left)))
    p, q = resolved.threshold.numerator, resolved.threshold.denominator
    if resolved.plan.verify == "signature":
        sets, (p, q) = slots_of(kernel, resolved, sets), least_overlap(resolved)
    found = _verified(kernel, resolved, keys, sets, p, q, share, most)
    total = sets.sizes[found.left]
    if resolved.plan.verify == "exact":
        total = total + sets.sizes[found.right] - found.intersection
    counts = Counts(found.checked, found.candidates if found.candidates >= 0 else None, found.in_large)
    return Similar(found.left, found.right, found.intersection, total, counts)


def connected(
    kernel: Kernel,
    resolved: ResolvedPlan,
    keys: Hashes,
    sets: Shingles,
    share: Share = ALL,
    known: Rows | None = None,
    *,
    stars_only: bool = False,
) -> tuple[Rows, Counts]:
    """Finds connected components. Returns the first position in each document's component, and counts.

    `known[i]` is a position that is known to be in the component of i, or i itself. Documents that are known to be in
    the same component are not compared.
    """
    if resolved.plan.verify == "none":
        return bucket_components(kernel, keys), Counts()
    p, q = resolved.threshold.numerator, resolved.threshold.denominator
    if resolved.exact and share == ALL and known is None:
        # The alternative, finding components without listing pairs, is slower if there are few pairs, and much faster
        # if there are many: ten thousand copies of one text, each with one word changed, have fifty million pairs.
        with suppress(OverflowError):
            few = kernel.exact_pairs(sets, numerator=p, denominator=q, most=FEW_PAIRS * (1000 + len(sets)))
            return kernel.connect(len(keys), few.left, few.right), Counts(few.compared)
    if resolved.plan.verify == "signature":
        sets, (p, q) = slots_of(kernel, resolved, sets), least_overlap(resolved)
    found = kernel.similar_components(keys, sets, p, q, share, known, stars_only=stars_only)
    return found.labels, Counts(found.checked)


def slots_of(kernel: Kernel, resolved: ResolvedPlan, sets: Shingles) -> Shingles:
    """Computes the signatures of the sets, as sets of slots."""
    return as_sets(KernelArrows(kernel).sign(sets, resolved))


def _verified(
    kernel: Kernel, resolved: ResolvedPlan, keys: Hashes, sets: Shingles, p: int, q: int, share: Share, most: int
) -> SimilarPairs:
    if not resolved.exact:
        return kernel.similar_pairs(keys, sets, p, q, share, most)
    one, other = _halves(sets, share.split) if share.split else (sets, None)
    joined = kernel.exact_pairs(one, other, numerator=p, denominator=q, most=most)
    return SimilarPairs(
        joined.left, joined.right + share.split, joined.intersection, candidates=-1, checked=joined.compared
    )


def _halves(sets: Shingles, split: int) -> tuple[Shingles, Shingles]:
    return Shingles(sets.offsets[: split + 1], sets.values), Shingles(sets.offsets[split:], sets.values)
