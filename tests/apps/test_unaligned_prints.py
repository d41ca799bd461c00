"""Fingerprints that are not aligned: laws, the kernel against plain Python, and what is found and refused."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.apps.fingerprints import (
    AlignedMatches,
    Print,
    PrintMatches,
    Scans,
    definitions,
    match_prints,
    read_prints,
    write_template,
)
from lookalike.apps.fingerprints.neighbourhoods import (
    BANDS,
    CELLS,
    SIMILAR,
    TOLERANCE,
    How,
    cosine_and_sine,
    describe,
    permutations,
)
from lookalike.apps.fingerprints.unaligned import candidates, votes_of_mirrored
from lookalike.kernel import Cpu
from lookalike.kernel.prints import Described
from tests.refusals import refused

minutiae = st.lists(
    st.tuples(st.floats(0, 6), st.floats(0, 6), st.one_of(st.floats(0, 360), st.sampled_from([0, 90, 180, 270]))),
    max_size=9,
)


def made(points: list[tuple[float, float, float]], name: str = "p") -> Print:
    return Print(name, *np.array(points, np.float64).reshape(-1, 3).T)


def similar_to(points: list[tuple[float, float, float]], seed: int) -> Print:
    """Another print of the same finger, turned and shifted, without one minutia."""
    rng = np.random.default_rng(seed)
    moved = np.array(points, np.float64).reshape(-1, 3) + rng.normal(0, 0.05, (len(points), 3))
    return made([(x, y, a % 360) for x, y, a in moved.tolist()][1:], "q").moved(rng.uniform(-180, 180), 3, -1)


def bits(sets: npt.NDArray[np.uint64]) -> list[set[int]]:
    return [{64 * i + b for i, word in enumerate(row.tolist()) for b in range(64) if word >> b & 1} for row in sets]


def parts(described: Described, row: int) -> tuple[list[definitions.Point], list[set[int]]]:
    start, stop = described.minutiae.offsets[row : row + 2]
    return definitions.points_of(described.minutiae, row), bits(described.sets[start:stop])


# The kernel against plain Python


@settings(max_examples=12, deadline=None)
@given(st.lists(minutiae, max_size=3))
def test_sets_and_keys_are_as_defined(prints: list[list[tuple[float, float, float]]]) -> None:
    found = describe([made(points) for points in prints], How(seed=3, threads=2))
    ranks = permutations(3)
    wanted = [
        around
        for row in range(len(prints))
        for around in definitions.neighbourhoods(definitions.points_of(found.minutiae, row), CELLS)
    ]
    assert bits(found.sets) == wanted
    for around, keys in zip(wanted, found.keys.tolist(), strict=True):
        expected = definitions.band_keys(around, ranks.tolist(), BANDS)
        assert [sum(h * len(CELLS) ** i for i, h in enumerate(reversed(key))) for key in expected] in ([], keys)


@settings(max_examples=15, deadline=None)
@given(minutiae, minutiae, st.integers(0, 99))
def test_votes_and_alignments_are_as_defined(
    points: list[tuple[float, float, float]], other: list[tuple[float, float, float]], seed: int
) -> None:
    prints = [made(points), similar_to(points, seed), made(other), similar_to(other, seed)]
    found = describe(prints, How())
    every = np.array([(i, j) for i in range(4) for j in range(i + 1, 4)])
    left, right = np.ascontiguousarray(every.T)
    ranks = permutations(0).tolist()
    sides = [
        (points, sets, [definitions.band_keys(around, ranks, BANDS) for around in sets])
        for points, sets in (parts(found, row) for row in range(4))
    ]
    wanted = [definitions.votes(sides[i], sides[j], SIMILAR) for i, j in every]
    voted = candidates(found, None, 0, 2)
    assert {(i, j): v for i, j, v in zip(*map(np.ndarray.tolist, voted), strict=True)} == {
        (i, j): v for (i, j), v in zip(every.tolist(), wanted, strict=True) if v > 0
    }
    across = candidates(found, found, 0, 1)
    assert {(i, j): v for i, j, v in zip(*across, strict=True) if i < j} == dict(
        zip(zip(voted.left, voted.right, strict=True), voted.votes, strict=True)
    )
    aligned = Cpu(2).align_prints(found, found, left, right, TOLERANCE)
    for at, (i, j) in enumerate(every.tolist()):
        expected = definitions.align(*parts(found, i), *parts(found, j), TOLERANCE)
        assert (aligned.strength[at], aligned.paired[at]) == (expected.strength, expected.paired)
        motion = (aligned.cosine[at], aligned.sine[at], aligned.x[at], aligned.y[at])
        assert tuple(map(float, motion)) == expected.motion


def test_nothing_depends_on_threads() -> None:
    prints = [one for finger in Scans().fingers(20, 2, seed=2) for one in finger]
    one, two = (match_prints(prints, threshold=0, threads=threads) for threads in (1, 2))
    assert one.to_arrow().equals(two.to_arrow())


def test_cosines_and_sines_are_exact() -> None:
    degrees = np.concatenate([np.arange(0, 360, 0.125), [0.1, 1e-9, 359.9999999]])
    cosine, sine = cosine_and_sine(degrees)
    assert np.abs(cosine - np.cos(np.deg2rad(degrees))).max() < 2e-15
    assert np.abs(sine - np.sin(np.deg2rad(degrees))).max() < 2e-15
    assert cosine_and_sine(np.array([0.0, 90.0, 180.0, 270.0]))[0].tolist() == [1, 0, -1, 0]


# Laws


@settings(max_examples=8, deadline=None)
@given(st.floats(-180, 180), st.floats(-30, 30), st.floats(-30, 30), st.integers(0, 50))
def test_a_moved_print_is_the_same(degrees: float, x: float, y: float, seed: int) -> None:
    """Up to rounding: a minutia exactly on the border of a cell may change sides."""
    ((one,),) = Scans().fingers(1, 1, seed)
    found = describe([one, one.moved(degrees, x, y)], How())
    first, second = (parts(found, row)[1] for row in (0, 1))
    assert sum(len(a ^ b) for a, b in zip(first, second, strict=True)) <= 2
    result = match_prints([one, one.moved(degrees, x, y)], angles="anticlockwise")
    assert isinstance(result, AlignedMatches) and len(result) == 1 and result.paired.tolist() == [len(one)]
    back = one.moved(degrees, x, y).moved(float(result.rotation[0]), float(result.shift_x[0]), float(result.shift_y[0]))
    assert np.abs(back.x - one.x).max() < 1e-6 and np.abs(back.y - one.y).max() < 1e-6


@settings(max_examples=10, deadline=None)
@given(minutiae, minutiae, st.integers(0, 99))
def test_similarity_is_nearly_symmetric_and_a_share(
    points: list[tuple[float, float, float]], other: list[tuple[float, float, float]], seed: int
) -> None:
    """Not exactly: minutiae that are equally near are paired in the order of the left print."""
    prints = [made(points), similar_to(points, seed), made(other)]
    found = match_prints(prints, prints, threshold=0, angles="anticlockwise")
    assert all(0 <= similarity < 1 for similarity in found.similarity)
    pairs = set(zip(found.left_rows.tolist(), found.right_rows.tolist(), strict=True))
    assert pairs == {(j, i) for i, j in pairs}


def test_mirror_images_do_not_match() -> None:
    prints = [one for finger in Scans().fingers(30, 1, seed=5) for one in finger]
    mirrored = [
        Print(f"m{one.name}", 40 - one.x, one.y, (540 - one.angle) % 360) for one in prints if one.angle is not None
    ]
    assert len(match_prints(prints, mirrored, angles="anticlockwise")) == 0


# What is found


def test_generated_prints_are_found_in_any_position() -> None:
    fingers = Scans().fingers(80, 2, seed=9)
    one, two = ([finger[i] for finger in fingers] for i in (0, 1))
    found = match_prints(one, two)
    assert isinstance(found, AlignedMatches) and found.warnings == ()
    assert (found.left_rows == found.right_rows).all() and len(found) > 0.93 * 80
    every = match_prints(one, two, threshold=0)
    false = int((every.left_rows != every.right_rows).sum())
    assert len(every) == every.candidates == found.candidates and false < 0.08 * 80 * 79
    best: dict[int, int] = {}
    for left, right in zip(every.left_rows.tolist(), every.right_rows.tolist(), strict=True):
        best.setdefault(left, right)
    assert sum(left == right for left, right in best.items()) > 0.97 * 80


def test_fewer_false_candidates_are_compared_on_request() -> None:
    prints = [one for finger in Scans().fingers(40, 2, seed=1) for one in finger]
    counts = [match_prints(prints, false_candidates=share).candidates for share in (0, 0.02, 0.05, 1)]
    assert counts == sorted(counts) and counts[0] < counts[1] < counts[3]


def test_few_votes_with_mirror_images_exceed_the_number_learned() -> None:
    prints = [one for finger in Scans().fingers(30, 1, seed=1) for one in finger]
    least = votes_of_mirrored(prints, 0.05, How())
    mirrored = describe(prints, How(), mirrored=True)
    exceeding = len(candidates(describe(prints, How()), mirrored, least, 1).left)
    assert 0.03 < exceeding / 900 <= 0.05
    assert votes_of_mirrored(prints[:10], 0.05, How()) == 0  # too few to learn from


def test_clockwise_angles_are_noticed() -> None:
    fingers = Scans().fingers(20, 2, seed=3)
    wrong = [Print(p.name, p.x, p.y, (360 - p.angle) % 360) for f in fingers for p in f if p.angle is not None]
    found = match_prints(wrong)
    assert [warning.code for warning in found.warnings] == ["angles-taken-as-clockwise"] and len(found) >= 17
    assert match_prints(wrong, angles="clockwise").to_arrow().equals(found.to_arrow())
    assert len(match_prints(wrong, angles="anticlockwise")) < 5


# Files and options


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for finger in Scans().fingers(3, 2, seed=4):
        for one in finger:
            (tmp_path / f"{one.name}.fmr").write_bytes(write_template([one]))
    return tmp_path


BAD = {
    "truncated": (lambda good: good[:40], "template-length-differs"),
    "cut in a header": (lambda good: good[:20], "template-cut-short"),
    "another version": (lambda good: b"FMR\0 30\0" + good[8:], "not-a-template"),
    "wrong magic": (lambda good: b"\xff\xfeXY" + good[4:], "not-prints"),
    "more minutiae than bytes": (lambda good: good[:27] + b"\xff" + good[28:], "template-cut-short"),
    "empty": (lambda good: b"", "minutiae-without-column"),
}


@pytest.mark.parametrize(("broken", "code"), BAD.values(), ids=BAD)
def test_a_malformed_template_is_refused_or_skipped_with_one_sentence(folder: Path, broken: Any, code: str) -> None:
    (folder / "bad.fmr").write_bytes(broken((folder / "finger0-0.fmr").read_bytes()))
    with refused(code):
        match_prints(folder)
    with refused(code):
        read_prints([folder])
    found = match_prints(folder, on_error="skip")
    assert [warning.code for warning in found.warnings] == ["prints-skipped"]
    assert found.warnings[0].values["reason"].code == code and "bad.fmr" in str(found.warnings[0])
    assert found.summary.malformed == 1 and found.summary.documents == 6 and len(found) == 3
    assert len(read_prints([folder], on_error="skip")) == 6


@pytest.mark.skipif(sys.platform != "linux", reason="other file systems refuse such names")
def test_names_that_are_not_utf8_are_escaped(tmp_path: Path) -> None:
    one = Scans().fingers(1, prints=1, seed=1)[0][0]
    for name in (b"\xff.fmr", b"a.fmr"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_bytes(write_template([one]))
    (row,) = match_prints(tmp_path).to_arrow().to_pylist()
    assert (row["left"], row["right"]) == ("a.fmr", "\\xff.fmr")


def test_prints_with_few_minutiae_are_kept_and_named(folder: Path) -> None:
    (folder / "none.fmr").write_bytes(write_template([made([])]))
    (folder / "one.fmr").write_bytes(write_template([made([(5, 5, 90)])]))
    found = match_prints(folder, threshold=0)
    assert found.summary.documents == 8
    assert [(one.code, one.values["count"], one.values["first"]) for one in found.warnings] == [
        ("prints-with-few-minutiae", 2, "none.fmr")
    ]
    assert match_prints([made([])] * 3).warnings[0].values["count"] == 3


def test_positions_that_are_not_in_millimetres_are_noticed() -> None:
    pixels = [Print(p.name, p.x * 100, p.y * 100, p.angle) for f in Scans().fingers(2, 2, seed=1) for p in f]
    assert [warning.code for warning in match_prints(pixels).warnings] == ["minutiae-far-apart"]


def test_the_method_depends_on_angles_and_options() -> None:
    prints = [one for finger in Scans().fingers(2, 2, seed=1) for one in finger]
    flat = [Print(one.name, one.x, one.y) for one in prints]
    assert isinstance(match_prints(prints), AlignedMatches)
    for found in (match_prints(flat), match_prints(prints, margin=0.2), match_prints(prints, method="grid")):
        assert isinstance(found, PrintMatches)
    with refused("print-without-directions", name="finger0-0"):
        match_prints(flat, method="neighbourhoods")


@pytest.mark.parametrize(
    ("call", "code", "values"),
    [
        ({"method": "neighbourhoods", "margin": 0.1}, "option-of-grid", {"option": "margin"}),
        ({"method": "grid", "false_candidates": 0.1}, "option-of-neighbourhoods", {"option": "false_candidates"}),
        ({"method": "grid", "angles": "clockwise"}, "option-of-neighbourhoods", {"option": "angles"}),
        ({"method": "triangles"}, "not-one-of", {"option": "method"}),
        ({"false_candidates": 1.5}, "false-candidates-not-a-share", {"value": 1.5}),
        ({"threshold": 80}, "not-a-share", {}),
        ({"seed": -1}, "not-a-whole-number", {"option": "seed"}),
    ],
)
def test_invalid_options_are_refused(call: dict[str, Any], code: str, values: dict[str, Any]) -> None:
    with refused(code, **values):
        match_prints([made([(1, 1, 0), (2, 2, 90)])], **call)


def test_results_are_saved_and_loaded(tmp_path: Path) -> None:
    prints = [one for finger in Scans().fingers(3, 2, seed=1) for one in finger]
    for found in (match_prints(prints), match_prints(prints[:2], prints)):
        loaded = la.load(found.save(tmp_path / "saved", force=True))
        assert isinstance(loaded, AlignedMatches) and loaded.to_arrow().equals(found.to_arrow())
        assert isinstance(found, AlignedMatches) and loaded.votes == found.votes and loaded.within == found.within
