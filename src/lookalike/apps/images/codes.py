"""Codes: 128 bits per descriptor. The number of bits in which two codes differ tells the angle between descriptors.

Each bit is the side of a random hyperplane on which the descriptor is (Charikar, 2002), so two descriptors at an angle
of θ differ in 128 · θ / π bits, on average. A picture that is turned by 90 degrees has the same frequencies with rows
and columns exchanged and some signs changed. So the codes of the turned picture are the sides of turned hyperplanes,
and each picture needs to be described in one direction only.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lookalike.apps.images.descriptors import COLOUR, DIMENSIONS, LIGHT, Vectors
from lookalike.flow.arrays import Rows
from lookalike.kernel import default

BITS = 128

Codes = npt.NDArray[np.uint64]


def turned(vectors: Vectors, turns: int) -> Vectors:
    """Returns the descriptors of pictures after quarter turns anticlockwise, from those of the pictures."""
    if turns % 4 == 0:
        return vectors
    parts, at = [], 0
    for side in (LIGHT, COLOUR, COLOUR):
        waves = vectors[..., at : at + side * side].reshape(*vectors.shape[:-1], side, side)
        at += side * side
        for _ in range(turns % 4):  # rows become columns, and up is down: odd frequencies down change their sign
            waves = np.swapaxes(waves, -1, -2) * np.where(np.arange(side) % 2, -1, 1)[:, None].astype(vectors.dtype)
        parts.append(waves.reshape(*vectors.shape[:-1], side * side))
    return np.concatenate(parts, axis=-1)


def _hyperplanes() -> Vectors:
    """Returns random directions of +1 and −1. Products with them are sums of whole numbers, exact in float32."""
    rng = np.random.default_rng(20_02)
    return np.asarray(rng.integers(0, 2, (BITS, DIMENSIONS)) * 2 - 1, np.float32)


_PLANES = _hyperplanes()
_TURNED = np.concatenate([turned(_PLANES, -turns) for turns in range(4)])
"""The hyperplanes, turned back by each number of quarter turns."""


def code(vectors: Vectors) -> Codes:
    """Returns the codes of descriptors: count × 2 words."""
    return _packed(vectors @ _PLANES.T)


def codes_of_turns(vectors: Vectors) -> Codes:
    """Returns the codes after 0 to 3 quarter turns anticlockwise: count × 4 × 2 words."""
    return _packed((vectors @ _TURNED.T).reshape(*vectors.shape[:-1], 4, BITS))


def differing_bits(one: Codes, two: Codes, left: Rows, right: Rows, threads: int) -> Rows:
    """Returns the number of bits in which the codes of each pair differ."""
    kernel = default(threads)
    own, other = kernel.common_ones(one, one, left, left), kernel.common_ones(two, two, right, right)
    return own + other - 2 * kernel.common_ones(one, two, left, right)


def _packed(sides: Vectors) -> Codes:
    return np.packbits(sides > 0, axis=-1).view(np.uint64)
