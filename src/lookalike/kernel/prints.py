"""The kernel methods for fingerprints that are not aligned, with their arguments and results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from lookalike.flow.arrays import Hashes, Rows

Numbers = npt.NDArray[np.float64]
PrintKeys = npt.NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class Minutiae:
    """The minutiae of some prints, one print after another."""

    offsets: Rows
    """The position of the first minutia of each print, followed by the number of minutiae."""
    points: Numbers
    """Five rows: x, y (which grows upwards), the angle in degrees (anticlockwise, from 0 to 360), its cosine and its
    sine."""

    def __len__(self) -> int:
        return len(self.offsets) - 1


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells around a minutia: every combination of a place and one of `sectors` directions.

    A neighbour is in all cells whose place is within `distance` of it and whose direction is within `turn` degrees of
    its own.
    """

    places: Numbers
    """Two rows: x and y."""
    sectors: int
    distance: float
    turn: float

    def __len__(self) -> int:
        return int(self.places.shape[1]) * self.sectors


@dataclass(frozen=True, eq=False)
class Described:
    """Minutiae with their neighbourhoods: a set of cells, as bits, and the band keys of this set per minutia."""

    minutiae: Minutiae
    sets: Hashes
    keys: PrintKeys

    def __len__(self) -> int:
        return len(self.minutiae)


class Votes(NamedTuple):
    """Pairs of prints, sorted, and the votes for each. A similarity of 1 counts as 4096."""

    left: Rows
    right: Rows
    votes: Rows


class Alignments(NamedTuple):
    """The best alignment of each pair of prints.

    `strength` is the sum of the similarities of paired minutiae, times the share of minutiae that are paired where both
    prints have an image. The right print is moved onto the left one by turning it about the origin and adding x and y.
    """

    strength: Numbers
    paired: Rows
    cosine: Numbers
    sine: Numbers
    x: Numbers
    y: Numbers


@dataclass(frozen=True)
class Tolerance:
    """How far two minutiae may be apart to be paired, and which pairs of minutiae suggest an alignment."""

    distance: float
    cosine: float
    """The cosine of the largest difference of directions."""
    numerator: int
    denominator: int
    """Minutiae whose Jaccard similarity exceeds this fraction suggest an alignment."""
    tries: int
    """The maximum number of alignments to try per pair of prints."""


class Prints(Protocol):
    """Methods for fingerprints that are not aligned."""

    def print_neighbourhoods(self, minutiae: Minutiae, cells: Cells) -> Hashes:
        """Returns the set of cells around each minutia, as bits."""
        ...

    def print_keys(self, sets: Hashes, ranks: npt.NDArray[np.uint16], bands: int) -> PrintKeys:
        """Returns the band keys of sets of cells.

        `ranks` has one row per cell and one column per hash: the hash of a set is the smallest rank of its cells.
        """
        ...

    def print_votes(
        self, one: Described, two: Described | None, *, numerator: int, denominator: int, least: int
    ) -> Votes:
        """Finds the pairs of prints with more than `least` votes; if `two` is None, among the prints of `one`.

        Two minutiae vote for their prints if they share a band key and if their Jaccard similarity exceeds the
        fraction. Votes for different rotations are not added up.
        """
        ...

    def align_prints(self, one: Described, two: Described, left: Rows, right: Rows, tolerance: Tolerance) -> Alignments:
        """Returns the best alignment of each pair of prints."""
        ...
