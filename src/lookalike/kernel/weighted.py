"""The native edge of weighted sets: elements and their weights in, signatures out."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lookalike.kernel._native import sign_weighted as _sign_weighted


def sign_weighted(
    offsets: npt.NDArray[np.int64],
    values: npt.NDArray[np.uint64],
    weights: npt.NDArray[np.float64],
    *,
    hashes: int,
    seed: int,
    threads: int = 1,
) -> npt.NDArray[np.uint64]:
    """Weighted sets → signatures: one row of `hashes` slots each, by section 7 of docs/reference/format.md.

    Set i has the elements `values[offsets[i] : offsets[i + 1]]`, each once and in any order, and their `weights`, which
    are 0 or lie in 1e-100 … 1e100. A slot of two sets agrees with the probability of their weighted Jaccard similarity.
    """
    arrays = (np.ascontiguousarray(offsets, np.int64), np.ascontiguousarray(values, np.uint64))
    return _sign_weighted(*arrays, np.ascontiguousarray(weights, np.float64), hashes, seed, threads)


__all__ = ["sign_weighted"]
