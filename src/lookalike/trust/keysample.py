"""Band keys of all documents → those of a share of the key space: whole buckets, none of the others.

A sample of documents has few of the pairs of the whole: both of a pair have to be in it. A sample of keys has whole
buckets, so that of the pairs in buckets it has the share of keys that it keeps, whatever the number of documents.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Keys = npt.NDArray[np.uint64]
Rows = npt.NDArray[np.int64]

MOST_KEYS = 1 << 22
"""Kept at once; when there are more, half the key space is given up: about 64 MiB in all."""

_BANDS_APART = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)


class KeySample:
    """Takes keys as they come; keeps those whose hash ends in `halvings` zeros."""

    def __init__(self, most: int = MOST_KEYS) -> None:
        self.most = most
        self.halvings = 0
        self._keys: list[Keys] = []
        self._rows: list[Rows] = []
        self._count = 0

    @property
    def share(self) -> float:
        """Of the key space, and so of the buckets."""
        return 0.5**self.halvings

    def add(self, keys: Keys, rows: Rows) -> None:
        """Keys of some rows, one column a band."""
        bands = np.arange(1, keys.shape[1] + 1, dtype=np.uint64) * _BANDS_APART
        hashed = (keys ^ bands) * _MIX  # equal keys of two bands are not the same bucket
        hashed ^= hashed >> np.uint64(31)
        flat, owners = hashed.ravel(), np.repeat(rows, keys.shape[1])
        self._keep(flat, owners)
        while self._count > self.most:
            self.halvings += 1
            kept, owned = np.concatenate(self._keys), np.concatenate(self._rows)
            self._keys, self._rows, self._count = [], [], 0
            self._keep(kept, owned)

    def _keep(self, keys: Keys, rows: Rows) -> None:
        chosen = (keys & np.uint64((1 << self.halvings) - 1)) == 0
        self._keys.append(keys[chosen])
        self._rows.append(rows[chosen])
        self._count += len(self._keys[-1])

    def buckets(self, left_out: npt.NDArray[np.bool_]) -> Buckets:
        """The buckets of two or more rows, without those left out."""
        keys = np.concatenate([np.zeros(0, np.uint64), *self._keys])
        rows = np.concatenate([np.zeros(0, np.int64), *self._rows])
        stays = ~left_out[rows]
        keys, rows = keys[stays], rows[stays]
        order = np.argsort(keys, kind="stable")
        keys, rows = keys[order], rows[order]
        starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])) if len(keys) else np.zeros(0, np.int64)
        sizes = np.diff(np.concatenate([starts, [len(keys)]]))
        return Buckets(rows, starts[sizes > 1], sizes[sizes > 1], self.share)


@dataclass(frozen=True, eq=False)
class Buckets:
    """Whole buckets of two or more rows, of a share of the key space."""

    rows: Rows
    starts: Rows
    sizes: Rows
    share: float

    @property
    def meetings(self) -> int:
        """Pairs of rows in a bucket; a pair that shares several buckets counts in each."""
        return int((self.sizes * (self.sizes - 1) // 2).sum())

    @property
    def members(self) -> int:
        """Distinct rows in these buckets."""
        within = np.repeat(self.starts - (np.cumsum(self.sizes) - self.sizes), self.sizes) + np.arange(self.sizes.sum())
        return len(np.unique(self.rows[within]))

    def some_meetings(self, count: int, seed: int = 0) -> tuple[Rows, Rows]:
        """So many meetings drawn at random, each as likely as any other; all of them where there are no more."""
        ends = np.cumsum(self.sizes * (self.sizes - 1) // 2)
        total = self.meetings
        drawn = np.random.default_rng(seed).integers(total, size=count) if total > count else np.arange(total)
        bucket = np.searchsorted(ends, drawn, side="right")
        number = drawn - (ends[bucket] - self.sizes[bucket] * (self.sizes[bucket] - 1) // 2)
        # The number-th pair of (0, 1), (0, 2), (1, 2), (0, 3) …: the larger comes from the triangular root.
        larger = np.floor((1 + np.sqrt(8 * number.astype(np.float64) + 1)) / 2).astype(np.int64)
        larger -= larger * (larger - 1) // 2 > number
        larger += larger * (larger + 1) // 2 <= number
        smaller = number - larger * (larger - 1) // 2
        at = self.starts[bucket]
        return self.rows[at + smaller], self.rows[at + larger]
