"""Compares two pictures in (nearly) full size: is every difference one that saving and resizing a picture can explain?

Both pictures are brought to the size of the smaller one. What a small shift, a change of scale, another brightness and
another sharpness explain is found by least squares. The rest, in windows of 8 × 8 pixels, may be as large as

    the errors of JPEG at quality 30, after both pictures became smaller and softer   (`jpeg_errors`)
    + what remains if edges are a third of a pixel apart, as resampling leaves them   (`APART`)

The window that differs most decides, not the mean: one figure in a page of figures is enough.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image

from lookalike.apps.images.sheets import Sheet

Plane = npt.NDArray[np.float32]

AREA, LARGEST = 1 << 18, 1 << 20
"""The maximum number of pixels that are compared at first, and if the difference is not clear then."""

UNCLEAR = 0.5
"""From this difference on, pictures that were made smaller for comparing are compared again in a larger size."""

LIMIT = 3.0
"""The maximum difference of copies. JPEG rounds by half a step at most, and the square of half a step is three times
the mean square of evenly distributed errors."""

WINDOW = 8

APART = 0.33
"""How far apart edges may be, in pixels of the pictures as they are compared, after they were aligned."""

QUALITY = 30
"""The lowest JPEG quality whose errors are expected."""

LEVELS = (96, 240)
"""The longest sides at which pictures are aligned before they are compared in full."""

CLEAR, FLAT = (8, 245), 4.0
"""Levels in which a channel is neither black nor white, and the largest slope, per pixel, where it is flat."""

CHANGED = 1.02
"""The factor between the light of two pictures from which on one counts as brighter."""

ALIGNED = 0.3
"""If a side would have to change by more pixels than this, pictures are aligned once more."""

ROOM = 3
"""Pixels at each edge that are not compared, because resampling and cropping mix them with what is outside."""

STANDARD = np.array(
    [
        [16, 11, 10, 16, 24, 40, 51, 61], [12, 12, 14, 19, 26, 58, 60, 55], [14, 13, 16, 24, 40, 57, 69, 56],
        [14, 17, 22, 29, 51, 87, 80, 62], [18, 22, 37, 56, 68, 109, 103, 77], [24, 35, 55, 64, 81, 104, 113, 92],
        [49, 64, 78, 87, 103, 121, 120, 101], [72, 92, 95, 98, 112, 100, 103, 99],
    ]
)  # fmt: skip
"""The steps to which JPEG rounds the light of 8 × 8 pixels at quality 50 (ITU-T T.81, table K.1)."""


class Detail(NamedTuple):
    """How well two pictures agree in detail."""

    worst: float
    """The largest difference of a window, divided by what can be explained. At most `LIMIT` for copies."""
    pixels: int
    """The number of pixels that were compared."""


def jpeg_errors(smaller: float) -> float:
    """Returns the mean squared error of JPEG per pixel, if pixels are averaged over `smaller` pixels and softened.

    An error is evenly distributed over a step of the table, so its square is step² / 12. Each frequency counts as much
    as it passes the average and the softening.
    """
    steps = np.clip((STANDARD * (5000 // QUALITY) + 50) // 100, 1, 255)
    cycles = np.arange(8) / 16  # per pixel of the file
    averaged = np.ones(8)
    averaged[1:] = np.sin(np.pi * cycles[1:] * smaller) / (smaller * np.sin(np.pi * cycles[1:]))
    passed = averaged**2 * np.cos(np.pi * np.minimum(cycles * smaller, 0.5)) ** 4
    return float((steps**2 / 12 * passed[:, None] * passed).sum() / 64)


def compare_in_detail(source: Sheet, target: Sheet, fit: npt.NDArray[np.float64], brightness: float = 1.0) -> Detail:
    """Compares pictures that are turned in the same direction.

    `fit` is the scale and shift across and down (see `alignment`). `brightness` is an estimate of the light of the
    target, divided by that of the source. The darker picture is made brighter, because channels that become brighter
    than white are cut off, which cannot be undone.
    """
    fit = np.array(fit, np.float64)
    size = _size(source, target, fit, AREA)
    brightness = _brightness(source, target, fit, size, brightness)
    images = _grey(source.image, brightness), _grey(target.image, 1 / brightness)
    for longest in LEVELS:
        factor = longest / max(size)
        if factor < 0.8:
            smaller = max(16, round(size[0] * factor)), max(16, round(size[1] * factor))
            fit = _moved(fit, _residual(*_planes(*images, fit, smaller)).moved)
    noise = max(brightness, 1 / brightness) ** 2
    worst, fit = _worst(source, target, images, fit, size, noise)
    whole = _size(source, target, fit, LARGEST)
    if UNCLEAR < worst <= LIMIT and whole[0] > 1.1 * size[0]:
        size = whole
        worst, _ = _worst(source, target, images, fit, size, noise)
    return Detail(worst, size[0] * size[1])


def _worst(
    source: Sheet,
    target: Sheet,
    images: tuple[Image.Image, Image.Image],
    fit: npt.NDArray[np.float64],
    size: tuple[int, int],
    noise: float,
) -> tuple[float, npt.NDArray[np.float64]]:
    """Returns the largest difference of a window, divided by what can be explained, and a better fit."""
    rest = _residual(*_planes(*images, fit, size))
    if np.abs(rest.moved).max() * max(size) > ALIGNED:
        fit = _moved(fit, rest.moved)
        rest = _residual(*_planes(*images, fit, size))
    averaged = max(1.0, (min(source.pixels, target.pixels) / (size[0] * size[1])) ** 0.5)
    explained = jpeg_errors(averaged) * noise + APART**2 * _windows(rest.slopes)
    return float((_windows(rest.rest) / explained).max(initial=0.0)), fit


def _brightness(
    source: Sheet, target: Sheet, fit: npt.NDArray[np.float64], size: tuple[int, int], estimate: float
) -> float:
    """Returns the factor between the light of both, where they are flat, and neither black nor white; or the estimate.

    At an edge, a pixel is a mixture of both sides, of which one may have been cut off.
    """
    factor = min(1.0, LEVELS[-1] / max(size))
    small = max(16, round(size[0] * factor)), max(16, round(size[1] * factor))
    one, two = (image.astype(np.float64) for image in _cut(source.image, target.image, fit, small))
    some = (np.maximum(one, two) < CLEAR[1]) & (np.minimum(one, two) > CLEAR[0]) & _flat(one) & _flat(two)
    if some.sum() < 50:
        return estimate
    ratio = float(np.sqrt((two[some] ** 2).sum() / (one[some] ** 2).sum()))
    return min(max(ratio, 0.1), 10.0)


def _flat(pixels: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Returns where each channel hardly differs from its neighbours."""
    down, across = np.gradient(pixels, axis=(0, 1))
    return np.asarray(np.maximum(np.abs(down), np.abs(across)) < FLAT)


def _grey(image: Image.Image, factor: float) -> Image.Image:
    """Returns the light of a picture, after it was made brighter, if the factor is clearly above 1."""
    if factor > CHANGED:
        image = image.point([min(255, round(level * factor)) for level in range(256)] * 3)
    return image.convert("L")


class _Rest(NamedTuple):
    moved: npt.NDArray[np.float64]
    """The changes of the fit: scale and shift across, scale and shift down."""
    rest: Plane
    """The squared differences that remain."""
    slopes: Plane
    """The squared slopes of the light."""


def _overlap(fit: npt.NDArray[np.float64]) -> list[tuple[float, float]]:
    """Returns the range of the target, along each axis, that the source shows too, as shares from −0.5 to 0.5."""
    ranges = []
    for scale, shift in (fit[:2], fit[2:]):
        ranges.append((max(-0.5, (-0.5 - shift) / scale), min(0.5, (0.5 - shift) / scale)))
    return ranges


def _size(source: Sheet, target: Sheet, fit: npt.NDArray[np.float64], area: int) -> tuple[int, int]:
    """Returns the size in which the common part is compared: that of the smaller picture, or `area` pixels."""
    (left, right), (top, bottom) = _overlap(fit)
    width = min(target.image.width, source.image.width * fit[0]) * (right - left)
    height = min(target.image.height, source.image.height * fit[2]) * (bottom - top)
    factor = min(1.0, (area / (width * height)) ** 0.5)
    return max(16, round(width * factor)), max(16, round(height * factor))


def _planes(
    source: Image.Image, target: Image.Image, fit: npt.NDArray[np.float64], size: tuple[int, int]
) -> tuple[Plane, Plane]:
    """Returns the common part of two grey pictures in this size, softened."""
    one, two = (_softened(image.astype(np.float32)) for image in _cut(source, target, fit, size))
    return one, two


def _cut(
    source: Image.Image, target: Image.Image, fit: npt.NDArray[np.float64], size: tuple[int, int]
) -> list[npt.NDArray[np.uint8]]:
    """Returns the common part of two pictures in this size."""
    (left, right), (top, bottom) = _overlap(fit)
    boxes = (
        [(fit[0] * left + fit[1], fit[2] * top + fit[3]), (fit[0] * right + fit[1], fit[2] * bottom + fit[3])],
        [(left, top), (right, bottom)],
    )
    parts = []
    for image, corners in zip((source, target), boxes, strict=True):
        box = [
            min(max((at + 0.5) * side, 0), side)
            for corner in corners for at, side in zip(corner, image.size, strict=True)
        ]  # fmt: skip
        parts.append(np.asarray(image.resize(size, Image.Resampling.BILINEAR, box=(box[0], box[1], box[2], box[3]))))
    return parts


def _softened(plane: Plane) -> Plane:
    plane = (plane[:-2] + 2 * plane[1:-1] + plane[2:]) / np.float32(4)
    return np.asarray((plane[:, :-2] + 2 * plane[:, 1:-1] + plane[:, 2:]) / np.float32(4))


def _residual(source: Plane, target: Plane) -> _Rest:
    """Fits the source to the target: moved a little, in another light and sharpness. Returns what remains."""
    inner = source[1:-1, 1:-1]
    goal = target[1:-1, 1:-1]
    across = (source[1:-1, 2:] - source[1:-1, :-2]) / 2
    down = (source[2:, 1:-1] - source[:-2, 1:-1]) / 2
    bend = source[1:-1, 2:] + source[1:-1, :-2] + source[2:, 1:-1] + source[:-2, 1:-1] - 4 * inner
    height, width = inner.shape
    x = ((np.arange(width, dtype=np.float32) + 0.5) / width - 0.5)[None, :]
    y = ((np.arange(height, dtype=np.float32) + 0.5) / height - 0.5)[:, None]
    columns = np.stack([across * x, across, down * y, down, bend, inner, np.ones_like(inner)])
    table = columns.reshape(len(columns), -1)
    squares = (table @ table.T).astype(np.float64)
    squares += np.diag(1e-4 * np.diag(squares) + 1e-3)
    solved = np.linalg.solve(squares, (table @ goal.ravel()).astype(np.float64))
    light = max(0.2, abs(solved[5]))
    fitted = (solved.astype(np.float32) @ table).reshape(goal.shape)
    rest = goal - np.clip(fitted, 0, 255)
    moved = np.array([solved[0] / width, solved[1] / width, solved[2] / height, solved[3] / height]) / light
    slopes = (across * across + down * down) * np.float32(light**2)
    return _Rest(moved, (rest * rest).astype(np.float32), slopes.astype(np.float32))


def _moved(fit: npt.NDArray[np.float64], moved: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.asarray(fit + np.clip(moved, -0.02, 0.02))


def _windows(plane: Plane) -> Plane:
    """Returns the means of windows of 8 × 8 pixels, every 4 pixels."""
    half = WINDOW // 2
    plane = plane[ROOM - 2 :, ROOM - 2 :]
    height, width = (side // half * half for side in plane.shape)
    sums = plane[:height, :width].reshape(height // half, half, width // half, half).mean(axis=(1, 3))
    return np.asarray((sums[1:, 1:] + sums[:-1, 1:] + sums[1:, :-1] + sums[:-1, :-1]) / np.float32(4))
