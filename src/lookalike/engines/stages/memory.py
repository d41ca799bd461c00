"""A memory budget divided among the stages of a run, and the bytes that rows take in each stage."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.engines.stages.copies import too_many
from lookalike.engines.stages.huge_texts import bytes_to_cut
from lookalike.errors import InvalidOption
from lookalike.flow.arrays import call_function, to_numpy
from lookalike.flow.shingles import Shingling
from lookalike.kernel.allocator import trim
from lookalike.kernel.protocol import Kernel
from lookalike.notices import Notice
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan
from lookalike.results.pairs import MOST_PAIRS
from lookalike.storage.budget import Budget, resident

OVERHEAD = 176 << 20
"""Bytes besides tables: texts that are read ahead and processed, buffers of the kernel."""

NEW = 128 << 20
"""Bytes; a new process holds less."""

STEP = 16 << 20
"""Bytes; allowances are multiples of it, so that a resumed run finds the same batches."""

LEAST = 64 << 20
"""Bytes; a run with less for its tables is refused."""

SHINGLE, COUNTED, POSTED = 8, 16, 48
"""Bytes of an element of a set; in an index of a large bucket, to be counted; and, in a prefix, to be listed."""

KEYED, MEMBER = 8, 12
"""Bytes of a key of one band; and of a row in the list of the members of a bucket, while that grows."""

KEY = 10
"""Bytes of a key of one band while buckets are looked for: the key, and the bits of its slot."""

CUTTING = 30
"""Bytes that a byte of text takes at most while its document is cut and signed: see `huge_texts.py`."""

PAIR = 80
"""Bytes of a pair while it is found, and while all are put in order; a result has 24 of them."""

STATE = 64
"""Bytes per row from the first pass to the end: first copies, components, labels, lengths and masks."""


@dataclass(frozen=True)
class Allowance:
    """Bytes that the tables of one stage may take at once."""

    tables: int
    sorting: int | None = None
    """While keys are sorted (default: the same as for tables)."""
    state: int = STATE
    budget: Budget | None = None

    @classmethod
    def of(cls, budget: Budget) -> Allowance:
        """What the budget leaves when a run starts."""
        if budget.user_set and resident() > NEW:
            give_back()  # what earlier runs in this process have freed
        budget.require(OVERHEAD + LEAST, Notice("process-itself"))
        return cls((budget.free() - OVERHEAD) // STEP * STEP, budget=budget)

    @property
    def texts(self) -> int:
        """Bytes of texts that are kept in memory."""
        return min(256 << 20, self.tables // 6)

    @property
    def to_sort(self) -> int:
        return self.tables if self.sorting is None else self.sorting

    def check(self, kernel: Kernel, texts: pa.Array, shingling: Shingling) -> None:
        """Refuses a text so large that to cut and sign it takes more than the budget that was given.

        Memory freed after the text before it is returned first; otherwise sixteen texts of 28 MB kept 300 MiB.
        """
        if self.budget is None or not self.budget.user_set or texts.nbytes * CUTTING < OVERHEAD:
            return
        give_back()
        if pa.types.is_large_string(texts.type):
            sizes = to_numpy(call_function("binary_length", [texts]))
            nth = int(sizes.argmax())
            if (needed := bytes_to_cut(kernel, texts[nth : nth + 1], shingling)) > OVERHEAD:
                self.budget.require(needed, Notice("documents-of-size", size=int(sizes[nth])))

    def pairs(self) -> int:
        """The most pairs that may be listed; MOST_PAIRS unless the user set a budget."""
        return min(MOST_PAIRS, self.tables // PAIR) if self.user_set else MOST_PAIRS

    def too_many_pairs(self, plan: Plan) -> InvalidOption:
        """The error for more similar pairs than may be listed."""
        if self.budget is None or self.pairs() == MOST_PAIRS:
            return too_many(plan)
        code = "pairs-exceed-memory-for-stars" if plan.goal == "clusters" else "pairs-exceed-memory"
        return InvalidOption(code, most=self.pairs(), limit=self.budget.limit)

    def tidy(self) -> None:
        """Returns freed memory to the system if the budget needs it: what allocators keep for reuse counts as held.

        Kept memory is soon reused, and is cheaper than new pages, which the system has to clear.
        """
        if self.budget is None or self.budget.free() < OVERHEAD + LEAST:
            give_back()

    def clear(self) -> None:
        """Returns freed memory before something is loaded that may use up a budget."""
        if self.user_set:
            give_back()

    def signed(self, bands: int, threads: int) -> int:
        """Bytes for parts of the first pass, such that what is made of them fits too: see `whole_row`."""
        return (self.tables - self.texts) * part_row(bands) // (part_row(bands) + whole_row(bands, threads))

    @property
    def user_set(self) -> bool:
        """True if the user set a budget, which must hold."""
        return self.budget is not None and self.budget.user_set

    def less(self, spent: int) -> Allowance:
        """What is left besides tables of so many bytes."""
        return replace(self, tables=max(0, self.tables - spent))

    def beside(self, rows: int) -> Allowance:
        """What is left besides the state of so many rows. Too little is refused."""
        left = self.tables - self.state * rows
        if self.budget is not None and left < LEAST:
            self.budget.require(
                OVERHEAD + self.state * rows + LEAST + STEP, Notice("number-of-documents", documents=rows)
            )
        return replace(self, tables=max(0, left))


def give_back() -> None:
    """Returns freed memory to the system."""
    trim()
    pa.default_memory_pool().release_unused()


def part_row(bands: int) -> int:
    """Bytes of a row in a part: fingerprint, flags, lengths, windows, keys."""
    return 37 + 8 * bands


def whole_row(bands: int, threads: int) -> int:
    """Bytes of a row when all are worked on in memory: facts and keys once more, first copies, sorted keys."""
    return 25 + 8 * bands + 16 + 32 * threads + 16


def sorted_row() -> int:
    """Bytes of a row while a band of keys is sorted, besides its key: key and row twice, and what is left of it."""
    return 32 + 14


@dataclass(frozen=True, eq=False)
class CandidateCosts:
    """Bytes of each candidate: always, and while it is in the index of a large bucket."""

    held: npt.NDArray[np.int64]
    """Row and offset; entries to sort; the set. Besides, KEYED for each band that is loaded."""
    index: npt.NDArray[np.int64]
    """While one of its large buckets is joined. Buckets of thousands are joined one after the other."""
    bands: int

    @classmethod
    def of(cls, resolved: ResolvedPlan, threads: int, windows: npt.NDArray[np.uint32]) -> CandidateCosts:
        bands = 1 if resolved.exact else resolved.banding.bands
        held = np.full(len(windows), 16 + 32 * threads, dtype=np.int64)
        if resolved.plan.verify == "none":
            return cls(held, np.zeros_like(held), bands)
        elements = windows.astype(np.int64)
        held += elements * SHINGLE
        if resolved.plan.verify == "signature":  # slots are held three times while they are put in order
            elements = np.full(len(windows), resolved.plan.hashes, dtype=np.int64)
            held += elements * 3 * SHINGLE
        # Prefixes grow as the threshold falls. Signatures of which a share t agrees are sets of similarity t / (2 − t).
        t = float(resolved.threshold)
        prefix = 1 - (t / (2 - t) if resolved.plan.verify == "signature" else t)
        return cls(held, elements * math.ceil(COUNTED + POSTED * prefix), bands)

    def of_all(self, indexed: npt.NDArray[np.bool_] | bool) -> npt.NDArray[np.int64]:
        """Where all of them are worked on at once, and those that are `indexed` in their large buckets at once, too."""
        return self.held + (KEYED + MEMBER) * self.bands + np.where(indexed, self.index, 0)

    def __getitem__(self, some: npt.NDArray[np.int64]) -> CandidateCosts:
        return CandidateCosts(self.held[some], self.index[some], self.bands)
