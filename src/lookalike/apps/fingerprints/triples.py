"""Hash functions for fingerprints (MMDS, chapter 3): a print is in a function's bucket if it has all of its squares.

A function has only this bucket, so two prints are candidates only if both have all squares of some function. If two
prints have c of n squares in common, both are in the bucket of a function of three squares with probability p = C(c, 3)
/ C(n, 3). They share a bucket of at least one of 1,024 functions with probability 1 − (1 − p)^1024. As in every family,
this is a known function of the similarity.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from lookalike.errors import InvalidOption
from lookalike.flow import Shingles
from lookalike.flow.checks import check_whole

BOOK_MINUTIA, BOOK_AGAIN = 0.2, 0.8
"""Probabilities of the textbook: that a print has a minutia in a square, and that another print of the finger has it
too.
"""

CHUNK = 4096
"""The number of prints processed at a time."""


@dataclass(frozen=True)
class Triples:
    """Random hash functions for prints.

    `groups` is the number of groups, `count` the number of functions per group, and `size` the number of squares per
    function. The bucket of a function contains the prints that have minutiae in all of its squares. Two prints are
    candidates if, in every group, at least one bucket contains both: an AND of ORs of ANDs.
    """

    squares: int
    count: int = 1024
    size: int = 3
    groups: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("count", 1), ("size", 1), ("groups", 1), ("seed", 0)):
            check_whole(name, getattr(self, name), least)
        if self.size > self.squares:
            raise InvalidOption("grid-too-small", size=self.size, squares=self.squares)

    @cached_property
    def drawn(self) -> npt.NDArray[np.int64]:
        """The squares of all functions, with one function per row. The functions of the first group come first."""
        rng = np.random.default_rng(self.seed)
        drawn = [rng.choice(self.squares, self.size, replace=False) for _ in range(self.groups * self.count)]
        return np.sort(np.array(drawn, np.int64), axis=1)

    def buckets(self, sets: Shingles, group: int = 0) -> Shingles:
        """Returns, for each set of squares, the functions of one group whose buckets contain the set."""
        drawn = self.drawn[group * self.count : (group + 1) * self.count]
        wanted = np.unique(drawn)  # other squares are irrelevant, and a grid may have very many
        places = np.searchsorted(wanted, drawn)
        functions, sizes = [np.zeros(0, np.uint64)], [np.zeros(1, np.int64)]
        for start in range(0, len(sets), CHUNK):
            stop = min(start + CHUNK, len(sets))
            low, high = sets.offsets[start], sets.offsets[stop]
            has = np.zeros((stop - start, len(wanted)), np.bool_)
            rows = np.repeat(np.arange(stop - start), sets.sizes[start:stop])
            values = sets.values[low:high].astype(np.int64)
            drawn_at = np.isin(values, wanted)
            has[rows[drawn_at], np.searchsorted(wanted, values[drawn_at])] = True
            held = np.ones((stop - start, self.count), np.bool_)
            for place in places.T:
                held &= has[:, place]
            row, function = np.nonzero(held)
            sizes.append(np.bincount(row, minlength=stop - start))
            functions.append(function.astype(np.uint64))
        return Shingles(np.cumsum(np.concatenate(sizes)), np.concatenate(functions), sets.start)

    # Theory

    def chance(self, shared: Any) -> Any:
        """Returns the probability that two prints with this number of squares in common are candidates."""
        shared = np.asarray(shared, np.float64)
        one = np.ones_like(shared)
        for i in range(self.size):
            one *= np.maximum(shared - i, 0) / (self.squares - i)
        return (1 - (1 - one) ** self.count) ** self.groups

    def rate(self, both: float) -> float:
        """Returns the probability that two prints are candidates, if each square is filled in both with probability
        `both`.

        Squares are independent, so the number of common squares is binomial. `book_rate` is the limit for many squares,
        which ignores that pairs differ in the number of common squares.
        """
        mean = self.squares * both
        most = min(self.squares, int(mean + 40 * mean**0.5) + 100)  # larger counts have probability below 10^-60
        return float(binomial(self.squares, both, most) @ self.chance(np.arange(most + 1)))


def book_rate(both: float, count: int = 1024, size: int = 3, groups: int = 1) -> float:
    """Returns the textbook's approximation of `Triples.rate`, under the assumption that the functions are independent.

    >>> same = book_rate(BOOK_MINUTIA * BOOK_AGAIN)
    >>> different = book_rate(BOOK_MINUTIA**2)
    >>> f"{same:.3f} of the prints of a finger are found, and {different:.3f} of the others are false candidates"
    '0.985 of the prints of a finger are found, and 0.063 of the others are false candidates'
    """
    return (1 - (1 - both**size) ** count) ** groups


def binomial(n: int, p: float, most: int | None = None) -> npt.NDArray[np.float64]:
    """Returns the binomial probabilities of 0 to n successes. With `most`, the probability of more than `most`
    successes is assumed to be negligible."""
    most = n if most is None else most
    if p <= 0 or p >= 1:
        certain = np.zeros(most + 1)
        certain[0 if p <= 0 else most] = 1
        return certain
    done = np.arange(most)
    steps = np.log(n - done) - np.log(done + 1) + np.log(p) - np.log1p(-p)
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())
