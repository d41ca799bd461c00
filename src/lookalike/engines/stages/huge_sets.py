"""Compares documents whose sets do not fit into memory, part by part.

Every element belongs to one of several parts, whatever document it is in (`Kernel.shingle_part`). So the sizes of sets
and of intersections are sums over the parts. Each part reads and cuts the texts again.
"""

from __future__ import annotations

import numpy as np

from lookalike.engines.stages.arrows import HUGE_BATCH, KernelArrows, StoredTexts, equal_slots, load_sets
from lookalike.engines.stages.memory import SHINGLE
from lookalike.flow import Shingles, Signatures
from lookalike.flow.arrays import Hashes, Rows
from lookalike.flow.distinct import distinct
from lookalike.flow.progress import Progress
from lookalike.kernel.protocol import Kernel
from lookalike.planning.resolve import ResolvedPlan


def parts_needed(elements: int, tables: int) -> int:
    """The number of parts of which each fits into half of `tables` bytes.

    There are never more parts than elements, because a part without elements only reads the texts once more.
    """
    return max(1, -(-SHINGLE * elements // max(SHINGLE, tables // 2)))


def overlaps(
    kernel: Kernel,
    plan: ResolvedPlan,
    texts: StoredTexts,
    left: Rows,
    right: Rows,
    parts: int,
    most: int | None = None,
    huge: int = HUGE_BATCH,
    progress: Progress | None = None,
    stage: str = "verify",
) -> tuple[Rows, Rows]:
    """For each pair of rows, the sizes of the intersection and of the union of their sets.

    If the plan verifies by signatures, these are the number of equal slots and the number of slots. Raises
    OverflowError if a part of the sets has more than `most` elements.
    """
    rows = distinct(np.concatenate([left, right]))
    a, b = np.searchsorted(rows, left), np.searchsorted(rows, right)
    shared, sizes = np.zeros(len(left), np.int64), np.zeros(len(rows), np.int64)
    signed: Hashes | None = None
    by_signature = plan.plan.verify == "signature"
    for part in range(parts):
        sets = load_sets(kernel, plan, texts, rows, None, most, huge, part=(part, parts))
        if by_signature:
            signed = _merged(kernel, plan, sets, signed)
        else:
            shared += kernel.intersections(sets, a, b)
            sizes += sets.sizes
        del sets
        if progress is not None:
            progress(stage, part + 1, parts)
    if signed is not None:
        return equal_slots(Signatures(signed, plan.signed_by), a, b)
    return shared, sizes[a] + sizes[b] - shared


def _merged(kernel: Kernel, plan: ResolvedPlan, sets: Shingles, signed: Hashes | None) -> Hashes:
    """The signature of a union is the minimum, slot by slot, of the signatures of its parts."""
    values = KernelArrows(kernel).sign(sets, plan).values
    return values if signed is None else np.minimum(values, signed)
