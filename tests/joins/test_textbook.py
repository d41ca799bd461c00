"""Each textbook index gives the same pairs as brute force, with no more candidates than the index before it."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.distances import jaccard_fraction
from lookalike.flow.threshold import Threshold
from lookalike.joins import Found, all_pairs, similarity_measure
from lookalike.joins.textbook.order import elements, ordered
from tests.joins.strategies import collections, shingles, thresholds
from tests.refusals import refused

INDEXES = (la.joins.length, la.joins.prefix, la.joins.position, la.joins.suffix)
indexes = pytest.mark.parametrize("index", INDEXES, ids=lambda index: index.__name__)

Index = Callable[..., Found]


@indexes
@given(sets=collections(), threshold=thresholds)
def test_an_index_finds_the_pairs_of_brute_force(index: Index, sets: list[list[int]], threshold: str) -> None:
    found = index(sets, threshold=threshold)
    wanted = all_pairs(sets, measure=similarity_measure("jaccard", threshold))
    assert [pair[:2] for pair in found] == [pair[:2] for pair in wanted]
    assert all(similarity == float(jaccard_fraction(sets[i], sets[j])) for i, j, similarity in found)


@indexes
@given(sets=collections(), threshold=thresholds)
def test_the_order_of_symbols_changes_no_pair(index: Index, sets: list[list[int]], threshold: str) -> None:
    assert index(sets, threshold=threshold, order="lexical").pairs == index(sets, threshold=threshold).pairs


def test_frequent_symbols_at_the_front_make_more_candidates() -> None:
    sets = [["a", "b", *f"{row}{row + 1}{row + 2}".split()] for row in range(100, 120)]
    rare, lexical = (la.joins.prefix(sets, threshold="0.7", order=order) for order in ("rare", "lexical"))
    assert (
        rare.candidates == 0 and lexical.candidates == 0
    )  # one symbol of three is in the prefix, and digits sort first
    words = [[word.replace("1", "x") for word in one] for one in sets]
    rare, lexical = (la.joins.prefix(words, threshold="0.7", order=order) for order in ("rare", "lexical"))
    assert rare.candidates == 0 and lexical.candidates == 20 * 19 // 2


def test_lexical_order_takes_elements_of_several_types_and_no_other_name_is_an_order() -> None:
    assert ordered([[1, "a"], ["a"]], "lexical") == [(0, 1), (1,)]
    with refused("not-one-of", option="order"):
        la.joins.length(["ab"], order="random")  # type: ignore[arg-type]


@given(sets=collections(), threshold=thresholds)
def test_brute_force_is_the_definition(sets: list[list[int]], threshold: str) -> None:
    least = Threshold(threshold).value
    wanted = [(i, j) for i, j in combinations(range(len(sets)), 2) if jaccard_fraction(sets[i], sets[j]) >= least]
    found = all_pairs(sets, measure=similarity_measure("jaccard", threshold))
    assert [(i, j) for i, j, _ in found] == [pair for pair in wanted if sets[pair[0]] and sets[pair[1]]]


@given(sets=collections(), threshold=thresholds)
def test_no_refinement_has_more_candidates(sets: list[list[int]], threshold: str) -> None:
    length, prefix, position, suffix = (index(sets, threshold=threshold) for index in INDEXES)
    assert prefix.candidates >= position.candidates >= suffix.candidates >= len(suffix)
    assert length.candidates >= suffix.candidates
    assert length.strings == prefix.strings == sum(map(bool, sets))


@indexes
@given(sets=collections(), threshold=thresholds)
def test_sets_are_accepted_in_any_form(index: Index, sets: list[list[int]], threshold: str) -> None:
    wanted = index(sets, threshold=threshold)
    column = pa.array(sets, pa.list_(pa.int64()))
    assert index(column, threshold=threshold) == wanted
    assert index(pa.chunked_array([column]), threshold=threshold) == wanted
    assert index(map(frozenset, sets), threshold=threshold) == wanted
    assert index(shingles(sets), threshold=threshold).pairs == wanted.pairs


@indexes
def test_nine_of_ten_is_found_at_nine_tenths(index: Index) -> None:
    """Regression: this pair is lost if (1 − 0.9) · 10 is rounded down to 0."""
    ten = list(range(10))
    assert [pair[:2] for pair in index([ten, ten[:9], [*ten, 99], ten[1:], ten[:8]], threshold=0.9)] == [
        (0, 1), (0, 2), (0, 3),
    ]  # fmt: skip


@indexes
def test_at_threshold_one_only_equal_sets_are_pairs(index: Index) -> None:
    assert index(["ab", "ba", "abb", "abc", "", ""], threshold=1).pairs == ((0, 1, 1.0), (0, 2, 1.0), (1, 2, 1.0))


@indexes
def test_elements_of_several_types_are_compared_as_python_does(index: Index) -> None:
    mixed: list[Any] = [[1, "1", None, (2, 3)], [1.0, "1", None, (2, 3)], ["1", "None", b"1", "x"]]
    assert index(mixed, threshold=0.9).pairs == ((0, 1, 1.0),)


@pytest.mark.parametrize(
    ("sets", "code", "values"),
    [
        ("abc", "not-sets", {"type": "str"}),
        (7, "not-sets", {"type": "int"}),
        ([[1], 7], "not-a-set", {"position": 1, "type": "int"}),
        ([[1], [[2]]], "unhashable-element", {"position": 1}),
        (pa.array([1, 2]), "not-a-column-of-lists", {"type": "int64"}),
    ],
)
def test_anything_but_a_collection_of_sets_is_refused(sets: Any, code: str, values: dict[str, object]) -> None:
    for index in INDEXES:
        with refused(code, **values):
            index(sets)


def test_missing_lists_are_empty_and_missing_elements_are_skipped() -> None:
    assert elements(pa.array([[1, None], None, []])) == [{1}, set(), set()]


@given(collections())
def test_strings_are_in_one_order_with_the_rarest_first(sets: list[list[int]]) -> None:
    strings = ordered(sets)
    assert [len(s) for s in strings] == [len({*one}) for one in sets]
    counts: dict[int, int] = {}
    for s in strings:
        assert list(s) == sorted({*s})
        for symbol in s:
            counts[symbol] = counts.get(symbol, 0) + 1
    assert [counts[symbol] for symbol in sorted(counts)] == sorted(counts.values())
    for i, j in combinations(range(len(sets)), 2):
        assert len({*strings[i]} & {*strings[j]}) == len({*sets[i]} & {*sets[j]})


@given(collections(), st.randoms(use_true_random=False))
def test_the_order_of_symbols_does_not_depend_on_the_order_of_elements(
    sets: list[list[int]], rng: random.Random
) -> None:
    shuffled = [rng.sample(one, len(one)) for one in sets]
    assert ordered(shuffled) == ordered(sets)


def test_counters_of_a_small_example_equal_those_computed_by_hand() -> None:
    """Three sets at 0.8. Length 6 searches 5, 6, 7; length 5 searches 4, 5, 6; length 4 searches 4, 5: eight probes."""
    found = la.joins.length(["abcdef", "bcdef", "cdef"], threshold="0.8")
    assert (found.strings, found.entries, found.probes, found.candidates, len(found)) == (3, 3, 8, 2, 2)
    assert found.pairs == ((0, 1, float(Fraction(5, 6))), (1, 2, 0.8))
