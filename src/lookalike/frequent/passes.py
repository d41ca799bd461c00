"""Counts frequent pairs in two passes over the baskets, within a memory budget.

    pass 1    every item is counted; PCY also hashes every pair to a bucket and counts the buckets
    pass 2    pairs of frequent items are counted; PCY skips pairs in infrequent buckets

`multihash` has two smaller tables of buckets in pass 1; `multistage` has a pass in between that hashes the remaining
pairs again. If a table does not fit into the budget, part of it is counted in another pass, and the report lists that
pass: the budget changes how often the data is read, never the answer.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.errors import InputError, InvalidOption, MalformedInput
from lookalike.flow.arrays import call_function, cast, to_numpy
from lookalike.flow.progress import Progress
from lookalike.frequent.budget import CountingBudget
from lookalike.frequent.pairs import FrequentPairs
from lookalike.frequent.report import Pass, Report, notes_of
from lookalike.frequent.support import Support
from lookalike.io.baskets import Baskets
from lookalike.io.workers import ahead
from lookalike.kernel import default
from lookalike.notices import Notice

if TYPE_CHECKING:
    from lookalike.kernel._native import FirstPass, PairPass

Method = Literal["apriori", "pcy", "multistage", "multihash"]
METHODS: tuple[Method, ...] = get_args(Method)
TABLES = {"apriori": 0, "pcy": 1, "multistage": 1, "multihash": 2}
"""The number of tables of buckets in the first pass of each method."""

Integers = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]


def count_pairs(
    baskets: Baskets,
    support: Support,
    *,
    method: Method,
    budget: CountingBudget,
    threads: int = 1,
    progress: Progress | None = None,
) -> FrequentPairs:
    """Finds the pairs of items that occur in enough baskets. The result does not depend on the method or the budget."""
    return _Run(baskets, support, method, budget, threads, progress).result()


class _Run:
    """The state of one run, and a record of its passes."""

    def __init__(
        self,
        baskets: Baskets,
        support: Support,
        method: Method,
        budget: CountingBudget,
        threads: int,
        progress: Progress | None,
    ) -> None:
        self.data, self.support, self.method, self.budget = baskets, support, method, budget
        self.kernel, self.progress = default(threads), progress
        self.passes: list[Pass] = []
        self.notes: list[Notice] = []
        self.bitmaps: list[Bytes] = []
        # Counters can stop at the support. A support given as a share is unknown until the baskets are counted.
        most = support.count or 2**32 - 1
        self.width = 1 if most < 2**8 else 2 if most < 2**16 else 4
        self.baskets: int | None = None  # not counted yet
        self.identity = baskets.identity()

    def result(self) -> FrequentPairs:
        first = self._count_items()
        if self.method == "multistage":
            self._count_buckets_again()
        left, right, count = self._count_pairs(first)
        self._check_unchanged()
        notes = (*self.notes, *notes_of(self.data))
        report = Report(self.method, self.budget.memory, tuple(self.passes), notes)
        return FrequentPairs(left, right, count, self.items, self.item_counts, first.baskets, self.least, report)

    # Pass 1

    def _count_items(self) -> FirstPass:
        tables = TABLES[self.method]
        bits = self.budget.bucket_bits(self.width, max(tables, 1))
        first = self.kernel.first_pass(self.budget.dictionary, self.budget.waiting, tables, bits, self.width)
        found: list[tuple[Bytes, Integers, Integers]] = []
        distinct = 0
        while True:
            seconds = self._read(first, "items")
            if not self.passes:
                self.baskets = first.baskets
                self.least = self.support.least(self.baskets)
            found.append(first.frequent(self.least))
            counts = {} if self.passes else {"baskets": first.baskets, "items": first.items}
            counts |= {"distinct items": first.distinct - distinct, "frequent items": len(found[-1][2])}
            sizes = {"dictionary": first.dictionary_bytes}
            if not self.passes:
                for table in range(tables):
                    bitmap, frequent = first.bitmap(table, self.least)
                    self.bitmaps.append(bitmap)
                    which = "" if tables == 1 else f" of table {table + 1}"
                    counts |= {f"buckets{which}": 2**bits, f"frequent buckets{which}": frequent}
                    sizes[f"buckets{which}"] = self.width << bits
            sizes["buffers"] = first.buffer_bytes
            self._record_pass("items", counts, sizes, seconds)
            distinct = first.distinct
            if not first.has_more:
                break
            first.next()
        if len(found) > 1:
            self.notes.append(
                Notice("items-in-passes", items=distinct, memory=self.budget.dictionary, passes=len(found))
            )
        self._sort_items(found, first.integers if self.data.integers is None else self.data.integers)
        return first

    def _sort_items(self, found: list[tuple[Bytes, Integers, Integers]], integers: bool) -> None:
        """Sorts the frequent items, so that their numbers are in the order of the result."""
        parts = [_strings(data, offsets) for data, offsets, _ in found]
        names = pa.concat_arrays(parts)
        try:
            values = cast(names, pa.int64()) if integers else names
        except pa.ArrowInvalid:
            raise MalformedInput("items-too-large") from None
        order = call_function("array_sort_indices", [values])
        self.names, self.items = (call_function("take", [column, order]) for column in (names, values))
        self.item_counts = np.concatenate([counts for _, _, counts in found])[to_numpy(order)]

    # Later passes

    def _pair_pass(self) -> PairPass:
        _, offsets, data = self.names.buffers()
        text = np.empty(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
        places = np.zeros(1, np.int64)
        if len(self.names):
            places = np.frombuffer(offsets, np.int64, len(self.names) + 1, 8 * self.names.offset)
        return self.kernel.pair_pass(text, places, self.bitmaps, self.budget.pairs, self.budget.waiting)

    def _count_buckets_again(self) -> None:
        second = self._pair_pass()
        bits = self.budget.bucket_bits(self.width)
        second.count_buckets(1, bits, self.width)
        seconds = self._read(second, "buckets")
        bitmap, frequent = second.bitmap(self.least)
        sizes = {"dictionary": second.dictionary_bytes, "bitmaps": _size(self.bitmaps)}
        sizes |= {"buckets": self.width << bits, "buffers": second.buffer_bytes}
        self.bitmaps.append(bitmap)
        self._record_pass("buckets", {"buckets": 2**bits, "frequent buckets": frequent}, sizes, seconds)

    def _count_pairs(self, first: FirstPass) -> tuple[Integers, Integers, Integers]:
        last = self._pair_pass()
        self._check_dictionary(last)
        table = self._table(first)
        last.count_triangle(self.kernel.threads) if table == "triangle" else last.count_triples()
        found: list[tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32], int]] = []
        while True:
            seconds = self._read(last, "pairs")
            found.append(last.finish(self.least))
            sizes = {"dictionary": last.dictionary_bytes, "bitmaps": _size(self.bitmaps), table: last.table_bytes}
            sizes["buffers"] = last.buffer_bytes
            if not self.bitmaps:
                del sizes["bitmaps"]
            counts = {"candidate pairs": found[-1][2], "frequent pairs": len(found[-1][1])}
            self._record_pass("pairs", counts, sizes, seconds)
            if not last.has_more:
                break
            last.next()
        if len(found) > 1:
            candidates = sum(part[2] for part in found)
            self.notes.append(Notice("pairs-in-passes", pairs=candidates, memory=self.budget.pairs, passes=len(found)))
        return self.kernel.rank_pairs(
            np.concatenate([part[0] for part in found]), np.concatenate([part[1] for part in found])
        )

    def _table(self, first: FirstPass) -> str:
        """Chooses the table for counting pairs: a triangular array if it fits and is smaller than triples.

        A triangular array takes 4 bytes per possible pair, triples take up to 20 bytes per existing pair.
        """
        n = len(self.items)
        possible = n * (n - 1) // 2
        triples = 20 * min(possible, first.pairs)
        return "triangle" if 4 * possible <= min(self.budget.pairs, max(triples, 1 << 16)) else "triples"

    def _check_dictionary(self, last: PairPass) -> None:
        if last.dictionary_bytes > self.budget.tables:
            raise InvalidOption(
                "items-outgrow-memory",
                items=len(self.items),
                needed=last.dictionary_bytes,
                memory=self.budget.memory,
                left=self.budget.tables,
            )

    # Reading

    def _read(self, counting: FirstPass | PairPass, what: str) -> float:
        began = time.perf_counter()
        for block in ahead(self.data.blocks(self.budget.block), 1):
            self.kernel.count(counting, block)
            if self.progress:
                done = counting.baskets if self.baskets is None else min(counting.baskets, self.baskets)
                self.progress(f"pass {len(self.passes) + 1}, {what}", done, self.baskets)
        return time.perf_counter() - began

    def _record_pass(self, what: str, counts: dict[str, int], sizes: dict[str, int], seconds: float) -> None:
        self.passes.append(Pass(f"pass {len(self.passes) + 1}, {what}", counts, sizes, seconds))

    def _check_unchanged(self) -> None:
        if self.identity is not None and self.data.identity() != self.identity:
            raise InputError("input-changed", name=self.data.name)


def _strings(data: Bytes, offsets: Integers) -> pa.Array:
    return pa.Array.from_buffers(pa.large_string(), len(offsets) - 1, [None, pa.py_buffer(offsets), pa.py_buffer(data)])


def _size(bitmaps: list[Bytes]) -> int:
    return sum(bitmap.nbytes for bitmap in bitmaps)
