"""Vectors and strings of bits with planted near pairs, and the pairs that a join found."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from lookalike.joins.vectors import VectorPairs


def planted(n: int, d: int, cosine: float, seed: int = 0) -> Any:
    """n random unit vectors; each of the last tenth has exactly this cosine with one of the others."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, d))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    few = n // 10
    near = x[:few]
    away = rng.standard_normal((few, d))
    away -= (away * near).sum(axis=1, keepdims=True) * near
    away /= np.linalg.norm(away, axis=1, keepdims=True)
    x[n - few :] = cosine * near + math.sqrt(1 - cosine**2) * away
    return x


def planted_bits(n: int, width: int, changed: int, ones: float = 0.5) -> Any:
    """n rows of bits; each of the last tenth differs from one of the others in a fixed number of bits."""
    rng = np.random.default_rng(1)
    bits = rng.random((n, 8 * width)) < ones
    few = n // 10
    for i in range(few):
        row = bits[i].copy()
        row[rng.choice(np.flatnonzero(row), changed // 2, replace=False)] = False
        row[rng.choice(np.flatnonzero(~bits[i]), changed - changed // 2, replace=False)] = True
        bits[n - few + i] = row
    return np.packbits(bits, axis=1)


def pairs_in(found: VectorPairs) -> set[tuple[int, int]]:
    return set(zip(found.left.tolist(), found.right.tolist(), strict=True))
