"""Renders twins: two pictures that differ in one small thing, such as a figure in a table or a badge on an icon.

A person who reads them would not call them copies. Some kinds are whole pages of other text in the same layout.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
from common.pictures import KINDS, WORDS
from PIL import Image, ImageDraw, ImageFilter, ImageFont

Twin = Callable[[random.Random, random.Random | None], Image.Image]
"""Draws a picture. The second generator is only given for the twin, and draws what is different."""

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


def twin(number: int, kind: str, *, changed: bool) -> Image.Image:
    return TWINS[kind](random.Random(f"{kind} {number}"), random.Random(f"other {number}") if changed else None)


def _lines(rng: random.Random, count: int, width: int, font: Font) -> list[list[str]]:
    """Returns lines of words that are not wider than `width`."""
    lines = []
    for _ in range(count):
        line = [rng.choice(WORDS)]
        while font.getlength(" ".join([*line, word := rng.choice(WORDS)])) < width:
            line.append(word)
        lines.append(line)
    return lines


def _write(
    pen: ImageDraw.ImageDraw,
    lines: list[list[str]],
    x: int,
    y: int,
    width: int,
    step: int,
    font: Font,
) -> None:
    """Writes lines from edge to edge, as in a book."""
    for line in lines:
        gap = (width - sum(font.getlength(word) for word in line)) / max(1, len(line) - 1)
        at = float(x)
        for word in line:
            pen.text((at, y), word, font=font, fill=(25, 25, 25))
            at += font.getlength(word) + gap
        y += step


def _scanned(image: Image.Image, rng: random.Random) -> Image.Image:
    """Adds the grain of a scanner, and grey paper."""
    noise = np.random.default_rng(rng.getrandbits(32)).normal(0, 3, (image.height, image.width, 1))
    blurred = image.filter(ImageFilter.GaussianBlur(0.6))
    return Image.fromarray(np.clip(np.asarray(blurred) * 0.94 + 6 + noise, 0, 255).astype(np.uint8))


def _page(rng: random.Random, other: random.Random | None, which: str) -> Image.Image:
    """Draws a scanned page. Its twin differs in one letter or in one word, or has other words throughout."""
    font, width = ImageFont.load_default(rng.choice([14, 16, 18])), 620
    lines = _lines(rng, 44, width, font)
    row = rng.randrange(44)
    place = rng.randrange(len(lines[row]))
    if other and which == "text":
        lines = _lines(other, 44, width, font)
    elif other and which == "word":
        lines[row][place] = other.choice([word for word in WORDS if word != lines[row][place]])
    elif other:
        word = lines[row][place]
        at = other.randrange(len(word))
        letter = other.choice([one for one in "aeinorstu" if one != word[at]])
        lines[row][place] = word[:at] + letter + word[at + 1 :]
    image = Image.new("RGB", (740, 1040), "white")
    _write(ImageDraw.Draw(image), lines, 60, 60, width, 21, font)
    return _scanned(image, rng)


def form(rng: random.Random, other: random.Random | None) -> Image.Image:
    """Draws an invoice: a table with figures. Its twin has another digit in one of them."""
    image = Image.new("RGB", (700, 900), "white")
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(15)
    pen.text((50, 40), f"Invoice {rng.randint(10_000, 99_999)}", font=ImageFont.load_default(26), fill="black")
    rows, changed = rng.randint(8, 20), 0
    figures = [[f"{rng.randint(1, 99)}", f"{rng.randint(100, 99_999) / 100:.2f}"] for _ in range(rows)]
    changed = rng.randrange(rows)
    if other:
        text = figures[changed][1]
        at = other.choice([i for i, one in enumerate(text) if one.isdigit()])
        digit = other.choice([one for one in "0123456789" if one != text[at]])
        figures[changed][1] = text[:at] + digit + text[at + 1 :]
    for i, (count, price) in enumerate(figures):
        y = 130 + 32 * i
        pen.line((50, y - 8, 650, y - 8), fill=(150, 150, 150))
        pen.text((60, y), " ".join(rng.choice(WORDS) for _ in range(2)), font=font, fill="black")
        pen.text((420, y), count, font=font, fill="black")
        pen.text((640, y), price, font=font, fill="black", anchor="ra")
    return image


def window(rng: random.Random, other: random.Random | None) -> Image.Image:
    """Draws a window with a list. Its twin has another word in one entry."""
    dark = rng.random() < 0.5
    ground, ink = ((32, 34, 40), (215, 215, 215)) if dark else ((252, 252, 252), (40, 40, 40))
    image = Image.new("RGB", (900, 640), ground)
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(14)
    pen.rectangle((0, 0, 900, 40), fill=(60, 90, 150))
    lines = _lines(rng, 24, 500, font)
    row = rng.randrange(24)
    if other:
        lines[row][-1] = other.choice([word for word in WORDS if word != lines[row][-1]])
    for i, line in enumerate(lines):
        pen.rectangle((20, 58 + 24 * i, 34, 72 + 24 * i), outline=ink)
        pen.text((48, 56 + 24 * i), " ".join(line), font=font, fill=ink)
    return image


def bars(rng: random.Random, other: random.Random | None) -> Image.Image:
    """Draws a bar chart. In its twin, one bar is higher or lower by 5 to 20 % of the height."""
    image = Image.new("RGB", (640, 400), "white")
    pen, count = ImageDraw.Draw(image), rng.randint(6, 14)
    values = [rng.uniform(0.25, 0.75) for _ in range(count)]
    if other:
        values[other.randrange(count)] += other.choice([-1, 1]) * other.uniform(0.05, 0.2)
    pen.line((40, 30, 40, 370, 620, 370), fill="black", width=2)
    for i, value in enumerate(values):
        x = 50 + i * 560 / count
        pen.rectangle((x, 369 - 330 * value, x + 400 / count, 369), fill=(31, 119, 180))
    return image


def badge(rng: random.Random, other: random.Random | None) -> Image.Image:
    """Draws an icon. Its twin has a badge in a corner, a quarter as wide."""
    image = KINDS["icon"](rng)
    if other:
        side = image.width
        x, y = other.choice([0.04, 0.7]) * side, other.choice([0.04, 0.7]) * side
        fill = tuple(other.randint(0, 255) for _ in range(3))
        ImageDraw.Draw(image).ellipse((x, y, x + side / 4, y + side / 4), fill=fill, outline="black")
    return image


def label(rng: random.Random, other: random.Random | None) -> Image.Image:
    """Draws three letters. Its twin has another one in one place."""
    side, letters = rng.choice([48, 64, 96]), "ABCDEFGHJKLMNPQRSTUVWXYZ"
    text = [rng.choice(letters) for _ in range(3)]
    if other:
        at = other.randrange(3)
        text[at] = other.choice([one for one in letters if one != text[at]])
    image = Image.new("RGB", (side, side), "white")
    font = ImageFont.load_default(side * 0.4)
    ImageDraw.Draw(image).text((side / 2, side / 2), "".join(text), font=font, fill="black", anchor="mm")
    return image


TWINS: dict[str, Twin] = {
    "text": lambda rng, other: _page(rng, other, "text"),
    "word": lambda rng, other: _page(rng, other, "word"),
    "letter": lambda rng, other: _page(rng, other, "letter"),
    "form": form, "window": window, "bars": bars, "badge": badge, "label": label,
}  # fmt: skip
