"""Divides the sets of an exact join that do not fit into memory into groups that can be joined one after another.

Similar sets are in the same group. A group that does not fit either is divided into blocks of sets of similar sizes,
and a block is only joined with blocks whose sets are large enough to reach the threshold.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, cast

import numpy as np

from lookalike.engines.local.spill.batches import StoredCandidates
from lookalike.engines.local.spill.oversized import Component, Piece
from lookalike.engines.stages.memory import MEMBER, Allowance
from lookalike.errors import OutputError
from lookalike.flow.arrays import Rows
from lookalike.flow.buckets import Share
from lookalike.flow.threshold import Threshold
from lookalike.kernel.protocol import Kernel
from lookalike.storage.foreign_errors import why


def group_sets(
    kernel: Kernel, threshold: Threshold, stored: StoredCandidates, elements: int, allowance: Allowance
) -> tuple[Rows, Rows]:
    """Returns, for each set, the position of the first set of its group, and the size of the set.

    `elements` is an upper bound on the elements of all sets. The sets are read twice: all elements are counted first.
    """
    import tempfile  # slow to import, and few runs need it

    most = allowance.tables // 4
    groups = kernel.groups(len(stored.rows), elements, threshold.numerator, threshold.denominator, most)
    sizes = np.empty(len(stored.rows), dtype=np.int64)
    for chunk, (low, high) in enumerate(stored.bounds):
        sets = stored.chunk(chunk)
        sizes[low:high] = sets.sizes
        groups.count(sets)
        del sets
    try:
        file = tempfile.TemporaryFile(prefix="lookalike-", buffering=0)  # noqa: SIM115 - lives as long as the groups
        groups.spill(cast(BinaryIO, file), most)
        for chunk in range(len(stored.bounds)):
            groups.add(stored.chunk(chunk))
            allowance.tidy()
        return groups.labels(), sizes
    except OSError as error:
        raise OutputError("no-room-to-spill", folder=tempfile.gettempdir(), reason=why(error)) from None


def shares_by_size(component: Component, sizes: Rows, threshold: Threshold) -> Iterator[Piece]:
    """Divides a group that does not fit into memory into pieces: blocks of sets of similar sizes, and pairs of blocks.

    `sizes` are those of the rows of the component. Pieces whose rows are already in the same component of the forest
    are skipped.
    """
    rows = component.rows
    yield from component.stars(rows, 0)
    if not component.is_unmerged(rows):
        return
    order = np.argsort(sizes, kind="stable")
    cost = (component.held(rows) + MEMBER + component.costs.index)[order]
    block = (np.cumsum(cost) - 1) // max(1, component.allowance.tables // 2)
    blocks = np.split(order, np.flatnonzero(np.diff(block)) + 1)
    for i, one in enumerate(blocks):
        largest = int(sizes[one[-1]])
        if component.is_unmerged(rows[one]):
            yield Piece(np.sort(rows[one]), Share(0, 1), 0)
        for other in blocks[i + 1 :]:
            if largest * threshold.denominator < int(sizes[other[0]]) * threshold.numerator:
                break
            both = np.concatenate([np.sort(rows[one]), np.sort(rows[other])])
            if component.is_unmerged(both):
                yield Piece(both, Share(0, 1, split=len(one)), 0)
