"""A collection in memory and one that comes block by block, of any size → their pairs. What is held stays bounded.

Each block is joined on its own: pairs of different blocks have nothing to do with one another, and of the nearest of a
row those of all blocks together are the nearest of its nearest. A join puts what is held in order anew for every
block, so a block is never smaller than that: the ordering at most doubles the work.
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
"""Bytes of sets that are joined at a time, or as many as are held if that is more; 8 bytes an element."""


LEAST = 2 << 20
"""A block of fewer bytes is not worth the ordering of what it is joined with."""

READING = 160 << 20
"""Texts that are read ahead, and their sets while they are cut."""

AROUND = 12
"""So many times its own bytes are in use while a block is joined, besides."""

ORDERED = 4
"""And so many times its bytes for what is held, which is put in order for every block."""


@dataclass(frozen=True, eq=False)
class BlockPairs:
    """Pairs of rows, how many elements their sets share, and how large these are; ordered by (left, right)."""

    left: Rows
    right: Rows
    overlap: Rows
    left_size: Rows
    right_size: Rows

    def __len__(self) -> int:
        return len(self.left)

    @property
    def sizes(self) -> tuple[Rows, Rows, Rows]:
        """What measures go by."""
        return self.left_size, self.right_size, self.overlap

    def chosen(self, which: Any) -> BlockPairs:
        return BlockPairs(*(column[which] for column in vars(self).values()))

    @classmethod
    def joined(cls, parts: list[BlockPairs]) -> BlockPairs:
        """Of all blocks, in order."""
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
    """`join_sets` of two collections or, with `top`, `nearest_sets`, of which one comes in blocks of rows.

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
        if top is not None and held_is_left:  # those of an earlier block may be nearer
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
    """The pairs of what is held with one block."""
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
    """Bytes to join at a time with so many held ones, within a budget; refused if `what` is held leaves no room."""
    wanted = max(BLOCK, held)
    if budget is None or not budget.user_set:
        return wanted
    trim()  # what was freed counts as held until it is given back
    pa.default_memory_pool().release_unused()
    besides = READING + ORDERED * held
    budget.require(besides + AROUND * LEAST, f"Python, the readers and {what}")
    return min(wanted, (budget.free() - besides) // AROUND)


def within(tables: Iterable[Shingles], what: str, budget: Budget | None = None) -> Iterator[Shingles]:
    """The same tables, all of which will be held: refused with the first that does not fit, not with the last."""
    rows = held = 0
    for table in tables:
        rows, held = rows + len(table), held + size_of(table)
        if budget is not None and budget.user_set and budget.free() < ORDERED * held:
            raise InvalidOption("sets-outgrow-memory", what=what, limit=budget.limit, rows=rows)
        yield table


def in_blocks(tables: Iterable[Shingles], size: int = BLOCK) -> Iterator[Shingles]:
    """The same rows in tables of `size` bytes or a little more: a table that comes in is never cut."""
    waiting: list[Shingles] = []
    for table in tables:
        waiting.append(table)
        if sum(map(size_of, waiting)) >= size:
            yield put_together(waiting)
            waiting = []
    if waiting:
        yield put_together(waiting)


def put_together(tables: list[Shingles]) -> Shingles:
    """Tables of consecutive rows as one. The list is used up on the way, so that nothing is held twice for long."""
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
    """Of two collections in tables: the smaller one whole, the other as it comes, and whether the left is whole.

    Nobody knows how large they are. So the one of which less was read is read on, until one of them ends.
    """
    sides = iter(left), iter(right)
    read: tuple[list[Shingles], list[Shingles]] = ([], [])
    sizes = [0, 0]
    while True:
        side = 0 if sizes[0] <= sizes[1] else 1
        table = next(sides[side], None)
        if table is None:
            return put_together(read[side]), chain(_used_up(read[1 - side]), sides[1 - side]), side == 0
        read[side].append(table)
        sizes[side] += size_of(table) + 1  # a table of empty sets is something too


def size_of(table: Shingles) -> int:
    """In bytes, 8 a row and 8 an element; so that of tables put together it is the sum."""
    return 8 * len(table) + int(table.values.nbytes)


def _used_up(tables: list[Shingles]) -> Iterator[Shingles]:
    while tables:
        yield tables.pop(0)
