"""Charts: bins are complete, samples span the range, and excerpts add up."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.drawing.canvas import short
from lookalike.drawing.histograms import similarity_edges, similarity_histogram, size_bins, size_histogram
from lookalike.families.amplify import Banded
from lookalike.report.charts import s_curve
from lookalike.report.figures import choose_samples
from lookalike.report.side_by_side import pieces

similarities = st.lists(st.floats(0, 1) | st.just(1.0) | st.sampled_from([0.8, 0.75, 0.9999]), max_size=50)


def titles(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter("title")]


@given(similarities.filter(bool))
def test_every_similarity_is_in_a_bar(values: list[float]) -> None:
    bars = titles(similarity_histogram(np.array(values)))
    assert sum(int(words.rsplit(": ")[1].replace(",", "")) for words in bars) == len(values)
    assert bars[-1] == f"exactly 1: {sum(v == 1 for v in values)}"


@given(st.floats(0, 0.9999))
def test_edges_are_round_and_reach_from_the_minimum_to_one(least: float) -> None:
    edges = similarity_edges(least)
    assert edges[0] <= least + 1e-9
    assert edges[-1] == 1
    assert 5 <= len(edges) - 1 <= 30
    assert all(round(edge * 100) == pytest.approx(edge * 100) for edge in edges)


def test_a_bar_that_dwarfs_the_others_is_cut_short_and_labelled() -> None:
    svg = similarity_histogram(np.array([0.9] * 3 + [1.0] * 1000))
    assert 'class="break"' in svg
    assert ">1,000</text>" in svg
    assert 'class="break"' not in similarity_histogram(np.array([0.9] * 3 + [1.0] * 5))


@given(st.dictionaries(st.integers(2, 10**6), st.integers(1, 10**6), min_size=1, max_size=20))
def test_every_cluster_is_in_a_bin(sizes: dict[int, int]) -> None:
    ordered = tuple(sorted(sizes.items()))
    assert sum(count for _, count in size_bins(ordered)) == sum(sizes.values())
    ElementTree.fromstring(size_histogram(ordered))


@given(st.integers(1, 200), st.integers(1, 60), st.floats(0.001, 1))
def test_the_curve_stays_inside_its_frame(bands: int, rows: int, threshold: float) -> None:
    root = ElementTree.fromstring(s_curve(Banded(bands, rows), threshold, f"{threshold:g}"))
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    for path in root.iter("path"):
        numbers = [float(number) for number in re.findall(r"[\d.]+", path.attrib["d"])]
        assert all(0 <= x <= width for x in numbers[::2])
        assert all(0 <= y <= height for y in numbers[1::2])


@given(similarities, st.integers(1, 12))
def test_samples_are_distinct_ordered_and_span_the_range(values: list[float], most: int) -> None:
    similarity = np.array(values)
    chosen = choose_samples(similarity, most)
    shown = similarity[chosen].tolist()
    assert len(set(chosen)) == len(chosen) <= most
    assert shown == sorted(shown, reverse=True)
    assert sum(v == 1 for v in shown) <= 1
    below = sorted(v for v in values if v < 1)
    assert len(chosen) == min(most, len(below) + (1.0 in values))
    if below and most >= 3:  # the lowest step of the range is never left out
        assert min(shown) <= below[0] + (1 - below[0]) / most


@given(st.text(max_size=300), st.lists(st.integers(0, 300), max_size=8))
def test_the_pieces_of_a_short_text_add_up_to_it(text: str, places: list[int]) -> None:
    cuts = sorted({min(place, len(text)) for place in places})
    marks = list(zip(cuts[::2], cuts[1::2], strict=False))
    shown = pieces(text, marks, around=200)
    assert "".join(piece for _, piece in shown) == text
    own = [piece for kind, piece in shown if kind == "own"]
    between = [
        text[a:b]
        for a, b in zip([0, *(end for _, end in marks)], [*(start for start, _ in marks), len(text)], strict=True)
    ]
    assert sum(map(str.isalnum, "".join(own))) == sum(map(str.isalnum, "".join(between)))
    assert all(piece[0].isalnum() and piece[-1].isalnum() for piece in own)


@given(st.integers(0, 20_000), st.integers(0, 3000))
def test_omitted_characters_of_a_long_text_are_counted(start: int, length: int) -> None:
    text = "ab cd " * 3000
    start = min(start, len(text))
    shown = pieces(text, [(start, min(start + length, len(text)))])
    left_out = sum(int(piece.split()[0].replace(",", "")) for kind, piece in shown if kind == "gap")
    assert sum(len(piece) for kind, piece in shown if kind != "gap") + left_out == len(text)
    assert sum(len(piece) for kind, piece in shown) < 3500


def test_round_counts_are_written_short() -> None:
    assert [short(n) for n in (0, 950, 1500, 1024, 12_345, 2_000_000)] == ["0", "950", "1.5k", "1,024", "12.3k", "2M"]


def test_labels_of_a_narrow_chart_do_not_touch() -> None:
    """At 400 pixels, 33–64 and 65–128 ran into each other."""
    sizes = tuple((2**i, 1) for i in range(1, 8))
    wide, narrow = size_histogram(sizes), size_histogram(sizes, width=400, height=260)
    assert all(f">{name}<" in wide for name, _ in size_bins(sizes))
    assert [f">{name}<" in narrow for name, _ in size_bins(sizes)] == [False, True] * 4
