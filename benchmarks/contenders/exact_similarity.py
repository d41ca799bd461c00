"""Exact verification of pairs, as a user would add it to a tool that only estimates similarities."""

from __future__ import annotations

import multiprocessing
import os
from functools import lru_cache

import numpy as np
from contenders import text_contender

_texts: list[str] = []
"""Set before processes are forked, so that the texts need not be sent to them."""

_k = 0


def similar(documents: list[str], left: np.ndarray, right: np.ndarray, k: int) -> np.ndarray:
    """Whether the two texts of each pair (indexes into `documents`) have a Jaccard similarity of at least 0.8."""
    global _texts, _k
    _texts, _k = documents, k
    order = np.argsort(left, kind="stable")  # pairs of one text are adjacent, so it is shingled once
    chunks = np.array_split(np.stack([left, right], axis=1)[order], 8 * (os.cpu_count() or 1))
    with multiprocessing.get_context("fork").Pool() as pool:
        found = np.concatenate(pool.map(_similar, chunks))
    true = np.zeros(len(left), dtype=bool)
    true[order] = found
    return true


def _similar(pairs: np.ndarray) -> np.ndarray:
    found = np.zeros(len(pairs), dtype=bool)
    for i, (a, b) in enumerate(pairs.tolist()):
        one, two = _shingles(a), _shingles(b)
        both = len(one & two)
        found[i] = both * 5 >= 4 * (len(one) + len(two) - both) > 0
    return found


@lru_cache(maxsize=10_000)
def _shingles(text: int) -> frozenset[str]:
    return frozenset(text_contender.shingles(_texts[text], _k))
