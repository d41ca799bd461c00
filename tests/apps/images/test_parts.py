"""The parts of the comparison: descriptors, candidates, alignment and hashes, against slow definitions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import lookalike as la
from lookalike.apps.images.alignment import STEPS, align, first_guess, softened
from lookalike.apps.images.candidates import COSINE, DISTANCE, find_candidates, probes_of
from lookalike.apps.images.codes import code, codes_of_turns, differing_bits
from lookalike.apps.images.codes import turned as turned_vectors
from lookalike.apps.images.descriptors import (
    CROPS,
    CUTS,
    DIMENSIONS,
    LENGTH,
    channels_of,
    describe,
    describe_crop,
    describe_crops,
)  # fmt: skip
from lookalike.apps.images.hashes import difference_hashes, frequency_hashes
from lookalike.apps.images.likeness import compare
from lookalike.apps.images.thumbnails import Thumbnails
from tests.apps.images.pictures import save, scene


def thumbnail(image: Image.Image) -> np.ndarray:
    return np.asarray(image.resize((64, 64), Image.Resampling.BILINEAR), np.uint8)


def thumbnails(*images: Image.Image) -> Thumbnails:
    count = np.arange(len(images))
    sizes = np.array([image.size for image in images], np.int64).reshape(-1, 2)
    return Thumbnails(np.stack([thumbnail(image) for image in images]), count, 0 * count, *sizes.T)


def test_products_of_descriptors_are_exact_and_their_length_is_known() -> None:
    vectors = describe(channels_of(np.stack([thumbnail(scene(seed)) for seed in range(10)])))
    assert vectors.shape == (10, DIMENSIONS) and np.array_equal(vectors, np.rint(vectors))
    squares = (vectors.astype(np.int64) ** 2).sum(axis=1)
    assert np.abs(np.sqrt(squares) / LENGTH - 1).max() < 0.01 and squares.max() < 2**24


def test_a_crop_is_described_as_the_cropped_picture_is() -> None:
    image = scene(3, (640, 640))
    crops = describe_crops(channels_of(thumbnail(image)[None]))
    assert np.array_equal(crops[0], describe(channels_of(thumbnail(image)[None])))
    cropped = image.crop((round(0.04 * 640), round(0.035 * 640), round(0.99 * 640), round(0.965 * 640)))
    own = describe(channels_of(thumbnail(cropped)[None]))[0]
    assert crops[CROPS.index((CUTS.index((0.04, 0.01)), CUTS.index((0.04, 0.04)))), 0] @ own / LENGTH**2 > 0.99


def test_codes_of_turned_pictures_are_those_of_turned_descriptors() -> None:
    pixels = np.stack([thumbnail(scene(seed)) for seed in range(6)])
    own = describe(channels_of(pixels))
    for turns in range(4):
        other = describe(channels_of(np.rot90(pixels, turns, axes=(1, 2))))
        assert np.array_equal(turned_vectors(own, turns), other)
        assert np.array_equal(codes_of_turns(own)[:, turns], code(other))
    codes = code(own)
    left, right = np.triu_indices(6, 1)
    words = zip(codes[left].tolist(), codes[right].tolist(), strict=True)
    expected = [sum((a ^ b).bit_count() for a, b in zip(one, two, strict=True)) for one, two in words]
    assert differing_bits(codes, codes, left, right, 1).tolist() == expected


def test_one_crop_is_described_as_it_is_among_all_crops() -> None:
    channels = channels_of(np.stack([thumbnail(scene(seed)) for seed in range(3)]))
    every = describe_crops(channels)
    for crop in range(len(CROPS)):
        assert np.abs(describe_crop(channels, crop) - every[crop]).max() <= 1


def test_candidates_are_those_of_a_comparison_of_all_pairs() -> None:
    images = [scene(seed, (160, 160)) for seed in range(6)]
    images += [image.transpose(Image.Transpose.ROTATE_90) for image in images[:3]]
    images += [image.crop((6, 4, 158, 157)) for image in images[:3]]
    images += [image.crop((6, 4, 158, 157)).transpose(Image.Transpose.ROTATE_270) for image in images[3:5]]
    every = thumbnails(*images)
    found = find_candidates(every, 1)
    stored = describe(channels_of(every.pixels))
    expected = set[tuple[int, ...]]()
    between = set[tuple[int, ...]]()
    for one in range(len(images)):
        for two in range(len(images)):
            for turns in range(4):
                pixels = np.rot90(every.pixels[[one]], turns, axes=(1, 2))
                vectors = np.concatenate([vectors for _, vectors in probes_of(pixels)])
                pair = min(one, two), max(one, two), turns if one < two else -turns % 4
                xor = code(vectors) ^ code(stored[[two]])
                differing = np.unpackbits(xor.view(np.uint8), axis=1).sum(axis=1)
                if one != two and differing.min() <= DISTANCE:
                    cosine = vectors[np.argmin(differing)] @ stored[two] / LENGTH**2
                    (between if abs(cosine - COSINE) < 0.001 else expected if cosine >= COSINE else set()).add(pair)
    got = {
        (min(one, two), max(one, two), turns if one < two else -turns % 4)
        for one, two, turns in zip(found.source.tolist(), found.target.tolist(), found.turns.tolist(), strict=True)
    }
    assert got - between == expected - between and len(found.source) == len(got), "each pair once per rotation"
    assert {(0, 6, 1), (1, 7, 1), (2, 8, 1), (0, 9, 0), (3, 12, 3), (4, 13, 3)} <= got


def test_alignment_finds_the_crop() -> None:
    image = scene(8, (800, 800))
    left, right, top, bottom = 0.03, 0.01, 0.0, 0.05
    cropped = image.crop((round(800 * left), round(800 * top), round(800 * (1 - right)), round(800 * (1 - bottom))))
    light = [softened(thumbnail(one)[None].astype(np.float32).mean(axis=3)) for one in (image, cropped)]
    fit = align(light[0], light[1], np.array([0]), STEPS)[0]
    assert fit == pytest.approx([1 - left - right, (left - right) / 2, 1 - top - bottom, (top - bottom) / 2], abs=0.004)
    assert np.allclose(first_guess(np.array([0])), [[1, 0, 1, 0]])


def test_similarity_does_not_depend_on_light_but_colour_does() -> None:
    one = thumbnail(scene(1))
    darker = (one * 0.7).astype(np.uint8)
    other = one[..., ::-1]
    near, far = (compare(one[None], two[None], np.array([0]), np.array([240])) for two in (darker, other))
    assert near.similarity[0] > 0.99 and near.colour[0] < 2 and near.brightness[0] == pytest.approx(0.7, abs=0.02)
    assert far.colour[0] > 10


def test_hashes_are_those_of_the_definitions() -> None:
    """dHash: a square is brighter than its left neighbour. pHash: a coefficient is above the median."""
    pixels = np.stack([thumbnail(scene(seed)) for seed in range(5)])
    light = pixels @ np.array([0.299, 0.587, 0.114])
    for row, (dhash, phash) in enumerate(zip(difference_hashes(pixels), frequency_hashes(pixels), strict=True)):
        edges = np.linspace(0, 64, 10)
        squares = np.empty((8, 9))
        for y in range(8):
            for x in range(9):
                inside = [max(0.0, min(edges[x + 1], i + 1) - max(edges[x], i)) for i in range(64)]
                squares[y, x] = round(light[row, 8 * y : 8 * y + 8].mean(axis=0) @ inside / sum(inside), 3)
        bits = (squares[:, 1:] > squares[:, :-1]).ravel()
        assert f"{dhash:064b}" == "".join("01"[bit] for bit in bits.astype(int))
        small = light[row].reshape(32, 2, 32, 2).mean(axis=(1, 3))
        waves = [
            sum(small[y, x] * np.cos(np.pi * v * (2 * y + 1) / 64) * np.cos(np.pi * u * (2 * x + 1) / 64)
                for y in range(32) for x in range(32))
            for v in range(8) for u in range(8)
        ]  # fmt: skip
        rounded = np.round(waves, 3)
        above = rounded > np.median(rounded[1:])
        assert f"{phash:064b}" == "".join("01"[bit] for bit in above.astype(int))


def test_the_nearest_pictures_begin_with_copies(tmp_path: Path) -> None:
    (tmp_path / "all").mkdir()
    for seed in range(6):
        save(tmp_path / "all", **{f"s{seed}": scene(seed)})
    scene(4).transpose(Image.Transpose.ROTATE_180).save(tmp_path / "query.jpg", quality=60)
    found = la.images.nearest(tmp_path / "all", tmp_path / "query.jpg", top=3)
    rows = list(found)
    assert [row.rank for row in rows] == [1, 2, 3] and rows[0].picture == "s4.png" and rows[0].kind == "near"
    assert rows[0].similarity > 0.9 and all(row.kind == "other" and row.similarity is None for row in rows[1:])
    (same, *_) = la.images.nearest(tmp_path / "all", tmp_path / "all" / "s2.png")
    assert same.picture == "s2.png" and same.kind == "bytes"


def test_the_report_embeds_pictures_and_escapes_names(tmp_path: Path) -> None:
    (tmp_path / "all").mkdir()
    save(tmp_path / "all", **{"<b>a": scene(1), "b": scene(1).resize((480, 360)), "c": scene(2)})
    (tmp_path / "all" / "bad.png").write_bytes(b"")
    found = la.images.find_pairs(tmp_path / "all", report=tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert page.count("<img") == 2 and "data:image/" in page and "<b>a.png" not in page and "&lt;b&gt;a.png" in page
    assert "img-src data:" in page and "bad.png is empty" in page and len(page) < 300_000
    la.images.nearest(tmp_path / "all", tmp_path / "all" / "b.png", top=1).report(tmp_path / "n.html")
    assert (tmp_path / "n.html").read_text(encoding="utf-8").count("<img") == 2
    assert la.load(found.save(tmp_path / "saved")).report(tmp_path / "s.html").exists()
