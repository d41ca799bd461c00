"""Comparing two texts: the measures follow their definitions, and passages are at the reported positions."""

from __future__ import annotations

import time
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.distances import levenshtein
from lookalike.engines.reference import definitions
from lookalike.flow import Documents, Shingling, parse_shingling
from lookalike.kernel import Cpu
from lookalike.planning.plan import Plan
from lookalike.text import rules
from lookalike.text.comparison import Comparison, compare
from tests.parity import strategies as our
from tests.refusals import refused

words = st.sampled_from(
    ["the", "The", "cat", "of", "mat", "ﬁne", "fine", "猫", "は", "แมว", "قطة", "e\u0301", "!", "—", " ", "\n", "ß"]
)

texts = st.lists(words, max_size=30).map(" ".join) | st.text(max_size=40)


def cut(text: str, shingling: Shingling) -> tuple[int, ...]:
    return definitions.windows(text, shingling).values


@given(texts, texts, our.shinglings)
def test_measures_are_those_of_the_reference_shingles(a: str, b: str, shingling: Shingling) -> None:
    found = compare(a, b, Plan(shingles=shingling))
    one, two = Counter(cut(a, shingling)), Counter(cut(b, shingling))
    shared, either = len(one.keys() & two.keys()), len(one.keys() | two.keys())
    assert (found.shared, found.either) == (shared, either)
    assert (found.bag_shared, found.bag_either) == ((one & two).total(), (one | two).total())
    assert found.measures["containment_a"] == (shared / len(one) if one else 0)
    assert found.measures["containment_b"] == (shared / len(two) if two else 0)
    assert found.copies == (one == two and bool(one))
    dot = sum(one[s] * two[s] for s in one)
    norms = (sum(n * n for n in one.values()) * sum(n * n for n in two.values())) ** 0.5
    assert found.measures["cosine"] == pytest.approx(dot / norms if norms else 0)


@given(texts, texts, our.shinglings)
def test_similarity_is_what_a_search_would_report(a: str, b: str, shingling: Shingling) -> None:
    sets = Cpu().shingle(Documents.from_texts([a, b]), shingling)
    one, two = set(sets[0].tolist()), set(sets[1].tolist())
    expected = len(one & two) / len(one | two) if one | two else 0.0
    found = compare(a, b, Plan(shingles=shingling))
    assert found.similarity == expected
    assert found.counts == (bool(one | two) and Fraction(len(one & two), len(one | two)) >= Fraction(4, 5))


@given(texts, texts, our.shinglings)
def test_every_passage_appears_in_both_texts(a: str, b: str, shingling: Shingling) -> None:
    found = compare(a, b, Plan(shingles=shingling))
    for passage in found.passages:
        in_a, in_b = a[passage.start_a : passage.end_a], b[passage.start_b : passage.end_b]
        assert passage.text == in_a
        # cut separately, both sides give the same tokens
        assert rules.token_spans(in_a, shingling).hashes.tolist() == rules.token_spans(in_b, shingling).hashes.tolist()
    assert bool(found.passages) == bool(found.shared)


@given(texts, texts, our.shinglings)
def test_marks_are_disjoint_ordered_and_cover_all_passages(a: str, b: str, shingling: Shingling) -> None:
    found = compare(a, b, Plan(shingles=shingling))
    for text, marks, spans in (
        (a, found.marks_a, [(p.start_a, p.end_a) for p in found.passages]),
        (b, found.marks_b, [(p.start_b, p.end_b) for p in found.passages]),
    ):
        ends = [0, *(place for mark in marks for place in mark), len(text)]
        assert ends == sorted(ends)
        assert all(any(start <= s and e <= end for start, end in marks) for s, e in spans)
    assert found.marked("a", "", "") == a
    assert found.marked("b", "", "") == b


@given(texts, our.shinglings)
def test_a_text_has_similarity_1_to_itself_in_every_measure(text: str, shingling: Shingling) -> None:
    found = compare(text, text, Plan(shingles=shingling))
    expected = 1.0 if cut(text, shingling) else 0.0
    assert {name: value for name, value in found.measures.items() if name != "edit"} == dict.fromkeys(
        ["jaccard", "bag_jaccard", "containment_a", "containment_b", "overlap", "cosine"], expected
    )
    assert found.identical


@given(texts, texts, our.shinglings)
def test_measures_do_not_depend_on_the_order_of_the_two(a: str, b: str, shingling: Shingling) -> None:
    one, two = compare(a, b, Plan(shingles=shingling)), compare(b, a, Plan(shingles=shingling))
    for name in ("jaccard", "bag_jaccard", "overlap", "cosine", "edit"):
        assert one.measures[name] == two.measures[name]
    assert one.measures["containment_a"] == two.measures["containment_b"]


@given(st.text("abc", max_size=60), st.text("abc", max_size=60))
def test_the_edit_measure_follows_from_the_levenshtein_distance(a: str, b: str) -> None:
    expected = 1 - levenshtein(a, b) / max(len(a), len(b)) if a and b else 0.0
    assert compare(a, b).measures["edit"] == expected


def test_bag_jaccard_of_three_bags() -> None:
    """Of {1,1,1,2}, {1,1,2,2,3} and {1,2,3,4} (MMDS, chapter 3), neighbours have 1/2, the first and last 1/3."""
    one, two, three = "1 1 1 2", "1 1 2 2 3", "1 2 3 4"
    plan = Plan(shingles=parse_shingling("tokens", bag=True))
    assert compare(one, two, plan).similarity == 1 / 2
    assert compare(one, three, plan).similarity == 1 / 3
    assert compare(two, three, plan).similarity == 1 / 2


def test_passages_are_reported_in_the_words_of_the_original() -> None:
    a = "Intro. The QUICK  brown\nfox jumps — over the lazy dog, he said."
    b = "Yesterday the quick brown fox jumps over the lazy dog."
    found = compare(a, b, Plan(shingles=parse_shingling("words:3")))
    assert [p.text for p in found.passages] == ["The QUICK  brown\nfox jumps — over the lazy dog"]
    assert found.marked("b") == "Yesterday [[the quick brown fox jumps over the lazy dog]]."


@pytest.mark.parametrize(
    ("a", "b", "shared"),
    [
        ("今日は天気がとてもいいですね", "昨日は天気がとてもよかった", "日は天気がとても"),
        ("สวัสดีครับวันนี้อากาศดี", "สวัสดีค่ะวันนี้อากาศดี", "วันนี้อากาศดี"),
        ("오늘 날씨가 아주 좋습니다 그래서", "어제 날씨가 아주 좋습니다 그러나", "날씨가 아주 좋습니다"),
        ("قال إن الطقس جميل اليوم", "رأى إن الطقس جميل اليوم", "إن الطقس جميل اليوم"),
    ],
)
def test_passages_are_found_in_any_script(a: str, b: str, shared: str) -> None:
    found = compare(a, b, Plan(shingles=parse_shingling("words:3")))
    assert max((p.text for p in found.passages), key=len) == shared


def test_stop_word_shingles_with_a_gap_between_them_are_separate_passages() -> None:
    a = "the red house alpha beta gamma delta of his youth"
    b = "the red house one two three four of his youth"
    found = compare(a, b, Plan(shingles=parse_shingling("stopwords")))
    assert [p.text for p in found.passages] == ["the red house", "of his youth"]


def test_empty_texts_are_similar_to_nothing() -> None:
    for a, b in (("", ""), (" \n", "\t"), ("", "word")):
        found = compare(a, b)
        assert set(found.measures.values()) == {0.0}
        assert not found.copies
        assert not found.counts
        assert found.passages == ()


def test_auto_keeps_symbols_in_code() -> None:
    assert str(compare("a b c", "a b d").shingles) == "words:5"
    assert str(compare("x[i] = f(a);\n" * 50, "x[i] = g(a);\n" * 50).shingles) == "symbols:5"
    assert str(compare("word " * 200, "word " * 200).shingles) == "words:5"


def test_lists_of_tokens_are_compared_as_tokens() -> None:
    found = compare(["new york", "is", "big"], ["new york", "was", "big"])
    assert found.measures["jaccard"] == 1 / 2
    assert found.marked("a") == "[[new york]] is [[big]]"
    with refused("text-and-tokens"):
        compare(["a"], "a")


def test_the_edit_measure_is_omitted_for_long_texts() -> None:
    assert "edit" in compare("x" * 20_000, "y" * 20_000).measures
    assert "edit" not in compare("x" * 20_001, "y").measures
    assert compare("kitten", "sitting").measures["edit"] == 1 - 3 / 7


def test_lone_surrogates_are_refused() -> None:
    with refused("lone-surrogate"):
        compare("a \ud800 b", "a b")


def test_str_and_dict_contain_the_same_measures() -> None:
    found = compare("the cat sat on the mat", "the cat sat on a mat", Plan(shingles=parse_shingling("words:2")))
    assert "3 of 7 distinct shingles shared" in str(found)
    assert f"{found.measures['jaccard']:.4f}" in str(found)
    plain = found.to_dict()
    assert plain["measures"] == found.measures
    assert plain["passages"][0]["text"] == "the cat sat on"
    assert repr(found) == "Comparison(similarity 0.4286 by words:2, 1 shared passage)"


def _shuffled(text: str, size: int, seed: int) -> str:
    pieces = [text[i : i + size] for i in range(0, len(text), size)]
    return "".join(pieces[i] for i in np.random.default_rng(seed).permutation(len(pieces)))


@pytest.mark.parametrize("k", [5, 9])
def test_texts_of_100_kilobytes_take_at_most_seconds_even_if_repetitive(k: int) -> None:
    """Prose, one repeated letter, and random sequences of two letters, in which every shingle occurs everywhere."""
    rng = np.random.default_rng(1)
    prose = " ".join(rng.choice(["time", "person", "year", "way", "day", "thing", "man", "world"], 20_000))[:100_000]
    noise = ["".join(rng.choice(["a", "b"], 100_000)) for _ in range(2)]
    for a, b in ((prose, _shuffled(prose, 40, 2)), ("a" * 100_000, "a" * 99_000), (noise[0], noise[1])):
        began = time.perf_counter()
        found: Comparison = compare(a, b, Plan(shingles=parse_shingling(f"chars:{k}")))
        assert found.passages
        assert time.perf_counter() - began < 5  # it takes well under a second; machines are sometimes busy
