"""Generates random fingers and prints, and predicts how often they become candidates.

This is used in tests and tutorials, and to choose a grid.

A finger has a minutia in each square with probability `minutia`, at a random position. A print misses each minutia with
probability `missing`, shifts the others by a normal `jitter` in x and y (in sides of a square), and has a false minutia
in each square with probability `spurious`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lookalike.apps.fingerprints.grid import Grid
from lookalike.apps.fingerprints.minutiae import Numbers, Print
from lookalike.apps.fingerprints.triples import BOOK_AGAIN, BOOK_MINUTIA, Triples
from lookalike.errors import InvalidOption

NODES, WEIGHTS = np.polynomial.legendre.leggauss(64)
PLACES, WEIGHTS = (NODES + 1) / 2, WEIGHTS / 2


@dataclass(frozen=True)
class Model:
    """A random model of fingers and their prints.

    The defaults are those of the textbook (MMDS, chapter 3): a print has a minutia in a square with probability 0.2. If
    one print has a minutia in a square, another print of the same finger also has one there with probability 0.8.
    """

    grid: Grid
    minutia: float = BOOK_MINUTIA / BOOK_AGAIN
    missing: float = 1 - BOOK_AGAIN
    jitter: float = 0.0
    spurious: float = 0.0

    def fingers(self, count: int, prints: int, seed: int) -> list[list[Print]]:
        """Generates random fingers. `count` is the number of fingers, and `prints` the number of prints per finger."""
        rng = np.random.default_rng(seed)
        return [self._prints(f"finger{i}", prints, rng) for i in range(count)]

    def _prints(self, name: str, count: int, rng: np.random.Generator) -> list[Print]:
        x, y = self._scattered(self.minutia, rng)
        found = []
        for number in range(count):
            there = rng.random(len(x)) >= self.missing
            shift = rng.normal(0, self.jitter * self.grid.side, (2, len(x)))
            false_x, false_y = self._scattered(self.spurious, rng)
            found.append(
                Print(
                    f"{name}-{number}",
                    np.concatenate([(x + shift[0])[there], false_x]),
                    np.concatenate([(y + shift[1])[there], false_y]),
                )
            )
        return found

    def _scattered(self, chance: float, rng: np.random.Generator) -> tuple[Numbers, Numbers]:
        columns, rows = self.grid.columns, self.grid.rows
        squares = np.flatnonzero(rng.random(columns * rows) < chance)
        inside = rng.random((2, len(squares)))
        return (squares % columns + inside[0]) * self.grid.side, (squares // columns + inside[1]) * self.grid.side

    # Expected rates

    def same(self, triples: Triples) -> float:
        """Returns the probability that two prints of one finger become a candidate pair."""
        return triples.rate(self._both()[0])

    def different(self, triples: Triples) -> float:
        """Returns the probability that prints of two different fingers become a candidate pair."""
        return triples.rate(self._both()[1])

    def _both(self) -> tuple[float, float]:
        """Returns the mean probability that a square is filled in two prints, for one finger and for two fingers.

        Given the finger, its prints are independent: a square is filled in both with probability q², where q is the
        probability that it is filled in one. A square is empty if no minutia nearby is shifted into it and it has no
        false minutia; minutiae are independent.
        """
        if self.grid.margin or self.grid.sectors > 1:
            raise InvalidOption("no-expected-rate")
        across, down = _arrivals(self.grid.columns, self.jitter), _arrivals(self.grid.rows, self.jitter)
        seen = 1 - self.missing
        same = different = 0.0
        for first_x, second_x in across:
            for first_y, second_y in down:
                one, two = np.outer(first_x, first_y), np.outer(second_x, second_y)
                none = (1 - self.spurious) * np.prod(1 - self.minutia * seen * one)
                none_in_both = (1 - self.spurious) ** 2 * np.prod(1 - self.minutia * (2 * seen * one - seen**2 * two))
                same += float(1 - 2 * none + none_in_both)
                different += float((1 - none) ** 2)
        count = len(across) * len(down)
        return same / count, different / count


def _arrivals(length: int, jitter: float) -> list[tuple[Numbers, Numbers]]:
    """Returns the probabilities that points are shifted from nearby intervals into each of `length` intervals.

    For each nearby interval, these are the mean probability over all positions of the point, and the mean squared
    probability.
    """
    if not jitter:
        return [(np.ones(1), np.ones(1))]  # without jitter, every point stays in its own interval
    found = []
    for here in range(length):
        near = range(max(0, here - 6), min(length, here + 7)) if jitter <= 1 else range(length)
        chances = [
            [_normal((here + 1 - at - x) / jitter) - _normal((here - at - x) / jitter) for x in PLACES] for at in near
        ]
        table = np.array(chances)
        found.append((table @ WEIGHTS, table**2 @ WEIGHTS))
    return found


def _normal(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2))
