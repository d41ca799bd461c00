"""Finds all true partners of sampled documents in a source, exactly and block by block, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.flow import Shingles
from lookalike.flow.arrays import Rows, take
from lookalike.flow.progress import Progress
from lookalike.flow.threshold import Threshold
from lookalike.io.source import Source
from lookalike.joins.blocks import block_size, in_blocks, size_of
from lookalike.joins.source_sets import Cutting
from lookalike.kernel import default
from lookalike.planning.resolve import ResolvedPlan
from lookalike.storage.budget import Budget
from lookalike.trust.sampling import Sample

MOST = 2_000_000
"""The maximum number of pairs in memory at a time. A block with more pairs is halved."""


@dataclass(frozen=True, eq=False)
class Partners:
    """True pairs of sampled documents (as positions in the sample) and rows `start` … `stop - 1` of the source."""

    start: int
    stop: int
    ids: pa.Array | None
    """The ids of all rows `start` … `stop - 1`, partners or not; None if the source has no ids."""
    sampled: Rows
    rows: Rows
    similarity: npt.NDArray[np.float64]

    @property
    def partner_ids(self) -> pa.Array | None:
        return None if self.ids is None else take(self.ids, self.rows - self.start)


def true_partners(
    source: Source, plan: ResolvedPlan, sample: Sample, threads: int, progress: Progress, budget: Budget | None = None
) -> Iterator[Partners]:
    """Yields all pairs of a sampled document and another that reach the plan's threshold, block by block.

    If removed documents must be contained in the kept one, the smaller set of a pair must be contained in the larger.
    The blocks are in source order and cover every row of the source, even rows that are in no pair.
    """
    size = block_size(size_of(sample.sets), "the sampled documents", budget)
    cutting = Cutting(source, plan.shingles, threads=threads, progress=progress, stage="audit")
    with closing(cutting.tables()) as tables:
        for block in in_blocks(tables, size):
            yield from _of_block(sample, block, cutting.take_ids(), plan, threads)


def _of_block(
    sample: Sample, block: Shingles, ids: pa.Array | None, plan: ResolvedPlan, threads: int
) -> Iterator[Partners]:
    t = plan.threshold
    most = MOST if len(block) > 1 else 2**63
    try:
        found = default(threads).exact_pairs(
            sample.sets, block, numerator=t.numerator, denominator=t.denominator, most=most
        )
    except OverflowError:
        middle = len(block) // 2
        for low, high in ((0, middle), (middle, len(block))):
            offsets = block.offsets[low : high + 1]
            values = block.values[offsets[0] : offsets[-1]]
            half = Shingles(offsets - offsets[0], values, block.start + low)
            yield from _of_block(sample, half, None if ids is None else ids[low:high], plan, threads)
        return
    rows = found.right + block.start
    others = np.flatnonzero(sample.rows[found.left] != rows)
    sampled, rows, shared = found.left[others], rows[others], found.intersection[others]
    own, other = sample.sets.sizes[sampled], block.sizes[rows - block.start]
    similarity = shared / (own + other - shared)
    if plan.plan.contained is not None:
        share = Threshold(plan.plan.contained)
        inside = np.flatnonzero(shared * share.denominator >= np.minimum(own, other) * share.numerator)
        sampled, rows, similarity = sampled[inside], rows[inside], similarity[inside]
    yield Partners(block.start, block.start + len(block), ids, sampled, rows, similarity)
