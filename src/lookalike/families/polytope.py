"""Cross-polytope hashing: vectors → the nearest of the 2d points ±e₁ … ±e_d after a random turn. For the angle."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lookalike.families.base import Chance, Values
from lookalike.families.hyperplanes import Hyperplanes, in_blocks
from lookalike.flow.checks import check_one_of

TABLE = Path(__file__).with_name("polytope.txt")
"""Made by tools/polytope_table.py, by quadrature."""


@dataclass(frozen=True)
class CrossPolytope(Hyperplanes):
    """Of d random Gaussian projections the one that is greatest in absolute value, and its sign: 2d values.

    Where a hyperplane has two values, this has many, and is better at telling near from far: the same
    probability p₂ for far vectors leaves a greater p₁ for near ones. Its curve has no closed form; it is tabulated.

    >>> CrossPolytope(16).at_distance(90), CrossPolytope(16).at_distance(30)  # 1 / 32
    (0.03125, 0.4...)
    """

    axes: int = 16

    def __post_init__(self) -> None:
        check_one_of("axes", self.axes, sorted(_table()))

    def chance_at(self, distance: float) -> Chance:
        log = _between(_table()[self.axes], distance)
        return Chance(math.exp(log), -math.expm1(log)) if log > LOG_LEAST + 1 else Chance(0.0, 1.0)

    def draw(self, count: int, seed: int) -> Callable[[Any], Values]:
        def values(block: npt.NDArray[np.float64]) -> Values:
            turned = block.reshape(-1, self.axes)
            greatest = np.abs(turned).argmax(axis=1)
            return np.asarray(np.where(turned[np.arange(len(turned)), greatest] > 0, greatest + 1, -greatest - 1))

        return in_blocks(count, seed, self.axes, lambda rng, n, d: rng.standard_normal((n * self.axes, d)), values)


LOG_LEAST = math.log(1e-300)


@cache
def _table() -> dict[int, tuple[float, ...]]:
    """For each number of axes the logarithm of the probability at every whole degree."""
    lines = [line.split() for line in TABLE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    columns = list(zip(*lines, strict=True))[1:]
    return {int(column[0]): tuple(math.log(max(float(p), 1e-300)) for p in column[1:]) for column in columns}


def _between(logs: tuple[float, ...], degrees: float) -> float:
    """The cubic through the four nearest degrees; on a degree its own value."""
    first = min(max(math.floor(degrees) - 1, 0), len(logs) - 4)
    total = 0.0
    for i in range(first, first + 4):
        term = logs[i]
        for j in range(first, first + 4):
            if j != i:
                term *= (degrees - j) / (i - j)
        total += term
    return min(total, 0.0)
