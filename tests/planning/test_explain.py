"""The explanation describes the curve correctly, fits a terminal, and can be limited to ASCII."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.families.amplify import Banded
from lookalike.flow import parse_shingling
from lookalike.flow.threshold import Threshold
from lookalike.planning.explain import chance, describe_shingles, draw, explain, facts, similarities
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan, Statistics

plans = st.builds(
    lambda bands, rows, threshold, verify: Plan(
        threshold=threshold, hashes=4096, bands=bands, rows=rows, verify=verify
    ).resolve(Statistics(10_000, 230)),
    st.integers(1, 64),
    st.integers(1, 64),
    st.integers(1, 999).map(lambda thousandths: f"{thousandths / 1000:.3f}") | st.just("1") | st.just("0.999999999"),
    st.sampled_from(["exact", "signature", "none"]),
)


def test_explain_shows_the_textbook_table_for_20_bands_of_5_rows() -> None:
    text = explain(Plan(bands=20, rows=5).resolve())
    rows = dict(re.findall(r"^ +(0\.\d) +[<>]?([\d.]+) ", text, re.MULTILINE))
    found = [rows[s] for s in ("0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8")]
    assert found == ["0.0064", "0.0475", "0.1860", "0.4701", "0.8019", "0.9748", "0.9996"]


def test_explain_names_the_three_thresholds_of_20_bands_of_5_rows() -> None:
    text = explain(Plan(bands=20, rows=5).resolve())
    assert re.search(r"half point +0\.509 +0\.5000", text)
    assert re.search(r"steepest point +0\.526", text)
    assert re.search(r"rule of thumb +0\.549 +0\.64", text)


def test_explain_shows_the_requested_and_the_expected_recall() -> None:
    text = explain(Plan(threshold=Threshold("0.8"), recall=0.99).resolve())
    assert "16 bands × 6 rows" in text
    assert "0.9923 expected for pairs exactly at the threshold (requested: 0.99)" in text
    assert "128 bytes of band keys" in text


@given(plans)
def test_explain_fits_80_columns_and_can_be_limited_to_ascii(plan: ResolvedPlan) -> None:
    for text in (explain(plan), explain(plan, ascii=True)):
        assert max(map(len, text.splitlines())) <= 80
        assert f"{plan.banding.bands} band" in text
    assert explain(plan, ascii=True).isascii()


@given(plans)
def test_curve_is_drawn_from_the_lower_left_to_the_upper_right_without_a_gap(plan: ResolvedPlan) -> None:
    lines = draw(plan.banding, 0.5, ascii=True).splitlines()[:12]
    columns = [[row for row in range(12) if line[row : row + 1] == "*"] for line in zip_columns(lines)]
    assert columns[0][-1] == 11
    assert columns[-1][0] == 0
    for before, after in pairwise(columns):
        assert after[0] <= before[0]  # it never falls
        assert after[-1] >= before[0] - 1  # and has no gap


def zip_columns(lines: list[str]) -> list[str]:
    inner = [line[7:].ljust(64).replace(":", " ") for line in lines]
    return ["".join(column) for column in zip(*inner, strict=True)]


def test_braille_and_ascii_curves_have_the_same_frame() -> None:
    shapes = [[len(line) for line in draw(Banded(16, 6), 0.8, ascii=ascii).splitlines()] for ascii in (True, False)]
    assert shapes[0][12:] == shapes[1][12:]
    assert any("⠀" < character <= "⣿" for character in draw(Banded(16, 6), 0.8))


@given(st.floats(0, 1))
def test_chance_is_never_shown_as_0_or_1_if_it_is_in_between(p: float) -> None:
    shown = chance(p)
    assert shown not in ("0", "1", "0.0000", "1.0000")
    assert len(shown) <= 7
    assert abs(float(shown.strip("<>")) - p) <= 0.0001


def test_similarities_are_the_tenths_and_the_threshold_once_each_in_order() -> None:
    assert similarities(0.8) == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
    assert similarities(0.85)[-2:] == [0.85, 0.9]
    assert similarities(1.0)[-1] == 1.0


def test_facts_are_plain_values_that_agree_with_the_plan() -> None:
    plan = Plan(threshold=Threshold("0.8")).resolve()
    found = facts(plan)
    assert (found["bands"], found["rows"], found["hashes_used"]) == (16, 6, 96)
    assert found["probabilities"]["0.8"] == plan.recall == found["recall_expected"]
    assert found["bytes_per_document"] == {"keys": 128, "signature": 1024}


@pytest.mark.parametrize(
    ("shingles", "options", "words"),
    [
        ("words:5", {}, "windows of 5 words, NFKC, case folded"),
        ("words:1", {"case": "keep"}, "single words, NFKC, case kept"),
        ("chars:9", {"whitespace": "drop"}, "windows of 9 characters, NFKC, case folded, white space dropped"),
        ("tokens", {"bag": True}, "the tokens as given, repetitions counted"),
        ("tokens:2", {}, "windows of 2 tokens"),
        ("stopwords", {"normalize": "none"}, "and the next two words, not normalized, case folded"),
    ],
)
def test_shingles_are_described_in_words(shingles: str, options: dict[str, object], words: str) -> None:
    assert describe_shingles(parse_shingling(shingles, **options)).endswith(words)


def test_a_plan_explains_itself() -> None:
    plan = Plan(threshold=Threshold("0.9"))
    assert plan.explain() == explain(plan.resolve())
