"""Room: a memory budget, shared out among the stages of a run; and what rows cost in each of them."""

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

OWN = 176 << 20
"""What a run holds besides its tables: texts that are read ahead and worked on, buffers of the kernel."""

NEW = 128 << 20
"""A process that has done nothing yet holds less."""

STEP = 16 << 20
"""Room is counted in steps of this, so that a run that is resumed finds its batches as they were."""

LEAST = 64 << 20
"""With less room than this for its tables no run is begun."""

SHINGLE, COUNTED, POSTED = 8, 16, 48
"""Bytes of an element of a set; in an index of a large bucket, to be counted; and, in a prefix, to be listed."""

KEYED, MEMBER = 8, 12
"""Bytes of a key of one band; and of a row in the list of the members of a bucket, while that grows."""

KEY = 10
"""Bytes of a key of one band while buckets are looked for: the key, and the bits of its slot."""

CUTTING = 30
"""Bytes that a byte of text takes at most while its document is cut and signed: see `cutting.py`."""

PAIR = 80
"""Bytes of a pair while it is found, and while all are put in order; a result has 24 of them."""

STATE = 64
"""Bytes a row that stay in memory from the first pass to the end: first copies, islands, labels, lengths, and masks."""


@dataclass(frozen=True)
class Room:
    """Bytes that the tables of one stage may take at once. Its sizes have no other meaning than that, for tests too."""

    tables: int
    sorting: int | None = None
    """While keys are sorted; None: as much as at other times."""
    state: int = STATE
    budget: Budget | None = None

    @classmethod
    def of(cls, budget: Budget) -> Room:
        """Of what the budget leaves when a run begins."""
        if budget.user_set and resident() > NEW:
            give_back()  # what earlier runs in this process have freed
        budget.require(OWN + LEAST, Notice("process-itself"))
        return cls((budget.free() - OWN) // STEP * STEP, budget=budget)

    @property
    def texts(self) -> int:
        """Texts kept aside in memory."""
        return min(256 << 20, self.tables // 6)

    @property
    def to_sort(self) -> int:
        return self.tables if self.sorting is None else self.sorting

    def check(self, kernel: Kernel, texts: pa.Array, shingling: Shingling) -> None:
        """Refuses a text so large that to cut and sign it takes more than the budget that was given.

        What the one before it has left is given back first: of sixteen texts of 28 MB 300 MiB were kept otherwise.
        """
        if self.budget is None or not self.budget.user_set or texts.nbytes * CUTTING < OWN:
            return
        give_back()
        if pa.types.is_large_string(texts.type):
            sizes = to_numpy(call_function("binary_length", [texts]))
            nth = int(sizes.argmax())
            if (needed := bytes_to_cut(kernel, texts[nth : nth + 1], shingling)) > OWN:
                self.budget.require(needed, Notice("documents-of-size", size=int(sizes[nth])))

    def pairs(self) -> int:
        """The most pairs that may be listed; without a budget that was given, as many as ever."""
        return min(MOST_PAIRS, self.tables // PAIR) if self.is_given else MOST_PAIRS

    def too_many_pairs(self, plan: Plan) -> InvalidOption:
        """The error for more similar pairs than may be listed."""
        if self.budget is None or self.pairs() == MOST_PAIRS:
            return too_many(plan)
        code = "pairs-exceed-memory-for-stars" if plan.goal == "clusters" else "pairs-exceed-memory"
        return InvalidOption(code, most=self.pairs(), limit=self.budget.limit)

    def tidy(self) -> None:
        """Gives back what was freed, where that is needed: allocators keep it for reuse, but it counts as held.

        What is kept is soon used again, and is cheaper than new pages, which the system has to clear.
        """
        if self.budget is None or self.budget.free() < OWN + LEAST:
            give_back()

    def clear(self) -> None:
        """The same, before something is loaded that may fill a budget to its end."""
        if self.is_given:
            give_back()

    def signed(self, bands: int, threads: int) -> int:
        """Parts of the first pass, such that all that comes of them fits as well: see `whole_row`."""
        return (self.tables - self.texts) * part_row(bands) // (part_row(bands) + whole_row(bands, threads))

    @property
    def is_given(self) -> bool:
        """Whether there is a budget that a user gave, and that must hold."""
        return self.budget is not None and self.budget.user_set

    def less(self, spent: int) -> Room:
        """What is left beside tables of so many bytes."""
        return replace(self, tables=max(0, self.tables - spent))

    def beside(self, rows: int) -> Room:
        """What is left beside the state of so many rows. Too little is refused."""
        left = self.tables - self.state * rows
        if self.budget is not None and left < LEAST:
            self.budget.require(OWN + self.state * rows + LEAST + STEP, Notice("number-of-documents", documents=rows))
        return replace(self, tables=max(0, left))


def give_back() -> None:
    """Gives what was freed back to the system."""
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
    """Bytes of each candidate: what it takes in any case, and its place in the index of a large bucket."""

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
