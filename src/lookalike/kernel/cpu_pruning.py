"""The census and the groups of the CPU kernel, which keep state between calls. `pruning.py` documents the methods."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from lookalike.flow import Documents, Shingles, Shingling
from lookalike.flow.arrays import Mask, Rows
from lookalike.flow.sketches import Sketches
from lookalike.kernel import _native
from lookalike.kernel.cpu import columns_of, plain, rules_of, sets_of

BATCH_BITS = 32
"""The census counts the documents of a batch as rows from a multiple of this power of two on, until the first row is
known."""


@dataclass(eq=False)
class CpuCensus:
    """A census of the native module."""

    native: _native.Census
    threads: int
    _starts: dict[int, int] = field(default_factory=dict)
    """The first row of each batch."""

    @property
    def nbytes(self) -> int:
        return self.native.nbytes

    def add(self, documents: Documents, shingling: Shingling, batch: int | None = None) -> Sketches:
        columns, rules = columns_of(documents, shingling), rules_of(shingling)
        start, threads = (documents.start, self.threads) if batch is None else (batch << BATCH_BITS, 1)
        added = self.native.add(*columns, rules, start, threads)
        words, raw, flags, lengths, sizes, windows = added
        return Sketches(words, raw, flags, np.zeros((len(flags), 1), np.uint64), lengths, sizes, windows)

    def place(self, batch: int, start: int) -> None:
        self._starts[batch] = start

    def spill(self, file: BinaryIO, most: int) -> None:
        weakref.finalize(self, file.close)
        self.native.spill(file.fileno(), most)

    def can_match(self, windows: npt.NDArray[np.uint32], left_out: Mask, numerator: int, denominator: int) -> Mask:
        if self._starts:
            starts = np.full(max(self._starts) + 1, -1, np.int64)
            starts[[*self._starts]] = [*self._starts.values()]
            self.native.place(starts, BATCH_BITS)
        return self.native.can_match(plain(windows), plain(left_out), numerator, denominator, self.threads)


@dataclass(eq=False)
class CpuGroups:
    """Groups of the native module."""

    native: _native.Groups
    threads: int

    @property
    def nbytes(self) -> int:
        return self.native.nbytes

    def count(self, sets: Shingles) -> None:
        self.native.count(*sets_of(sets), self.threads)

    def spill(self, file: BinaryIO, most: int) -> None:
        weakref.finalize(self, file.close)
        self.native.spill(file.fileno(), most)

    def add(self, sets: Shingles) -> None:
        self.native.add(*sets_of(sets), self.threads)

    def labels(self) -> Rows:
        return self.native.labels(self.threads)
