"""lookalike: the same corpus without near-duplicates, for datatrove_theirs.py."""

from __future__ import annotations

import lookalike as la


def deduplicate(folder: str, out: str) -> None:
    la.dedupe(folder, threshold=0.8, shingles="words:5", out=out)
