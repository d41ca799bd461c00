"""The order in which `dedupe` prefers documents, and the documents that it may not remove."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from lookalike.flow.arrays import Rows


@dataclass(frozen=True, eq=False)
class Preference:
    """Which rows are kept rather than others that are similar to them."""

    order: Rows
    """All rows, the most preferred one first."""
    always_kept: int = 0
    """The first so many rows of `order` are kept, even if they are similar to each other: a reference, for example."""
    different: tuple[Rows, Rows] | None = None
    """Pairs of rows (left, right) that somebody decided are different. They never count as similar."""
    alone: Rows | None = None
    """Rows that somebody excluded. They are similar to nothing, so they are kept."""

    @classmethod
    def of_input(cls, rows: int) -> Preference:
        """Prefers earlier rows."""
        return cls(np.arange(rows, dtype=np.int64))

    @property
    def digest(self) -> str:
        """Identifies the preference, so that an interrupted run continues only with the same one."""
        left, right = self.different or (self.order[:0], self.order[:0])
        alone = self.order[:0] if self.alone is None else self.alone
        found = blake2b(digest_size=8)
        for numbers in (self.order, left, right, alone, np.array([self.always_kept])):
            found.update(np.ascontiguousarray(numbers, dtype=np.int64).tobytes() + b"/")
        return found.hexdigest()


def pair_numbers(left: Rows, right: Rows) -> Rows:
    """Returns each pair as one number. Row numbers must fit in 32 bits.

    >>> pair_numbers(np.array([3, 1]), np.array([1, 3])).tolist() == [2**32 + 3] * 2
    True
    """
    pairs: Rows = np.minimum(left, right) << 32 | np.maximum(left, right)
    return pairs


Prefer = Callable[[Rows], Preference]
"""Returns the preference, given the length of each row in characters, which is known after the first pass."""
