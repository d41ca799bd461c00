"""Finds candidate pairs of strings within an edit distance d: a segment of one string must appear in the other.

If a string is cut into d + 1 segments, d edits leave at least one segment unchanged, because there are more segments
than edits. Each edit before that segment shifts it by at most one position. So the segments of every string are looked
up in the other strings, at the few positions where they can appear: no pair is missed, and there are few false
candidates. A comparison of 64-bit flags then removes candidates whose letters differ too much. (The bounds on the
positions are from Li, Deng, Wang, Feng: Pass-Join, 2011.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from lookalike.flow.arrays import Hashes, Rows

BATCH = 1 << 18
"""The number of candidates per batch, which should fit into the cache. It affects only time and memory."""

BASE = 0x9E3779B97F4A7C15
"""The base of the rolling hash. It is odd, so that it has an inverse modulo 2⁶⁴. A hash collision only adds a false
candidate.
"""

LETTERS, COUNTED = 32, 2
"""Letters are divided into 32 classes. Each class has 2 flags: the string has at least one such letter, or two."""


@dataclass(frozen=True, eq=False)
class Texts:
    """Strings as one array of code points, with prefix sums that give the hash of any substring in constant time."""

    texts: Sequence[str]

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def lengths(self) -> Rows:
        return np.fromiter(map(len, self.texts), np.int64, len(self.texts))

    @cached_property
    def starts(self) -> Rows:
        return np.cumsum(self.lengths) - self.lengths

    @cached_property
    def points(self) -> npt.NDArray[np.uint32]:
        return np.frombuffer("".join(self.texts).encode("utf-32-le"), np.uint32)

    @cached_property
    def by_length(self) -> dict[int, Rows]:
        """The rows of the strings of each length, by ascending length."""
        order = np.argsort(self.lengths, kind="stable")
        lengths, firsts = np.unique(self.lengths[order], return_index=True)
        return dict(zip(lengths.tolist(), np.split(order, firsts[1:]), strict=True)) if len(order) else {}

    @cached_property
    def _sums(self) -> tuple[Hashes, Hashes]:
        """Prefix sums of (code point + 1) · baseⁱ, and the powers base⁻ⁱ."""
        powers, inverses = (_powers(base, len(self.points) + 1) for base in (BASE, pow(BASE, -1, 1 << 64)))
        sums = np.zeros(len(self.points) + 1, np.uint64)
        np.cumsum((self.points.astype(np.uint64) + np.uint64(1)) * powers[:-1], out=sums[1:])
        return sums, inverses

    def substring_hashes(self, rows: Rows, at: int, length: int) -> Hashes:
        """Returns, for each row, the hash of the substring of this length that starts at position `at`."""
        sums, inverses = self._sums
        begin = self.starts[rows] + at
        hashes: Hashes = (sums[begin + length] - sums[begin]) * inverses[begin]
        return hashes

    @cached_property
    def letters(self) -> Hashes:
        """For each row, 64 flags about the letters that it contains.

        An insertion or deletion changes at most one flag. A replacement sets at most one flag and clears at most one.
        """
        bits = np.zeros(len(self), np.uint64)
        rows = np.repeat(np.arange(len(self)), self.lengths)
        step = max(1, BATCH // LETTERS)
        for first in range(0, len(self), step):
            here = slice(*np.searchsorted(rows, [first, first + step]))
            here_rows = min(step, len(self) - first)
            places = (rows[here] - first) * LETTERS + (self.points[here] & (LETTERS - 1))
            counts = np.bincount(places, minlength=here_rows * LETTERS).reshape(here_rows, LETTERS)
            flags = np.hstack([counts >= level for level in range(1, COUNTED + 1)])
            bits[first : first + here_rows] = np.packbits(flags, axis=1).view(np.uint64)[:, 0]
        return bits


def near_pairs(left: Texts, right: Texts | None, distance: int, *, replacing: bool) -> Iterator[tuple[Rows, Rows]]:
    """Yields batches of candidate pairs of rows.

    They include all pairs within the distance, except pairs with an empty string. Without `right`, the left strings are
    paired with one another, and either row of a pair may come first. If `replacing` is True, replacing a letter counts
    as one edit, not two.
    """
    other = left if right is None else right
    for length, rows in left.by_length.items():
        if not length:
            continue
        index = _Segments(left, rows, length, distance)
        # within one collection, shorter strings are looked up in longer ones
        least = length if right is None else max(1, length - distance)
        for probe_length, probes in other.by_length.items():
            if not least <= probe_length <= length + distance:
                continue
            longer = probe_length - length
            for l, r in index.candidates_of(other, probes, longer):
                a, b = rows[l], probes[r]
                good = _letters_agree(left.letters[a], other.letters[b], distance, replacing)
                if right is None and not longer:
                    good &= a < b
                pairs = np.sort(l[good] * len(probes) + r[good])
                pairs = pairs[np.diff(pairs, prepend=-1) > 0]  # a pair may share several segments
                yield rows[pairs // len(probes)], probes[pairs % len(probes)]


class _Segments:
    """An index of strings of one length by their d + 1 segments."""

    def __init__(self, texts: Texts, rows: Rows, length: int, distance: int) -> None:
        self.count, self.length, self.distance = len(rows), length, distance
        # If strings are shorter than d + 1, or there are no more than d, there are no segments, and all are candidates.
        self.segments = [] if min(length, self.count) <= distance else list(_cut(length, distance + 1))
        keys = [texts.substring_hashes(rows, at, size) for at, size in self.segments]
        self.orders = [np.argsort(k, kind="stable") for k in keys]
        self.keys = [k[order] for k, order in zip(keys, self.orders, strict=True)]

    def candidates_of(self, texts: Texts, probes: Rows, longer: int) -> Iterator[tuple[Rows, Rows]]:
        """Yields batches of candidates: positions of indexed strings, and positions in `probes`.

        `longer` is the length of the probes minus that of the indexed strings. All candidates of a probe are in the
        same batch.
        """
        if not self.segments:
            step = max(1, BATCH // self.count)
            for first in range(0, len(probes), step):
                some = np.arange(first, min(first + step, len(probes)))
                yield np.tile(np.arange(self.count), len(some)), np.repeat(some, self.count)
            return
        found: list[tuple[Rows, Rows, Rows]] = []
        total = np.zeros(len(probes), np.int64)
        for segment, shift in self._shifts(longer):
            at, size = self.segments[segment]
            keys = texts.substring_hashes(probes, at + shift, size)
            low = np.searchsorted(self.keys[segment], keys, "left")
            count = np.searchsorted(self.keys[segment], keys, "right") - low
            total += count
            found.append((self.orders[segment], low, count))
        ends = np.cumsum(total)
        first = 0
        while first < len(probes):
            before = ends[first - 1] if first else 0
            last = max(first + 1, int(np.searchsorted(ends, before + BATCH, "right")))
            here = slice(first, last)
            met = [_spread(order, low[here], count[here], first) for order, low, count in found]
            yield np.concatenate([l for l, _ in met]), np.concatenate([r for _, r in met])
            first = last

    def _shifts(self, longer: int) -> Iterator[tuple[int, int]]:
        """Yields (segment, shift) for all possible shifts of each segment in a string that is longer by `longer`.

        Consider the first unedited segment that has at most as many edits as segments before it. If k segments are
        before it, there are at most k edits before it and at most d − k after it. So the segment is shifted by at most
        k, and the end of the string by at most d − k relative to the segment.
        """
        d = self.distance
        for k, (at, size) in enumerate(self.segments):
            for shift in range(max(-k, longer - (d - k)), min(k, longer + (d - k)) + 1):
                if at + shift >= 0 and at + shift + size <= self.length + longer:
                    yield k, shift


def _cut(length: int, parts: int) -> Iterator[tuple[int, int]]:
    """Cuts a string of this length into nearly equal parts. Returns the (start, size) of each part."""
    ends = [length * part // parts for part in range(parts + 1)]
    return ((begin, end - begin) for begin, end in pairwise(ends))


def _spread(order: Rows, low: Rows, count: Rows, first: int) -> tuple[Rows, Rows]:
    """Concatenates all runs `order[low : low + count]`. Also returns the number of each element's run, from `first`."""

    run = np.repeat(np.arange(len(count)), count)
    place = np.arange(len(run)) + np.repeat(low - (np.cumsum(count) - count), count)
    return order[place], run + first


def _letters_agree(a: Hashes, b: Hashes, distance: int, replacing: bool) -> npt.NDArray[np.bool_]:
    """Returns, for each pair, False if the letter flags alone show that more than `distance` edits are needed."""
    lost, gained = _ones(a & ~b), _ones(b & ~a)
    alike: npt.NDArray[np.bool_] = (np.maximum(lost, gained) if replacing else lost + gained) <= distance
    return alike


def _ones(bits: Hashes) -> Any:
    """Returns the number of bits that are set in each word."""
    if hasattr(np, "bitwise_count"):  # NumPy 2
        return np.bitwise_count(bits)
    return _ONES[bits.view(np.uint16)].reshape(-1, 4).sum(axis=1, dtype=np.uint8)


_ONES = np.array([value.bit_count() for value in range(1 << 16)], np.uint8)


def _powers(base: int, count: int) -> Hashes:
    """Returns the powers base⁰ … base^(count − 1), modulo 2⁶⁴."""
    powers = np.full(count, base, np.uint64)
    powers[:1] = 1
    np.multiply.accumulate(powers, out=powers)
    return powers
