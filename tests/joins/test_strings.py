"""The join of strings gives exactly the pairs within the distance, by the slow definitions of `lookalike.distances`."""

from __future__ import annotations

import sys
from itertools import combinations, product
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike import distances
from lookalike.errors import InvalidOption, LookalikeError, MalformedInput, MissingExtra
from lookalike.joins import EditPairs, edit_pairs, segments

SLOW = {"edit": distances.edit, "levenshtein": distances.levenshtein}

letters = st.text(alphabet="ab", max_size=9) | st.text(alphabet="abcß的😀 ", max_size=14)
edited = st.builds(
    lambda a, b, c: a + b + c, st.sampled_from(["", "anna ", "😀的"]), letters, st.sampled_from(["", "bert"])
)
strings = st.lists(edited, max_size=14)
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


@given(strings, distance, measures, st.integers(1, 40))
def test_the_size_of_batches_changes_nothing(texts: list[str], most: int, measure: str, batch: int) -> None:
    whole = as_list(edit_pairs(texts, distance=most, measure=measure))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "BATCH", batch)
        assert as_list(edit_pairs(texts, distance=most, measure=measure)) == whole


@given(st.lists(st.text(alphabet="abc", min_size=1, max_size=12), max_size=12, unique=True), distance, st.booleans())
def test_no_pair_is_proposed_twice(texts: list[str], most: int, replacing: bool) -> None:
    met = [
        (min(a, b), max(a, b))
        for left, right in segments.near_pairs(segments.Texts(texts), None, most, replacing=replacing)
        for a, b in zip(left.tolist(), right.tolist(), strict=True)
    ]
    assert len(met) == len({*met})


def test_few_pairs_that_are_not_near_are_measured() -> None:
    """Of 400 × 399 / 2 = 79,800 pairs of words of six letters."""
    words = ["".join(word) for word in product("abcd", repeat=6)][::10][:400]
    found = edit_pairs(words, distance=1, measure="levenshtein")
    assert as_list(found) == by_hand(words, None, 1, "levenshtein")
    assert found.candidates < 79_800 / 20


def test_a_distance_beyond_all_lengths_pairs_everything() -> None:
    texts = ["a", "bcd", "efghij"]
    assert len(edit_pairs(texts, distance=10**9)) == 3
    assert len(edit_pairs(texts, texts, distance=10**9)) == 9


def test_edit_counts_a_replacement_as_two() -> None:
    assert as_list(edit_pairs(["smith", "smyth"], distance=1, measure="levenshtein")) == [(0, 1, 1)]
    assert as_list(edit_pairs(["smith", "smyth"], distance=1)) == []
    assert as_list(edit_pairs(["smith", "smyth"], distance=2)) == [(0, 1, 2)]


def test_equal_strings_are_at_distance_zero_and_empty_ones_are_near_nothing() -> None:
    assert as_list(edit_pairs(["a", "", "a", None, "", "b", "a"], distance=0)) == [(0, 2, 0), (0, 6, 0), (2, 6, 0)]
    assert as_list(edit_pairs(["", "ab"], ["", "a", "ab"], distance=2)) == [(1, 1, 1), (1, 2, 0)]


def test_a_column_of_strings_is_taken_as_it_is() -> None:
    column = pa.chunked_array([["anna", "hanna"], ["johanna", None]]).dictionary_encode()
    assert as_list(edit_pairs(column, distance=2)) == [(0, 1, 1), (1, 2, 2)]


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        ({"strings": "abc"}, InvalidOption, "expected a list of strings, got str"),
        ({"strings": [1, 2]}, MalformedInput, "expected strings"),
        ({"strings": ["\ud800"]}, MalformedInput, "expected strings"),
        ({"strings": pa.array([[1]])}, MalformedInput, "expected a column of strings"),
        ({"strings": ["a"], "distance": -1}, InvalidOption, "distance must be a whole number in 0 …"),
        ({"strings": ["a"], "distance": 1.5}, InvalidOption, "distance must be a whole number"),
        ({"strings": ["a"], "measure": "hamming"}, InvalidOption, "must be one of edit, levenshtein"),
    ],
)
def test_what_cannot_be_joined_is_refused(call: dict[str, Any], error: type[LookalikeError], says: str) -> None:
    with pytest.raises(error, match=says):
        edit_pairs(**call)


def test_without_rapidfuzz_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("rapidfuzz.distance", "rapidfuzz.process"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=r"needs rapidfuzz: pip install 'lookalike\[strings\]'"):
        edit_pairs(["a", "b"])
