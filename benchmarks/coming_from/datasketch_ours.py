"""lookalike: the same pairs, for datasketch_theirs.py."""

from __future__ import annotations

import lookalike as la


def near_duplicates(path: str) -> la.Pairs:
    return la.find_pairs(path, threshold=0.8, shingles="words:5")
