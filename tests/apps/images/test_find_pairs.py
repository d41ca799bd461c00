"""Copies of pictures: which edits are found, what is no copy, and which picture is kept."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageEnhance, ImageOps

import lookalike as la
from tests.apps.images.pictures import save, scene
from tests.refusals import refused

EDITS: dict[str, Callable[[Image.Image], Image.Image]] = {
    "half": lambda image: image.resize((image.width // 2, image.height // 2)),
    "double": lambda image: image.resize((image.width * 2, image.height * 2), Image.Resampling.BICUBIC),
    "crop of all sides": lambda image: image.crop((12, 9, image.width - 12, image.height - 9)),
    "crop of one corner": lambda image: image.crop((12, 9, image.width, image.height)),
    "darker": lambda image: ImageEnhance.Brightness(image).enhance(0.6),
    "brighter": lambda image: ImageEnhance.Brightness(image).enhance(1.4),
    "quarter turn": lambda image: image.transpose(Image.Transpose.ROTATE_90),
    "half turn": lambda image: image.transpose(Image.Transpose.ROTATE_180),
    "three quarters": lambda image: image.transpose(Image.Transpose.ROTATE_270),
}


def pairs(folder: Path, **options: object) -> set[tuple[str, str]]:
    found = la.images.find_pairs(folder, **options)  # type: ignore[arg-type]
    return {(row.left, row.right) for row in found}


@pytest.mark.parametrize("edit", EDITS)
def test_edited_copies_are_found_and_other_pictures_are_not(tmp_path: Path, edit: str) -> None:
    for seed in range(4):
        save(tmp_path, **{f"s{seed}-a": scene(seed), f"s{seed}-b": EDITS[edit](scene(seed))})
    assert pairs(tmp_path) == {(f"s{seed}-a.png", f"s{seed}-b.png") for seed in range(4)}


@pytest.mark.parametrize("quality", [30, 95])
def test_recompressed_copies_are_found(tmp_path: Path, quality: int) -> None:
    for seed in range(4):
        save(tmp_path, **{f"s{seed}-a": scene(seed)})
        scene(seed).save(tmp_path / f"s{seed}-b.jpg", quality=quality)
    assert pairs(tmp_path) == {(f"s{seed}-a.png", f"s{seed}-b.jpg") for seed in range(4)}


def test_turns_and_brightness_are_reported(tmp_path: Path) -> None:
    save(tmp_path, a=scene(1), b=ImageEnhance.Brightness(scene(1).transpose(Image.Transpose.ROTATE_90)).enhance(0.5))
    (row,) = la.images.find_pairs(tmp_path)
    assert row.turned == 90 and row.brightness == pytest.approx(0.5, abs=0.03) and row.kind == "near"


def test_equal_files_and_equal_pixels_are_told_apart(tmp_path: Path) -> None:
    save(tmp_path, a=scene(1))
    shutil.copy(tmp_path / "a.png", tmp_path / "b.png")
    scene(1).save(tmp_path / "c.bmp")
    found = la.images.find_pairs(tmp_path)
    kinds = {(row.left, row.right): (row.kind, row.similarity) for row in found}
    assert kinds == {
        ("a.png", "b.png"): ("bytes", 1),
        ("a.png", "c.bmp"): ("pixels", 1),
        ("b.png", "c.bmp"): ("pixels", 1),
    }
    assert found.kind_counts() == {"bytes": 1, "pixels": 2, "near": 0}


def test_a_jpeg_file_and_its_decoded_pixels_are_exact_copies(tmp_path: Path) -> None:
    scene(2, (900, 700)).save(tmp_path / "a.jpg", quality=90)
    Image.open(tmp_path / "a.jpg").save(tmp_path / "b.png")
    (row,) = la.images.find_pairs(tmp_path)
    assert row.kind == "pixels"


def test_exact_copies_are_found_with_the_highest_threshold(tmp_path: Path) -> None:
    """Thumbnails of equal pictures may differ a little, and similarities are rounded."""
    for seed in range(20):
        scene(seed).save(tmp_path / f"{seed:02}.png")
        scene(seed).save(tmp_path / f"{seed:02}.bmp")
    scene(20, (900, 700)).save(tmp_path / "20.jpg")
    Image.open(tmp_path / "20.jpg").save(tmp_path / "20.png")
    scene(0).resize((120, 90)).save(tmp_path / "small.jpg", quality=50)
    found = la.images.find_pairs(tmp_path, threshold=1)
    assert found.kind_counts() == {"bytes": 0, "pixels": 21, "near": 0}


def test_plain_pictures_are_copies_only_if_they_are_equal(tmp_path: Path) -> None:
    save(
        tmp_path, white=Image.new("RGB", (90, 60), "white"), again=Image.new("RGBA", (90, 60), "white"),
        larger=Image.new("RGB", (91, 60), "white"), grey=Image.new("L", (90, 60), 250),
    )  # fmt: skip
    found = la.images.find_pairs(tmp_path)
    assert [(row.left, row.right, row.kind) for row in found] == [("again.png", "white.png", "pixels")]
    assert found.counts["plain"] == 4 and "almost plain" in found.pictures["note"][0].as_py()


def test_simple_pictures_in_other_colours_are_not_copies(tmp_path: Path) -> None:
    for number, colours in enumerate([("red", "blue"), ("green", "yellow"), ("black", "white"), ("navy", "orange")]):
        image = Image.new("RGB", (120, 80), colours[0])
        ImageDraw.Draw(image).rectangle((60, 0, 120, 80), fill=colours[1])
        save(tmp_path, **{f"flag{number}": image, f"small{number}": image.resize((60, 40))})
    found = pairs(tmp_path)
    assert {(f"flag{number}.png", f"small{number}.png") for number in range(4)} == found


def test_pages_with_other_lines_are_not_copies(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for number in range(6):
        page = Image.new("L", (300, 400), 255)
        pen = ImageDraw.Draw(page)
        for y in range(30, 370, 12):
            x = 30
            while x < 260:
                length = int(rng.integers(6, 30))
                pen.rectangle((x, y, x + length, y + 5), fill=0)
                x += length + 5
        save(tmp_path, **{f"p{number}": page, f"q{number}": page.resize((240, 320))})
    assert pairs(tmp_path) == {(f"p{number}.png", f"q{number}.png") for number in range(6)}


def on_transparent(colour: str, dots: int = 4) -> Image.Image:
    image = Image.new("RGBA", (96, 96), (0, 0, 0, 0))
    pen = ImageDraw.Draw(image)
    for number in range(dots):
        pen.ellipse((8 + 20 * number, 10 + 13 * number, 30 + 20 * number, 40 + 13 * number), fill=colour)
    return image


@pytest.mark.parametrize("ground", ["white", "black"])
def test_a_transparent_picture_is_found_on_white_and_on_black(tmp_path: Path, ground: str) -> None:
    icon = on_transparent("crimson")
    flat = Image.new("RGBA", icon.size, ground)
    flat.alpha_composite(icon)
    save(tmp_path, icon=icon, flat=flat.convert("RGB"), small=icon.resize((60, 60)), other=on_transparent("teal", 2))
    assert pairs(tmp_path) == {("flat.png", "icon.png"), ("flat.png", "small.png"), ("icon.png", "small.png")}


def test_white_lines_on_transparency_are_not_all_alike(tmp_path: Path) -> None:
    save(tmp_path, four=on_transparent("white"), two=on_transparent("white", 2), black=on_transparent("black"))
    save(tmp_path, small=on_transparent("white").resize((64, 64)))
    assert pairs(tmp_path) == {("four.png", "small.png")}


def test_a_squeezed_photograph_is_found(tmp_path: Path) -> None:
    save(tmp_path, a=scene(3, (320, 200)), b=scene(3, (320, 200)).resize((160, 160)), c=scene(4))
    assert pairs(tmp_path) == {("a.png", "b.png")}


def test_the_orientation_in_exif_data_is_respected(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    scene(5).transpose(Image.Transpose.ROTATE_90).save(tmp_path / "b.jpg", exif=exif, quality=95)
    save(tmp_path, a=scene(5))
    found = la.images.find_pairs(tmp_path)
    (row,) = found
    assert row.turned == 0 and found.pictures["width"].to_pylist() == [240, 240]


def test_the_largest_copy_is_kept_or_the_first_one(tmp_path: Path) -> None:
    save(tmp_path, a=scene(1, (120, 90)), b=scene(1, (120, 90)).resize((240, 180)), c=scene(2))
    for keep, kept in (("largest", "b.png"), ("first", "a.png")):
        found = la.images.find_pairs(tmp_path, keep=keep)  # type: ignore[arg-type]
        assert found.pictures["kept"].to_pylist() == [kept, kept, "c.png"]
        assert found.removable == 1 and found.pictures["keep"].to_pylist().count(True) == 2
    assert len(list(tmp_path.iterdir())) == 3


def test_every_picture_that_could_go_is_similar_to_the_one_that_is_kept(tmp_path: Path) -> None:
    for number in range(8):
        image = scene(7)
        save(tmp_path, **{f"a{number}": ImageOps.posterize(image, 8 - number // 2).rotate(number, expand=False)})
    found = la.images.find_pairs(tmp_path)
    near = {frozenset(pair) for pair in zip(found.left.to_pylist(), found.right.to_pylist(), strict=True)}
    for one in found.pictures.to_pylist():
        assert one["keep"] == (one["path"] == one["kept"])
        assert one["keep"] or frozenset((one["path"], one["kept"])) in near


def test_the_result_is_the_same_for_any_number_of_threads(tmp_path: Path) -> None:
    for seed in range(5):
        save(tmp_path, **{f"a{seed}": scene(seed), f"b{seed}": scene(seed).resize((160, 120))})
    one, three = (la.images.find_pairs(tmp_path, threads=threads) for threads in (1, 3))
    assert one.to_arrow().equals(three.to_arrow()) and one.pictures.equals(three.pictures)


def test_what_cannot_be_asked_is_refused(tmp_path: Path) -> None:
    with refused("no-pictures-in-folder", others=0):
        la.images.find_pairs(tmp_path)
    with refused("no-pictures-at-path"):
        la.images.find_pairs(tmp_path / "nowhere")
    with refused("not-picture-paths", type="int"):
        la.images.find_pairs(3)
    with refused("largest-not-positive", value=0):
        la.images.find_pairs(tmp_path, largest=0)
    with refused("not-one-of"):
        la.images.find_pairs(tmp_path, keep="best")  # type: ignore[arg-type]
