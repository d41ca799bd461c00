"""Descriptors: low frequencies of a thumbnail's light and colour, as a vector of whole numbers.

These are coefficients of the cosine transform, whose signs make up the hash pHash. The signs of small coefficients are
noise: pictures of few shapes have many such coefficients, and two copies of the same icon can differ in half of their
bits. In the cosine of two vectors, small coefficients have little weight.

If up to a tenth of a picture is cut off, the cosine can drop to 0.4, because edges move. Every picture is therefore
also described as it would look if it were cropped in 48 ways, and some description is then near that of the copy. The
cosine of crops and their best description is at least 0.95, as a rule; that of other copies is at least 0.98.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lookalike.apps.images.thumbnails import SIDE

Vectors = npt.NDArray[np.float32]

LIGHT, COLOUR = 16, 4
"""The number of frequencies in each direction, for light and for each of the two colour differences."""

LENGTH = 2000
"""The length of a vector. The components are rounded to whole numbers, so that float32 holds every product of two
vectors exactly (below 2²⁴), and a product does not depend on the order in which its terms are added."""

CUTS = ((0.0, 0.0), (0.04, 0.01), (0.01, 0.04), (0.04, 0.04), (0.015, 0.015), (0.025, 0.0), (0.0, 0.025))
"""The shares that are cut off at the start and at the end of an axis. Every combination of two is tried. The reverse of
a cut is a cut too, so that a picture that was cropped and turned is a turned picture that was cropped."""

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


_LIGHT_AXES, _COLOUR_AXES = (
    np.stack([_cosines(count) @ _cropping(*cut) for cut in CUTS]).astype(np.float32) for count in (LIGHT, COLOUR)
)
_FREQUENCY = np.hypot(*np.mgrid[0:LIGHT, 0:LIGHT])
_WEIGHT = np.where(_FREQUENCY <= LIGHT, np.sqrt(_FREQUENCY), 0).astype(np.float32)
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
    return describe_crop(channels, 0)


def describe_crop(channels: Vectors, crop: int) -> Vectors:
    """Returns the vectors of thumbnails in one crop: count × DIMENSIONS."""
    across, down = CROPS[crop]
    light, colours = (
        axes[down] @ some @ axes[across].T for axes, some in ((_LIGHT_AXES, channels[0]), (_COLOUR_AXES, channels[1:]))
    )
    return np.asarray(_weighted(light[None], colours[:, None])[0])


def describe_crops(channels: Vectors) -> Vectors:
    """Returns the vectors of thumbnails in each crop: crops × count × DIMENSIONS."""
    return _weighted(_waves(channels[0], _LIGHT_AXES), np.stack([_waves(one, _COLOUR_AXES) for one in channels[1:]]))


def _waves(channel: Vectors, axes: Vectors) -> Vectors:
    """Returns the coefficients of a channel in each crop: crops × count × side × side."""
    count, (cuts, side, _) = len(channel), axes.shape
    every = axes.reshape(cuts * side, SIDE)
    waves = (every @ channel @ every.T).reshape(count, cuts, side, cuts, side)
    return np.asarray(waves.transpose(3, 1, 0, 2, 4).reshape(cuts * cuts, count, side, side))


def _weighted(light: Vectors, colours: Vectors) -> Vectors:
    """Returns vectors of one length from coefficients: crops × count × LIGHT × LIGHT, and for both colours."""
    crops, count = light.shape[:2]
    vectors = np.empty((crops, count, DIMENSIONS), np.float32)
    vectors[:, :, : LIGHT**2] = (light * _WEIGHT).reshape(crops, count, -1)
    at = LIGHT**2
    for one in colours * _COLOUR_WEIGHT:
        vectors[:, :, at : at + COLOUR**2] = one.reshape(crops, count, -1)
        at += COLOUR**2
    squares = np.einsum("ncd,ncd->nc", vectors, vectors)
    vectors *= (LENGTH / np.maximum(np.sqrt(squares), 1e-9))[:, :, None]
    return np.rint(vectors, out=vectors)
