"""Descriptors: a few low frequencies of a thumbnail's light and colour, as a vector of whole numbers.

These are the coefficients whose signs make up the hash pHash. The signs of small coefficients are noise: pictures of
few shapes have many such coefficients, and two copies of the same icon can differ in half of their bits. In the cosine
of two vectors, small coefficients have little weight. In pictures that were rendered for measuring, the cosine of a
picture and its scaled or recompressed copy was at least 0.98.

If up to a tenth of a picture is cut off, the cosine can drop to 0.4, because edges move. Every picture is therefore
also described as it would look if it were cropped in 15 ways, and some description is then near that of the copy.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lookalike.apps.images.thumbnails import SIDE

Vectors = npt.NDArray[np.float32]

LIGHT, COLOUR = 10, 4
"""The number of frequencies in each direction, for light and for each of the two colour differences."""

LENGTH = 2000
"""The length of a vector. The components are rounded to whole numbers, so that float32 holds every product of two
vectors exactly (below 2²⁴), and a product does not depend on the order in which its terms are added."""

CUTS = ((0.0, 0.0), (0.04, 0.01), (0.01, 0.04), (0.035, 0.035))
"""The shares that are cut off at the start and at the end of an axis. Every combination of two is tried."""

YCC = np.array([[0.299, 0.587, 0.114], [-0.169, -0.331, 0.5], [0.5, -0.419, -0.081]])


def _cosines(count: int) -> npt.NDArray[np.float64]:
    """Returns the matrix of the cosine transform, with one frequency per row, orthonormal."""
    at = (np.arange(SIDE) + 0.5) / SIDE
    rows: npt.NDArray[np.float64] = np.cos(np.pi * np.arange(count)[:, None] * at) * np.sqrt(2 / SIDE)
    rows[0] /= np.sqrt(2)
    return rows


def _cropping(start: float, end: float) -> npt.NDArray[np.float64]:
    """Returns the matrix that cuts these shares off an axis and stretches the rest to the full length."""
    at = np.clip((start + (np.arange(SIDE) + 0.5) / SIDE * (1 - start - end)) * SIDE - 0.5, 0, SIDE - 1)
    below = np.minimum(at.astype(int), SIDE - 2)
    matrix = np.zeros((SIDE, SIDE))
    matrix[np.arange(SIDE), below] = 1 - (at - below)
    matrix[np.arange(SIDE), below + 1] += at - below
    return matrix


_AXIS = np.concatenate([_cosines(LIGHT) @ _cropping(*cut) for cut in CUTS]).astype(np.float32)
_FREQUENCY = np.hypot(*np.mgrid[0:LIGHT, 0:LIGHT])
_WEIGHT = _FREQUENCY.astype(np.float32)
"""Weights of frequencies. Without weights, the lowest frequencies would decide alone. The mean light counts nothing."""
_COLOUR_WEIGHT = np.where(_FREQUENCY[:COLOUR, :COLOUR] == 0, 1, _WEIGHT[:COLOUR, :COLOUR]).astype(np.float32)

CROPS = [(across, down) for across in range(len(CUTS)) for down in range(len(CUTS))]
"""The ways to crop a picture, as places in `CUTS`. The first leaves it as it is."""

DIMENSIONS = LIGHT**2 + 2 * COLOUR**2


def channels_of(pixels: npt.NDArray[np.uint8] | npt.NDArray[np.float32]) -> Vectors:
    """Returns the light and the two colour differences of thumbnails: 3 × count × SIDE × SIDE."""
    red, green, blue = (pixels[..., channel].astype(np.float32) for channel in range(3))
    return np.stack([a * red + b * green + c * blue for a, b, c in YCC.tolist()])


def describe(channels: Vectors) -> Vectors:
    """Returns the vectors of thumbnails as they are: count × DIMENSIONS."""
    return np.asarray(_described(channels, _AXIS[:LIGHT])[0])


def describe_crops(channels: Vectors) -> Vectors:
    """Returns the vectors of thumbnails in each crop: crops × count × DIMENSIONS."""
    return _described(channels, _AXIS)


def _described(channels: Vectors, axis: Vectors) -> Vectors:
    count, cuts = channels.shape[1], len(axis) // LIGHT
    waves = (axis @ channels @ axis.T).reshape(3, count, cuts, LIGHT, cuts, LIGHT)
    waves = waves.transpose(0, 4, 2, 1, 3, 5).reshape(3, cuts * cuts, count, LIGHT, LIGHT)
    light = waves[0] * _WEIGHT
    colours = waves[1:, :, :, :COLOUR, :COLOUR] * _COLOUR_WEIGHT
    parts = [one.reshape(cuts * cuts, count, -1) for one in (light, *colours)]
    vectors = np.concatenate(parts, axis=2)
    length = np.sqrt((vectors**2).sum(axis=2, keepdims=True))
    return np.asarray(np.rint(vectors * (LENGTH / np.maximum(length, 1e-9))), np.float32)
