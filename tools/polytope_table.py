"""Writes src/lookalike/families/polytope.txt: how often cross-polytope hashes collide, by angle and number of axes.

    python tools/polytope_table.py [--check]

There is no closed form, but a double integral. Each axis gives two vectors at the angle θ a pair of Gaussian numbers
(X, Y) of correlation ρ = cos θ, independent of the other axes. The hashes are equal if on one of the d axes both are
the greatest of their vector in absolute value, with equal signs:

    p = 2d · ∫∫ φ(x, y; ρ) · G(x, y; ρ)^(d − 1) dx dy   over x, y > 0,   where G(x, y; ρ) = Pr[|X| < x and |Y| < y].

G grows with the correlation as bivariate Gaussian densities do (Plackett, 1954), so that it is an integral, too:

    G(x, y; ρ) = G(x, y; 0) + 2 · ∫ φ(x, y; r) − φ(x, −y; r) dr   over r from 0 to ρ.

All are taken by Gauss-Legendre quadrature, in variables in which they are smooth: y = ρx + √(1 − ρ²)·z and r = sin α.
On one axis the answer is known, 1 − θ/180°, and on two its square; `--check` compares these, and the file.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

PAGE = Path(__file__).resolve().parents[1] / "src/lookalike/families/polytope.txt"
AXES = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
LEAST = 1e-300
FAR = 9.0
"""Gaussian numbers beyond this are left out."""

Numbers = npt.NDArray[np.float64]
erf = np.vectorize(math.erf, otypes=[np.float64])


def probabilities(degrees: float, axes: tuple[int, ...], nodes: int = 96) -> list[float]:
    """The collision probability at this angle for each number of axes."""
    if degrees in (0, 180):
        return [1.0 if degrees == 0 else 0.0] * len(axes)
    rho = math.cos(math.radians(degrees))
    spread = math.sin(math.radians(degrees))
    at, weight = np.polynomial.legendre.leggauss(nodes)
    turn = min(FAR * spread / max(abs(rho), spread), FAR - 1)  # where the lower end of z changes its course
    pieces = [(0.0, turn), (turn, FAR)]
    x = np.concatenate([a + (b - a) * (at + 1) / 2 for a, b in pieces])
    x_weight = np.concatenate([(b - a) * weight / 2 for a, b in pieces])
    low = np.maximum(-FAR, -rho * x / spread)
    high = np.maximum(FAR, low + FAR)
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
    # the densities are sharp where the correlation is nearly 1: nodes crowd there
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
    """The file as it should be."""
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
        PAGE.write_text(table(), encoding="utf-8")
    elif PAGE.read_text(encoding="utf-8") != table():
        sys.exit(f"{PAGE.name} is stale: run python tools/polytope_table.py")


if __name__ == "__main__":
    main()
