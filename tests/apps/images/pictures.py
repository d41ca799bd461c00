"""Generated pictures for tests."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter


def scene(seed: int, size: tuple[int, int] = (240, 180)) -> Image.Image:
    """Draws a picture of random soft shapes in random colours; no two seeds look alike."""
    rng = np.random.default_rng(seed)
    image = Image.new("RGB", size, tuple(rng.integers(0, 255, 3).tolist()))
    pen = ImageDraw.Draw(image)
    for _ in range(25):
        x, y, w, h = rng.uniform(0, 1, 4) * [size[0], size[1], size[0] / 2, size[1] / 2]
        shape = pen.ellipse if rng.random() < 0.5 else pen.rectangle
        shape((x - w / 2, y - h / 2, x + w / 2, y + h / 2), fill=tuple(rng.integers(0, 255, 3).tolist()))
    return image.filter(ImageFilter.GaussianBlur(1))


def save(folder: Path, **pictures: Image.Image) -> None:
    """Saves pictures as PNG, under their names."""
    for name, image in pictures.items():
        image.save(folder / f"{name}.png")
