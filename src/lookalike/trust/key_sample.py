"""Samples the band keys of all documents: keeps whole buckets, from a part of the key space.

A sample of documents contains few pairs, because both documents of a pair must be in it. A sample of keys contains
whole buckets, so its share of the colliding pairs equals its share of the key space.

A bucket that is so large that it would dominate the sample, or be missing from it by chance, is handled separately: all
its rows are counted, but only some are kept.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from lookalike.flow.arrays import Hashes, Rows
from lookalike.flow.distinct import distinct

MOST_KEYS = 1 << 22
"""The maximum number of keys that are kept (about 64 MiB). If there are more, half of the kept key space is dropped."""

GIANT = 256
"""A bucket with more than 1/GIANT of `most` keys is a giant: its rows are counted, and only a sample is kept."""

SAMPLED = 1 << 12
"""The approximate number of rows kept when a bucket becomes a giant."""

_BANDS_APART = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)


def may_repeat(hashes: Hashes) -> npt.NDArray[np.bool_]:
    """Returns False for most of the hashes that occur only once, and True for all others. Sorting takes longer."""
    bits = max(1, len(hashes).bit_length() + 1)
    slots = hashes >> np.uint64(64 - bits)  # the last bits of sampled keys are zero
    counts = np.bincount(slots.astype(np.int64), minlength=1 << bits)
    return np.asarray(counts[slots] > 1)


class KeySample:
    """A sample of keys: those whose hash ends in `halvings` zero bits."""

    def __init__(self, most: int = MOST_KEYS) -> None:
        self.most = most
        self.halvings = 0
        self._keys: list[Hashes] = []
        self._rows: list[Rows] = []
        self._count = 0
        self._giants: dict[int, Giant] = {}

    @property
    def share(self) -> float:
        """The share of the key space, and thus of the buckets, that is kept."""
        return 0.5**self.halvings

    def add(self, keys: Hashes, rows: Rows) -> None:
        """Adds the keys of some rows. `keys` has one column per band."""
        bands = np.arange(1, keys.shape[1] + 1, dtype=np.uint64) * _BANDS_APART
        hashed = (keys ^ bands) * _MIX  # equal keys of different bands are different buckets
        hashed ^= hashed >> np.uint64(31)
        flat, owners = hashed.ravel(), np.repeat(rows, keys.shape[1])
        self._keep(*self._without_giants(flat, owners))
        while self._count > self.most:
            kept, owned = np.concatenate(self._keys), np.concatenate(self._rows)
            self._keys, self._rows, self._count = [], [], 0
            if not self._find_giants(kept):
                self.halvings += 1
            self._keep(*self._without_giants(kept, owned))

    def _find_giants(self, keys: Hashes) -> bool:
        """Registers the giant buckets among these keys; returns True if there are any."""
        found, counts = np.unique(keys, return_counts=True)
        large = np.flatnonzero(counts > max(SAMPLED, self.most // GIANT))
        for key, count in zip(found[large].tolist(), counts[large].tolist(), strict=True):
            self._giants[key] = Giant(self.share, max(0, (count // SAMPLED).bit_length() - 1))
        return len(large) > 0

    def _without_giants(self, keys: Hashes, rows: Rows) -> tuple[Hashes, Rows]:
        """Adds rows in giant buckets to those buckets, and returns the remaining keys and rows."""
        if not self._giants:
            return keys, rows
        theirs = np.isin(keys, np.array(list(self._giants), np.uint64))
        order = np.argsort(keys[theirs], kind="stable")
        found, starts = np.unique(keys[theirs][order], return_index=True)
        ends = [*starts[1:].tolist(), len(order)]
        for key, begin, end in zip(found.tolist(), starts.tolist(), ends[: len(found)], strict=True):
            self._giants[key].add(rows[theirs][order[begin:end]])
        return keys[~theirs], rows[~theirs]

    def _keep(self, keys: Hashes, rows: Rows) -> None:
        chosen = (keys & np.uint64((1 << self.halvings) - 1)) == 0
        self._keys.append(keys[chosen])
        self._rows.append(rows[chosen])
        self._count += len(self._keys[-1])

    def buckets(self, excluded: npt.NDArray[np.bool_]) -> Buckets:
        """Finds the buckets that have two or more rows once the excluded rows are dropped."""
        keys = np.concatenate([np.zeros(0, np.uint64), *self._keys])
        rows = np.concatenate([np.zeros(0, np.int64), *self._rows])
        stays = ~excluded[rows]
        keys, rows = keys[stays], rows[stays]
        shared = may_repeat(keys)
        keys, rows = keys[shared], rows[shared]
        order = np.argsort(keys, kind="stable")
        keys, rows = keys[order], rows[order]
        starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])) if len(keys) else np.zeros(0, np.int64)
        sizes = np.diff(np.concatenate([starts, [len(keys)]]))
        giants = [found for giant in self._giants.values() if (found := giant.without(excluded)) is not None]
        return Buckets(rows, starts[sizes > 1], sizes[sizes > 1], self.share, giants)


@dataclass
class Giant:
    """A giant bucket. All its rows are counted, and those whose hash ends in `halvings` zero bits are kept."""

    share: float
    """The share of the key space that was kept when this bucket was found. The bucket represents 1 / share giant
    buckets.
    """
    halvings: int
    size: float = 0
    rows: Rows = field(default_factory=lambda: np.zeros(0, np.int64))

    def add(self, rows: Rows) -> None:
        mixed = rows.astype(np.uint64) * _BANDS_APART >> np.uint64(32)
        chosen = (mixed & np.uint64((1 << self.halvings) - 1)) == 0
        self.size += len(rows)
        self.rows = np.concatenate([self.rows, rows[chosen]])

    def without(self, excluded: npt.NDArray[np.bool_]) -> Giant | None:
        """Returns the bucket without the excluded rows, with an estimated size; None if few rows remain."""
        stays = self.rows[~excluded[self.rows]]
        if len(stays) < 10:
            return None
        return Giant(self.share, self.halvings, self.size * len(stays) / len(self.rows), stays)

    @property
    def collisions(self) -> float:
        """Returns the expected number of colliding pairs in the giant buckets that this one represents."""
        return self.size * (self.size - 1) / 2 / self.share


@dataclass(frozen=True, eq=False)
class Buckets:
    """The buckets of two or more rows in the sampled part of the key space, and giant buckets."""

    rows: Rows
    starts: Rows
    sizes: Rows
    share: float
    giants: list[Giant] = field(default_factory=list)

    @property
    def collisions(self) -> int:
        """The number of collisions in the kept buckets.

        A pair of rows counts once for each bucket that contains both.
        """
        return int((self.sizes * (self.sizes - 1) // 2).sum())

    @property
    def expected_collisions(self) -> float:
        """The expected number of collisions in the whole key space."""
        return self.collisions / self.share + sum(giant.collisions for giant in self.giants)

    @property
    def members(self) -> int:
        """The number of distinct rows in the kept buckets, without giants."""
        within = np.repeat(self.starts - (np.cumsum(self.sizes) - self.sizes), self.sizes) + np.arange(self.sizes.sum())
        return len(distinct(self.rows[within]))

    @property
    def largest(self) -> int:
        """The size of the largest bucket."""
        return round(max([int(self.sizes.max(initial=0)), *(giant.size for giant in self.giants)]))

    def larger_than(self, size: int) -> int:
        """Returns the expected number of buckets with more than `size` rows, in the whole key space."""
        here = np.count_nonzero(self.sizes > size) / self.share
        return round(here + sum((giant.size > size) / giant.share for giant in self.giants))

    def sample_collisions(self, count: int, seed: int = 0) -> tuple[Rows, Rows]:
        """Draws a uniform random sample of collisions, and returns their rows.

        If there are no giants and at most `count` collisions, all are returned.
        """
        random = np.random.default_rng(seed)
        if not self.giants:
            return self._sample_kept(count, random)
        weights = [self.collisions / self.share, *(giant.collisions for giant in self.giants)]
        shares = random.multinomial(count, np.array(weights) / sum(weights))
        drawn = [self._sample_kept(int(shares[0]), random)]
        for giant, many in zip(self.giants, shares[1:].tolist(), strict=True):
            one = random.integers(len(giant.rows), size=many)
            other = (one + random.integers(1, len(giant.rows), size=many)) % len(giant.rows)
            drawn.append((giant.rows[np.minimum(one, other)], giant.rows[np.maximum(one, other)]))
        left, right = (np.concatenate([pair[side] for pair in drawn]) for side in (0, 1))
        return left, right

    def _sample_kept(self, count: int, random: np.random.Generator) -> tuple[Rows, Rows]:
        """Draws a random sample of the collisions in the kept buckets, without giants."""
        ends = np.cumsum(self.sizes * (self.sizes - 1) // 2)
        total = self.collisions
        drawn = random.integers(total, size=count) if total > count else np.arange(total)
        bucket = np.searchsorted(ends, drawn, side="right")
        number = drawn - (ends[bucket] - self.sizes[bucket] * (self.sizes[bucket] - 1) // 2)
        # Pairs are numbered in the order (0, 1), (0, 2), (1, 2), (0, 3) …; the larger element is a triangular root.
        larger = np.floor((1 + np.sqrt(8 * number.astype(np.float64) + 1)) / 2).astype(np.int64)
        larger -= larger * (larger - 1) // 2 > number
        larger += larger * (larger + 1) // 2 <= number
        smaller = number - larger * (larger - 1) // 2
        at = self.starts[bucket]
        return self.rows[at + smaller], self.rows[at + larger]
