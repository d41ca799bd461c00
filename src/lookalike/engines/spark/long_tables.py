"""Long tables, with one item per row, as sets: the rows of a set may be in any partition, in any order.

To list sets, rows are sent to tasks by the names of their sets. To sign sets, they need not be listed (MapReduce by
rows; MMDS, exercise 3.3.7): each task makes a partial signature of every set that it has rows of, and the slots of the
partial signatures of a set are merged by minimum. A partial set with fewer elements than a signature has slots is sent
as it is, because it is smaller.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.engines.spark.errors import map_batches
from lookalike.engines.spark.intake import quoted
from lookalike.engines.spark.shuffle import SCHEMA, opened, sent, written
from lookalike.errors import InvalidOption, NoSuchColumn
from lookalike.flow import Documents, Shingles, Tokens
from lookalike.flow.arrays import Hashes, Rows, take, to_arrow, to_numpy
from lookalike.flow.documents import TEXT, TOKENS
from lookalike.kernel import Kernel, default
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan

ID, ITEMS = "id", "items"
"""The columns of listed sets."""

ROWS = 1 << 19
"""The number of rows of which a task makes partial sets. Their memory is small."""

LISTED = 4096
"""Sets per record batch that a task returns."""

INTEGERS = ("tinyint", "smallint", "int", "bigint")

Batches = Iterable[pa.RecordBatch]


@dataclass(frozen=True)
class LongTable:
    """The rows of a long table, as a DataFrame with the columns `id` (the name of a set) and `item`."""

    rows: Any
    kind: str
    """The type of the ids."""
    key: str
    """The column or list column of the given DataFrame that names the sets."""

    @classmethod
    def of(cls, df: Any, column: str, id: str | None, basket: str | None, transpose: bool) -> LongTable:
        """Selects the rows of a DataFrame with one item per row (`basket`) or, to transpose it, with lists of items.

        Rows without an item or without the name of a set are left out, as in every long table.
        """
        if basket is not None and id is not None:
            raise InvalidOption("basket-and-id")
        other = id if basket is None else basket
        if other is None:
            raise InvalidOption("transposed-lists-need-ids")
        for name, option in ((column, "column"), (other, "id" if basket is None else "basket")):
            if name not in df.columns:
                raise NoSuchColumn.named(name, df.columns, "the DataFrame", option)
        if basket is None:
            key, item = f"explode({quoted(column)})", quoted(other)
        else:
            key, item = (quoted(name) for name in ((column, other) if transpose else (other, column)))
        rows = df.selectExpr(f"{key} as id", f"{item} as item")
        for name in ("id", "item"):
            kind = rows.schema[name].dataType.simpleString()
            if kind not in ("string", *INTEGERS) and not kind.startswith(("varchar", "char")):
                raise InvalidOption("items-of-another-type", column=column if name == "item" else other, type=kind)
        integers = rows.schema["id"].dataType.simpleString() in INTEGERS
        rows = rows.selectExpr("cast(id as bigint) as id" if integers else "id", "cast(item as string) as item")
        present = "id is not null and item is not null and item <> ''"
        rows = rows.where(present if integers else f"{present} and id <> ''")
        return cls(rows, "bigint" if integers else "string", (column if transpose else other))

    def listed(self) -> Any:
        """Returns a DataFrame with one row per set: its id, and the list of its items in ascending order."""
        addresses = self._addresses()
        shuffled = map_batches(self.rows, partial(_rows_by_set, default(), addresses), SCHEMA)
        return map_batches(sent(shuffled, addresses), _listed, f"{ID} {self.kind}, {ITEMS} array<string>")

    def signed(self, resolved: ResolvedPlan, name: str) -> Any:
        """Returns a DataFrame with the id, in a column of this name, and the signature of every set."""
        if resolved.shingles.bag or resolved.shingles.ignored:  # depend on the whole set
            raise InvalidOption("signatures-of-partial-sets", shingles=str(resolved.shingles))
        addresses = self._addresses()
        shuffled = map_batches(self.rows, partial(_partial_sets, default(), resolved, addresses), SCHEMA)
        work = partial(_merged, default(), resolved, name)
        return map_batches(sent(shuffled, addresses), work, f"{quoted(name)} {self.kind}, signature array<bigint>")

    def _addresses(self) -> int:
        return int(self.rows.sparkSession.conf.get("spark.sql.shuffle.partitions", "200"))


def check_shingles(plan: Plan | ResolvedPlan | None) -> None:
    """Raises an error if shingles consist of several items: rows have no order."""
    shingles = None if plan is None else plan.shingles
    if isinstance(shingles, Tokens) and shingles.k > 1:
        raise InvalidOption("rows-without-order", shingles=str(shingles))


def _chunks(batches: Batches) -> Iterator[pa.Table]:
    """Yields the rows that a task received, in tables of about ROWS rows."""
    held: list[pa.RecordBatch] = []
    for batch in batches:
        held.append(batch)
        if sum(one.num_rows for one in held) >= ROWS:
            yield pa.Table.from_batches(held).combine_chunks()
            held = []
    if held:
        yield pa.Table.from_batches(held).combine_chunks()


def _by_name(kernel: Kernel, table: pa.Table, addresses: int) -> Iterator[pa.RecordBatch]:
    """Sends rows by a hash of the name of their set."""
    names = Documents(table[ID].combine_chunks().cast(TEXT))
    hashes = kernel.hash_texts(names, Tokens(1), raw=True).words[:, 0]
    return written(table, ((hashes >> np.uint64(32)) % np.uint64(addresses)).astype(np.int32))


def _rows_by_set(kernel: Kernel, addresses: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    for table in _chunks(batches):
        yield from _by_name(kernel, table, addresses)


def _listed(batches: Batches) -> Iterator[pa.RecordBatch]:
    for _, table in opened(batches):
        names, lists = _sets_of(table.sort_by([(ID, "ascending"), ("item", "ascending")]))
        lists = lists.cast(pa.list_(pa.string()))
        for at in range(0, len(names), LISTED):
            yield pa.RecordBatch.from_arrays([names[at : at + LISTED], lists[at : at + LISTED]], names=[ID, ITEMS])


def _sets_of(table: pa.Table) -> tuple[pa.Array, pa.Array]:
    """Returns the distinct ids of a table of rows, and a list of the items of each."""
    names, number = _numbered(table[ID])
    order = np.argsort(number, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(number, minlength=len(names)))]).astype(np.int64)
    items = take(table["item"].combine_chunks().cast(TEXT), order)
    return names, pa.LargeListArray.from_arrays(to_arrow(offsets), items).cast(TOKENS)


def _numbered(ids: pa.ChunkedArray) -> tuple[pa.Array, Rows]:
    """Returns the distinct ids, and for each row, the position of its id among them."""
    encoded = ids.combine_chunks().dictionary_encode()
    return encoded.dictionary, to_numpy(encoded.indices).astype(np.int64)


def _partial_sets(kernel: Kernel, resolved: ResolvedPlan, addresses: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    p = resolved.plan
    for table in _chunks(batches):
        names, lists = _sets_of(table)
        sets = kernel.shingle(Documents(lists), resolved.shingles)
        signed = sets.sizes > p.hashes
        slots = kernel.sign(_only(sets, signed), sketch=p.sketch, hashes=p.hashes, seed=p.seed)
        sizes = np.where(signed, p.hashes, sets.sizes)
        values = np.empty(int(sizes.sum()), np.uint64)
        values[np.repeat(signed, sizes)] = slots.ravel()
        values[np.repeat(~signed, sizes)] = sets.values[np.repeat(~signed, sets.sizes)]
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        parts = pa.LargeListArray.from_arrays(to_arrow(offsets), to_arrow(values))
        yield from _by_name(kernel, pa.table({ID: names, "signed": pa.array(signed), "values": parts}), addresses)


def _only(sets: Shingles, rows: Any) -> Shingles:
    offsets = np.concatenate([[0], np.cumsum(sets.sizes[rows])]).astype(np.int64)
    return Shingles(offsets, sets.values[np.repeat(rows, sets.sizes)])


def _merged(kernel: Kernel, resolved: ResolvedPlan, name: str, batches: Batches) -> Iterator[pa.RecordBatch]:
    for _, table in opened(batches):
        names, number = _numbered(table[ID])
        slots = merged_signatures(
            kernel, resolved, number, table["signed"].combine_chunks().to_numpy(zero_copy_only=False),
            table["values"].combine_chunks(), len(names),
        )  # fmt: skip
        for at in range(0, len(names), LISTED):
            some = slots[at : at + LISTED].view(np.int64)
            ends = np.arange(len(some) + 1, dtype=np.int32) * np.int32(resolved.plan.hashes)
            lists = pa.ListArray.from_arrays(to_arrow(ends), to_arrow(some.ravel()))
            yield pa.RecordBatch.from_arrays([names[at : at + LISTED], lists], names=[name, "signature"])


def merged_signatures(
    kernel: Kernel, resolved: ResolvedPlan, number: Rows, signed: Any, parts: pa.Array, count: int
) -> Hashes:
    """Returns the signatures of `count` sets, given their parts: part i, of set `number[i]`, is a signature if
    `signed[i]`, or else a list of elements."""
    p, sizes, values = resolved.plan, np.diff(to_numpy(parts.offsets)), to_numpy(parts.flatten())
    of_elements = np.repeat(~signed, sizes)
    elements, owner = values[of_elements], np.repeat(number, sizes)[of_elements]
    order = np.lexsort((elements, owner))
    elements, owner = elements[order], owner[order]
    new = np.ones(len(order), bool)  # an element may be in several parts
    new[1:] = (np.diff(owner) != 0) | (elements[1:] != elements[:-1])
    offsets = np.concatenate([[0], np.cumsum(np.bincount(owner[new], minlength=count))]).astype(np.int64)
    slots = kernel.sign(Shingles(offsets, elements[new]), sketch=p.sketch, hashes=p.hashes, seed=p.seed)
    if signed.any():
        partial_slots, owner = values[~of_elements].reshape(-1, p.hashes), number[signed]
        order = np.argsort(owner, kind="stable")
        starts = np.flatnonzero(np.diff(owner[order], prepend=-1))
        least = np.minimum.reduceat(partial_slots[order], starts, axis=0)
        here = owner[order][starts]
        slots[here] = np.minimum(slots[here], least)
    return slots
