"""The part of the kernel protocol that looks up keys in the files of a segment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from lookalike.flow.arrays import Hashes, Mask, Rows


@dataclass(frozen=True, eq=False)
class PostingPages:
    """The postings of one band as pages."""

    pages: npt.NDArray[np.uint8]
    firsts: Hashes
    """The first key of each page."""
    count: int
    """The number of postings."""


@dataclass(frozen=True, eq=False)
class Hits:
    """Pairs of a query and a position that share a key, each once, ordered by query, then by position."""

    queries: Rows
    positions: Rows
    next: int
    """The first query that was not looked up."""
    cut_queries: Rows
    """The queries of the lookups that returned only their first positions, because of `cap`."""
    cut_bands: Rows
    """The bands of these lookups, in the order of `cut_queries`."""


class Postings(Protocol):
    """The postings of a segment: the positions of its rows by band and key. Several threads may call its methods."""

    @property
    def pages(self) -> list[int]:
        """The number of pages of each band."""
        ...

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
        """Looks up the keys of queries from `start` on, until about `most` hits are found, but at least one query.

        Column b of the queries belongs to band `band` + b. With `cap`, at most `cap` positions per key are returned,
        the lowest ones, and `most` has no effect.
        """
        ...

    def page_of(self, band: int, key: int) -> int:
        """Returns the page of a band from which on all postings of this key and of greater keys are found."""
        ...

    def read(self, band: int, first: int, last: int) -> tuple[Hashes, npt.NDArray[np.uint32]]:
        """Returns the keys and positions of the postings in pages `first` … `last` - 1 of a band."""
        ...
