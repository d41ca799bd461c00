"""Computes the band keys of vectors from their MinHash signatures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lookalike.joins.vectors.measures import Matrix
from lookalike.joins.vectors.single_precision import pieces
from lookalike.kernel import default
from lookalike.kernel import vectors as kernel

MOST_HASHES = 4096
"""The maximum number of hashes per signature. If more are needed, several signatures are computed, with consecutive
seeds.
"""


def keys_of_signatures(
    rows_to_sign: Matrix, signed: Callable[[Matrix, int, int], Any], bands: int, rows: int, seed: int, threads: int
) -> kernel.Keys:
    """Returns the key of each row in each band. `signed(rows, hashes, seed)` computes the signatures of a few rows."""

    out = np.empty((bands, len(rows_to_sign)), np.uint32)
    for number, first in enumerate(range(0, bands, MOST_HASHES // rows)):
        some = min(MOST_HASHES // rows, bands - first)
        for start, piece in pieces(rows_to_sign, some * rows):
            keys = default(threads).band_keys(signed(piece, some * rows, (seed + number) % 2**64), some, rows)
            out[first : first + some, start : start + len(piece)] = (keys >> np.uint64(32)).T
    return out
