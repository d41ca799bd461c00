"""Renders pictures of many kinds, and edited copies of them, for measuring how well copies are found.

Each picture is a function of its number, so any part of a collection can be rendered anywhere. Two pictures of one kind
have the same style, but different content: other words in the same window, other lines on the same sheet.
"""

from __future__ import annotations

import io
import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageEnhance, ImageFilter, ImageFont

WORDS = (
    "river stone market letter window summer engine paper garden winter copper signal harbour morning silver bridge "
    "number colour island teacher forest question village thunder kitchen mountain library doctor station orange "
    "camera pocket ladder button planet violin carpet basket candle mirror tunnel anchor ribbon saddle walnut"
).split()

Colour = tuple[int, int, int]


def picture(number: int, kind: str | None = None) -> Image.Image:
    """Renders the picture with this number."""
    rng = random.Random(number)
    kind = kind or list(KINDS)[number % len(KINDS)]
    return KINDS[kind](rng)


def _size(rng: random.Random, least: int = 160, most: int = 640) -> tuple[int, int]:
    across = rng.randint(least, most)
    return across, max(least // 2, round(across * rng.choice([0.5625, 0.625, 0.75, 1, 1, 1.333, 1.5])))


def _colour(rng: random.Random, least: int = 0, most: int = 255) -> Colour:
    return rng.randint(least, most), rng.randint(least, most), rng.randint(least, most)


def photo(rng: random.Random) -> Image.Image:
    """Draws smooth noise of several scales in related colours, with soft objects, like an unsharp photograph."""
    w, h = _size(rng, 240, 800)
    draw = np.random.default_rng(rng.getrandbits(32))
    slope = rng.uniform(1.0, 2.2)
    across, down = np.fft.rfftfreq(128)[None, :], np.fft.fftfreq(96)[:, None]
    scale = np.maximum(np.hypot(across, down), 1 / 128) ** -slope
    layers = []
    for _ in range(3):
        noise = draw.normal(size=(96, 65)) + 1j * draw.normal(size=(96, 65))
        field = np.fft.irfft2(noise * scale, (96, 128))
        layers.append((field - field.mean()) / field.std())
    shared = rng.uniform(0.5, 0.9)
    light = layers[0]
    channels = [shared * light + (1 - shared) * layer for layer in (layers[1], layers[2], light)]
    mean, spread = _colour(rng, 70, 180), rng.uniform(25, 60)
    pixels = np.stack([m + spread * c for m, c in zip(mean, channels, strict=True)], 2)
    image = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)).resize((w, h), Image.Resampling.BICUBIC)
    pen = ImageDraw.Draw(image)
    for _ in range(rng.randint(0, 6)):
        x, y, r = rng.uniform(0, w), rng.uniform(0, h), rng.uniform(0.03, 0.2) * w
        pen.ellipse((x - r, y - r * rng.uniform(0.4, 1.5), x + r, y + r), fill=_colour(rng))
    image = image.filter(ImageFilter.GaussianBlur(rng.uniform(0, 1.5)))
    grain = draw.normal(0, rng.uniform(1, 8), (h, w, 1))
    return Image.fromarray(np.clip(np.asarray(image) + grain, 0, 255).astype(np.uint8))


def gradient(rng: random.Random) -> Image.Image:
    """Draws a linear or radial gradient between three colours."""
    w, h = _size(rng)
    angle, bend = rng.uniform(0, math.tau), rng.uniform(0.2, 0.8)
    x, y = np.meshgrid(np.linspace(-1, 1, w), np.linspace(-1, 1, h))
    if rng.random() < 0.4:
        place = np.hypot(x - rng.uniform(-0.6, 0.6), y - rng.uniform(-0.6, 0.6)) / 1.6
    else:
        place = (x * math.cos(angle) + y * math.sin(angle)) / 2.8 + 0.5
    stops = [_colour(rng) for _ in range(3)]
    pixels = [np.interp(place, [0, bend, 1], [stop[i] for stop in stops]) for i in range(3)]
    return Image.fromarray(np.stack(pixels, 2).astype(np.uint8))


def icon(rng: random.Random) -> Image.Image:
    """Draws a few flat shapes on a plain or rounded ground, at the size of an icon."""
    side = rng.choice([32, 48, 64, 64, 96, 128, 192])
    big = Image.new("RGB", (side * 4, side * 4), rng.choice([(255, 255, 255), (255, 255, 255), _colour(rng)]))
    pen, n = ImageDraw.Draw(big), side * 4
    if rng.random() < 0.5:
        edge = rng.uniform(0.03, 0.12) * n
        pen.rounded_rectangle((edge, edge, n - edge, n - edge), rng.uniform(0, 0.25) * n, fill=_colour(rng))
    for _ in range(rng.randint(2, 5)):
        x, y = rng.uniform(0.2, 0.8) * n, rng.uniform(0.2, 0.8) * n
        a, b = rng.uniform(0.08, 0.3) * n, rng.uniform(0.08, 0.3) * n
        box, fill = (x - a, y - b, x + a, y + b), _colour(rng)
        match rng.randrange(5):
            case 0:
                pen.ellipse(box, fill=fill)
            case 1:
                pen.rectangle(box, fill=fill)
            case 2:
                pen.regular_polygon((x, y, a), rng.randint(3, 6), rng.randint(0, 90), fill=fill)
            case 3:
                pen.arc(box, rng.randint(0, 360), rng.randint(0, 360) + 200, fill=fill, width=max(3, n // 16))
            case _:
                pen.line((x - a, y - b, x + a, y + b), fill=fill, width=max(3, n // 14))
    return big.resize((side, side), Image.Resampling.LANCZOS)


def symbol(rng: random.Random) -> Image.Image:
    """Draws three letters in one colour on white, like a symbolic icon. Two pictures rarely have the same letters."""
    side = rng.choice([32, 48, 64, 96])
    image = Image.new("RGB", (side, side), "white")
    text = "".join(rng.choice("ABCDEFGHJKLMNPQRSTUVWXYZabdefghkmnqrst2345678@&%#") for _ in range(3))
    font = ImageFont.load_default(side * rng.uniform(0.35, 0.5))
    fill = rng.choice([(0, 0, 0), (46, 52, 54), _colour(rng, 0, 160)])
    ImageDraw.Draw(image).text((side / 2, side / 2), text, font=font, fill=fill, anchor="mm")
    return image


def drawing(rng: random.Random) -> Image.Image:
    """Draws dark lines on white paper: polygons, curves and arcs."""
    w, h = _size(rng, 200, 700)
    image = Image.new("RGB", (w, h), rng.choice([(255, 255, 255), (255, 255, 255), (250, 246, 235)]))
    pen, ink = ImageDraw.Draw(image), rng.choice([(0, 0, 0), (30, 30, 90)])
    for _ in range(rng.randint(3, 12)):
        width = rng.randint(1, 3)
        if rng.random() < 0.4:
            x, y, a, b = rng.uniform(0, w), rng.uniform(0, h), rng.uniform(10, w / 3), rng.uniform(10, h / 3)
            pen.ellipse((x - a, y - b, x + a, y + b), outline=ink, width=width)
        else:
            x, y = rng.uniform(0, w), rng.uniform(0, h)
            points = [(x, y)]
            for _ in range(rng.randint(1, 8)):
                x, y = x + rng.uniform(-w, w) / 4, y + rng.uniform(-h, h) / 4
                points.append((x, y))
            pen.line(points, fill=ink, width=width, joint="curve")
    return image


def _words(rng: random.Random, count: int) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(count))


def screenshot(rng: random.Random) -> Image.Image:
    """Draws one of a few windows, with its own words in the list and in the text."""
    style = random.Random(rng.randrange(8))
    w, h = style.choice([(800, 600), (960, 600), (1024, 768)])
    dark = style.random() < 0.3
    ground, ink = ((30, 32, 36), (220, 220, 220)) if dark else ((250, 250, 250), (30, 30, 30))
    bar, side = _colour(style, 40, 200), style.randint(120, 220)
    image = Image.new("RGB", (w, h), ground)
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 0, w, 36), fill=bar)
    pen.rectangle((0, 36, side, h), fill=(45, 48, 54) if dark else (232, 234, 238))
    pen.text((12, 8), _words(rng, 2), font=ImageFont.load_default(16), fill="white")
    small, normal = ImageFont.load_default(12), ImageFont.load_default(14)
    for y in range(56, h - 20, 26):
        pen.text((14, y), _words(rng, rng.randint(1, 2)), font=small, fill=ink)
    lines = rng.randint(8, (h - 80) // 22)
    for i in range(lines):
        pen.text((side + 20, 56 + 22 * i), _words(rng, rng.randint(2, (w - side) // 75)), font=normal, fill=ink)
    return image


def document(rng: random.Random) -> Image.Image:
    """Draws a page of text with a heading and paragraphs."""
    w, h = 620, 877
    image = Image.new("RGB", (w, h), "white")
    pen = ImageDraw.Draw(image)
    pen.text((60, 50), _words(rng, 3), font=ImageFont.load_default(26), fill="black")
    body, y = ImageFont.load_default(13), 110
    while y < h - 70:
        for _ in range(rng.randint(2, 7)):
            if y < h - 70:
                pen.text((60, y), _words(rng, rng.randint(8, 10)), font=body, fill=(20, 20, 20))
                y += 19
        y += 14
    return image


def chart(rng: random.Random) -> Image.Image:
    """Draws bars or lines of random values between axes."""
    w, h = rng.choice([(480, 320), (640, 400)])
    image = Image.new("RGB", (w, h), "white")
    pen = ImageDraw.Draw(image)
    pen.text((w / 2, 16), _words(rng, 3), font=ImageFont.load_default(15), fill="black", anchor="mm")
    pen.line((40, 30, 40, h - 30, w - 20, h - 30), fill="black", width=2)
    fill, count = rng.choice([(31, 119, 180), (214, 39, 40), (44, 160, 44)]), rng.randint(5, 14)
    values = [rng.uniform(0.05, 1) * (h - 90) for _ in range(count)]
    step = (w - 80) / count
    if rng.random() < 0.5:
        for i, value in enumerate(values):
            pen.rectangle((50 + i * step, h - 31 - value, 50 + (i + 0.7) * step, h - 31), fill=fill)
    else:
        pen.line([(50 + i * step, h - 31 - value) for i, value in enumerate(values)], fill=fill, width=3)
    return image


def pattern(rng: random.Random) -> Image.Image:
    """Draws stripes, checks or a flag: large areas of few colours."""
    w, h = rng.choice([(300, 200), (240, 240), (320, 160)])
    image = Image.new("RGB", (w, h), _colour(rng))
    pen, count = ImageDraw.Draw(image), rng.randint(2, 6)
    fills = [_colour(rng) for _ in range(rng.randint(2, 4))]
    across = rng.random() < 0.5
    both = rng.random() < 0.3
    for i in range(count):
        for j in range(count if both else 1):
            box = (i / count * w, j / count * h, (i + 1) / count * w, (j + 1) / count * h if both else h)
            if not across and not both:
                box = (0, i / count * h, w, (i + 1) / count * h)
            pen.rectangle(box, fill=rng.choice(fills))
    if rng.random() < 0.5:
        r = rng.uniform(0.15, 0.35) * h
        x, y = rng.choice([w / 2, w / 3]), h / 2
        pen.ellipse((x - r, y - r, x + r, y + r), fill=_colour(rng))
    return image


KINDS: dict[str, Callable[[random.Random], Image.Image]] = {
    "photo": photo, "gradient": gradient, "icon": icon, "symbol": symbol, "drawing": drawing,
    "screenshot": screenshot, "document": document, "chart": chart, "pattern": pattern,
}  # fmt: skip


def _scaled(image: Image.Image, rng: random.Random) -> Image.Image:
    factor = 2 ** rng.uniform(-1, 1)
    size = max(1, round(image.width * factor)), max(1, round(image.height * factor))
    how = rng.choice([Image.Resampling.BILINEAR, Image.Resampling.BICUBIC, Image.Resampling.LANCZOS])
    return image.resize(size, how)


def _recompressed(image: Image.Image, rng: random.Random) -> Image.Image:
    file = io.BytesIO()
    image.convert("RGB").save(file, "JPEG", quality=rng.randint(30, 95))
    return Image.open(file)


def _cropped(image: Image.Image, rng: random.Random) -> Image.Image:
    """Removes up to 5 % of the width or height at each of the four sides."""
    w, h = image.size
    left, top, right, bottom = (rng.uniform(0, 0.05) for _ in range(4))
    return image.crop((round(left * w), round(top * h), round((1 - right) * w), round((1 - bottom) * h)))


def _brightened(image: Image.Image, rng: random.Random) -> Image.Image:
    return ImageEnhance.Brightness(image).enhance(rng.choice([rng.uniform(0.6, 0.9), rng.uniform(1.1, 1.4)]))


def _turned(image: Image.Image, rng: random.Random) -> Image.Image:
    return image.transpose(
        rng.choice([Image.Transpose.ROTATE_90, Image.Transpose.ROTATE_180, Image.Transpose.ROTATE_270])
    )


EDITS: dict[str, Callable[[Any, random.Random], Image.Image]] = {
    "scale": _scaled,
    "jpeg": _recompressed,
    "crop": _cropped,
    "brightness": _brightened,
    "rotate": _turned,
}
"""Edits by name. JPEG pictures are saved with the edit's quality, all others as PNG or with quality 90."""


def edited(image: Image.Image, edit: str, seed: int) -> Image.Image:
    return EDITS[edit](image, random.Random(f"{edit} {seed}"))
