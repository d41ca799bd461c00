"""Finds the most similar pictures of each picture, by simple image descriptors.

    python examples/pictures.py                          # random drawings, each in five variants
    python examples/pictures.py --images FOLDER --top 3  # your own pictures; needs Pillow

A descriptor consists of 16 × 16 grey values minus their mean, so it does not depend on the size and brightness of the
picture. The cosine of two descriptors does not depend on the contrast either. Vectors from a neural network can be used
in the same way.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageEnhance, ImageFilter, UnidentifiedImageError

import lookalike as la

SIDE = 16
KINDS = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp")


def descriptor(picture: Image.Image) -> npt.NDArray[np.float32]:
    """A vector of SIDE² numbers. It is zero, and has no direction, if the picture has only one colour."""
    flat = Image.new("RGB", picture.size, "white")
    layers = picture.convert("RGBA")
    flat.paste(layers, mask=layers.getchannel("A"))
    small = flat.convert("L").resize((SIDE, SIDE), Image.Resampling.BOX)
    grey = np.asarray(small, np.float32).ravel()
    return np.asarray(grey - grey.mean())


def drawn(count: int, seed: int = 0) -> Iterator[tuple[str, Image.Image]]:
    """Random drawings of a few shapes, each followed by five variants, with their names."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        picture = Image.new("RGB", (160, 120), tuple(rng.integers(150, 256, 3).tolist()))
        draw = ImageDraw.Draw(picture)
        for _ in range(rng.integers(3, 8)):
            (left, right), (top, bottom) = (sorted(rng.integers(0, side, 2).tolist()) for side in picture.size)
            shape = draw.ellipse if rng.random() < 0.5 else draw.rectangle
            shape((left, top, right + 5, bottom + 5), fill=tuple(rng.integers(0, 256, 3).tolist()))
        yield f"{number}", picture
        yield f"{number} blurred", picture.filter(ImageFilter.GaussianBlur(4))
        yield f"{number} brighter", ImageEnhance.Brightness(picture).enhance(1.2)
        yield f"{number} faded", ImageEnhance.Contrast(picture).enhance(0.5)
        yield f"{number} smaller", picture.resize((60, 45))
        yield f"{number} stretched", picture.resize((200, 90))


def opened(folder: Path) -> Iterator[tuple[str, Image.Image]]:
    """The pictures of a folder in order of their names. Files that cannot be read are reported and skipped."""
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in KINDS:
            try:
                with Image.open(path) as picture:
                    yield str(path.relative_to(folder)), picture.copy()
            except (UnidentifiedImageError, OSError) as error:
                print(f"skipped: {path} ({error})", file=sys.stderr)


def main(folder: Path | None, count: int, top: int) -> None:
    pictures = opened(folder) if folder else drawn(count)
    described = [(name, descriptor(picture)) for name, picture in pictures]
    described = [(name, vector) for name, vector in described if vector.any()]
    if len(described) < 2:
        sys.exit("at least two pictures are needed")
    names = [name for name, _ in described]
    found = la.nearest(np.stack([vector for _, vector in described]), top=top)
    for left, right, cosine in found:
        print(f"{names[left]:<24} {names[right]:<24} {cosine:.3f}")
    print(f"{len(names)} pictures; {found.how}", file=sys.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=Path, help="folder of pictures (default: random drawings)")
    parser.add_argument("--pictures", type=int, default=20, help="number of random drawings (default: 20)")
    parser.add_argument("--top", type=int, default=2, help="number of similar pictures per picture (default: 2)")
    options = parser.parse_args()
    main(options.images, options.pictures, options.top)
