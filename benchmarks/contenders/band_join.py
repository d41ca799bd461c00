"""Finds pairs from signatures with NumPy, for libraries that compute signatures but no pairs."""

from __future__ import annotations

import numpy as np
import pyarrow as pa


def join(signatures: np.ndarray, bands: int, rows: int, estimate: float) -> pa.Table:
    """Pairs that agree in a band and whose share of equal slots is at least `estimate`."""
    count = len(signatures)
    bits = np.uint64(max(1, (count - 1).bit_length()))
    ids = np.arange(count, dtype=np.uint64)
    found = [np.empty(0, dtype=np.uint64)]
    for band in range(bands):
        key = np.zeros(count, dtype=np.uint64)
        for column in range(band * rows, (band + 1) * rows):
            key = (key ^ signatures[:, column]) * np.uint64(0x9E3779B97F4A7C15)
            key ^= key >> np.uint64(29)
        packed = np.sort(key >> bits << bits | ids)  # faster than argsort and take
        here = packed & ((np.uint64(1) << bits) - np.uint64(1))
        packed >>= bits
        begins = np.flatnonzero(packed[1:] == packed[:-1])
        step = 1
        while len(begins):
            found.append(here[begins] << np.uint64(32) | here[begins + step])
            step += 1
            begins = begins[begins + step < count]
            begins = begins[packed[begins] == packed[begins + step]]
    pairs = np.sort(np.concatenate(found))  # several times as fast as np.unique, which hashes
    pairs = pairs[np.concatenate([[True], pairs[1:] != pairs[:-1]])] if len(pairs) else pairs
    left, right = (pairs >> np.uint64(32)).astype(np.int64), (pairs & np.uint64(2**32 - 1)).astype(np.int64)
    similar = np.concatenate(
        [np.empty(0, dtype=bool)]
        + [
            (signatures[left[at : at + 100_000]] == signatures[right[at : at + 100_000]]).mean(axis=1) >= estimate
            for at in range(0, len(left), 100_000)
        ]
    )
    return pa.table({"left": left[similar], "right": right[similar]})
