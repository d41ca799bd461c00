"""Normalising agrees with another implementation of Unicode 15.0.0, and spans refer to the original text."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import unicodedata2
from hypothesis import given
from hypothesis import strategies as st

from lookalike.flow import Chars, Documents, Shingling, Stopwords, Tokens, Words
from lookalike.kernel import Cpu, _native
from lookalike.text import rules
from tests.refusals import refused

ROOT = Path(__file__).parents[2]
NFKC, FOLD = Words(1, case="keep"), Words(1)
LOWER, PLAIN = Words(1, normalize="none"), Words(1, normalize="none", case="keep")

SCALARS = [chr(cp) for cp in range(0x110000) if not 0xD800 <= cp < 0xE000]
COMBINING = [c for c in SCALARS if unicodedata2.combining(c)]
JAMO = [chr(cp) for cp in (*range(0x1100, 0x1113), *range(0x1161, 0x1176), *range(0x11A8, 0x11C3), 0xAC00, 0xAC01)]
DECOMPOSABLE = [c for c in SCALARS if unicodedata2.decomposition(c)]

characters = (
    st.sampled_from(COMBINING)
    | st.sampled_from(JAMO)
    | st.sampled_from(DECOMPOSABLE)
    | st.sampled_from("aeoAIξ \u00ad")
)
marked = st.text(characters, max_size=30) | st.text(max_size=30)


def test_every_code_point_has_the_nfkc_of_unicode_15() -> None:
    text = "\n".join(SCALARS)  # a line feed does not combine with its neighbours
    assert rules.normalize(text, NFKC) == unicodedata2.normalize("NFKC", text)


@given(marked)
def test_nfkc_agrees_on_texts_full_of_marks(text: str) -> None:
    assert rules.normalize(text, NFKC) == unicodedata2.normalize("NFKC", text)


@given(st.lists(st.sampled_from(COMBINING[:80]), min_size=30, max_size=200))
def test_nfkc_agrees_on_long_runs_of_marks(marks: list[str]) -> None:
    text = "a" + "".join(marks)
    assert rules.normalize(text, NFKC) == unicodedata2.normalize("NFKC", text)


@given(marked, st.sampled_from([NFKC, FOLD, LOWER, PLAIN]))
def test_normalising_twice_changes_nothing(text: str, shingling: Shingling) -> None:
    once = rules.normalize(text, shingling)
    assert rules.normalize(once, shingling) == once


@given(marked)
def test_nfkc_casefold_ignores_case_and_compatibility(text: str) -> None:
    folded = rules.normalize(text, FOLD)
    assert folded == rules.normalize(rules.normalize(text, NFKC), FOLD) or "\u0345" in unicodedata2.normalize(
        "NFD", text
    )


@given(marked)
def test_without_rules_the_text_stays_as_it_is(text: str) -> None:
    assert rules.normalize(text, PLAIN) == text
    assert rules.normalize(text, Tokens(1)) == text


def test_case_folding_follows_the_standard() -> None:
    assert rules.normalize("Straße ΣΊΣΥΦΟΣ ﬁ Å e\u0301 \u00adx", FOLD) == "strasse σίσυφοσ fi å é x"
    assert rules.normalize("Straße İ ﬁ", LOWER) == "strasse i\u0307 fi"
    assert rules.normalize("\u1100\u1161\u11a8", FOLD) == "각"
    assert (
        rules.normalize("e\u00ad\u0301", FOLD) == "é"
    )  # an ignorable character does not separate a mark from its letter


def test_words_of_scripts_with_and_without_spaces() -> None:
    def words(text: str) -> list[str]:
        starts, ends, _ = rules.token_spans(text, Words(1))
        return [text[start:end] for start, end in zip(starts, ends, strict=True)]

    assert words("don't panic: 東京 2 km_h") == ["don", "t", "panic", "東", "京", "2", "km_h"]
    assert words("สวัสดี") == ["ส", "วั", "ส", "ดี"]
    assert words("हिन्दी में") == ["हिन्दी", "में"]
    assert words("!! \u0301 … ") == ["\u0301"]
    assert words("Ünïcöde 한국어 漢字kana") == ["Ünïcöde", "한국어", "漢", "字", "kana"]


@given(marked, st.sampled_from([FOLD, NFKC, LOWER, Chars(1), Chars(1, whitespace="drop"), Tokens(1), Stopwords()]))
def test_spans_are_ordered_and_within_the_text(text: str, shingling: Shingling) -> None:
    starts, ends, hashes = rules.token_spans(text, shingling)
    assert len(starts) == len(ends) == len(hashes)
    assert all(0 <= start < end <= len(text) for start, end in zip(starts, ends, strict=True))


@given(st.lists(st.sampled_from(["Word", "éa", "字", "ﬁn", "\t", " ", "x", "naı\u0308ve", "🙂", "5"]), max_size=20))
def test_the_hash_of_a_token_is_that_of_the_text_in_its_span(pieces: list[str]) -> None:
    text = "".join(pieces)
    for start, end, value in zip(*rules.token_spans(text, FOLD), strict=True):
        assert rules.hash_bytes(rules.normalize(text[start:end], FOLD).encode()) == value


def test_shingles_are_made_from_the_tokens() -> None:
    (one,) = Cpu().shingle(Documents.from_texts(["fox"]), Words(1))
    (value,) = rules.token_spans("fox", Words(1)).hashes.tolist()
    golden = 0x9E3779B97F4A7C15
    assert one.tolist() == [rules.mix((value + golden) % 2**64)]


def test_lone_surrogates_are_refused() -> None:
    with refused("lone-surrogate"):
        rules.normalize("\ud800", FOLD)
    with refused("lone-surrogate"):
        rules.token_spans("a\udfff", FOLD)


@given(st.binary(max_size=60))
def test_invalid_utf8_is_read_as_replacement_characters(data: bytes) -> None:
    rules = _native.Rules("words", 1, "none", "keep", "fold", False, 64, np.empty(0, np.uint64))
    text = _native.normalize(data, rules).decode()
    try:
        assert text == data.decode()
    except UnicodeDecodeError:
        assert "\ufffd" in text


def test_the_generated_header_is_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("unicode_header", ROOT / "tools/unicode_header.py")
    assert spec and spec.loader
    tool = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = tool  # dataclasses look up their module here
    spec.loader.exec_module(tool)
    made = "\n".join(tool.header(tool.Rules.read(tool.SOURCE))) + "\n"
    assert tool.TARGET.read_text(encoding="ascii") == made, "run: python tools/unicode_header.py"
