"""Estimates the memory and disk that a run would need, by the formula in docs/internals.md, limited by the budget."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookalike.engines.stages.memory import PAIR, Allowance, CandidateCosts, part_row, whole_row
from lookalike.planning.resolve import ResolvedPlan

PYTHON = 100 << 20
"""Bytes of memory that a run uses before it reads anything."""

KEPT, MOST_KEPT, MAPPED = 32, 192 << 20, 32 << 20
"""Memory that allocators keep after it was freed (measured): bytes per byte of the largest document, and the maximum.
Blocks larger than MAPPED bytes are returned to the system.
"""

LISTED = 24
"""Bytes per pair in a table of pairs."""


@dataclass(frozen=True)
class Needs:
    """The counts of one run, from which its memory and disk are estimated."""

    plan: ResolvedPlan
    documents: int
    text: int
    """Bytes of text in all documents."""
    largest: int
    """Bytes of text in the largest document."""
    members: float
    """The number of documents with at least one candidate."""
    elements: float
    """The average number of shingles per set."""
    pairs: float
    threads: int
    packed: float
    """The compressed size of texts in a work folder, as a share of their size."""
    reading: int
    """Bytes that all reading threads take, in addition to the texts."""

    @property
    def bands(self) -> int:
        return 1 if self.plan.exact else self.plan.bands

    @property
    def lists_pairs(self) -> bool:
        return self.plan.plan.goal == "pairs"

    def fit(self, allowance: Allowance) -> bool:
        """True if everything fits in memory; otherwise keys and sets are written to files."""
        if self.documents * part_row(self.bands) > allowance.signed(self.bands, self.threads):
            return False
        windows = np.array([round(self.elements)], dtype=np.uint32)
        cost = CandidateCosts.of(self.plan, self.threads, windows).of_all(self.plan.exact)
        candidates = self.members * int(cost[0])
        return (
            allowance.tables - allowance.few_texts - self.documents * whole_row(self.bands, self.threads) >= candidates
        )

    def memory(self, allowance: Allowance) -> int:
        """Returns the peak memory of the run in bytes, which never exceeds the budget."""
        n = self.documents
        texts = min(self.text + 8 * n, allowance.texts)
        keys = 2 * n * (25 + 8 * self.bands)
        sets = self.members * (8 * self.bands + 8 + 8 * self.elements)
        last = 40 * n + PAIR * self.pairs if self.lists_pairs else 32 * n
        freed = min(KEPT * self.largest, MOST_KEPT) if self.largest < MAPPED else 0
        always = PYTHON + texts + min(3 * self.text, 64 << 20) + 2 * self.largest + freed
        sign = always + keys / 2 + self.reading
        after = always + keys + 8 * n + sets + 32 * self.members + last
        if self.text > allowance.texts:  # candidates are read again
            after += self.reading
        whole = max(sign, after)
        limit = allowance.budget.limit if allowance.budget is not None else whole
        return round(min(whole, limit))

    def disk(self, allowance: Allowance, *, parts: bool, quick: bool, held: bool) -> int:
        """Returns the size of files in bytes: data that does not fit in memory or, with `parts`, the work folder."""
        size = 0.0
        if parts or not self.fit(allowance):
            size += self.documents * part_row(self.bands)
        if not self.fit(allowance):
            size += self.members * (8 * self.bands + 16 + 8 * self.elements) + LISTED * self.pairs * self.lists_pairs
        if parts:
            result = LISTED * self.pairs if self.plan.plan.goal == "pairs" else 8 * self.documents
            return round(size + 16 * self.documents + result + (0 if held else self.packed * self.text))
        return round(size + (0 if quick or held else max(0, self.text - allowance.texts)))
