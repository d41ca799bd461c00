"""The files of segments, for the CPU kernel. `protocol.py` and `stored.py` document the methods."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lookalike.flow.arrays import Hashes, Mask, Rows
from lookalike.kernel import _native
from lookalike.kernel.stored import Hits, PostingPages


class CpuStoring:
    """The methods of `Cpu` for the files of segments."""

    threads: int

    def posting_pages(
        self,
        keys: Hashes,
        band: int,
        positions: npt.NDArray[np.uint32] | None = None,
        left_out: Mask | None = None,
    ) -> PostingPages:
        return PostingPages(*_native.posting_pages(np.ascontiguousarray(keys), band, positions, left_out))

    def postings(self, file: int, counts: Hashes, firsts: Hashes, most_kept: int = 0) -> CpuPostings:
        return CpuPostings(_native.Postings(file, counts, firsts, most_kept), self.threads)

    def record_pages(self, records: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        return _native.record_pages(np.ascontiguousarray(records))

    def read_records(self, file: int, count: int, width: int, positions: Rows) -> npt.NDArray[np.uint8]:
        return _native.read_records(file, 0, count, width, np.ascontiguousarray(positions))


@dataclass(frozen=True, eq=False)
class CpuPostings:
    """Postings of the native module."""

    native: _native.Postings
    threads: int

    @property
    def pages(self) -> list[int]:
        return self.native.pages

    def find(
        self,
        queries: Hashes,
        left_out: Mask | None = None,
        *,
        band: int = 0,
        start: int = 0,
        most: int = 1 << 22,
        cap: int = 0,
    ) -> Hits:
        return Hits(*self.native.find(np.ascontiguousarray(queries), left_out, band, start, most, cap, self.threads))

    def page_of(self, band: int, key: int) -> int:
        return self.native.page_of(band, key)

    def read(self, band: int, first: int, last: int) -> tuple[Hashes, npt.NDArray[np.uint32]]:
        return self.native.read(band, first, last)
