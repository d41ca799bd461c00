"""Divides a memory budget among the stages of a run, and estimates the bytes per row in each stage."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.engines.stages.copies import too_many
from lookalike.engines.stages.huge_texts import HUGE, bytes_of_document
from lookalike.errors import InvalidOption
from lookalike.flow.documents import Documents
from lookalike.flow.shingles import Shingling
from lookalike.io.source import Source
from lookalike.kernel.allocator import trim
from lookalike.kernel.protocol import Kernel
from lookalike.notices import Notice
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan
from lookalike.results.pairs import MOST_PAIRS
from lookalike.storage.budget import SMALL, Budget, resident

PROCESS = 128 << 20
"""A process that has not done any work yet uses fewer bytes of memory than this."""

WORKING, LEAST_WORKING = 176 << 20, 64 << 20
"""Bytes for everything except tables: texts that are read ahead or processed, and kernel buffers."""

FEW_WORKERS, PER_WORKER = 2, 16 << 20
"""WORKING suffices for a few threads. Each further one needs more bytes, for the texts that it reads and signs."""

FEW_TEXTS = 256 << 20
"""Texts with no more bytes than this stay in memory, even if other data needs their place."""

SMALL_READING = 8 << 20
"""If reading takes no more bytes than this, it needs no memory in addition to LEAST_WORKING."""

STEP = 16 << 20
"""Allowances are multiples of this many bytes, so that a resumed run divides its rows into the same batches."""

LEAST, LEAST_SPILLING = 64 << 20, 16 << 20
"""The minimum number of bytes for tables, at the start of a run and after they are in files. With less, a run is
refused.
"""

SHINGLE, COUNTED, POSTED = 8, 16, 48
"""Bytes per element in a set, in the counts of a large bucket's index, and in the lists of that index, which contain
only the prefixes of sets.
"""

PRUNED = 12
"""More bytes per element while an exact join leaves out sets: its entry in the counts, and the copy of a kept set."""

KEYED, MEMBER = 8, 12
"""Bytes per key of one band, and per entry in a growing list of bucket members."""

KEY = 10
"""Bytes per key of one band while buckets are searched: the key itself, and the bits of its slot."""

PAIR = 80
"""Bytes per pair while pairs are found and sorted; 24 of these remain in the result."""

STATE = 64
"""Bytes per row from the end of the first pass on: first copies, components, labels, lengths and masks."""


CHOICE = 40
"""More bytes per row if survivors are chosen: order, place, best copy, survivor and similarity."""


@dataclass(frozen=True)
class Allowance:
    """The number of bytes that the tables of a stage may take at any one time, and the bytes for everything else."""

    tables: int
    sorting: int | None = None
    """Bytes allowed while keys are sorted (default: `tables`)."""
    state: int = STATE
    budget: Budget | None = None
    working: int = WORKING
    process: int = PROCESS
    """Bytes that the process takes before the run."""
    reading: int = 0
    """Bytes that reading takes, in addition to the texts: see `Source.reader_bytes`."""

    # The other fields follow from these.
    user_set: bool = field(init=False)
    """True if the user set a budget, which must not be exceeded."""
    texts: int = field(init=False)
    """The maximum number of bytes of texts to keep in memory."""
    few_texts: int = field(init=False)
    """The maximum number of bytes of texts that stay in memory if other data needs their place."""
    ahead: int = field(init=False)
    """The maximum number of bytes of texts to read ahead."""
    huge: int = field(init=False)
    """Batches with more bytes than this are processed one at a time, without reading ahead."""
    unchecked: int = field(init=False)
    """The documents of a batch with no more bytes than this fit for sure: see `check`."""
    to_sort: int = field(init=False)
    """Bytes allowed while keys are sorted."""
    census: int = field(init=False)
    """The maximum number of bytes of counted shingles in memory."""

    def __post_init__(self) -> None:
        user_set = self.budget is not None and self.budget.user_set
        huge = min(self.working, WORKING) // 11
        object.__setattr__(self, "user_set", user_set)
        few = min(FEW_TEXTS, self.tables // 6)
        object.__setattr__(self, "few_texts", few)
        object.__setattr__(self, "texts", max(few, self.tables // (8 if user_set else 4)))
        object.__setattr__(self, "ahead", self.working // 8 + max(0, self.working - WORKING) // 4)
        object.__setattr__(self, "huge", huge)
        object.__setattr__(self, "unchecked", SMALL if user_set else huge)
        object.__setattr__(self, "census", self.tables // 8)
        object.__setattr__(self, "to_sort", self.tables if self.sorting is None else self.sorting)

    @classmethod
    def of(cls, budget: Budget, threads: int = 1) -> Allowance:
        """Returns the allowance at the start of a run with so many threads: the free part of the budget.

        In a new process, it depends only on the budget, so that the same budget is always accepted or always refused.
        """
        process = resident()
        if budget.user_set and process > PROCESS:
            give_back()  # memory freed by earlier runs of this process
            process = resident()
        process = max(process, PROCESS) if budget.user_set else process
        free = budget.limit - process
        if free < LEAST_WORKING + LEAST:
            raise budget.too_small(process + LEAST_WORKING + LEAST, Notice("process-itself"))
        working = min(WORKING + PER_WORKER * max(0, threads - FEW_WORKERS), free // 2)
        return cls((free - working) // STEP * STEP, budget=budget, working=working, process=process)

    @classmethod
    def beside_answer(cls, budget: Budget, source: Source, largest: int) -> Allowance:
        """Returns the allowance to read documents again after a run, given the size of the largest one in bytes.

        A budget that is too small is accepted, since the answer exists.
        """
        give_back()
        free = budget.free()
        working = min(WORKING, max(LEAST_WORKING, free // 2))
        reading = max(0, source.reader_bytes - SMALL_READING)
        rest = cls(free - working, budget=budget, working=working, reading=reading).with_documents(largest)
        return replace(rest, tables=max(LEAST_SPILLING, rest.tables))

    def readers(self, source: Source, threads: int) -> int:
        """Returns the number of threads that may read the source, at most `threads`."""
        return max(1, min(threads, self.working // 2 // max(1, source.reader_bytes)))

    def of_source(self, source: Source) -> Allowance:
        """Returns this allowance, less the memory for reading the source. Raises an error if too little remains."""
        reading = max(0, source.reader_bytes - SMALL_READING)
        needed = self.process + LEAST_WORKING + LEAST + reading
        if self.user_set and self.budget is not None and needed > self.budget.limit:
            raise self.budget.too_small(needed, Notice("pages-of-size", size=source.reader_bytes))
        return replace(self, reading=reading).with_documents(0)

    def with_documents(self, size: int) -> Allowance:
        """Returns this allowance for documents of up to this size: fewer bytes for tables, more for everything else."""
        more = max(0, LEAST_WORKING + round(HUGE * size) + self.reading - self.working)
        return replace(self, tables=max(0, self.tables - more), working=self.working + more)

    def check(self, kernel: Kernel, documents: Documents, shingling: Shingling) -> int:
        """Raises an error if a document is too large for the user's budget.

        Returns the size of the largest one in bytes.
        """
        if documents.texts.nbytes <= self.unchecked:
            return SMALL
        size = int(documents.sizes().max())
        if size > SMALL and self.user_set and self.budget is not None:
            needed = bytes_of_document(kernel, documents, size, shingling)
            needed = max(needed, round(HUGE * size) + self.reading) + self.process + LEAST_WORKING + LEAST
            if needed > self.budget.limit:
                raise self.budget.too_small(needed, Notice("documents-of-size", size=size))
        return max(size, SMALL)

    def pairs(self) -> int:
        """Returns the maximum number of pairs that may be listed: MOST_PAIRS, or fewer if the user set a budget."""
        return min(MOST_PAIRS, self.tables // PAIR) if self.user_set else MOST_PAIRS

    def too_many_pairs(self, plan: Plan) -> InvalidOption:
        """Returns the error for more similar pairs than may be listed."""
        if self.budget is None or self.pairs() == MOST_PAIRS:
            return too_many(plan)
        code = "pairs-exceed-memory-for-stars" if plan.goal == "clusters" else "pairs-exceed-memory"
        return InvalidOption(code, most=self.pairs(), limit=self.budget.limit)

    def tidy(self) -> None:
        """Returns freed memory to the system if the budget is nearly used up, since memory that allocators keep counts.

        Otherwise the allocators keep the memory, since reusing it is cheaper than getting new pages, which must be
        cleared.
        """
        if self.budget is None or self.budget.free() < self.working // 2:
            give_back()

    def clear(self) -> None:
        """Returns freed memory to the system if the user set a budget. Called before large data is loaded."""
        if self.user_set:
            give_back()

    def signed(self, bands: int, threads: int, largest: int = 0) -> int:
        """Returns the maximum number of bytes of signed rows in memory. It leaves room for tables made from them.

        `largest` is the size of the largest document, in bytes.
        """
        beside, part = self.with_documents(largest), part_row(bands)
        return (beside.tables - beside.texts) * part // (part + whole_row(bands, threads))

    def less(self, spent: int) -> Allowance:
        """Returns this allowance less `spent` bytes."""
        return replace(self, tables=max(0, self.tables - spent))

    def beside(self, rows: int) -> Allowance:
        """Returns this allowance less the memory for the state of `rows` rows.

        Raises an error if too little remains.
        """
        left = self.tables - self.state * rows
        if self.budget is not None and left < LEAST_SPILLING:
            needed = self.process + self.working + self.state * rows + LEAST_SPILLING + STEP
            if needed > self.budget.limit:
                raise self.budget.too_small(needed, Notice("number-of-documents", documents=rows))
        return replace(self, tables=max(0, left))


def give_back() -> None:
    """Returns freed memory to the system."""
    trim()
    pa.default_memory_pool().release_unused()


def part_row(bands: int) -> int:
    """Returns the bytes per signed row: two hashes, flags, lengths, windows and keys."""
    return 53 + 8 * bands


def whole_row(bands: int, threads: int) -> int:
    """Returns the bytes per row if all rows are processed in memory: a second copy, first copies and sorted keys."""
    return part_row(bands) + 16 + 32 * threads + 16


def sorted_row() -> int:
    """Returns the additional bytes per row while a band of keys is sorted: key and row twice, and the result."""
    return 32 + 14


@dataclass(frozen=True, eq=False)
class CandidateCosts:
    """The bytes that each candidate takes: always (`held`), and while it is in a large bucket's index (`index`)."""

    held: npt.NDArray[np.int64]
    """The bytes of a candidate's row, offset, sort entries and set. Its keys take KEYED more bytes per loaded band."""
    index: npt.NDArray[np.int64]
    """The additional bytes per candidate while a large bucket is joined. Buckets with thousands of members are joined
    one at a time.
    """
    bands: int

    @classmethod
    def of(cls, resolved: ResolvedPlan, threads: int, windows: npt.NDArray[np.integer]) -> CandidateCosts:
        bands = 1 if resolved.exact else resolved.bands
        held = np.full(len(windows), 16 + 32 * threads, dtype=np.int64)
        if resolved.plan.verify == "none":
            return cls(held, np.zeros_like(held), bands)
        elements = windows.astype(np.int64)
        held += elements * SHINGLE
        if resolved.plan.verify == "signature":  # three copies of the slots are in memory while they are sorted
            elements = np.full(len(windows), resolved.plan.hashes, dtype=np.int64)
            held += elements * 3 * SHINGLE
        # Prefixes are longer for lower thresholds. If a share t of slots agrees, the sets have similarity t / (2 − t).
        t = float(resolved.threshold)
        prefix = 1 - (t / (2 - t) if resolved.plan.verify == "signature" else t)
        return cls(held, elements * math.ceil(COUNTED + POSTED * prefix), bands)

    def of_all(self, indexed: npt.NDArray[np.bool_] | bool) -> npt.NDArray[np.int64]:
        """Returns the bytes of each candidate if all are processed at once. `indexed` ones include the index."""
        return self.held + (KEYED + MEMBER) * self.bands + np.where(indexed, self.index, 0)

    def of_pruning(self) -> npt.NDArray[np.int64]:
        """Returns the bytes of each candidate of an exact join until it is known which sets are left out."""
        return self.held * (SHINGLE + PRUNED) // SHINGLE + (KEYED + MEMBER) * self.bands

    def __getitem__(self, some: npt.NDArray[np.int64]) -> CandidateCosts:
        return CandidateCosts(self.held[some], self.index[some], self.bands)
