"""Groups of sets, as the CPU kernel finds them. `pruning.py` documents the methods."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import BinaryIO

from lookalike.flow import Shingles
from lookalike.flow.arrays import Rows
from lookalike.kernel import _native
from lookalike.kernel.cpu import sets_of


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
