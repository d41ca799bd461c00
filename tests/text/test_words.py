"""Words are runs of letters and digits, or single characters in scripts without spaces."""

from __future__ import annotations

import unicodedata2
from hypothesis import given
from hypothesis import strategies as st

from lookalike.text.unicode import is_space, normalize, word_class, word_spans, words

texts = st.text(st.one_of(st.sampled_from("ab1_ 字カที\u0e31\u0301!\n"), st.characters(exclude_categories=["Cs"])))


def test_spaces_are_the_25_of_the_property_white_space() -> None:
    spaces = {cp for cp in range(0x110000) if is_space(cp)}
    wanted = {
        *range(0x9, 0xE),
        0x20,
        0x85,
        0xA0,
        0x1680,
        *range(0x2000, 0x200B),
        0x2028,
        0x2029,
        0x202F,
        0x205F,
        0x3000,
    }
    assert spaces == wanted
    assert "\x1f".isspace()  # Python says so; the standard does not
    assert not is_space(0x1F)


def test_word_classes_follow_the_general_category() -> None:
    for cp in range(0x110000):
        if 0xD800 <= cp < 0xE000:
            continue
        category = unicodedata2.category(chr(cp))
        kind = word_class(cp)
        if is_space(cp):
            continue
        if category[0] == "M":
            assert kind == "mark", hex(cp)
        elif category[0] in "LN" or category == "Pc":
            assert kind in ("word", "solo"), hex(cp)
        else:
            assert kind == "other", hex(cp)


def test_scripts_without_spaces_give_one_word_per_letter() -> None:
    for letter in "漢あカㄅกລកကᨠᥐᦀꪀ":
        assert word_class(ord(letter)) == "solo", letter
    for letter in "aßжαאअ한٣๓":  # Thai digits are digits; Hangul is written with spaces
        assert word_class(ord(letter)) == "word", letter


def test_words_of_mixed_scripts() -> None:
    assert words("hello, wörld_2: 3.14") == ["hello", "wörld_2", "3", "14"]
    assert words("iphone手机12") == ["iphone", "手", "机", "12"]
    assert words("สวัสดี") == ["ส", "วั", "ส", "ดี"]  # vowel signs stay with their letter
    assert words("パーティー") == ["パ", "ー", "テ", "ィ", "ー"]
    assert words("한국어 테스트") == ["한국어", "테스트"]
    assert words("हिन्दी में") == ["हिन्दी", "में"]
    assert words(" \u0301a!\u0301") == ["\u0301a", "\u0301"]  # a mark without a letter opens a word of its own
    assert words("字\u0301a") == ["字\u0301", "a"]
    assert words("") == words("?! …") == []


@given(texts)
def test_words_contain_all_of_the_text_except_spaces_and_punctuation(text: str) -> None:
    kept = "".join(c for c in text if word_class(ord(c)) in ("word", "solo", "mark"))
    assert "".join(words(text)) == kept


@given(texts)
def test_spans_ascend_and_do_not_overlap(text: str) -> None:
    edges = [edge for span in word_spans(text) for edge in span]
    assert edges == sorted(edges)
    assert all(start < end for start, end in word_spans(text))


@given(texts)
def test_words_of_words_are_themselves(text: str) -> None:
    assert words(" ".join(words(text))) == words(text)


@given(texts, texts)
def test_words_do_not_span_a_space(first: str, second: str) -> None:
    assert words(f"{first} {second}") == words(first) + words(second)


@given(st.lists(st.sampled_from(["Ünder", "ＦＵＬＬ", "ﬁn", "naïve", "東"]), max_size=8))
def test_words_of_normalised_text_do_not_depend_on_case_or_form(parts: list[str]) -> None:
    text = " ".join(parts)
    assert words(normalize(text)) == words(normalize(unicodedata2.normalize("NFD", text.swapcase())))
