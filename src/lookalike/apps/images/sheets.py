"""Sheets: pictures in (nearly) full size, for comparing them in detail. They are decoded again when they are needed."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from lookalike.apps.images.decode import ORIENTATION, open_picture, oriented, rgb_of
from lookalike.apps.images.thumbnails import BLACK, GROUNDS, WHITE

LARGEST = 1 << 20
"""Pictures with more pixels are made smaller, to so many."""

KEPT = 64
"""The number of sheets in memory, of 3 MiB at most."""


@dataclass(frozen=True)
class Sheet:
    """A picture of red, green and blue."""

    image: Image.Image
    pixels: int
    """The number of pixels in the file."""

    def turned(self, turns: int) -> Sheet:
        """Returns the picture after quarter turns anticlockwise."""
        how = Image.Transpose.ROTATE_90, Image.Transpose.ROTATE_180, Image.Transpose.ROTATE_270
        return Sheet(self.image.transpose(how[turns % 4 - 1]), self.pixels) if turns % 4 else self


class Sheets:
    """Reads the sheets of thumbnails, and keeps the last ones. Threads can share it."""

    def __init__(self, paths: Sequence[Path] | Mapping[int, Path]) -> None:
        self._paths = paths
        self._kept: OrderedDict[tuple[int, int], Sheet | None] = OrderedDict()
        self._lock = threading.Lock()

    def read(self, picture: int, ground: int) -> Sheet | None:
        """Returns the sheet of a picture on a ground; None if the file can no longer be read."""
        key = picture, ground
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        sheet = _read(self._paths[picture], GROUNDS[ground])
        with self._lock:
            self._kept[key] = sheet
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return sheet


def _read(path: Path, ground: str) -> Sheet | None:
    try:
        with open_picture(path) as image:
            width, height = image.size
            factor = min(1.0, (LARGEST / (width * height)) ** 0.5)
            size = max(1, round(width * factor)), max(1, round(height * factor))
            if image.format in ("JPEG", "MPO"):
                image.draft("RGB", size)
            turn = image.getexif().get(ORIENTATION, 1)
            shown = _on(image, ground)
        if shown.size[0] * shown.size[1] > LARGEST:
            shown = shown.resize(size, Image.Resampling.BILINEAR, reducing_gap=3.0)
        return Sheet(oriented(shown, turn), width * height)
    except Exception:  # the picture was decoded before: it was removed or replaced in the meantime
        return None


def _on(image: Image.Image, ground: str) -> Image.Image:
    if ground not in (WHITE, BLACK):
        return rgb_of(image if ground == "opaque" else image.convert("RGBA"))
    whole = image.convert("RGBA")
    below = Image.new("RGBA", whole.size, ground)
    below.alpha_composite(whole)
    return below.convert("RGB")
