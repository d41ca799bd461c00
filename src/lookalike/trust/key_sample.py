"""Band keys of all documents → those of a share of the key space: whole buckets, none of the others.

A sample of documents has few of the pairs of the whole: both of a pair have to be in it. A sample of keys has whole
buckets, so that of the pairs in buckets it has the share of keys that it keeps, whatever the number of documents.

A bucket so large that it would be most of the sample, or gone from it by chance, is taken out: it is counted, and of
its rows some are kept.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from lookalike.flow.arrays import Hashes, Rows
from lookalike.flow.distinct import distinct

MOST_KEYS = 1 << 22
"""Kept at once; when there are more, half the key space is given up: about 64 MiB in all."""

GIANT = 256
"""One part in so many of what is kept: a bucket of more is counted instead."""

SAMPLED = 1 << 12
"""Rows of such a bucket that are kept, about, when it is found to be one."""

_BANDS_APART = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)


class KeySample:
    """Takes keys as they come; keeps those whose hash ends in `halvings` zeros."""

    def __init__(self, most: int = MOST_KEYS) -> None:
        self.most = most
        self.halvings = 0
        self._keys: list[Hashes] = []
        self._rows: list[Rows] = []
        self._count = 0
        self._giants: dict[int, Giant] = {}

    @property
    def share(self) -> float:
        """Of the key space, and so of the buckets."""
        return 0.5**self.halvings

    def add(self, keys: Hashes, rows: Rows) -> None:
        """Keys of some rows, one column per band."""
        bands = np.arange(1, keys.shape[1] + 1, dtype=np.uint64) * _BANDS_APART
        hashed = (keys ^ bands) * _MIX  # equal keys of two bands are not the same bucket
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
        """Whether there are new ones among these keys."""
        found, counts = np.unique(keys, return_counts=True)
        large = np.flatnonzero(counts > max(SAMPLED, self.most // GIANT))
        for key, count in zip(found[large].tolist(), counts[large].tolist(), strict=True):
            self._giants[key] = Giant(self.share, max(0, (count // SAMPLED).bit_length() - 1))
        return len(large) > 0

    def _without_giants(self, keys: Hashes, rows: Rows) -> tuple[Hashes, Rows]:
        """What is left when the giants have taken what is theirs."""
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
        giants = [found for giant in self._giants.values() if (found := giant.without(left_out)) is not None]
        return Buckets(rows, starts[sizes > 1], sizes[sizes > 1], self.share, giants)


@dataclass
class Giant:
    """A bucket that is counted. Of its rows those are kept whose mixed number ends in `halvings` zeros."""

    share: float
    """Of the key space, when it was found to be one: it stands for others that were given up before."""
    halvings: int
    size: float = 0
    rows: Rows = field(default_factory=lambda: np.zeros(0, np.int64))

    def add(self, rows: Rows) -> None:
        mixed = rows.astype(np.uint64) * _BANDS_APART >> np.uint64(32)
        chosen = (mixed & np.uint64((1 << self.halvings) - 1)) == 0
        self.size += len(rows)
        self.rows = np.concatenate([self.rows, rows[chosen]])

    def without(self, left_out: npt.NDArray[np.bool_]) -> Giant | None:
        """Of the rows that are not left out, as many as the sample says; None where it says that there are few."""
        stays = self.rows[~left_out[self.rows]]
        if len(stays) < 10:
            return None
        return Giant(self.share, self.halvings, self.size * len(stays) / len(self.rows), stays)

    @property
    def meetings(self) -> float:
        """Pairs of rows, of the whole key space."""
        return self.size * (self.size - 1) / 2 / self.share


@dataclass(frozen=True, eq=False)
class Buckets:
    """Whole buckets of two or more rows, of a share of the key space; and giants."""

    rows: Rows
    starts: Rows
    sizes: Rows
    share: float
    giants: list[Giant] = field(default_factory=list)

    @property
    def meetings(self) -> int:
        """Pairs of rows in a whole bucket; a pair that shares several buckets counts in each."""
        return int((self.sizes * (self.sizes - 1) // 2).sum())

    @property
    def all_meetings(self) -> float:
        """Those of the whole key space, as they are to be expected."""
        return self.meetings / self.share + sum(giant.meetings for giant in self.giants)

    @property
    def members(self) -> int:
        """Distinct rows in whole buckets."""
        within = np.repeat(self.starts - (np.cumsum(self.sizes) - self.sizes), self.sizes) + np.arange(self.sizes.sum())
        return len(distinct(self.rows[within]))

    @property
    def largest(self) -> int:
        """The size of the largest bucket."""
        return round(max([int(self.sizes.max(initial=0)), *(giant.size for giant in self.giants)]))

    def larger_than(self, size: int) -> int:
        """How many buckets of the whole key space have more members, as is to be expected."""
        here = np.count_nonzero(self.sizes > size) / self.share
        return round(here + sum((giant.size > size) / giant.share for giant in self.giants))

    def some_meetings(self, count: int, seed: int = 0) -> tuple[Rows, Rows]:
        """So many meetings drawn at random, each as likely as any other; all of them where there are no more."""
        random = np.random.default_rng(seed)
        if not self.giants:
            return self._whole(count, random)
        weights = [self.meetings / self.share, *(giant.meetings for giant in self.giants)]
        shares = random.multinomial(count, np.array(weights) / sum(weights))
        drawn = [self._whole(int(shares[0]), random)]
        for giant, many in zip(self.giants, shares[1:].tolist(), strict=True):
            one = random.integers(len(giant.rows), size=many)
            other = (one + random.integers(1, len(giant.rows), size=many)) % len(giant.rows)
            drawn.append((giant.rows[np.minimum(one, other)], giant.rows[np.maximum(one, other)]))
        left, right = (np.concatenate([pair[side] for pair in drawn]) for side in (0, 1))
        return left, right

    def _whole(self, count: int, random: np.random.Generator) -> tuple[Rows, Rows]:
        """The same of whole buckets alone."""
        ends = np.cumsum(self.sizes * (self.sizes - 1) // 2)
        total = self.meetings
        drawn = random.integers(total, size=count) if total > count else np.arange(total)
        bucket = np.searchsorted(ends, drawn, side="right")
        number = drawn - (ends[bucket] - self.sizes[bucket] * (self.sizes[bucket] - 1) // 2)
        # The number-th pair of (0, 1), (0, 2), (1, 2), (0, 3) …: the larger comes from the triangular root.
        larger = np.floor((1 + np.sqrt(8 * number.astype(np.float64) + 1)) / 2).astype(np.int64)
        larger -= larger * (larger - 1) // 2 > number
        larger += larger * (larger + 1) // 2 <= number
        smaller = number - larger * (larger - 1) // 2
        at = self.starts[bucket]
        return self.rows[at + smaller], self.rows[at + larger]
