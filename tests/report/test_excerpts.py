"""Texts are cut between words, and source code is recognised."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.report.excerpts import LONGEST_WORD, beginning, ending, is_code

words = st.lists(st.text(alphabet="abc", min_size=1, max_size=LONGEST_WORD - 1), min_size=1).map(" ".join)


@given(words, st.integers(LONGEST_WORD, 200))
def test_no_word_is_cut(text: str, most: int) -> None:
    head, tail = beginning(text, most), ending(text, most)
    assert text.startswith(head) and text.endswith(tail) and len(head) <= most and len(tail) <= most
    assert head.split() == text.split()[: len(head.split())]
    assert tail.split() == text.split()[len(text.split()) - len(tail.split()) :]
    assert len(head) > most - LONGEST_WORD or head == text


def test_text_without_spaces_is_cut_anywhere() -> None:
    assert beginning("\u4e2d" * 300, 100) == "\u4e2d" * 100


@pytest.mark.parametrize("module", ["report/excerpts.py", "flow/checks.py", "storage/lock.py"])
def test_our_own_code_is_code(module: str) -> None:
    text = Path(str(la.__file__)).with_name(module.split("/")[0]).joinpath(module.split("/")[1]).read_text("utf-8")
    assert is_code(text.split('"""', 2)[2])


def test_prose_and_lists_are_not_code() -> None:
    assert not is_code("The storm came at night.\nIt tore the roof off the school.\nNobody was hurt.")
    assert not is_code("bread, milk\neggs\nbeer\nwine") and not is_code("") and is_code("x", "a/b.PY")


def test_code_is_shown_in_a_monospaced_font_and_differences_are_marked(tmp_path: Path) -> None:
    code = "import os\n\ndef size(path):\n    found = os.stat(path)\n    return found.st_size\n"
    rows = [code, code.replace("found", "result"), code * 2, "one two three four five six"]
    la.find_pairs(rows, threshold=0.3, shingles="words:2", report=tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert '<div class="text code"' in page and "<mark>result</mark>" in page


def test_all_texts_of_a_report_have_one_font(tmp_path: Path) -> None:
    """A paragraph that looked like code was monospaced in a report of prose."""
    code = "import os\n\ndef size(path):\n    found = os.stat(path)\n    return found.st_size\n"
    prose = [f"The storm number {i} came at night, and tore the roof off the school number {i}." for i in range(6)]
    rows = [text for one in (code, *prose) for text in (one, f"{one} Again.")]
    la.dedupe(rows, threshold=0.6, shingles="words:2", report=tmp_path / "r.html")
    assert 'class="text code"' not in (page := (tmp_path / "r.html").read_text(encoding="utf-8"))
    assert "import os" in page and 'class="excerpt code"' not in page


def test_counts_that_differ_are_explained(tmp_path: Path) -> None:
    """Regression: the report showed 38 exact copies beside 34 similarities of 1, without an explanation."""
    text = "the committee met on monday to discuss the new budget for the schools of the region"
    la.find_pairs([text, text, text], report=tmp_path / "pairs.html")
    assert "three copies of a text make three pairs" in (tmp_path / "pairs.html").read_text(encoding="utf-8")
    near = f"{text} and the roads of the north, at some length, until the evening"
    la.dedupe([near, text, text], threshold=0.5, keep="longest", report=tmp_path / "kept.html")
    la.dedupe([text, text, near], threshold=0.5, report=tmp_path / "same.html")
    assert "The numbers differ" not in (tmp_path / "same.html").read_text(encoding="utf-8")
