"""Decodes picture files to thumbnails, whatever their format, size, depth and orientation."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.apps.images.thumbnails import BLACK, GROUNDS, IGNORED, OPAQUE, SIDE, WHITE, Pixels
from lookalike.errors import MissingExtra
from lookalike.notices import Notice

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

ORIENTATION = 0x0112
"""The EXIF entry for the orientation in which a picture is to be shown."""

DRAFT = 4 * SIDE
"""JPEG decoders can halve a picture up to three times while they decode it. It does not become smaller than this."""


OTHER_PROGRAMS = frozenset({"EPS", "WMF"})
"""Formats that Pillow has drawn by other programs, such as Ghostscript. A file of unknown origin must not start one."""


@dataclass(frozen=True)
class Decoded:
    """What is known of a picture that could be decoded."""

    width: int
    height: int
    format: str
    thumbnails: dict[int, Pixels]
    """The thumbnails by ground, as places in `GROUNDS`."""
    several: bool
    """Whether the file contains further pictures, such as the frames of an animation. Only the first one is used."""


def check_pillow() -> None:
    """Raises an error if Pillow is not installed."""
    try:
        import PIL.Image  # noqa: F401
    except ImportError:
        raise MissingExtra.needed("comparing pictures", "pillow", "images") from None


@contextmanager
def quiet() -> Iterator[None]:
    """Suppresses Pillow's warnings, about large pictures and damaged metadata, which no one can act on."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"PIL\.")
        yield


@cache
def _formats() -> tuple[str, ...]:
    from PIL import Image

    Image.init()
    return tuple(one for one in Image.ID if one not in OTHER_PROGRAMS)


def open_picture(source: bytes | Path) -> Picture:
    """Opens a picture, from its bytes or its file, in any format that Pillow decodes by itself."""
    from PIL import Image

    return Image.open(BytesIO(source) if isinstance(source, bytes) else source, formats=_formats())


def decode(data: bytes, name: str, most: int) -> Decoded | Notice:
    """Decodes a picture. Returns a notice if that is impossible, or if the picture has more than `most` pixels."""
    if not data:
        return Notice("picture-empty", name=name)
    try:
        opened = _opened(data, name, most)
        if isinstance(opened, Notice):
            return opened
        image, width, height, several = opened
        turn = image.getexif().get(ORIENTATION, 1)
        small = {GROUNDS.index(ground): oriented(one, turn) for ground, one in _on_grounds(image).items()}
    except MemoryError:
        return Notice("picture-too-large", name=name)
    except Exception as error:  # decoders raise errors of many types for damaged files
        return _broken(name, error)
    if turn in (5, 6, 7, 8):
        width, height = height, width
    thumbnails = {ground: np.array(one, np.uint8) for ground, one in small.items()}
    return Decoded(width, height, image.format or "", thumbnails, several)


def _opened(data: bytes, name: str, most: int) -> tuple[Picture, int, int, bool] | Notice:
    """Opens a picture: the image, its width and height, and whether there are further frames."""
    from PIL import UnidentifiedImageError

    try:
        image = open_picture(data)
    except UnidentifiedImageError:
        return Notice("picture-not-recognized", name=name)
    width, height = image.size
    if image.format in ("JPEG", "MPO"):
        image.draft("RGB", (DRAFT, DRAFT))
    if image.size[0] * image.size[1] > most:
        return Notice("picture-larger-than-allowed", name=name, width=width, height=height, most=most)
    several = image.format != "MPO" and bool(getattr(image, "is_animated", False))
    image.load()
    return image, width, height, several


def _broken(name: str, error: Exception) -> Notice:
    from PIL.Image import DecompressionBombError

    if isinstance(error, DecompressionBombError):  # also raised for a picture inside an icon
        return Notice("picture-too-large", name=name)
    reason = str(error) or type(error).__name__
    if "truncated" in reason.lower() or "broken data stream" in reason.lower():
        return Notice("picture-truncated", name=name)
    return Notice("picture-damaged", name=name, reason=reason[:200])


def _on_grounds(image: Picture) -> dict[str, Picture]:
    """Returns small RGB pictures by ground: one if the picture is opaque, three if it is transparent somewhere."""
    if not is_deep(image) and (image.has_transparency_data or image.mode in ("RGBa", "La")):
        whole = image if image.mode == "RGBA" else image.convert("RGBA")
        if whole.getchannel("A").getextrema()[0] != 255:
            from PIL import Image, ImageChops

            veiled = _small(whole.convert("RGBa"))  # colours are multiplied by the opacity
            *colours, opacity = veiled.split()
            black = Image.merge("RGB", colours)
            clear = ImageChops.invert(opacity)
            white = ImageChops.add(black, Image.merge("RGB", [clear] * 3))
            return {WHITE: white, BLACK: black, IGNORED: _small(whole.convert("RGB"))}
        image = whole
    return {OPAQUE: _small(rgb_of(image))}


def is_deep(image: Picture) -> bool:
    """Whether the picture has more than 8 bits per channel. Pillow decodes only pictures of one channel so."""
    return image.mode.startswith("I;16") or image.mode in ("I", "F")


def rgb_of(image: Picture) -> Picture:
    """Converts a picture to RGB. Pictures of more than 8 bits per channel are scaled, not cut off."""
    from PIL import Image

    if is_deep(image):
        values = np.nan_to_num(np.asarray(image).astype(np.float64))
        low, high = (0.0, 65535.0) if image.mode != "F" else (float(values.min()), float(values.max()))
        if image.mode == "I" and values.size and (values.max() > high or values.min() < 0):
            low, high = float(values.min()), float(values.max())
        scaled = (np.clip(values, low, high) - low) * (255 / max(high - low, 1e-12))
        return Image.fromarray(np.rint(scaled).astype(np.uint8)).convert("RGB")
    if image.mode == "LAB":
        return Image.merge("RGB", [image.getchannel(0)] * 3)
    return image.convert("RGB")


def _small(image: Picture) -> Picture:
    from PIL.Image import Resampling

    return image.resize((SIDE, SIDE), Resampling.BILINEAR, reducing_gap=3.0)


def oriented(image: Picture, orientation: Any) -> Picture:
    """Turns and flips a picture as its EXIF data asks."""
    from PIL.Image import Transpose

    how = {
        2: Transpose.FLIP_LEFT_RIGHT, 3: Transpose.ROTATE_180, 4: Transpose.FLIP_TOP_BOTTOM, 5: Transpose.TRANSPOSE,
        6: Transpose.ROTATE_270, 7: Transpose.TRANSVERSE, 8: Transpose.ROTATE_90,
    }  # fmt: skip
    return image.transpose(how[orientation]) if orientation in how else image


def pixel_digest(data: bytes, most: int) -> bytes | None:
    """Returns a digest of the pixels as they are shown, in the full size; None if the picture cannot be decoded."""
    try:
        image = open_picture(data)
        if image.size[0] * image.size[1] > most:
            return None
        deep = is_deep(image)
        turn = image.getexif().get(ORIENTATION, 1)
        pixels = np.array(oriented(image if deep else image.convert("RGBA"), turn))
    except Exception:  # the picture was decoded before; without a digest, it is only no exact copy
        return None
    if not deep:
        pixels[pixels[..., 3] == 0] = 0  # the colours of transparent pixels are not seen
    about = f"{pixels.shape} {pixels.dtype.kind if deep else ''}".encode()
    return hashlib.blake2b(about + np.ascontiguousarray(pixels).tobytes(), digest_size=16).digest()
