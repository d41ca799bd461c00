"""The comparison in nearly full size: edits are explained, and one other letter is not."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageEnhance, ImageFont

import lookalike as la
from lookalike.apps.images.detail import LIMIT, compare_in_detail, jpeg_errors
from lookalike.apps.images.sheets import Sheet, Sheets
from tests.apps.images.pictures import save, scene

WHOLE = np.array([1.0, 0.0, 1.0, 0.0])


def page(seed: int, other: str = "", row: int = 12, size: tuple[int, int] = (500, 700)) -> Image.Image:
    """Draws lines of random words. `other` replaces the first word of a row."""
    rng = random.Random(seed)
    words = "river stone market letter window summer engine paper garden winter copper".split()
    image = Image.new("RGB", size, "white")
    for number in range(28):
        line = [rng.choice(words) for _ in range(7)]
        if other and number == row:
            line[0] = other
        place, font = (40, 40 + 22 * number), ImageFont.load_default(14)
        ImageDraw.Draw(image).text(place, " ".join(line), font=font, fill="black")
    return image


def jpeg(image: Image.Image, quality: int) -> Image.Image:
    file = io.BytesIO()
    image.save(file, "JPEG", quality=quality)
    return Image.open(file).convert("RGB")


def worst(one: Image.Image, two: Image.Image, fit: np.ndarray = WHOLE, brightness: float = 1.0) -> float:
    source, target = (Sheet(image, image.width * image.height) for image in (one, two))
    return compare_in_detail(source, target, fit, brightness).worst


EDITS: dict[str, Callable[[Image.Image], Image.Image]] = {
    "JPEG 35": lambda image: jpeg(image, 35),
    "JPEG 95": lambda image: jpeg(image, 95),
    "half": lambda image: image.resize((image.width // 2, image.height // 2), Image.Resampling.BICUBIC),
    "three quarters": lambda image: image.resize((image.width * 3 // 4, image.height * 3 // 4)),
    "double": lambda image: image.resize((image.width * 2, image.height * 2), Image.Resampling.LANCZOS),
    "brighter": lambda image: ImageEnhance.Brightness(image).enhance(1.4),
    "darker": lambda image: ImageEnhance.Brightness(image).enhance(0.6),
}


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("draw", [page, scene])
def test_what_edits_change_is_explained(edit: str, draw: Callable[[int], Image.Image]) -> None:
    for seed in range(3):
        assert worst(draw(seed), EDITS[edit](draw(seed))) <= LIMIT
        assert worst(EDITS[edit](draw(seed)), draw(seed)) <= LIMIT


def test_a_crop_is_aligned_to_fractions_of_a_pixel() -> None:
    """The fit of the thumbnails is only known to half a percent."""
    image = page(1)
    cropped = image.crop((17, 9, 489, 672))
    exact = np.array([472 / 500, (17 + 236) / 500 - 0.5, 663 / 700, (9 + 331.5) / 700 - 0.5])
    for error in (0.0, 0.003, -0.003):
        assert worst(image, cropped, exact + error) < 1


@pytest.mark.parametrize("edit", ["none", "JPEG 95", "three quarters"])
def test_one_other_word_or_digit_is_not_explained(edit: str) -> None:
    for seed, (one, two) in enumerate((("stone", "store"), ("17.40", "17.90"), ("market", "garden"))):
        image = page(seed, two)
        assert worst(page(seed, one), EDITS[edit](image) if edit in EDITS else image) > LIMIT


def test_errors_of_jpeg_are_within_what_is_expected() -> None:
    """Measured with noise, of which every frequency is rounded."""
    rng = np.random.default_rng(0)
    noise = Image.fromarray(np.clip(rng.normal(128, 60, (256, 256)), 0, 255).astype(np.uint8)).convert("RGB")
    noise = noise.resize((512, 512), Image.Resampling.BICUBIC)
    for smaller in (1, 2):
        one, two = (
            np.asarray(image.convert("L").resize((512 // smaller,) * 2, Image.Resampling.BOX), float)
            for image in (noise, jpeg(noise, 30))
        )
        error = one - two
        for axis in (0, 1):
            error = (np.roll(error, 1, axis) + 2 * error + np.roll(error, -1, axis)) / 4
        assert 0.1 * jpeg_errors(smaller) < (error**2).mean() < jpeg_errors(smaller)


def test_pages_of_other_text_are_not_copies(tmp_path: Path) -> None:
    save(tmp_path, a=page(1, "17.40"), b=page(1, "17.90"), c=page(2), d=jpeg(page(1, "17.40"), 50))
    found = la.images.find_pairs(tmp_path)
    assert [(row.left, row.right) for row in found] == [("a.png", "d.png")]


def test_a_file_that_is_gone_is_judged_by_its_thumbnail(tmp_path: Path) -> None:
    assert Sheets([tmp_path / "gone.png"]).read(0, 0) is None
