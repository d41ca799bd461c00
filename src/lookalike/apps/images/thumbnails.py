"""Thumbnails: every picture as 64 × 64 pixels of red, green and blue, whatever its size, shape and kind.

A picture with transparency has several thumbnails, because it looks different on each ground: on white, on black and
with its transparency ignored, as programs show it that cannot store transparency.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from lookalike.flow.arrays import Mask, Rows

SIDE = 64
"""The number of pixels along each side of a thumbnail."""

PLAIN = 2.0
"""Thumbnails whose standard deviation is at most this, in levels of 0 to 255, are plain: noise would decide what they
are similar to."""

OPAQUE, WHITE, BLACK, IGNORED = GROUNDS = ("opaque", "white", "black", "ignored")
"""The grounds of thumbnails: of pictures without transparency, and of those with it."""

Pixels = npt.NDArray[np.uint8]
Turnable = TypeVar("Turnable", npt.NDArray[np.uint8], npt.NDArray[np.float32])


@dataclass(frozen=True, eq=False)
class Thumbnails:
    """Thumbnails in the order of their pictures, with those of one picture next to each other."""

    pixels: Pixels
    """The pixels: count × SIDE × SIDE × 3."""
    picture: Rows
    """The number of the picture of each thumbnail."""
    ground: Rows
    """The ground of each thumbnail, as its place in `GROUNDS`."""
    width: Rows
    height: Rows
    """The size of the picture in pixels, as it is shown (after the orientation in its EXIF data)."""

    def __len__(self) -> int:
        return len(self.pixels)

    @cached_property
    def shape(self) -> npt.NDArray[np.float64]:
        """The width of each picture divided by its height."""
        return self.width / np.maximum(self.height, 1)

    @cached_property
    def detailed(self) -> Mask:
        """Whether each thumbnail shows anything: false if it is almost plain."""
        return (
            np.concatenate([np.zeros(0), *(_spread(self.pixels[i : i + 256]) for i in range(0, len(self), 256))])
            > PLAIN
        )


def turned(pixels: Turnable, turns: Rows) -> Turnable:
    """Returns thumbnails (or their light), each after its quarter turns anticlockwise."""
    out = pixels.copy()
    for quarter in (1, 2, 3):
        some = turns == quarter
        out[some] = np.rot90(pixels[some], quarter, axes=(1, 2))
    return out


def _spread(pixels: Pixels) -> npt.NDArray[np.float64]:
    """Returns the standard deviation of the pixels of each thumbnail, over all channels."""
    flat = pixels.reshape(len(pixels), -1, 3).astype(np.float32)
    return np.asarray(np.sqrt(flat.var(axis=1).mean(axis=1)), np.float64)
