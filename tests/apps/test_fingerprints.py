"""Fingerprints: the textbook's figures, the rates of the theory, and the search against brute force."""

from __future__ import annotations

import struct
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.apps.fingerprints import (
    Grid,
    Model,
    Print,
    Triples,
    binomial,
    book_rate,
    match,
    match_prints,
    read_prints,
    read_template,
    write_template,
)
from tests.refusals import refused

PAIRS = 1500


def made(points: list[tuple[float, float]], name: str = "p", angle: list[float] | None = None) -> Print:
    x, y = np.array(points, np.float64).reshape(-1, 2).T
    return Print(name, x, y, None if angle is None else np.array(angle, np.float64))


places = st.lists(st.tuples(st.floats(0, 5.99), st.floats(0, 3.99)), max_size=12)


def test_the_figures_of_the_textbook() -> None:
    """MMDS 3.8.5 and 3.8.6: 0.2³ · 0.8³ against 0.2⁶; 1,024 triples; two groups of them."""
    assert book_rate(0.16, count=1) == pytest.approx(0.004096)
    assert book_rate(0.04, count=1) == pytest.approx(0.000064)
    assert book_rate(0.16) == pytest.approx(0.985, abs=5e-4)
    assert book_rate(0.04) == pytest.approx(0.063, abs=5e-4)
    assert book_rate(0.16, groups=2) == pytest.approx(0.970, abs=5e-4)
    assert book_rate(0.04, groups=2) == pytest.approx(0.004, abs=5e-5)


def test_rates_approach_those_of_the_textbook_with_more_squares() -> None:
    for both in (0.16, 0.04):
        away = [abs(Triples(n).rate(both) - book_rate(both)) for n in (100, 400, 1600, 6400)]
        assert away == sorted(away, reverse=True) and away[-1] < 0.0015
    assert Triples(400).rate(0.16) == pytest.approx(0.967, abs=5e-4)  # a grid of 20 × 20 finds less than MMDS says


# The family


@given(st.integers(3, 12), st.integers(1, 3), st.integers(0, 12), st.integers(1, 40), st.integers(1, 2))
def test_the_probability_is_a_share_of_possible_functions(n: int, size: int, c: int, count: int, groups: int) -> None:
    c = min(c, n)
    holds = sum(set(squares) <= set(range(c)) for squares in combinations(range(n), size))
    assert holds == comb(c, size)
    wanted = (1 - (1 - holds / comb(n, size)) ** count) ** groups
    assert Triples(n, count, size, groups).chance(c) == pytest.approx(wanted)


@given(st.integers(1, 40), st.floats(0, 1))
def test_binomial_probabilities(n: int, p: float) -> None:
    wanted = [comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(n + 1)]
    assert binomial(n, p) == pytest.approx(wanted, abs=1e-9)


@given(st.lists(st.sets(st.integers(0, 9)), max_size=6), st.integers(1, 3), st.integers(0, 3))
def test_a_bucket_contains_the_prints_with_all_its_squares(sets: list[set[int]], size: int, seed: int) -> None:
    triples = Triples(10, 25, size, groups=2, seed=seed)
    assert all(len({*squares}) == size for squares in triples.drawn.tolist()) and triples.drawn.shape == (50, size)
    grid = Grid(10, 1)
    prints = [made([(square + 0.5, 0.5) for square in one]) for one in sets]
    for group in (0, 1):
        buckets = triples.buckets(grid.sets(prints), group)
        functions = triples.drawn[25 * group : 25 * (group + 1)].tolist()
        for one, held in zip(sets, buckets, strict=True):
            assert held.tolist() == [i for i, squares in enumerate(functions) if {*squares} <= one]


# The grid


@given(places, st.sampled_from([0.0, 0.2, 0.5]), st.sampled_from([1, 4]))
def test_a_minutia_is_in_its_square_and_in_nearby_ones(
    points: list[tuple[float, float]], margin: float, sectors: int
) -> None:
    grid = Grid(6, 4, sectors=sectors, margin=margin)
    angles = [(37.0 * i) % 360 for i in range(len(points))]
    wanted = set()
    for (x, y), angle in zip(points, angles, strict=True):
        for column in range(6):
            for row in range(4):
                for sector in range(sectors):
                    near = _within(x, column, margin, 1) and _within(y, row, margin, 1)
                    turn, slack = 360 / sectors, 360 / sectors * margin
                    turned = sectors == 1 or any(
                        _within(angle + 360 * i, sector * turn, slack, turn) for i in (-1, 0, 1)
                    )
                    if near and turned:
                        wanted.add((row * 6 + column) * sectors + sector)
    assert set(grid.of(made(points, angle=angles)).tolist()) == wanted


def _within(value: float, start: float, margin: float, length: float) -> bool:
    """True if value − margin or value + margin is in the interval."""
    return any(start <= value + shift < start + length for shift in (-margin, margin))


def test_a_shift_within_the_margin_keeps_a_common_square() -> None:
    rng = np.random.default_rng(1)
    grid = Grid(10, 10, margin=0.3)
    for x, y, dx, dy in rng.random((200, 4)) * [8, 8, 0.6, 0.6] + [1, 1, -0.3, -0.3]:
        assert np.intersect1d(grid.of(made([(x, y)])), grid.of(made([(x + dx, y + dy)]))).size


@pytest.mark.parametrize("angle", [0.7, 0.0, 359.99999999999994, 360.0])
def test_an_angle_that_is_rounded_to_360_degrees_has_a_sector(angle: float) -> None:
    assert (0.7 - 360 / 36 * 0.07) % 360 == 360.0
    found = Grid(1, 1, sectors=36, margin=0.07).of(made([(0.5, 0.5)], angle=[angle]))
    assert {*found.tolist()} <= {0, 35}


def test_a_large_grid_is_searched_and_a_too_large_one_is_refused() -> None:
    grid = Grid(9000, 9000)
    triples = Triples(grid.squares)
    held, also = (made([(s % 9000 + 0.5, s // 9000 + 0.5) for s in triples.drawn[i].tolist()]) for i in (7, 8))
    found = match([held, also, held, made([(1, 1)])], grid=grid, triples=triples)
    assert (found.left_rows.tolist(), found.right_rows.tolist(), found.buckets.tolist()) == ([0], [2], [1])
    assert found.expected_false_rate is not None and 0 <= found.expected_false_rate < 1e-9
    for far in (1e5, 1e7, 1e300):
        with refused("grid-too-large", most=100_000_000):
            match_prints([made([(far, far)])])
    with refused("grid-too-large"):
        match_prints([made([(1e300, 0)])], side=1e-300)


# The search


@given(st.lists(places, max_size=7), st.lists(places, max_size=5), st.integers(1, 2), st.sampled_from([0, 0.5]))
def test_the_search_finds_what_brute_force_finds(
    some: list[list[tuple[float, float]]], others: list[list[tuple[float, float]]], groups: int, threshold: float
) -> None:
    grid = Grid(6, 4)
    triples = Triples(grid.squares, 60, 2, groups, seed=1)
    prints = [made(points, f"p{i}") for i, points in enumerate(some)]
    gallery = [made(points, f"g{i}") for i, points in enumerate(others)]
    for right in (None, gallery):
        found = match(prints, right, grid=grid, triples=triples, threshold=threshold)
        wanted = {}
        for i, one in enumerate(prints):
            for j, other in enumerate(gallery if right is not None else prints):
                if right is None and j <= i:
                    continue
                a, b = set(grid.of(one).tolist()), set(grid.of(other).tolist())
                meets = [[{*squares} <= a & b for squares in half] for half in np.split(triples.drawn, groups)]
                if all(map(any, meets)) and len(a & b) / len(a | b) >= threshold:
                    wanted[i, j] = (len(a & b), sum(map(sum, meets)), len(a & b) / len(a | b))
        got = zip(
            found.left_rows.tolist(),
            found.right_rows.tolist(),
            found.shared,
            found.buckets,
            found.similarity,
            strict=True,
        )
        assert {(i, j): rest for i, j, *rest in got} == {pair: [*rest] for pair, rest in wanted.items()}
        assert found.similarity.tolist() == sorted(found.similarity.tolist(), reverse=True)
        assert found.to_arrow()["left"].to_pylist() == [prints[i].name for i in found.left_rows]


MODELS = {
    "textbook": Model(Grid(20, 20)),
    "jitter": Model(Grid(20, 20), jitter=0.2),
    "missing": Model(Grid(20, 20), missing=0.1, minutia=0.18),
    "spurious": Model(Grid(16, 24), spurious=0.04),
    "all of it": Model(Grid(20, 20, side=0.7), missing=0.1, jitter=0.1, spurious=0.02),
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_generated_prints_are_candidates_as_often_as_expected(model: Model) -> None:
    """Within four standard errors, over pairs that share no finger and over draws of functions."""
    fingers = model.fingers(PAIRS, 2, seed=11)
    found = np.zeros(2)
    for start in range(0, PAIRS, 50):
        triples = Triples(model.grid.squares, seed=start)
        one, two = (model.grid.sets([finger[i] for finger in fingers[start : start + 50]]) for i in (0, 1))
        left, right = triples.buckets(one), triples.buckets(two)
        for i in range(50):
            found += [np.intersect1d(left[i], right[j]).size > 0 for j in (i, i - 1)]
    triples = Triples(model.grid.squares)
    for rate, expected in zip(found / PAIRS, (model.same(triples), model.different(triples)), strict=True):
        assert abs(rate - expected) < 4 * (expected * (1 - expected) / PAIRS) ** 0.5 + 1e-9


def test_a_margin_compensates_for_jitter() -> None:
    fingers = Model(Grid(20, 20), missing=0.05, jitter=0.25).fingers(150, 2, seed=2)
    one, two = ([finger[i] for finger in fingers] for i in (0, 1))
    strict, lenient = (match_prints(one, two, margin=margin) for margin in (0.0, 0.25))
    hits = [int((found.left_rows == found.right_rows).sum()) for found in (strict, lenient)]
    assert hits[0] < 0.8 * 150 < 0.95 * 150 < hits[1]


def test_rates_without_a_formula_are_refused() -> None:
    with refused("no-expected-rate"):
        Model(Grid(5, 5, margin=0.1)).same(Triples(25))


# Files


@given(places, st.lists(st.integers(0, 255), min_size=12, max_size=12))
def test_a_template_is_read_as_it_was_written(points: list[tuple[float, float]], steps: list[int]) -> None:
    angle = [step * 360 / 256 for step in steps[: len(points)]]
    one = made(points, angle=angle)
    first, second = read_template(write_template([one, made([(1, 2)])]), "x.fmr")
    assert (first.name, second.name) == ("x.fmr#1", "x.fmr#2")
    assert np.abs(first.x - one.x).max(initial=0) <= 10 / 197 / 2 + 1e-9
    assert np.abs(first.y - one.y).max(initial=0) <= 10 / 197 / 2 + 1e-9
    assert first.angle is not None and first.angle.tolist() == angle


def test_a_record_written_by_hand() -> None:
    """24 bytes of header, a view of two minutiae, and four bytes of extended data, at 200 pixels per centimetre."""
    header = bytes.fromhex("464d5200203230 00".replace(" ", ""))  # FMR, nul, space, 20, nul
    minutiae = bytes.fromhex("4064 00c8 40 5a 8190 012c 80 00".replace(" ", ""))
    view = bytes.fromhex("02 00 50 02".replace(" ", "")) + minutiae + bytes.fromhex("0004 01020304".replace(" ", ""))
    data = header + struct.pack(">IHHHHHBB", 24 + len(view), 0, 400, 500, 200, 200, 1, 0) + view
    (one,) = read_template(data, "hand.fmr")
    assert (one.name, one.x.tolist(), one.y.tolist()) == ("hand.fmr", [5.0, 20.0], [10.0, 15.0])
    assert one.angle is not None and one.angle.tolist() == [90.0, 180.0]
    for broken, code in (
        (data[:20], "template-cut-short"),
        (data[:30], "template-length-differs"),
        (data[:-1], "template-length-differs"),
        (data + b"x", "template-length-differs"),
        (data[:14] + b"\0" * 10 + data[24:], "template-without-resolution"),
        (b"FMR\0 30\0" + data[8:], "not-a-template"),
    ):
        with refused(code, name="broken.fmr"):
            read_template(broken, "broken.fmr")
    ansi = data[:8] + struct.pack(">H", len(data)) + data[10:]
    with refused("template-ansi-378"):
        read_template(ansi, "ansi.fmr")


def test_a_record_with_extra_bytes_or_too_many_prints_is_refused() -> None:
    two = write_template([made([(1, 2)]), made([(3, 4)])])
    with refused("template-has-more", name="two.fmr", views=1, extra=12):
        read_template(two[:22] + b"\1" + two[23:], "two.fmr")
    assert len(read_template(write_template([made([(1, 1)] * 255)] * 255), "full.fmr")) == 255
    with refused("too-many-minutiae", name="p", count=256, most=255):
        write_template([made([(1, 1)] * 256)])
    with refused("too-many-prints", most=255, count=256):
        write_template([made([(1, 1)])] * 256)


def test_tables_and_folders_are_read(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.fmr").write_bytes(write_template([made([(1, 2), (3, 4)], angle=[0, 90])]))
    (tmp_path / "b.csv").write_text("print,x,y\nq,1.5,2\nr,0,0\nq,2.5,3\n", encoding="utf-8")
    prints = read_prints([tmp_path])
    assert [(one.name, len(one)) for one in prints] == [("a/one.fmr", 2), ("q", 2), ("r", 1)]
    assert len(match_prints(tmp_path, size=1, count=50, side=5)) == 3


def test_a_name_may_have_line_breaks(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b'print,x,y\r\n"a\nb",1,2\r\n"a\nb",3,4\r\nc\xc2\x85d,5,6\r\n')
    assert [(one.name, len(one)) for one in read_prints([tmp_path / "t.csv"])] == [("a\nb", 2), ("c\x85d", 1)]
    (tmp_path / "t.csv").write_text('print,x,y\n"a\nb",1,two\n', encoding="utf-8")
    with refused("minutia-not-a-place", line=3, values=("1", "two")):
        read_prints([tmp_path / "t.csv"])


@pytest.mark.parametrize(
    ("content", "code", "values"),
    [
        ("x,y\n1,2\n", "minutiae-without-column", {"column": "print"}),
        ("print,x,y\na,1,two\n", "minutia-not-a-place", {"line": 2, "values": ("1", "two")}),
        ("print,x,y\na,1,-2\n", "minutia-not-a-place", {"line": 2}),
        ("print,x,y\na,1\n", "minutia-not-a-place", {"line": 2, "values": ("1", "")}),
        ("", "minutiae-without-column", {"column": "print"}),
        (f"print,x,y\n{'a' * 140_000},1,two\n", "minutia-not-a-place", {"line": 2}),
        (f"{'a' * 140_000},x,y\n", "minutiae-without-column", {"column": "print"}),
    ],
)
def test_a_broken_table_is_refused(tmp_path: Path, content: str, code: str, values: dict[str, Any]) -> None:
    (tmp_path / "t.csv").write_text(content, encoding="utf-8")
    with refused(code, **values):
        read_prints([tmp_path / "t.csv"])


@pytest.mark.parametrize(
    ("call", "code", "values"),
    [
        ({"side": 0}, "side-not-positive", {"value": 0}),
        ({"margin": 0.7}, "margin-out-of-range", {"value": 0.7}),
        ({"sectors": 0}, "not-a-whole-number", {"option": "sectors"}),
        ({"sectors": 4}, "print-without-angles", {"name": "p"}),
        ({"count": 0}, "not-a-whole-number", {"option": "count"}),
        ({"seed": -1}, "not-a-whole-number", {"option": "seed", "least": 0, "value": -1}),
        ({"size": 10}, "grid-too-small", {"size": 10, "squares": 9}),
    ],
)
def test_invalid_options_are_refused(call: dict[str, Any], code: str, values: dict[str, Any]) -> None:
    with refused(code, **values):
        match_prints([made([(1, 1), (2, 2)])], **call)


def test_a_threshold_above_one_is_refused() -> None:
    with refused("not-a-share", meant="0.8"):
        match_prints([made([(1, 1), (2, 2)])], threshold=80)


def test_empty_input_has_no_matches(tmp_path: Path) -> None:
    assert len(match_prints([])) == len(match_prints([made([])], [made([])])) == 0
    with refused("no-prints-in-folder", path=str(tmp_path)):
        match_prints(tmp_path)
    assert la.apps.fingerprints.match_prints is match_prints
    with pytest.raises(AttributeError):
        _ = la.apps.nothing
