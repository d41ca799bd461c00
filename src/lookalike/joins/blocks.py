"""Join a collection in memory with one of any size that is read block by block. Memory stays bounded.

Each block is joined separately. Pairs of different blocks are independent; the nearest rows over all blocks are the
best of the nearest rows per block. A join sorts the collection in memory again for every block, so a block is never
smaller than that collection: sorting at most doubles the work.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.errors import InvalidOption
from lookalike.flow import Shingles
from lookalike.flow.arrays import Rows
from lookalike.joins.measures import Measure
from lookalike.joins.pair_limit import refuse_too_many
from lookalike.joins.sets import best_of_each, join_sets, nearest_sets
from lookalike.kernel.allocator import trim
from lookalike.storage.budget import Budget

BLOCK = 64 << 20
"""Bytes of sets per block, at 8 bytes per element. Blocks are larger if the collection in memory is larger."""

SMALLEST_BLOCK = 2 << 20
"""Bytes. For a smaller block, sorting the collection in memory would not pay."""

READING = 160 << 20
"""Bytes of texts that are read ahead, and of their sets while they are cut."""

JOIN_OVERHEAD = 12
"""Peak bytes per byte of block while it is joined; measured."""

HELD_OVERHEAD = 4
"""Peak bytes per byte of the collection in memory, which is sorted for every block."""


@dataclass(frozen=True, eq=False)
class BlockPairs:
    """Pairs of rows, the overlap of their sets and the sizes of both sets; ordered by (left, right)."""

    left: Rows
    right: Rows
    overlap: Rows
    left_size: Rows
    right_size: Rows

    def __len__(self) -> int:
        return len(self.left)

    @property
    def sizes(self) -> tuple[Rows, Rows, Rows]:
        """Left sizes, right sizes and overlaps: the arguments of a measure."""
        return self.left_size, self.right_size, self.overlap

    def chosen(self, which: Any) -> BlockPairs:
        return BlockPairs(*(column[which] for column in vars(self).values()))

    @classmethod
    def joined(cls, parts: list[BlockPairs]) -> BlockPairs:
        """The pairs of all blocks, ordered by (left, right)."""
        none = np.zeros(0, np.int64)
        columns = zip(*(vars(part).values() for part in parts), strict=True) if parts else [[none]] * 5
        found = cls(*(np.concatenate(column) for column in columns))
        return found.chosen(np.lexsort((found.right, found.left)))


def join_blocks(
    held: Shingles,
    blocks: Iterable[Shingles],
    *,
    measures: list[Measure],
    top: int | None = None,
    held_is_left: bool = True,
    threads: int = 1,
) -> BlockPairs:
    """`join_sets` or, with `top`, `nearest_sets` of two collections; one of them is read in blocks of rows.

    >>> from lookalike.joins import similarity_measure
    >>> held = Shingles(np.array([0, 2]), np.array([1, 2], np.uint64))
    >>> block = Shingles(np.array([0, 2]), np.array([1, 3], np.uint64), start=7)
    >>> found = join_blocks(held, [block], measures=[similarity_measure("containment", 0.5)])
    >>> found.left.tolist(), found.right.tolist(), found.overlap.tolist()
    ([0], [7], [1])
    """
    parts: list[BlockPairs] = []
    for block in blocks:
        parts.append(block_pairs(held, block, measures=measures, top=top, held_is_left=held_is_left, threads=threads))
        if top is not None and held_is_left:  # a row of an earlier block may be nearer
            parts = [_nearest(BlockPairs.joined(parts), measures[-1], top)]
        refuse_too_many(sum(map(len, parts)))
    return BlockPairs.joined(parts)


def block_pairs(
    held: Shingles,
    block: Shingles,
    *,
    measures: list[Measure],
    top: int | None = None,
    held_is_left: bool = True,
    threads: int = 1,
) -> BlockPairs:
    """The pairs of the collection in memory with one block."""
    left, right = (held, block) if held_is_left else (block, held)
    if top is None:
        found = join_sets(left, right, measure=measures[0], threads=threads)
    else:
        found = nearest_sets(left, right, top=top, measures=measures, threads=threads)
    sizes = left.sizes[found.left], right.sizes[found.right]
    return BlockPairs(found.left + left.start, found.right + right.start, found.overlap, *sizes)


def _nearest(found: BlockPairs, measure: Measure, top: int) -> BlockPairs:
    return found.chosen(best_of_each(found.left, found.right, -measure.rank(*found.sizes), top))


# Tables of consecutive rows


def block_size(held: int, what: str, budget: Budget | None = None) -> int:
    """Bytes per block, if `held` bytes are in memory. Raises if the budget is too small; `what` names the held data."""
    wanted = max(BLOCK, held)
    if budget is None or not budget.user_set:
        return wanted
    trim()  # freed memory counts as used until it is returned to the system
    pa.default_memory_pool().release_unused()
    outside_blocks = READING + HELD_OVERHEAD * held
    budget.require(outside_blocks + JOIN_OVERHEAD * SMALLEST_BLOCK, f"Python, the readers and {what}")
    return min(wanted, (budget.free() - outside_blocks) // JOIN_OVERHEAD)


def within(tables: Iterable[Shingles], what: str, budget: Budget | None = None) -> Iterator[Shingles]:
    """Yield the same tables, which the caller will keep in memory. Raises at the first table that does not fit."""
    rows = held = 0
    for table in tables:
        rows, held = rows + len(table), held + size_of(table)
        if budget is not None and budget.user_set and budget.free() < HELD_OVERHEAD * held:
            raise InvalidOption("sets-outgrow-memory", what=what, limit=budget.limit, rows=rows)
        yield table


def in_blocks(tables: Iterable[Shingles], size: int = BLOCK) -> Iterator[Shingles]:
    """Yield the same rows in tables of at least `size` bytes. Input tables are joined, never split."""
    waiting: list[Shingles] = []
    for table in tables:
        waiting.append(table)
        if sum(map(size_of, waiting)) >= size:
            yield put_together(waiting)
            waiting = []
    if waiting:
        yield put_together(waiting)


def put_together(tables: list[Shingles]) -> Shingles:
    """One table of the consecutive rows of all tables. Empties the list as it goes, to avoid two copies in memory."""
    if len(tables) == 1:
        return tables.pop()
    start = tables[0].start if tables else 0
    sizes = np.concatenate([np.zeros(1, np.int64), *(table.sizes for table in tables)])
    offsets = np.cumsum(sizes)
    values = np.empty(offsets[-1], np.uint64)
    end = 0
    while tables:
        table = tables.pop(0)
        values[end : end + len(table.values)] = table.values
        end += len(table.values)
    return Shingles(offsets, values, start)


def smaller_first(left: Iterable[Shingles], right: Iterable[Shingles]) -> tuple[Shingles, Iterator[Shingles], bool]:
    """The smaller of two collections as one table, the tables of the other, and True if the left is the smaller.

    Sizes are unknown in advance. So the side with fewer bytes so far is read next, until one side ends.
    """
    sides = iter(left), iter(right)
    read: tuple[list[Shingles], list[Shingles]] = ([], [])
    sizes = [0, 0]
    while True:
        side = 0 if sizes[0] <= sizes[1] else 1
        table = next(sides[side], None)
        if table is None:
            return put_together(read[side]), chain(_emptied(read[1 - side]), sides[1 - side]), side == 0
        read[side].append(table)
        sizes[side] += size_of(table) + 1  # + 1: a table without rows counts as well


def size_of(table: Shingles) -> int:
    """Bytes: 8 per row and 8 per element. The size of joined tables is the sum of their sizes."""
    return 8 * len(table) + int(table.values.nbytes)


def _emptied(tables: list[Shingles]) -> Iterator[Shingles]:
    """Yield the tables and remove them from the list."""
    while tables:
        yield tables.pop(0)
