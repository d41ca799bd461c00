"""Buckets → who has to meet whom, and where. A place is a number; what is sent to one place is compared there.

Buckets of one family have the same first member in most bands, and a bucket's place is found by its first member: so a
document is sent to one place, or a few, and not to one for each of its bands. A large bucket is cut into blocks:

- For pairs, every two blocks meet.
- For clusters, each block meets by itself, with the bucket's first document in all of them; and a document that is in
  large buckets of several bands goes to a block of one of them (`once_in_large`). In a family that hangs together by
  its first document that is all it takes. What is left apart is seen to later (`Apart`): by then documents are ordered
  by the cluster they are in, and only blocks that are not all of one cluster meet. Nothing is quadratic in the size
  of a family.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.engines.spark.tables import mixed
from lookalike.flow.arrays import to_arrow, to_numpy
from lookalike.plan import Goal, Linkage

Rows = npt.NDArray[np.int64]

SMALL = -1
"""In place of the first member of a bucket that was not split."""

WORK = np.uint64(1 << 63)
"""Set in the number of a work that is one of a bucket's; others are those of a whole band."""


@dataclass
class Meetings:
    """The buckets of some keys, and what is wanted of their members."""

    goal: Goal
    linkage: Linkage
    block: int
    entries: list[dict[str, npt.NDArray[Any]]] = field(default_factory=list)
    split: list[dict[str, npt.NDArray[Any]]] = field(default_factory=list)

    @property
    def of_pairs(self) -> bool:
        return self.goal == "pairs" or self.linkage == "star"

    def add(self, band: int, members: Rows, starts: Rows) -> None:
        """Buckets of one band: `members[starts[i]:starts[i + 1]]`, ascending."""
        sizes = np.diff(starts)
        firsts = members[starts[:-1]]
        small = np.repeat(sizes <= self.block, sizes)
        self._enter(members[small], mixed(np.repeat(firsts, sizes)[small]), band, band)
        for i in np.flatnonzero(sizes > self.block).tolist():
            bucket = members[starts[i] : starts[i + 1]]
            self.split.append(
                {"band": np.full(len(bucket), band), "first": np.full(len(bucket), bucket[0]), "row": bucket}
            )
            (self._every_two_blocks if self.of_pairs else self._each_block)(band, bucket)

    def _each_block(self, band: int, bucket: Rows) -> None:
        blocks = -(-len(bucket) // self.block)
        # by the row, not by its position: so a document is in the same block of the buckets of several bands
        place = mixed(np.full(len(bucket), bucket[0]), mixed(bucket) % np.uint64(blocks))
        self._enter(bucket, place, band, band, first=int(bucket[0]))
        place = mixed(np.full(blocks, bucket[0]), np.arange(blocks))
        self._enter(np.full(blocks, bucket[0]), place, band, band, first=int(bucket[0]))

    def _every_two_blocks(self, band: int, bucket: Rows) -> None:
        blocks = np.array_split(bucket, -(-len(bucket) // self.block))
        for i, one in enumerate(blocks):
            for j in range(i, len(blocks)):
                place = mixed(bucket[:1], (band * len(blocks) + i) * len(blocks) + j)
                self._enter(one, place, band, place | WORK)
                if j > i:
                    self._enter(blocks[j], place, band, place | WORK, side=1)

    def _enter(self, rows: Rows, place: Any, band: int, work: Any, side: int = 0, first: int = SMALL) -> None:
        of = {"row": rows, "place": np.broadcast_to(np.asarray(place, np.uint64), len(rows))}
        if self.of_pairs:  # a pair is reported once: by the work of the first band in which it meets
            of["work"] = np.broadcast_to(np.asarray(work, np.uint64), len(rows))
            of["how"] = np.full(len(rows), 2 * band + side, np.uint32)
        else:
            of["first"] = np.full(len(rows), first, np.int64)
        self.entries.append(of)

    def wanted(self) -> pa.Table:
        """Which rows are wanted, at which places and, for pairs, for which work."""
        if not self.entries:
            self._enter(np.zeros(0, np.int64), 0, 0, 0)
        return distinct(joined(self.entries))

    def hot(self) -> pa.Table:
        """The members of buckets that were split."""
        return joined(self.split)


@dataclass
class Apart:
    """Buckets that were split and are not yet all of one cluster → what has to meet of them."""

    block: int

    def wanted(self, table: pa.Table) -> pa.Table:
        """From band, first, row and label, of whole buckets."""
        band, first, row, label = (to_numpy(table[name]) for name in ("band", "first", "row", "label"))
        order = np.lexsort((row, label, band, first))
        band, first, row, label = band[order], first[order], row[order], label[order]
        bounds = np.flatnonzero((np.diff(first) != 0) | (np.diff(band) != 0)) + 1
        entries = []
        for bucket in np.split(np.arange(len(row)), bounds):
            blocks = np.array_split(bucket, min(len(bucket), -(-2 * len(bucket) // self.block)))
            for i, one in enumerate(blocks):
                for j in range(i, len(blocks)):
                    both = np.concatenate([one, blocks[j]]) if j > i else one
                    if label[both[0]] == label[both[-1]]:  # they are ordered by it
                        continue
                    number = (int(band[bucket[0]]) * len(blocks) + i) * len(blocks) + j
                    place = np.broadcast_to(mixed(first[bucket[:1]], number), len(both))
                    entries.append({"row": row[both], "place": place, "work": place, "label": label[both]})
        return distinct(joined(entries))


def once_in_large(wanted: pa.Table) -> pa.Table:
    """Of all that is wanted for clusters of some rows: each of them in large buckets of one first member only.

    That is the smallest; and the first member itself is with all of its own. Whatever is not found by that is found
    out later, of large buckets as wholes.
    """
    row, first = to_numpy(wanted["row"]), to_numpy(wanted["first"])
    large = np.flatnonzero(first != SMALL)
    order = large[np.lexsort((first[large], row[large]))]
    rows, starts = np.unique(row[order], return_index=True)
    least = first[order[starts]]
    kept = np.ones(len(row), bool)
    kept[large] = (first[large] == least[np.searchsorted(rows, row[large])]) | (first[large] == row[large])
    return distinct(wanted.filter(pa.array(kept)).drop_columns(["first"]))


def joined(tables: list[dict[str, npt.NDArray[Any]]]) -> pa.Table:
    return pa.table({name: np.concatenate([table[name] for table in tables]) for name in tables[0]})


def distinct(table: pa.Table) -> pa.Table:
    """Its rows in the order of its columns, each once."""
    columns = [to_numpy(table[name]) for name in table.column_names]
    order = np.lexsort(columns[::-1])
    new = np.zeros(len(order), bool)
    new[:1] = True
    for column in columns:
        new[1:] |= column[order[1:]] != column[order[:-1]]
    return table.take(to_arrow(order[new].astype(np.int64))).combine_chunks()
