"""Fingerprints that are not aligned, for the CPU kernel. `prints.py` documents the methods."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lookalike.flow.arrays import Hashes, Rows
from lookalike.kernel import _native
from lookalike.kernel.prints import Alignments, Cells, Described, Minutiae, PrintKeys, Tolerance, Votes


class CpuPrints:
    """The methods of `Cpu` for fingerprints."""

    threads: int

    def print_neighbourhoods(self, minutiae: Minutiae, cells: Cells) -> Hashes:
        around = (cells.places, cells.sectors, cells.distance, cells.turn)
        return _native.print_neighbourhoods(minutiae.offsets, minutiae.points, *around, self.threads)

    def print_keys(self, sets: Hashes, ranks: npt.NDArray[np.uint16], bands: int) -> PrintKeys:
        return _native.print_keys(sets, ranks, bands, self.threads)

    def print_votes(
        self, one: Described, two: Described | None, *, numerator: int, denominator: int, least: int
    ) -> Votes:
        left, right = _columns(one), _columns(one if two is None else two)
        right_keys = (one if two is None else two).keys
        share, within = (numerator, denominator), two is None
        return Votes(*_native.print_votes(*left, one.keys, *right, right_keys, *share, least, within, self.threads))

    def align_prints(self, one: Described, two: Described, left: Rows, right: Rows, tolerance: Tolerance) -> Alignments:
        near, share = (tolerance.distance, tolerance.cosine), (tolerance.numerator, tolerance.denominator)
        sides = (*_columns(one), *_columns(two))
        return Alignments(*_native.align_prints(*sides, left, right, *near, *share, tolerance.tries, self.threads))


def _columns(one: Described) -> tuple[Rows, npt.NDArray[np.float64], Hashes]:
    return one.minutiae.offsets, one.minutiae.points, one.sets
