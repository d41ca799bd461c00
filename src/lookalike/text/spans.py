"""Finds the shingles of a text with their positions, and the runs of shingles that two texts share."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lookalike.errors import MalformedInput
from lookalike.flow import Chars, Shingling, Stopwords
from lookalike.flow.distinct import distinct, is_among
from lookalike.text.rules import hash_bytes, mix, normalize, token_spans

Text = str | Sequence[Any]
"""A text, or a list of tokens."""

_Integers = npt.NDArray[np.int64]
_Hashes = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Cut:
    """A text cut into shingles, in reading order: shingle i covers `text[starts[i]:ends[i]]`."""

    text: str
    values: _Hashes
    starts: _Integers
    ends: _Integers
    first: _Integers
    """The index of each shingle's first token, from which the gaps between shingles follow."""
    tokens: _Hashes
    """The hashes of all tokens, in order. Texts with equal tokens have the same words in the same order."""

    def without(self, ignored: _Hashes) -> Cut:
        """Returns the same text without the ignored shingles.

        If no shingle remains, the whole text becomes one shingle.
        """
        kept = ~np.isin(self.values, ignored)
        if kept.any() or not len(kept):
            values, places = self.values[kept], kept.nonzero()[0]
            return Cut(self.text, values, self.starts[places], self.ends[places], self.first[places], self.tokens)
        high, low = self.values >> np.uint64(32), self.values & np.uint64(0xFFFFFFFF)
        one, two = int(self.values.sum(dtype=np.uint64)), int((high * low).sum(dtype=np.uint64))
        value = np.array([mix(one ^ mix(two))], np.uint64)
        return Cut(self.text, value, self.starts[:1], self.ends[-1:], self.first[:1], self.tokens)

    @cached_property
    def steps(self) -> list[int]:
        return np.diff(self.first).tolist()  # type: ignore[no-any-return]

    def marks(self, other: Cut, passages: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
        """Returns the parts of the text, as (start, end), that passages or shingles shared with `other` cover.

        Overlapping and adjacent parts are merged.
        """
        here = is_among(self.values, distinct(other.values))
        spans = np.array(passages, np.int64).reshape(-1, 2)
        starts, ends = np.r_[self.starts[here], spans[:, 0]], np.r_[self.ends[here], spans[:, 1]]
        if not len(starts):
            return ()
        order = np.argsort(starts, kind="stable")
        starts, reach = starts[order], np.maximum.accumulate(ends[order])
        opens = np.flatnonzero(np.r_[True, starts[1:] > reach[:-1]])
        closes = np.r_[opens[1:] - 1, len(starts) - 1]
        return tuple(zip(starts[opens].tolist(), reach[closes].tolist(), strict=True))


def cut(text: Text, shingling: Shingling) -> Cut:
    """Cuts a text into shingles with their positions, as specified in sections 1 and 2 of docs/reference/format.md."""
    if isinstance(text, str):
        starts, ends, hashes = token_spans(text, shingling)
    else:
        text, starts, ends, hashes = _given_tokens(text, shingling.key)
    first, length = _windows(hashes, shingling)
    if not len(hashes) or getattr(shingling, "whitespace", "") == "keep":
        # a text without words, such as "!!!", is one shingle of all its characters; a text of white space has none
        characters = Chars(1, case=shingling.case, normalize=shingling.normalize, key=shingling.key)
        whole = token_spans(text, characters)
        if not len(whole[2]):
            first = first[:0]
        elif not len(hashes):
            (starts, ends, hashes), first, length = whole, np.zeros(1, np.int64), len(whole[2])
    values = shingle_hashes(hashes, length, first)
    if shingling.bits == 32:
        values = _mix(values >> np.uint64(32))
    # ends are not always in ascending order, because normalisation can reorder combining marks

    ends = np.maximum.accumulate(ends)[first + (length - 1)]
    found = Cut(text, values, starts[first], ends, first, hashes)
    return found.without(shingling.ignores) if shingling.ignored else found


class Run(NamedTuple):
    """A run of `length` shingles that two texts share, starting at shingle `a` of one text and `b` of the other.

    The gaps between the shingles are the same in both texts.
    """

    a: int
    b: int
    length: int


TRIED = 16
"""The maximum number of occurrences of a shingle in b that are tried. It suffices for prose, and limits the time for
texts such as "aaaa…".
"""


def shared_runs(a: Cut, b: Cut) -> list[Run]:
    """Finds the runs of shingles that a and b share, from left to right in a, each as long as possible.

    Every step forward in a costs at most TRIED steps in b, so apart from sorting, the time is linear in the lengths.
    """
    order = np.argsort(b.values, kind="stable")  # occurrences of one shingle stay in ascending order
    first, last = (np.searchsorted(b.values[order], a.values, side) for side in ("left", "right"))
    shared = np.flatnonzero(first < last)  # most shingles of two documents are not
    if not len(shared):
        return []
    low, high, places = first.tolist(), last.tolist(), order.tolist()
    values_a, values_b = a.values.tolist(), b.values.tolist()
    steps_a, steps_b = a.steps, b.steps
    size_a, size_b = len(values_a), len(values_b)
    runs, i, expected = list[Run](), 0, 0
    for start in shared.tolist():
        if start < i:  # in the last run
            continue
        i = start
        best = Run(i, -1, 0)
        for j in _tried(places, low[i], high[i], expected):
            n, most = 1, min(size_a - i, size_b - j)
            # there may be gaps between shingles (stop words): gaps must be equal in both texts, and at most 3 tokens
            while n < most and values_a[i + n] == values_b[j + n] and steps_a[i + n - 1] == steps_b[j + n - 1] <= 3:
                n += 1
            if n > best.length:
                best = Run(i, j, n)
        runs.append(best)
        i += best.length
        expected = best.b + best.length
    return runs


def _tried(places: list[int], low: int, high: int, expected: int) -> list[int]:
    """Returns the occurrences of a shingle in b to try: first those after the last run, then those before its end."""
    at = bisect_left(places, expected, low, high)
    after = places[at : min(high, at + TRIED)]
    return after + places[max(low, at - TRIED + len(after)) : at]


def _windows(hashes: _Hashes, shingling: Shingling) -> tuple[_Integers, int]:
    """Returns the index of the first token of every window, and the number of tokens per window."""
    if isinstance(shingling, Stopwords):
        stops = [hash_bytes(normalize(word, shingling).encode(), shingling.key) for word in shingling.words]
        first = np.flatnonzero(np.isin(hashes[:-2], np.array(stops, np.uint64))).astype(np.int64)
        if len(first):
            return first, 3
    k = min(getattr(shingling, "k", 3), len(hashes))
    return np.arange(len(hashes) - k + 1 if k else 0, dtype=np.int64), k


def _given_tokens(tokens: Sequence[Any], key: int) -> tuple[str, _Integers, _Integers, _Hashes]:
    words = [str(token) for token in tokens if token is not None]
    lengths = np.array([len(word) for word in words], np.int64)
    ends = np.cumsum(lengths + 1) - 1  # one space between them
    try:
        hashes = [hash_bytes(word.encode(), key) for word in words]
    except UnicodeEncodeError as error:
        raise MalformedInput("lone-surrogate", reason=str(error)) from None
    return " ".join(words), ends - lengths, ends, np.array(hashes, np.uint64)


_GOLDEN = 0x9E3779B97F4A7C15
_BASE = 0xD6E8FEB86659FD93
_MODULUS = 1 << 64


MANY = 1 << 14
"""Powers up to this one are kept, because most texts have no more tokens."""


@lru_cache(maxsize=1)
def _kept_powers() -> tuple[_Hashes, _Hashes]:
    return _powers_up_to(MANY)


def _powers(n: int) -> tuple[_Hashes, _Hashes]:
    """Returns the powers of BASE and of its inverse, from 0 to n or more."""
    return _kept_powers() if n <= MANY else _powers_up_to(n)


def _powers_up_to(n: int) -> tuple[_Hashes, _Hashes]:
    found = np.ones((2, n + 1), np.uint64)
    for row, base in zip(found, (_BASE, pow(_BASE, -1, _MODULUS)), strict=True):
        row[1:] = base
        np.cumprod(row, out=row)
    return found[0], found[1]


def shingle_hashes(hashes: _Hashes, length: int, first: _Integers | None = None) -> _Hashes:
    """Returns the shingle of each window `hashes[first : first + length]`: a polynomial in BASE, then mixed.

    By default, the windows begin at every hash that has enough others after it.

    Prefix sums of v·BASE⁻ⁱ (BASE is odd, so it has an inverse) make the time independent of the window length.
    """
    n = len(hashes)
    if first is None:
        first = np.arange(n - length + 1)
    if not len(first):
        return np.zeros(0, np.uint64)
    up, down = _powers(n)
    sums = np.zeros(n + 1, np.uint64)
    np.cumsum(hashes * down[:n], out=sums[1:])
    polynomial = (sums[first + length] - sums[first]) * up[first + (length - 1)]
    return _mix(polynomial + np.uint64(length * _GOLDEN % _MODULUS))


def _mix(x: _Hashes) -> _Hashes:
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
