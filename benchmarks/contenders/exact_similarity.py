"""Pairs of texts → whether they are similar: what a user of a tool that estimates would add to it."""

from __future__ import annotations

import multiprocessing
import os
from functools import lru_cache

import numpy as np
from contenders import text_contender

_given: list[str] = []
"""The texts. Set before processes are forked, so that they need not be sent to them."""

_k = 0


def similar(given: list[str], left: np.ndarray, right: np.ndarray, k: int) -> np.ndarray:
    """Whether the two texts of each pair (places in `given`) have a Jaccard similarity of at least 0.8."""
    global _given, _k
    _given, _k = given, k
    order = np.argsort(left, kind="stable")  # so that pairs of one text come together, and it is cut once
    chunks = np.array_split(np.stack([left, right], axis=1)[order], 8 * (os.cpu_count() or 1))
    with multiprocessing.get_context("fork").Pool() as pool:
        found = np.concatenate(pool.map(_similar, chunks))
    true = np.zeros(len(left), dtype=bool)
    true[order] = found
    return true


def _similar(pairs: np.ndarray) -> np.ndarray:
    found = np.zeros(len(pairs), dtype=bool)
    for i, (a, b) in enumerate(pairs.tolist()):
        one, two = _cut(a), _cut(b)
        both = len(one & two)
        found[i] = both * 5 >= 4 * (len(one) + len(two) - both) > 0
    return found


@lru_cache(maxsize=10_000)
def _cut(text: int) -> frozenset[str]:
    return frozenset(text_contender.shingles(_given[text], _k))
