"""Compares thumbnails in small windows, after they were aligned and brought to the same brightness.

The similarity of two pictures is the mean over windows of 8 × 8 pixels of

    s = (2 · covariance + C) / (variance of one + variance of the other + C)

which is the structure of SSIM, a measure of image quality, for red, green and blue together. Each window counts as much
as it shows: log₂(1 + variance / C) bits. Sky, paper and screens of one colour count nothing, and neither do brightness,
a crop or a change of size.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lookalike.apps.images.alignment import ROUGH, STEPS, Stack, align, pooled, softened, warp
from lookalike.apps.images.descriptors import YCC
from lookalike.apps.images.thumbnails import SIDE
from lookalike.flow.arrays import Mask, Rows

Values = npt.NDArray[np.float64]

NOISE = 4.0
"""C: the variance of noise in a channel of a thumbnail, in squared levels of 0 to 255. It is what remains of JPEG's
errors after many pixels have become one."""

ERROR = 100.0
"""The variance of JPEG's errors per pixel, at low quality, which becomes smaller when pixels are averaged."""

PLAUSIBLE = 0.68
"""The minimum similarity in a first look at a small size. Copies have more than 0.8, as a rule."""

LIGHT_OF = YCC[0].astype(np.float32)
"""The shares of red, green and blue in the light of a pixel."""

DARK, LIGHT = 6, 249
"""Levels outside this range may have been cut off when a picture was made brighter or darker."""

WORST = 0.05
"""The share of what is shown that may differ more than `worst` says."""


class Likeness(NamedTuple):
    """How similar the pictures of each pair are."""

    similarity: Values
    worst: Values
    """The similarity of the windows that agree least, leaving out 5 % of what is shown."""
    colour: Values
    """The mean difference of colour between windows, in levels, if one picture is the other times a factor."""
    brightness: Values
    """This factor: the light of the target divided by that of the source."""
    shown: Values
    """Bits per pixel that a window shows, on average. Near 0 if almost everything is plain."""
    facts: Values
    """The number of frequencies that make up the picture. A gradient has about 2, a flag 5, a page of text 50."""
    across: Values
    """The scale along the width: the position `x` in the target is at `across · x + right` in the source."""
    right: Values
    down: Values
    below: Values


def compare(
    source: npt.NDArray[np.uint8], target: npt.NDArray[np.uint8], crop: Rows, smaller: Rows, side: int = SIDE
) -> Likeness:
    """Compares pairs of thumbnails (count × SIDE × SIDE × 3), which are already turned in the same direction.

    `side` is the number of pixels at which they are compared: fewer if a picture was smaller than its thumbnail.
    """
    one, two = (softened_channels(pixels) for pixels in (source, target))
    fit = align(_light(one), _light(two), crop, STEPS)
    seen, inside = warp(one, fit)
    if side < SIDE:
        seen, two = [pooled(c, side) for c in seen], [pooled(c, side) for c in two]
        inside = np.floor(pooled(inside, side))
    averaged = np.maximum(smaller / side, 1) ** 2
    noise = (NOISE + ERROR / averaged).astype(np.float32)
    return _likeness(np.stack(seen, 1), np.stack(two, 1), inside, noise, fit)


def plausible(one: Stack, two: Stack, crop: Rows) -> Mask:
    """Returns which pairs may be similar, judged by their light at a quarter of the pixels (`half_lights`).

    This takes a tenth of the time of `compare`.
    """
    fit = align(one, two, crop, ROUGH)
    (seen,), inside = warp([one], fit)
    side = one.shape[1] // 4
    area = np.maximum(pooled(inside, side), 1 / 16)
    means = [pooled(x * inside, side) / area for x in (seen, two)]
    squares = [
        np.maximum(pooled(x * x * inside, side) / area - m * m, 0) for x, m in zip((seen, two), means, strict=True)
    ]
    both = pooled(seen * two * inside, side) / area - means[0] * means[1]
    # the same spread on average, whatever the brightness
    slope = np.sqrt((squares[1].mean(axis=(1, 2)) + 1) / (squares[0].mean(axis=(1, 2)) + 1))[:, None, None]
    spread = slope * slope * squares[0] + squares[1]
    bits = np.log2(1 + spread / NOISE)
    s = (2 * slope * both + NOISE) / (spread + NOISE)
    similarity = (s * bits).sum(axis=(1, 2)) / np.maximum(bits.sum(axis=(1, 2)), 1e-6)
    return np.asarray(similarity >= PLAUSIBLE)


def half_lights(pixels: npt.NDArray[np.uint8]) -> Stack:
    """Returns the light of thumbnails in half their size, a little out of focus."""
    return pooled(softened((pixels @ LIGHT_OF).astype(np.float32)), SIDE // 2)


def softened_channels(pixels: npt.NDArray[np.uint8]) -> list[Stack]:
    return [softened(pixels[..., channel].astype(np.float32)) for channel in range(3)]


def _light(channels: list[Stack]) -> Stack:
    red, green, blue = LIGHT_OF.tolist()
    return np.asarray(red * channels[0] + green * channels[1] + blue * channels[2])


def _likeness(one: Stack, two: Stack, inside: Stack, noise: Stack, fit: Stack) -> Likeness:
    """Compares aligned pictures, count × 3 × side × side."""
    factor = _factor(one, two, inside)
    by_factor = _levelled(one, two, factor, np.zeros_like(factor))
    colour = _differences(*by_factor, inside)
    slope, constant = _line(one, two, inside)
    a, b = _levelled(one, two, slope, constant)
    size = 8 * one.shape[-1] // SIDE
    area = _sums(inside, size)
    enough = area >= 0.75 * size * size
    area = np.maximum(area, 1)
    masked = inside[:, None]
    mean_a, mean_b = (_sums(x * masked, size) / area[:, None] for x in (a, b))
    spread_a = np.maximum((_sums(a * a * masked, size) / area[:, None] - mean_a**2).sum(axis=1), 0)
    spread_b = np.maximum((_sums(b * b * masked, size) / area[:, None] - mean_b**2).sum(axis=1), 0)
    both = (_sums(a * b * masked, size) / area[:, None] - mean_a * mean_b).sum(axis=1)
    c = 3 * noise[:, None, None]  # of three channels
    s = (2 * both + c) / (spread_a + spread_b + c)
    bits = np.log2(1 + np.maximum(spread_a, spread_b) / c) * enough
    total = np.maximum(bits.sum(axis=(1, 2)), 1e-6)
    similarity = (s * bits).sum(axis=(1, 2)) / total
    order = np.argsort(s.reshape(len(s), -1), axis=1, kind="stable")
    ranked = np.take_along_axis(s.reshape(len(s), -1), order, 1)
    so_far = np.cumsum(np.take_along_axis(bits.reshape(len(s), -1), order, 1), axis=1)
    place = (so_far < WORST * total[:, None]).sum(axis=1)
    worst = ranked[np.arange(len(s)), np.minimum(place, ranked.shape[1] - 1)]
    shown = bits.mean(axis=(1, 2))
    return Likeness(
        similarity.astype(float),
        worst.astype(float),
        colour,
        factor.astype(float),
        shown.astype(float),
        facts_of(two),
        *fit.T.astype(float),
    )


def facts_of(pictures: Stack) -> Values:
    """Returns the effective number of frequencies in pictures: the inverse of the sum of squared shares of energy."""
    side = pictures.shape[-1]
    at, n = (np.arange(side) + 0.5) / side, 16
    cosines = np.cos(np.pi * np.arange(n)[:, None] * at) * np.sqrt(2 / side)
    cosines[0] /= np.sqrt(2)
    waves = cosines @ pictures.astype(np.float64) @ cosines.T * np.hypot(*np.mgrid[0:n, 0:n])
    energy = (waves**2).reshape(len(pictures), -1)
    return np.asarray(energy.sum(axis=1) ** 2 / np.maximum((energy**2).sum(axis=1), 1e-9))


def _sums(stack: Stack, size: int) -> Stack:
    """Returns the sums over all windows of size × size pixels."""
    sums = np.cumsum(stack, axis=-1, dtype=np.float64)
    sums = np.concatenate([sums[..., size - 1 : size], sums[..., size:] - sums[..., :-size]], axis=-1)
    sums = np.cumsum(sums, axis=-2)
    return np.concatenate([sums[..., size - 1 : size, :], sums[..., size:, :] - sums[..., :-size, :]], axis=-2)


def _unclipped(one: Stack, two: Stack, inside: Stack) -> Stack:
    """Returns where neither picture is black or white; everywhere, if that is hardly anywhere."""
    clear = (one > DARK) & (one < LIGHT) & (two > DARK) & (two < LIGHT)
    some = clear & (inside[:, None] > 0)
    few = some.sum(axis=(1, 2, 3)) < 0.02 * 3 * inside[0].size
    return np.where(few[:, None, None, None], inside[:, None] > 0, some).astype(np.float32)


def _factor(one: Stack, two: Stack, inside: Stack) -> Stack:
    """Returns the factor between the light of the pictures, by least squares."""
    where = _unclipped(one, two, inside)
    squares = (one * one * where).sum(axis=(1, 2, 3))
    others = (two * two * where).sum(axis=(1, 2, 3))
    return np.asarray(np.sqrt((others + 1) / (squares + 1)))


def _line(one: Stack, two: Stack, inside: Stack) -> tuple[Stack, Stack]:
    """Returns the slope and the constant that give both pictures the same mean and spread."""
    where = _unclipped(one, two, inside)
    count = np.maximum(where.sum(axis=(1, 2, 3)), 1)
    means = [(x * where).sum(axis=(1, 2, 3)) / count for x in (one, two)]
    spreads = [
        np.maximum((x * x * where).sum(axis=(1, 2, 3)) / count - mean**2, 0)
        for x, mean in zip((one, two), means, strict=True)
    ]
    slope = np.sqrt((spreads[1] + NOISE) / (spreads[0] + NOISE))
    return slope, means[1] - slope * means[0]


def _levelled(one: Stack, two: Stack, slope: Stack, constant: Stack) -> tuple[Stack, Stack]:
    """Returns both pictures at the brightness of the brighter one, with light above 255 cut off."""
    slope, constant = slope[:, None, None, None], constant[:, None, None, None]
    up = two.mean(axis=(1, 2, 3), keepdims=True) >= one.mean(axis=(1, 2, 3), keepdims=True)
    brighter = np.clip(slope * one + constant, 0, 255)
    other = np.clip((two - constant) / slope, 0, 255)
    return np.where(up, brighter, one), np.where(up, two, other)


def _differences(one: Stack, two: Stack, inside: Stack) -> Values:
    """Returns the root of the mean squared difference of the means of windows, over all channels."""
    side = one.shape[-1] // 8
    area = np.maximum(pooled(inside, side), 1e-3)
    flat = [
        pooled((x * inside[:, None]).reshape(-1, *x.shape[2:]), side).reshape(*x.shape[:2], side, side)
        for x in (one, two)
    ]
    difference = (flat[0] - flat[1]) / area[:, None]
    where = (area > 0.5)[:, None]
    count = np.maximum(where.sum(axis=(1, 2, 3)) * 3, 1)
    return np.asarray(np.sqrt((difference**2 * where).sum(axis=(1, 2, 3)) / count), np.float64)
