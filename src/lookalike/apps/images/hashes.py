"""The perceptual hashes dHash and pHash of thumbnails, for other programs. lookalike itself compares the coefficients
whose signs pHash is made of (see `descriptors`)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lookalike.apps.images.descriptors import YCC
from lookalike.apps.images.thumbnails import SIDE, Pixels

ROUNDED = 3
"""The number of decimal places that count. Otherwise rounding errors would decide in areas of one colour."""

Hashes = npt.NDArray[np.uint64]


def difference_hashes(pixels: Pixels) -> Hashes:
    """Returns the dHash of thumbnails: 8 rows of 9 squares; a bit is 1 if a square is brighter than its left neighbour.

    The first row has the highest bits.
    """
    light = pixels.astype(np.float64) @ YCC[0]
    squares = _averaging(8) @ light @ _averaging(9).T
    squares = np.round(squares, ROUNDED)
    return _packed(squares[:, :, 1:] > squares[:, :, :-1])


def frequency_hashes(pixels: Pixels) -> Hashes:
    """Returns the pHash of thumbnails: which of the 8 × 8 lowest frequencies have a coefficient above the median.

    The coefficients are those of 32 × 32 pixels. The mean light is not counted for the median.
    """
    light = pixels.astype(np.float64) @ YCC[0]
    small = light.reshape(len(light), SIDE // 2, 2, SIDE // 2, 2).mean(axis=(2, 4))
    at = (np.arange(SIDE // 2) + 0.5) / (SIDE // 2)
    waves = np.cos(np.pi * np.arange(8)[:, None] * at)
    coefficients = np.round((waves @ small @ waves.T).reshape(-1, 64), ROUNDED)
    middle = np.median(coefficients[:, 1:], axis=1) if len(coefficients) else np.zeros(0)
    return _packed((coefficients > middle[:, None]).reshape(-1, 8, 8))


def _averaging(count: int) -> npt.NDArray[np.float64]:
    """Returns the matrix that averages SIDE pixels to `count` squares of equal width."""
    edges = np.linspace(0, SIDE, count + 1)
    pixel = np.arange(SIDE)
    width: npt.NDArray[np.float64] = np.minimum(edges[1:, None], pixel + 1) - np.maximum(edges[:-1, None], pixel)
    shares = np.maximum(width, 0)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _packed(bits: npt.NDArray[np.bool_]) -> Hashes:
    packed = np.packbits(bits.reshape(-1, 64), axis=1)
    return packed.view(">u8").astype(np.uint64).reshape(-1)
