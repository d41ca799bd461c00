"""Describes each minutia by the minutiae around it, as seen from it: sets that no shift or rotation of a print changes.

A square grid is laid around each minutia, with its x axis in the direction of the ridge. The set contains the cells in
which other minutiae lie: a cell is a place on this grid and a direction, relative to that of the minutia. Prints are
distorted, so a minutia counts in every cell within a tolerance. Two minutiae are compared by the Jaccard similarity of
their sets.

All sizes are multiples of the distance between two ridges, which is about 9 pixels at 500 dots per inch.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lookalike.apps.fingerprints.minutiae import Print
from lookalike.errors import InvalidOption
from lookalike.kernel import default
from lookalike.kernel.prints import Cells, Described, Minutiae, Tolerance

RIDGE = 9 / 500 * 25.4
"""The distance between two ridges of an adult's finger, in millimetres."""

REACH = 8 * RIDGE
"""The radius of a neighbourhood. It contains about nine other minutiae."""

SIDE = 2 * RIDGE
"""The distance between the places of neighbouring cells."""

NEAR = 1.5 * RIDGE
"""How far a minutia may be from the place of a cell, or, in an alignment, from its partner."""

SECTORS, TURN = 6, 45.0
"""The number of directions, and how far that of a minutia may differ from that of a cell, in degrees. Neighbouring
directions overlap, because the angles of minutiae are uncertain by 10 to 15 degrees.
"""

PAIRED_TURN = 20.0
"""How far the directions of paired minutiae may differ in an alignment, in degrees."""

SIMILAR = 3, 10
"""Minutiae with a Jaccard similarity above this fraction are evidence that two prints show the same finger."""

TRIES = 16
"""The maximum number of alignments that are tried per pair of prints."""

BANDS, ROWS = 64, 3
"""The bands and rows of MinHash for neighbourhoods: two sets of similarity 0.3 share a band with probability 0.83, and
two of similarity 0.4 with probability 0.99. Most of the others have a similarity below 0.1 (0.06)."""

TERMS = 9
"""The number of terms of a Taylor series: the next one is below 10^-17 for an eighth of the circle."""

Numbers = npt.NDArray[np.float64]


def _places() -> Numbers:
    across = round(2 * REACH / SIDE)
    centres = (np.arange(across) - (across - 1) / 2) * SIDE
    x, y = (axis.ravel() for axis in np.meshgrid(centres, centres))
    inside = x**2 + y**2 <= REACH**2
    return np.stack([x[inside], y[inside]])


@dataclass(frozen=True)
class How:
    """How prints are described."""

    seed: int = 0
    clockwise: bool = False
    """Whether the angles of minutiae grow clockwise."""
    threads: int = 1


CELLS = Cells(_places(), SECTORS, NEAR, TURN)

TOLERANCE = Tolerance(NEAR, math.cos(math.radians(PAIRED_TURN)), *SIMILAR, TRIES)


def table_of(prints: Sequence[Print], *, clockwise: bool = False, mirrored: bool = False) -> Minutiae:
    """Converts prints to one table of minutiae, in which y grows upwards; `mirrored` exchanges left and right.

    With `clockwise`, angles in prints grow clockwise.
    """
    for one in prints:
        if one.angle is None and len(one):
            raise InvalidOption("print-without-directions", name=one.name)
    nothing = np.zeros(0)
    x = np.concatenate([nothing, *(one.x for one in prints)])
    y = -np.concatenate([nothing, *(one.y for one in prints)])
    angle = np.concatenate([nothing, *(one.angle for one in prints if one.angle is not None and len(one))])
    if clockwise:
        angle = -angle
    if mirrored:
        x, angle = -x, 180 - angle
    angle = angle % 360
    angle[angle >= 360] = 0  # an angle just below 0 is rounded to 360
    points = np.stack([x, y, angle, *cosine_and_sine(angle)])
    return Minutiae(np.cumsum([0, *map(len, prints)], dtype=np.int64), np.ascontiguousarray(points, np.float64))


def cosine_and_sine(degrees: Numbers) -> tuple[Numbers, Numbers]:
    """Returns the cosines and sines of angles from 0 to 360.

    The functions of NumPy differ between processors in the last bit, but sums and products are the same everywhere. The
    Taylor series is exact to the last bits because angles are first reduced to an eighth of the circle.
    """
    quarter = np.rint(degrees / 90)
    x = (degrees - 90 * quarter) * (np.pi / 180)
    square = x * x
    cosine, sine = np.ones_like(x), np.ones_like(x)
    for n in range(TERMS, 0, -1):
        cosine = 1 - square * cosine / (2 * n * (2 * n - 1))
        sine = 1 - square * sine / (2 * n * (2 * n + 1))
    sine = x * sine
    turned = quarter.astype(np.int64) % 4
    across = np.choose(turned, [cosine, -sine, -cosine, sine])
    return across, np.choose(turned, [sine, cosine, -sine, -cosine])


def describe(prints: Sequence[Print], how: How, *, mirrored: bool = False) -> Described:
    """Returns the minutiae of these prints with their neighbourhoods and band keys."""
    kernel = default(how.threads)
    minutiae = table_of(prints, clockwise=how.clockwise, mirrored=mirrored)
    sets = kernel.print_neighbourhoods(minutiae, CELLS)
    return Described(minutiae, sets, kernel.print_keys(sets, permutations(how.seed), BANDS))


def permutations(seed: int) -> npt.NDArray[np.uint16]:
    """The hash functions: each column is a random permutation of the cells."""
    rng = np.random.default_rng(seed)
    drawn = [rng.permutation(len(CELLS)) for _ in range(BANDS * ROWS)]
    return np.ascontiguousarray(np.stack(drawn, axis=1), np.uint16)
