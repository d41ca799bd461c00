"""Strings of code points → which may be within an edit distance of which: a segment of one stands in the other.

A string cut into d + 1 segments keeps one of them whole under d edits (there are more segments than edits), and the
edits before it move it by no more than their number. So the segments of every string are looked for in the others, at
the few places where they can be: no pair is missed, and few others are met. Of these, the ones whose letters differ
too much are left out by comparing 64 bits. (Li, Deng, Wang, Feng: Pass-Join, 2011, has the bounds on the places.)
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
"""Meetings of strings that are looked at together: few enough for the cache. It changes time and memory alone."""

BASE = 0x9E3779B97F4A7C15
"""Odd, so that it has an inverse modulo 2⁶⁴. A collision costs a comparison and never a pair."""

LETTERS, COUNTED = 32, 2
"""A string's 64 bits say for each of 32 classes of letters whether it has one, and whether it has two."""


@dataclass(frozen=True, eq=False)
class Texts:
    """Strings as code points laid end to end, with what makes any stretch of them a number in constant time."""

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
        """The rows of each length but 0, ascending."""
        order = np.argsort(self.lengths, kind="stable")
        lengths, firsts = np.unique(self.lengths[order], return_index=True)
        return dict(zip(lengths.tolist(), np.split(order, firsts[1:]), strict=True)) if len(order) else {}

    @cached_property
    def _sums(self) -> tuple[Hashes, Hashes]:
        """Running sums of point · baseⁱ, and base⁻ⁱ."""
        powers, inverses = (_powers(base, len(self.points) + 1) for base in (BASE, pow(BASE, -1, 1 << 64)))
        sums = np.zeros(len(self.points) + 1, np.uint64)
        np.cumsum((self.points.astype(np.uint64) + np.uint64(1)) * powers[:-1], out=sums[1:])
        return sums, inverses

    def stretches(self, rows: Rows, at: int, length: int) -> Hashes:
        """A hash of the stretch of this length from `at` on, of each row."""
        sums, inverses = self._sums
        begin = self.starts[rows] + at
        hashes: Hashes = (sums[begin + length] - sums[begin]) * inverses[begin]
        return hashes

    @cached_property
    def letters(self) -> Hashes:
        """64 bits a row: an insertion or deletion changes one at most, a replacement sets one and clears one."""
        bits = np.zeros(len(self), np.uint64)
        rows = np.repeat(np.arange(len(self)), self.lengths)
        step = max(1, BATCH // LETTERS)
        for first in range(0, len(self), step):
            here = slice(*np.searchsorted(rows, [first, first + step]))
            many = min(step, len(self) - first)
            places = (rows[here] - first) * LETTERS + (self.points[here] & (LETTERS - 1))
            counts = np.bincount(places, minlength=many * LETTERS).reshape(many, LETTERS)
            flags = np.hstack([counts >= level for level in range(1, COUNTED + 1)])
            bits[first : first + many] = np.packbits(flags, axis=1).view(np.uint64)[:, 0]
        return bits


def near_pairs(left: Texts, right: Texts | None, distance: int, *, replacing: bool) -> Iterator[tuple[Rows, Rows]]:
    """Batches of pairs of rows, none twice, among them all pairs within the distance. Empty strings are in none.

    Without `right`, pairs of the left strings with one another, in any order of the two. `replacing` counts the
    replacement of a letter as one edit and not as two.
    """
    other = left if right is None else right
    for length, rows in left.by_length.items():
        if not length:
            continue
        index = _Segments(left, rows, length, distance)
        # of two lengths in one collection the shorter one is looked for in the longer
        least = length if right is None else max(1, length - distance)
        for probe_length, probes in other.by_length.items():
            if not least <= probe_length <= length + distance:
                continue
            longer = probe_length - length
            for l, r in index.met_by(other, probes, longer):
                a, b = rows[l], probes[r]
                good = _letters_alike(left.letters[a], other.letters[b], distance, replacing)
                if right is None and not longer:
                    good &= a < b
                pairs = np.sort(l[good] * len(probes) + r[good])
                pairs = pairs[np.diff(pairs, prepend=-1) > 0]  # met at several segments, it is still one pair
                yield rows[pairs // len(probes)], probes[pairs % len(probes)]


class _Segments:
    """The strings of one length, by their d + 1 segments."""

    def __init__(self, texts: Texts, rows: Rows, length: int, distance: int) -> None:
        self.many, self.length, self.distance = len(rows), length, distance
        # of strings that are shorter, or fewer, than the segments would be many, each is met
        self.segments = [] if min(length, self.many) <= distance else list(_cut(length, distance + 1))
        keys = [texts.stretches(rows, at, size) for at, size in self.segments]
        self.orders = [np.argsort(k, kind="stable") for k in keys]
        self.keys = [k[order] for k, order in zip(keys, self.orders, strict=True)]

    def met_by(self, texts: Texts, probes: Rows, longer: int) -> Iterator[tuple[Rows, Rows]]:
        """Batches of (string, probe), as positions in the two lists of rows; all of a probe's are in one batch."""
        if not self.segments:
            step = max(1, BATCH // self.many)
            for first in range(0, len(probes), step):
                some = np.arange(first, min(first + step, len(probes)))
                yield np.tile(np.arange(self.many), len(some)), np.repeat(some, self.many)
            return
        found: list[tuple[Rows, Rows, Rows]] = []
        total = np.zeros(len(probes), np.int64)
        for segment, shift in self._places(longer):
            at, size = self.segments[segment]
            keys = texts.stretches(probes, at + shift, size)
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

    def _places(self, longer: int) -> Iterator[tuple[int, int]]:
        """(segment, shift): how far from its own place a segment may stand in a string that is so much longer.

        Of the segments without an edit take the first before which there are no more edits than segments. It has k
        segments and so at most k edits before it, and at most d − k after it: it is moved by at most k, and what
        follows it by at most d − k.
        """
        d = self.distance
        for k, (at, size) in enumerate(self.segments):
            for shift in range(max(-k, longer - (d - k)), min(k, longer + (d - k)) + 1):
                if at + shift >= 0 and at + shift + size <= self.length + longer:
                    yield k, shift


def _cut(length: int, parts: int) -> Iterator[tuple[int, int]]:
    """(start, size) of nearly equal parts."""
    ends = [length * part // parts for part in range(parts + 1)]
    return ((begin, end - begin) for begin, end in pairwise(ends))


def _spread(order: Rows, low: Rows, count: Rows, first: int) -> tuple[Rows, Rows]:
    """Runs low … low + count of `order`, and beside each of their elements the number of its run, from `first` on."""
    run = np.repeat(np.arange(len(count)), count)
    place = np.arange(len(run)) + np.repeat(low - (np.cumsum(count) - count), count)
    return order[place], run + first


def _letters_alike(a: Hashes, b: Hashes, distance: int, replacing: bool) -> npt.NDArray[np.bool_]:
    """False where the letters alone need more edits than the distance."""
    lost, gained = _ones(a & ~b), _ones(b & ~a)
    alike: npt.NDArray[np.bool_] = (np.maximum(lost, gained) if replacing else lost + gained) <= distance
    return alike


def _ones(bits: Hashes) -> Any:
    """How many bits are set."""
    if hasattr(np, "bitwise_count"):  # NumPy 2
        return np.bitwise_count(bits)
    return _ONES[bits.view(np.uint16)].reshape(-1, 4).sum(axis=1, dtype=np.uint8)


_ONES = np.array([value.bit_count() for value in range(1 << 16)], np.uint8)


def _powers(base: int, many: int) -> Hashes:
    powers = np.full(many, base, np.uint64)
    powers[:1] = 1
    np.multiply.accumulate(powers, out=powers)
    return powers
