"""Decides which documents are compared, and where. A place is a number; documents sent to the same place are compared.

The buckets of a family of similar documents have the same first member in most bands, and the place of a small bucket
depends on its first member. So a document is sent to one place or a few, instead of one per band. A large bucket is
divided into blocks:

- For pairs, every two blocks are compared.
- For clusters, each block is compared by itself, together with the bucket's first document; and a document goes to a
  block of only one of its large buckets (`once_in_large`). That is enough for a family whose members are all similar to
  its first document. Documents that are still unmerged are compared later (`Recheck`). By then they are sorted by
  cluster, and only blocks that span several clusters are compared.

Therefore, no place receives more than a few blocks, however large a family is. The blocks of one bucket have
consecutive places. Places are assigned to tasks by remainder, so no task gets a second block of a bucket before all
tasks have one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.engines.spark.hash_columns import mixed
from lookalike.flow.arrays import Rows, to_arrow, to_numpy
from lookalike.planning.plan import Goal, Linkage

SMALL = -1
"""Sentinel: the bucket was not split."""

WORK = np.uint64(1 << 63)
"""The bit that is set in the number of a comparison within one bucket. Other comparisons belong to a whole band."""

MOST_SIDES, MOST_BLOCKS_PER_SIDE = 8, 8
"""In a recheck, a bucket is divided into sides, and every two sides are compared. There are at most MOST_SIDES sides,
unless a side would then have more than MOST_BLOCKS_PER_SIDE blocks.
"""


@dataclass
class Placement:
    """Collects buckets, and assigns the places where their members are compared."""

    goal: Goal
    linkage: Linkage | None
    together: int
    """The maximum number of documents in a small bucket. Larger buckets are divided into blocks."""
    block: int
    """The maximum number of documents in a block."""
    entries: list[dict[str, npt.NDArray[Any]]] = field(default_factory=list)
    split: list[dict[str, npt.NDArray[Any]]] = field(default_factory=list)

    @property
    def of_pairs(self) -> bool:
        return self.goal == "pairs" or self.linkage == "star"

    def add(self, band: int, members: Rows, starts: Rows) -> None:
        """Adds the buckets of one band: bucket i is `members[starts[i]:starts[i + 1]]`, in ascending order."""
        sizes = np.diff(starts)
        firsts = members[starts[:-1]]
        small = np.repeat(sizes <= self.together, sizes)
        self._enter(members[small], mixed(np.repeat(firsts, sizes)[small]), band, band)
        for i in np.flatnonzero(sizes > self.together).tolist():
            bucket = members[starts[i] : starts[i + 1]]
            self.split.append(
                {"band": np.full(len(bucket), band), "first": np.full(len(bucket), bucket[0]), "row": bucket}
            )
            (self._every_two_blocks if self.of_pairs else self._each_block)(band, bucket)

    def _each_block(self, band: int, bucket: Rows) -> None:
        of: dict[str, int] = {"first": int(bucket[0]), "size": len(bucket)}
        blocks = -(-len(bucket) // self.block)
        places = mixed(bucket[:1], band) + np.arange(1, blocks + 1, dtype=np.uint64)
        self._enter(bucket, places[np.arange(len(bucket)) * blocks // len(bucket)], band, band, **of)
        self._enter(np.full(blocks, bucket[0]), places, band, band, **of)

    def _every_two_blocks(self, band: int, bucket: Rows) -> None:
        blocks = np.array_split(bucket, -(-len(bucket) // self.block))
        place = mixed(bucket[:1], band)
        for i, one in enumerate(blocks):
            for j in range(i, len(blocks)):
                place = place + np.uint64(1)
                self._enter(one, place, band, place | WORK)
                if j > i:
                    self._enter(blocks[j], place, band, place | WORK, side=1)

    def _enter(
        self, rows: Rows, place: Any, band: int, work: Any, side: int = 0, first: int = SMALL, size: int = 0
    ) -> None:
        of = {"row": rows, "place": np.broadcast_to(np.asarray(place, np.uint64), len(rows))}
        if self.of_pairs:  # a pair is reported once, by the comparison for the first band that it shares
            of["work"] = np.broadcast_to(np.asarray(work, np.uint64), len(rows))
            of["how"] = np.full(len(rows), 2 * band + side, np.uint32)
        else:
            of["first"] = np.full(len(rows), first, np.int64)
            of["size"] = np.full(len(rows), size, np.int64)
        self.entries.append(of)

    def wanted(self) -> pa.Table:
        """Returns a table of the rows that are needed, their places and, for pairs, the comparisons that need them."""
        if not self.entries:
            self._enter(np.zeros(0, np.int64), 0, 0, 0)
        return distinct(joined(self.entries))

    def large_buckets(self) -> pa.Table:
        """Returns a table of the members of buckets that were split."""
        return joined(self.split)


@dataclass
class Recheck:
    """Decides which documents to compare again: members of split buckets that are not yet in the same cluster."""

    block: int

    def wanted(self, table: pa.Table) -> Iterator[pa.Table]:
        """Yields tables of the rows that are needed, with their places.

        The input has the band, first member, row and label of each member of the split buckets.
        """
        band, first, row, label = (to_numpy(table[name]) for name in ("band", "first", "row", "label"))
        order = np.lexsort((row, label, band, first))
        band, first, row, label = band[order], first[order], row[order], label[order]
        for low, high in runs(first):
            buckets = [slice(low + a, low + b) for a, b in runs(band[low:high])]
            rows, at = np.unique(row[low:high], return_index=True)
            if (
                sum((one.stop - one.start) ** 2 for one in buckets) > len(rows) ** 2
            ):  # the buckets of several bands overlap, so their union is compared instead
                labels = label[low:high][at]
                order = np.argsort(labels, kind="stable")
                yield from self._blocks(mixed(first[low : low + 1]), rows[order], labels[order])
                continue
            for one in buckets:
                place = mixed(first[one][:1], int(band[one][0]) + 1)
                yield from self._blocks(place, row[one], label[one])

    def _blocks(self, place: npt.NDArray[np.uint64], row: Rows, label: Rows) -> Iterator[pa.Table]:
        """Yields every two blocks of documents sorted by label, except blocks in which all labels are equal."""
        side = self.block if len(row) <= self.block else self._side(len(row))
        blocks = np.array_split(np.arange(len(row)), -(-len(row) // side))
        for i, one in enumerate(blocks):
            entries = []
            for j in range(i, len(blocks)):
                if label[one[0]] == label[blocks[j][-1]]:
                    continue
                place = place + np.uint64(1)
                for how, here in enumerate([one, blocks[j]] if j > i else [one]):
                    at = np.broadcast_to(place, len(here))
                    entries.append(
                        {
                            "row": row[here],
                            "place": at,
                            "work": at,
                            "label": label[here],
                            "side": np.full(len(here), how, np.uint8),
                        }
                    )
            if entries:
                yield joined(entries)

    def _side(self, documents: int) -> int:
        """Returns the number of documents per side: half a block, or more to get at most MOST_SIDES sides."""
        return min(MOST_BLOCKS_PER_SIDE * self.block, max(1, self.block // 2, -(-documents // MOST_SIDES)))


def once_in_large(wanted: pa.Table) -> pa.Table:
    """Removes each row from all but one of its large buckets. Only used for clusters.

    The row stays in the bucket with the smallest first member or, if there are several, in the largest of these. A
    first member stays in all of its own buckets. `Recheck` finds connections that are missed because of this.
    """
    row, place, first, size = (to_numpy(wanted[name]) for name in ("row", "place", "first", "size"))
    large = np.flatnonzero(first != SMALL)
    order = large[np.lexsort((place[large], -size[large], first[large], row[large]))]
    kept = (first == SMALL) | (first == row)
    kept[order[np.unique(row[order], return_index=True)[1]]] = True
    return distinct(wanted.filter(pa.array(kept)).drop_columns(["first", "size"]))


def runs(values: npt.NDArray[Any]) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each run of equal values."""
    bounds = [0, *(np.flatnonzero(np.diff(values)) + 1).tolist(), len(values)]
    return ((low, high) for low, high in pairwise(bounds) if low < high)


def joined(tables: list[dict[str, npt.NDArray[Any]]]) -> pa.Table:
    return pa.table({name: np.concatenate([table[name] for table in tables]) for name in tables[0]})


def distinct(table: pa.Table) -> pa.Table:
    """Returns the distinct rows of a table, sorted by its columns in order."""
    columns = [to_numpy(table[name]) for name in table.column_names]
    order = np.lexsort(columns[::-1])
    new = np.zeros(len(order), bool)
    new[:1] = True
    for column in columns:
        new[1:] |= column[order[1:]] != column[order[:-1]]
    return table.take(to_arrow(order[new].astype(np.int64))).combine_chunks()
