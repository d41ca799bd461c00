"""Writes src/lookalike/families/polytope.txt: collision probabilities of cross-polytope hashes by angle and axes.

    python tools/polytope_table.py            write the file
    python tools/polytope_table.py --check    fail if the file is out of date

There is no closed form, but a double integral. On each axis, two vectors at the angle θ have coordinates (X, Y): a pair
of Gaussian numbers with correlation ρ = cos θ, independent of the other axes. The hashes are equal if, on one of the d
axes, both coordinates are the greatest of their vector in absolute value and have equal signs:

    p = 2d · ∫∫ φ(x, y; ρ) · G(x, y; ρ)^(d − 1) dx dy   over x, y > 0,   where G(x, y; ρ) = Pr[|X| < x and |Y| < y].

The derivative of G by the correlation is a difference of bivariate Gaussian densities (Plackett, 1954), so G is an
integral too:

    G(x, y; ρ) = G(x, y; 0) + 2 · ∫ φ(x, y; r) − φ(x, −y; r) dr   over r from 0 to ρ.

The integrals are computed by Gauss-Legendre quadrature, in variables in which they are smooth: y = ρx + √(1 − ρ²)·z and
r = sin α. On one axis the probability is known to be 1 − θ/180°, and on two axes its square. Both are checked.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

TARGET = Path(__file__).resolve().parents[1] / "src/lookalike/families/polytope.txt"
AXES = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
LEAST = 1e-300
GREATEST = 9.0
"""The limit of integration, in absolute value."""

Numbers = npt.NDArray[np.float64]
erf = np.vectorize(math.erf, otypes=[np.float64])


def probabilities(degrees: float, axes: tuple[int, ...], nodes: int = 96) -> list[float]:
    """Returns the collision probability at this angle for each number of axes."""
    if degrees in (0, 180):
        return [1.0 if degrees == 0 else 0.0] * len(axes)
    rho = math.cos(math.radians(degrees))
    spread = math.sin(math.radians(degrees))
    at, weight = np.polynomial.legendre.leggauss(nodes)
    turn = min(GREATEST * spread / max(abs(rho), spread), GREATEST - 1)  # where the lower bound of z has a kink
    pieces = [(0.0, turn), (turn, GREATEST)]
    x = np.concatenate([a + (b - a) * (at + 1) / 2 for a, b in pieces])
    x_weight = np.concatenate([(b - a) * weight / 2 for a, b in pieces])
    low = np.maximum(-GREATEST, -rho * x / spread)
    high = np.maximum(GREATEST, low + GREATEST)
    z = low[:, None] + (high - low)[:, None] * (at + 1) / 2
    z_weight = (high - low)[:, None] * weight / 2
    y = np.maximum(rho * x[:, None] + spread * z, 0.0)
    with np.errstate(divide="ignore"):
        log_g = np.log(np.maximum(_both_below(x[:, None] + 0 * z, y, math.asin(rho)), 1e-320))
    density = np.exp(-(x[:, None] ** 2 + z**2) / 2) / (2 * math.pi)
    return [float((2 * d * x_weight[:, None] * z_weight * density * np.exp((d - 1) * log_g)).sum()) for d in axes]


def _both_below(x: Numbers, y: Numbers, angle: float, nodes: int = 120) -> Numbers:
    total = erf(x / math.sqrt(2)) * erf(y / math.sqrt(2))
    at, weight = np.polynomial.legendre.leggauss(nodes)
    # The densities have sharp peaks where the correlation is nearly 1, so more nodes are placed there.
    share = (at + 1) / 2
    alphas = angle * (1 - (1 - share) ** 3)
    steps = angle * 3 * (1 - share) ** 2 * weight / 2
    for alpha, step in zip(alphas, steps, strict=True):
        sine, cosine = math.sin(alpha), math.cos(alpha)
        same = np.exp(-(x * x - 2 * sine * x * y + y * y) / (2 * cosine**2))
        other = np.exp(-(x * x + 2 * sine * x * y + y * y) / (2 * cosine**2))
        total += step * (same - other) / math.pi
    return np.asarray(np.clip(total, 0.0, 1.0))


def table() -> str:
    """Returns the text that the file should have."""
    lines = [
        "# Collision probability of cross-polytope hashes: angle in degrees, then one column for each number of axes.",
        "# Made by tools/polytope_table.py, which says how. Below 1e-300 it is given as 0.",
        "axes " + " ".join(map(str, AXES)),
    ]
    for degrees in range(181):
        row = probabilities(degrees, AXES)
        lines.append(f"{degrees} " + " ".join(f"{p:.8g}" if p >= LEAST else "0" for p in row))
    return "\n".join(lines) + "\n"


def main() -> None:
    for degrees in (1, 10, 45, 90, 135, 179):
        known = 1 - degrees / 180
        one, two = probabilities(degrees, (1, 2))
        assert abs(one - known) < 1e-12, f"on one axis {degrees}° should give {known}, got {one}"
        assert abs(two - known**2) < 1e-12, f"on two axes {degrees}° should give {known**2}, got {two}"
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(table(), encoding="utf-8")
    elif TARGET.read_text(encoding="utf-8") != table():
        sys.exit(f"{TARGET.name} is out of date: run python tools/polytope_table.py")


if __name__ == "__main__":
    main()
