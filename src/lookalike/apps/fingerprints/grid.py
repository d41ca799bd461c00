"""Converts a print to the set of grid squares that contain its minutiae."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from lookalike.apps.fingerprints.minutiae import Print
from lookalike.errors import InvalidOption
from lookalike.flow import Shingles
from lookalike.flow.checks import check_whole

MOST_SQUARES = 100_000_000
"""The maximum number of squares of a grid. A larger grid must be a mistake, since a finger needs a few hundred
squares."""


@dataclass(frozen=True)
class Grid:
    """A grid of squares, each with sides of length `side`.

    The full circle of directions is divided into `sectors` equal parts. Minutiae in the same square count as different
    if the directions of their ridges are in different parts.

    A minutia closer than `margin` to the border of its square also counts in the neighbouring square, so that small
    shifts do not matter.
    """

    columns: int
    rows: int
    side: float = 1.0
    sectors: int = 1
    margin: float = 0.0

    def __post_init__(self) -> None:
        for name, value in (("columns", self.columns), ("rows", self.rows), ("sectors", self.sectors)):
            check_whole(name, value, 1)
        if not self.side > 0:
            raise InvalidOption("side-not-positive", value=self.side)
        if not 0 <= self.margin <= self.side / 2:
            raise InvalidOption("margin-out-of-range", value=self.margin)
        if self.squares > MOST_SQUARES:
            raise InvalidOption("grid-too-large", most=MOST_SQUARES)

    @classmethod
    def over(cls, prints: Iterable[Print], side: float = 1.0, sectors: int = 1, margin: float = 0.0) -> Grid:
        """Returns the smallest grid that covers all minutiae of these prints."""
        cls(1, 1, side, sectors, margin)  # checks the options
        held = [one for one in prints if len(one)]
        across = max((float(one.x.max()) for one in held), default=0.0)
        down = max((float(one.y.max()) for one in held), default=0.0)
        return cls(_up_to(across, side), _up_to(down, side), side, sectors, margin)

    @property
    def squares(self) -> int:
        return self.columns * self.rows * self.sectors

    def of(self, one: Print) -> npt.NDArray[np.int64]:
        """Returns the numbers of the squares that contain a print's minutiae, in ascending order.

        Minutiae outside the grid are ignored.
        """
        if self.sectors > 1 and one.angle is None:
            raise InvalidOption("print-without-angles", name=one.name)
        near = (0.0,) if not self.margin else (-self.margin, self.margin)
        turn = 360 / self.sectors
        turns = (
            (0.0,)
            if self.sectors == 1 or not self.margin
            else (-turn * self.margin / self.side, turn * self.margin / self.side)
        )
        found = []
        for dx, dy, da in product(near, near, turns):
            column, row = (one.x + dx) // self.side, (one.y + dy) // self.side
            inside = (column >= 0) & (column < self.columns) & (row >= 0) & (row < self.rows)
            # an angle just below 0 is rounded to 360, which belongs to the last sector
            sector = 0 if one.angle is None else np.minimum((one.angle + da) % 360 // turn, self.sectors - 1)
            found.append(((row * self.columns + column) * self.sectors + sector)[inside])
        return np.unique(np.concatenate(found).astype(np.int64))

    def sets(self, prints: Iterable[Print]) -> Shingles:
        """Converts each print to its set of squares."""
        sets = [self.of(one).astype(np.uint64) for one in prints]
        offsets = np.cumsum([0, *map(len, sets)], dtype=np.int64)
        return Shingles(offsets, np.concatenate([np.zeros(0, np.uint64), *sets]))


def _up_to(reach: float, side: float) -> int:
    """Returns the number of squares from 0 to `reach`; MOST_SQUARES + 1 if there are too many."""
    return int(reach // side) + 1 if reach / side < MOST_SQUARES else MOST_SQUARES + 1
