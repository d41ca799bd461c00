"""The join of strings gives exactly the pairs within the distance, by the slow definitions of `lookalike.distances`."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike import distances
from lookalike.joins import EditPairs, edit_candidates, edit_pairs
from lookalike.joins import strings as joining
from lookalike.notices import Notice
from tests.refusals import refused

SLOW = {"edit": distances.edit, "levenshtein": distances.levenshtein}

letters = st.text(alphabet="ab", max_size=9) | st.text(alphabet="abcß的😀 ", max_size=14)
edited = st.builds(
    lambda a, b, c: a + b + c, st.sampled_from(["", "anna ", "😀的"]), letters, st.sampled_from(["", "bert"])
)
alike = st.text(alphabet="ab", min_size=6, max_size=7)  # many of one length, so that segments are used
strings = st.lists(edited, max_size=14) | st.lists(alike, min_size=10, max_size=24)
measures = st.sampled_from([*SLOW])
distance = st.integers(0, 5)


def as_list(found: EditPairs) -> list[tuple[int, int, int]]:
    return list(zip(found.left.tolist(), found.right.tolist(), found.distance.tolist(), strict=True))


def by_hand(left: list[str], right: list[str] | None, most: int, measure: str) -> list[tuple[int, int, int]]:
    other = left if right is None else right
    rows = combinations(range(len(left)), 2) if right is None else product(range(len(left)), range(len(other)))
    apart = ((i, j, SLOW[measure](left[i], other[j])) for i, j in rows if left[i] and other[j])
    return [(i, j, d) for i, j, d in apart if d <= most]


@given(strings, distance, measures)
def test_strings_joined_with_themselves(texts: list[str], most: int, measure: str) -> None:
    assert as_list(edit_pairs(texts, distance=most, measure=measure)) == by_hand(texts, None, most, measure)


@given(strings, strings, distance, measures)
def test_two_collections_of_strings_joined(left: list[str], right: list[str], most: int, measure: str) -> None:
    assert as_list(edit_pairs(left, right, distance=most, measure=measure)) == by_hand(left, right, most, measure)


@given(strings, distance, measures, st.integers(1, 40), st.integers(1, 400))
def test_the_size_of_batches_changes_nothing(
    texts: list[str], most: int, measure: str, batch: int, at_once: int
) -> None:
    whole = as_list(edit_pairs(texts, distance=most, measure=measure))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edit_candidates, "BATCH", batch)
        patch.setattr(joining, "AT_ONCE", at_once)
        assert as_list(edit_pairs(texts, distance=most, measure=measure)) == whole


@given(st.lists(st.text(alphabet="abc", min_size=1, max_size=12), max_size=12, unique=True), distance, st.booleans())
def test_no_pair_is_proposed_twice(texts: list[str], most: int, replacing: bool) -> None:
    met = [
        (min(a, b), max(a, b))
        for left, right in edit_candidates.near_pairs(edit_candidates.Texts(texts), None, most, replacing=replacing)
        for a, b in zip(left.tolist(), right.tolist(), strict=True)
    ]
    assert len(met) == len({*met})


def test_few_false_candidates_are_measured() -> None:
    """Of 400 × 399 / 2 = 79,800 pairs of words of six letters."""
    words = ["".join(word) for word in product("abcd", repeat=6)][::10][:400]
    found = edit_pairs(words, distance=1, measure="levenshtein")
    assert as_list(found) == by_hand(words, None, 1, "levenshtein")
    assert found.candidates < 79_800 / 20


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of pairs in each call of rapidfuzz."""
    given: list[int] = []
    real = joining._measurer

    def measurer(*how: Any) -> Any:
        def measured(a: Any, b: Any) -> Any:
            given.append(len(a))
            return real(*how)(a, b)

        return measured

    monkeypatch.setattr(joining, "_measurer", measurer)
    return given


def test_few_strings_are_compared_without_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression: 40 strings of 100,000 letters at a distance of 2,000 took 90 seconds and 3 GB."""
    looked = []
    real = edit_candidates.Texts.substring_hashes

    def substring_hashes(*which: Any) -> Any:
        looked.append(which)
        return real(*which)

    monkeypatch.setattr(edit_candidates.Texts, "substring_hashes", substring_hashes)
    texts = [letter * 200 for letter in "abc"] + ["a" * 190 + "b" * 10]
    assert as_list(edit_pairs(texts, distance=50)) == [(0, 3, 20)]
    assert len(looked) < 10


def test_long_strings_are_measured_in_small_batches(monkeypatch: pytest.MonkeyPatch, calls: list[int]) -> None:
    """Ctrl-C has no effect during a call. One call for all pairs of strings of 100,000 letters would take hours."""
    texts = [letter * 10 for letter in "abcdefghijklmnop"]
    monkeypatch.setattr(joining, "AT_ONCE", 1000)
    assert len(edit_pairs(texts, distance=20)) == sum(calls) == 120
    assert max(calls) <= 11


def test_too_many_pairs_are_refused_before_all_are_listed(monkeypatch: pytest.MonkeyPatch, calls: list[int]) -> None:
    """Regression: they filled the memory before they were counted."""
    monkeypatch.setattr(joining, "MOST_PAIRS", 50)
    monkeypatch.setattr(joining, "_pairs_of_rows", None)  # must not be called
    monkeypatch.setattr(edit_candidates, "BATCH", 16)
    texts = ["".join(letters) for letters in product("abc", repeat=3)]
    with refused("too-many-matches", advice=Notice("choose-smaller-distance")):
        edit_pairs(texts, distance=6)
    assert sum(calls) < 100
    for left, right in ((["a"] * 11, None), (["a"] * 3 + ["b"] * 5, ["a"] * 17)):
        with refused("too-many-matches", advice=Notice("choose-smaller-distance")):
            edit_pairs(left, right, distance=2)


def test_a_distance_beyond_all_lengths_pairs_everything() -> None:
    texts = ["a", "bcd", "efghij"]
    assert len(edit_pairs(texts, distance=10**9)) == 3
    assert len(edit_pairs(texts, texts, distance=10**9)) == 9


def test_edit_counts_a_replacement_as_two() -> None:
    assert as_list(edit_pairs(["smith", "smyth"], distance=1, measure="levenshtein")) == [(0, 1, 1)]
    assert as_list(edit_pairs(["smith", "smyth"], distance=1)) == []
    assert as_list(edit_pairs(["smith", "smyth"], distance=2)) == [(0, 1, 2)]


def test_equal_strings_have_distance_zero_and_empty_ones_are_in_no_pair() -> None:
    assert as_list(edit_pairs(["a", "", "a", None, "", "b", "a"], distance=0)) == [(0, 2, 0), (0, 6, 0), (2, 6, 0)]
    assert as_list(edit_pairs(["", "ab"], ["", "a", "ab"], distance=2)) == [(1, 1, 1), (1, 2, 0)]


def test_arrow_columns_of_strings_are_accepted() -> None:
    column = pa.chunked_array([["anna", "hanna"], ["johanna", None]]).dictionary_encode()
    assert as_list(edit_pairs(column, distance=2)) == [(0, 1, 1), (1, 2, 2)]


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ({"strings": "abc"}, "not-strings"),
        ({"strings": [1, 2]}, "invalid-strings"),
        ({"strings": ["\ud800"]}, "invalid-strings"),
        ({"strings": pa.array([[1]])}, "not-a-column-of-strings"),
        ({"strings": ["a"], "distance": -1}, "not-in-whole-range"),
        ({"strings": ["a"], "distance": 1.5}, "not-in-whole-range"),
        ({"strings": ["a"], "measure": "hamming"}, "not-one-of"),
    ],
)
def test_invalid_strings_and_options_are_refused(call: dict[str, Any], code: str) -> None:
    with refused(code):
        edit_pairs(**call)
