"""Files that are no pictures, or broken, huge or odd ones: each gets a sentence, and none is lost."""

from __future__ import annotations

import base64
import inspect
import os
import struct
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import lookalike as la
from lookalike.apps.images.decode import Decoded, decode, quiet
from lookalike.apps.images.files import PictureFiles, _files_in
from lookalike.apps.images.page import _embedded
from tests.apps.images.pictures import save, scene

MOST = 10_000_000


def decoded(image: Image.Image, tmp_path: Path, name: str = "x.png", **options: Any) -> Decoded:
    image.save(tmp_path / name, **options)
    made = decode((tmp_path / name).read_bytes(), name, MOST)
    assert isinstance(made, Decoded)
    return made


def codes(folder: Path, **options: object) -> list[str]:
    return [notice.code for notice in la.images.find_pairs(folder, **options).warnings]  # type: ignore[arg-type]


def test_broken_files_are_named_and_counted(tmp_path: Path) -> None:
    save(tmp_path, good=scene(1))
    data = (tmp_path / "good.png").read_bytes()
    scene(1).save(tmp_path / "good.jpg")
    (tmp_path / "cut.png").write_bytes(data[: len(data) // 2])
    (tmp_path / "cut.jpg").write_bytes((tmp_path / "good.jpg").read_bytes()[:2000])
    (tmp_path / "empty.png").write_bytes(b"")
    (tmp_path / "text.png").write_text("This is no picture.")
    (tmp_path / "drawing.svg").write_text("<svg/>")
    (tmp_path / "notes.txt").write_text("These are notes.")
    (tmp_path / "unnamed").write_bytes(data)
    found = la.images.find_pairs(tmp_path)
    assert sorted(notice.code for notice in found.warnings) == [
        "picture-empty", "picture-format-not-decoded", "picture-not-recognized", "picture-truncated",
        "picture-truncated",
    ]  # fmt: skip
    assert found.counts["problems"] == 5 and found.counts["others"] == 1
    assert found.pictures["path"].to_pylist() == [
        "cut.jpg", "cut.png", "empty.png", "good.jpg", "good.png", "text.png", "unnamed",
    ]  # fmt: skip
    notes = dict(zip(found.pictures["path"].to_pylist(), found.pictures["note"].to_pylist(), strict=True))
    assert "truncated" in notes["cut.jpg"] and notes["good.png"] is None
    assert len(found) == 3, "good.png, good.jpg and unnamed"


def test_the_content_of_a_file_decides_and_not_its_suffix(tmp_path: Path) -> None:
    scene(1).save(tmp_path / "a.png")
    (tmp_path / "b.jpg").write_bytes((tmp_path / "a.png").read_bytes())
    (tmp_path / "c.gif").write_bytes((tmp_path / "a.png").read_bytes()[:3000])
    found = la.images.find_pairs(tmp_path)
    assert [(row.left, row.right, row.kind) for row in found] == [("a.png", "b.jpg", "bytes")]
    assert found.pictures["format"].to_pylist()[:2] == ["PNG", "PNG"]
    assert [notice.code for notice in found.warnings] == ["picture-truncated"]


def test_folders_that_cannot_be_read_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root reads every folder, so the error is raised here."""
    (tmp_path / "locked").mkdir()
    save(tmp_path, a=scene(1), b=scene(1))
    scandir = os.scandir

    def denied(path: str) -> Any:
        if Path(path).name == "locked":
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", denied)
    found = la.images.find_pairs(tmp_path)
    assert len(found) == 1 and len(found.warnings) == 1 and "locked" in str(found.warnings[0])


def test_many_broken_files_are_listed_in_the_table_and_counted_in_a_warning(tmp_path: Path) -> None:
    for number in range(25):
        (tmp_path / f"{number}.png").write_bytes(b"")
    found = la.images.find_pairs(tmp_path)
    assert [notice.code for notice in found.warnings] == ["picture-empty"] * 20 + ["more-picture-problems"]
    assert found.warnings[-1].values["count"] == 5 and found.pictures["note"].null_count == 0


def test_pictures_with_too_many_pixels_are_not_decoded(tmp_path: Path) -> None:
    Image.new("1", (30_000, 30_000)).save(tmp_path / "bomb.png")
    Image.new("1", (4_000, 3_000)).save(tmp_path / "large.png")
    assert codes(tmp_path, largest=10) == ["picture-too-large", "picture-larger-than-allowed"]


def test_only_the_first_frame_of_an_animation_is_compared(tmp_path: Path) -> None:
    scene(1).save(tmp_path / "moving.gif", save_all=True, append_images=[scene(2), scene(3)])
    save(tmp_path, still=scene(1), other=scene(2))
    found = la.images.find_pairs(tmp_path)
    assert [(row.left, row.right) for row in found] == [("moving.gif", "still.png")]
    assert found.counts["animated"] == 1 and "only the first" in found.pictures["note"][0].as_py()


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "YCbCr", "I", "F", "I;16", "LAB", "HSV"])
def test_all_modes_are_decoded(tmp_path: Path, mode: str) -> None:
    if mode in ("I;16", "I"):
        deep = np.asarray(scene(1).convert("L")).astype(np.uint16 if mode == "I;16" else np.int32) * 257
        image = Image.fromarray(deep)
    elif mode == "LAB":
        image = Image.frombytes("LAB", (240, 180), scene(1).tobytes())
    elif mode == "HSV":
        image = scene(1).convert("HSV").convert("RGB")
    else:
        image = scene(1).convert(mode)
    made = decoded(image, tmp_path, "x.tif" if mode in ("CMYK", "YCbCr", "I", "F", "LAB") else "x.png")
    assert (made.width, made.height) == (240, 180)
    if mode not in ("1", "CMYK", "LAB"):
        expected = np.asarray(scene(1).convert("L").resize((64, 64), Image.Resampling.BILINEAR), float)
        (pixels,) = made.thumbnails.values()
        shown = np.asarray(Image.fromarray(pixels).convert("L"), float)
        assert np.corrcoef(shown.ravel(), expected.ravel())[0, 1] > 0.98


def test_a_palette_with_transparency_has_three_thumbnails(tmp_path: Path) -> None:
    image = scene(1).quantize(32)
    made = decoded(image, tmp_path, transparency=0)
    assert list(made.thumbnails) == [1, 2, 3]
    opaque = decoded(scene(1).convert("RGBA"), tmp_path)
    assert list(opaque.thumbnails) == [0]


@pytest.mark.skipif(os.name != "posix", reason="links need permissions elsewhere")
def test_links_form_no_loop_and_a_file_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    save(tmp_path, a=scene(1))
    (tmp_path / "inner" / "loop").symlink_to(tmp_path)
    (tmp_path / "inner" / "b.png").symlink_to(tmp_path / "a.png")
    (tmp_path / "inner" / "c.png").hardlink_to(tmp_path / "a.png")
    (tmp_path / "gone.png").symlink_to(tmp_path / "nowhere.png")
    found = la.images.find_pairs(tmp_path)
    assert found.counts["links"] == 3 and found.pictures["path"].to_pylist() == ["a.png"]
    assert [notice.code for notice in found.warnings] == ["picture-unreadable"]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root reads everything")
def test_files_without_permission_are_named(tmp_path: Path) -> None:
    save(tmp_path, a=scene(1))
    (tmp_path / "a.png").chmod(0)
    assert codes(tmp_path) == ["picture-unreadable"]


def test_equal_names_in_several_folders_are_told_apart(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        save(tmp_path / folder, a=scene(1))
    (row,) = la.images.find_pairs([tmp_path / "one", tmp_path / "two"])
    assert row.left.endswith("one/a.png") and row.right.endswith("two/a.png") and row.kind == "bytes"


def test_hidden_files_are_left_out(tmp_path: Path) -> None:
    save(tmp_path, a=scene(1))
    (tmp_path / ".b.png").write_bytes((tmp_path / "a.png").read_bytes())
    assert la.images.find_pairs(tmp_path).pictures.num_rows == 1


def test_damaged_files_never_raise(tmp_path: Path) -> None:
    """Bytes are changed at random places, in several formats."""
    rng = np.random.default_rng(0)
    for suffix in (".png", ".jpg", ".gif", ".bmp", ".tif", ".webp"):
        scene(1, (60, 40)).save(tmp_path / f"x{suffix}")
        data = bytearray((tmp_path / f"x{suffix}").read_bytes())
        for _ in range(40):
            bad = bytearray(data)
            for place in rng.integers(0, min(len(bad), 400), 8).tolist():
                bad[place] = int(rng.integers(0, 256))
            with quiet():
                decode(bytes(bad), "x", MOST)


def test_a_huge_picture_inside_an_icon_is_not_decoded(tmp_path: Path) -> None:
    Image.new("1", (30_000, 30_000)).save(tmp_path / "inner.png")
    inner = (tmp_path / "inner.png").read_bytes()
    (tmp_path / "inner.png").unlink()
    entry = struct.pack("<BBBBHHII", 0, 0, 0, 0, 1, 32, len(inner), 22)
    (tmp_path / "x.ico").write_bytes(struct.pack("<HHH", 0, 1, 1) + entry + inner)
    assert codes(tmp_path) == ["picture-too-large"]


def test_files_cannot_start_other_programs(tmp_path: Path) -> None:
    """Pillow would let Ghostscript draw this one."""
    (tmp_path / "x.png").write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\nshowpage\n")
    assert codes(tmp_path) == ["picture-not-recognized"]


@pytest.mark.parametrize("keep", ["largest", "first"])
def test_animations_go_only_if_an_equal_file_is_kept(tmp_path: Path, keep: str) -> None:
    """Their other frames are not compared."""
    scene(1).save(tmp_path / "b.gif", save_all=True, append_images=[scene(2)])
    scene(1).save(tmp_path / "c.gif", save_all=True, append_images=[scene(3)])
    (tmp_path / "d.gif").write_bytes((tmp_path / "c.gif").read_bytes())
    save(tmp_path, a=scene(1).quantize(256).convert("RGB").resize((480, 360)))
    found = la.images.find_pairs(tmp_path, keep=keep)  # type: ignore[arg-type]
    assert len(found) == 6 and found.kind_counts() == {"bytes": 1, "pixels": 0, "near": 5}
    kept = dict(zip(found.pictures["path"].to_pylist(), found.pictures["kept"].to_pylist(), strict=True))
    assert kept == {"a.png": "a.png", "b.gif": "b.gif", "c.gif": "c.gif", "d.gif": "c.gif"}


def test_all_plain_pictures_with_equal_pixels_are_found(tmp_path: Path) -> None:
    """A difference of one level in one pixel is lost in the thumbnail."""
    white = Image.new("RGB", (640, 480), "white")
    dotted = white.copy()
    dotted.putpixel((99, 99), (254, 255, 255))
    white.save(tmp_path / "a.png")
    for name in ("b.png", "c.bmp", "d.tif"):
        dotted.save(tmp_path / name)
    found = la.images.find_pairs(tmp_path)
    assert [(row.left, row.right, row.kind) for row in found] == [
        ("b.png", "c.bmp", "pixels"), ("b.png", "d.tif", "pixels"),
    ]  # fmt: skip


def test_a_plain_query_finds_equal_files(tmp_path: Path) -> None:
    save(tmp_path, a=scene(1), b=Image.new("RGB", (60, 40), "white"), c=Image.new("RGB", (60, 40), "white"))
    found = la.images.nearest(tmp_path, tmp_path / "c.png")
    assert [(row.picture, row.kind, row.similarity) for row in found] == [("b.png", "bytes", 1), ("c.png", "bytes", 1)]


def test_deep_pictures_are_scaled_in_the_report(tmp_path: Path) -> None:
    deep = np.tile(np.linspace(0, 65535, 60).astype(np.uint16), (40, 1))
    Image.fromarray(deep).save(tmp_path / "x.png")
    shown = str(_embedded(tmp_path / "x.png")).removeprefix("data:image/png;base64,")
    with Image.open(BytesIO(base64.b64decode(shown))) as image:
        assert image.convert("L").getextrema() == (0, 255) and len(set(image.convert("L").tobytes())) > 50


@pytest.mark.skipif(os.name != "posix", reason="links need permissions elsewhere")
def test_links_into_unreadable_folders_are_no_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    save(tmp_path, a=scene(1))
    (tmp_path / "b.png").symlink_to(tmp_path / "nowhere" / "b.png")
    folder, found = str(tmp_path), PictureFiles()
    monkeypatch.setattr(Path, "is_dir", denied)
    assert [file.name for file in _files_in(Path(folder), found)] == ["a.png", "b.png"]


def test_folders_may_be_nested_deeply(tmp_path: Path) -> None:
    save(tmp_path, b=scene(1), z=scene(2))
    deepest = tmp_path.joinpath(*["d"] * 100)
    deepest.mkdir(parents=True)
    save(deepest, c=scene(3))
    found, limit = PictureFiles(), sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 50)
    try:
        files = list(_files_in(tmp_path, found))
    finally:
        sys.setrecursionlimit(limit)
    assert [file.name for file in files] == ["b.png", "c.png", "z.png"] and not found.problems
