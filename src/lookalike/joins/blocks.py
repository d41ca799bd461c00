"""Joins a collection in memory with a collection of any size that is read block by block, in bounded memory.

Each block is joined separately. The nearest rows over all blocks are the best of the nearest rows per block. The
collection in memory is sorted again for every block. Therefore, unless the memory budget is smaller, a block is at
least as large as that collection, so that sorting at most doubles the work.
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
"""The default size of a block, in bytes. If the collection in memory is larger, blocks are as large as that."""

SMALLEST_BLOCK = 2 << 20
"""The minimum size of a block, in bytes. With smaller blocks, sorting the collection in memory would take too much
time."""

READING = 160 << 20
"""Bytes of memory for texts that are read ahead, and for their sets while they are cut."""

JOIN_OVERHEAD = 12
"""Peak bytes of memory per byte of block during its join; measured."""

HELD_OVERHEAD = 4
"""Peak bytes of memory per byte of the collection in memory, including the sorting for each block."""


@dataclass(frozen=True, eq=False)
class BlockPairs:
    """Pairs of rows, with the overlap and the sizes of their two sets; ordered by (left, right)."""

    left: Rows
    right: Rows
    overlap: Rows
    left_size: Rows
    right_size: Rows

    def __len__(self) -> int:
        return len(self.left)

    @property
    def sizes(self) -> tuple[Rows, Rows, Rows]:
        """Left sizes, right sizes and overlaps, which are the arguments of a measure's methods."""
        return self.left_size, self.right_size, self.overlap

    def chosen(self, which: Any) -> BlockPairs:
        return BlockPairs(*(column[which] for column in vars(self).values()))

    @classmethod
    def joined(cls, parts: list[BlockPairs]) -> BlockPairs:
        """Combines the pairs of all blocks, ordered by (left, right)."""
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
    """Finds all similar pairs of two collections or, with `top`, each left set's nearest right sets.

    The collection `held` is in memory; the other is read block by block.

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
    """Finds the similar pairs between the collection in memory and one block."""
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
    """Returns the size of a block in bytes, if the collection in memory takes `held` bytes.

    Raises an error if the budget is too small. In the message, `what` names the collection.
    """
    wanted = max(BLOCK, held)
    if budget is None or not budget.user_set:
        return wanted
    trim()  # freed memory counts as used until it is returned to the system
    pa.default_memory_pool().release_unused()
    outside_blocks = READING + HELD_OVERHEAD * held
    budget.require(outside_blocks + JOIN_OVERHEAD * SMALLEST_BLOCK, f"Python, the readers and {what}")
    return min(wanted, (budget.free() - outside_blocks) // JOIN_OVERHEAD)


def within(tables: Iterable[Shingles], what: str, budget: Budget | None = None) -> Iterator[Shingles]:
    """Yields the tables, which the caller keeps in memory. Raises an error when they no longer fit into the budget."""
    rows = held = 0
    for table in tables:
        rows, held = rows + len(table), held + size_of(table)
        if budget is not None and budget.user_set and budget.free() < HELD_OVERHEAD * held:
            raise InvalidOption("sets-outgrow-memory", what=what, limit=budget.limit, rows=rows)
        yield table


def in_blocks(tables: Iterable[Shingles], size: int = BLOCK) -> Iterator[Shingles]:
    """Combines tables into blocks of at least `size` bytes, except the last. Tables are never split."""
    waiting: list[Shingles] = []
    for table in tables:
        waiting.append(table)
        if sum(map(size_of, waiting)) >= size:
            yield put_together(waiting)
            waiting = []
    if waiting:
        yield put_together(waiting)


def put_together(tables: list[Shingles]) -> Shingles:
    """Concatenates tables of consecutive rows. The list is emptied on the way, so that memory holds only one copy."""
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
    """Returns the smaller of two collections as one table, the tables of the larger, and True if the left is smaller.

    Sizes are unknown in advance, so the next table is always read from the side with fewer bytes so far, until one side
    ends.
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
        sizes[side] += size_of(table) + 1  # + 1, so that a table without rows counts too


def size_of(table: Shingles) -> int:
    """Returns the size of a table in bytes.

    It is 8 per row and per element, so sizes add up when tables are combined.
    """
    return 8 * len(table) + int(table.values.nbytes)


def _emptied(tables: list[Shingles]) -> Iterator[Shingles]:
    """Yields the tables. Removes each from the list before it is yielded, so that its memory can be freed."""
    while tables:
        yield tables.pop(0)
