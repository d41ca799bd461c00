"""Pairs by weighted shingles: candidates are verified exactly, and equal the definition if none is missed."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.errors import InvalidOption
from lookalike.flow.threshold import Threshold
from lookalike.joins import weighted_sets

LISTS = st.lists(st.lists(st.sampled_from("abcdefghij"), max_size=6), max_size=12)


def by_definition(lists: list[list[str]], threshold: str) -> list[tuple[int, int, float]]:
    sets = [set(tokens) for tokens in lists]
    counts = Counter(token for one in sets for token in one)
    weight = {
        token: max(1, round(weighted_sets.SCALE * math.log((len(sets) + 1) / count))) for token, count in counts.items()
    }
    found = []
    for i, j in combinations(range(len(sets)), 2):
        shared, total = (sum(weight[token] for token in some) for some in (sets[i] & sets[j], sets[i] | sets[j]))
        if total and Fraction(shared, total) >= Threshold(threshold).value:
            found.append((i, j, shared / total))
    return found


@given(LISTS, st.sampled_from(["0.2", "0.5", "0.8", "1"]))
def test_pairs_are_those_of_the_definition(lists: list[list[str]], threshold: str) -> None:
    expected = by_definition(lists, threshold)
    found = [tuple(pair) for pair in la.find_pairs(lists, weights="idf", threshold=threshold, recall=0.9999999)]
    assert found == expected


@given(LISTS)
def test_small_parts_give_the_same_pairs(lists: list[list[str]]) -> None:
    whole = list(la.find_pairs(lists, weights="idf", threshold=0.4))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(weighted_sets, "SIGNED", 7)
        patch.setattr(weighted_sets, "COMPARED", 5)
        assert list(la.find_pairs(lists, weights="idf", threshold=0.4, threads=1)) == whole


def test_rare_words_decide() -> None:
    menu = "home news sport contact imprint privacy"
    texts = [
        f"{menu} {words}" for words in ("flood river dam", "flood river dams", "goal match cup", "vote party seat")
    ]
    assert la.find_pairs(texts, threshold=0.5, shingles="words:1").top(9)[-1].similarity == 0.5
    near = la.find_pairs(texts, threshold=0.35, shingles="words:1", weights="idf")
    assert [(left, right) for left, right, _ in near] == [(0, 1)]
    assert near.asked == "idf-weighted jaccard of 0.35 or more"
    assert "idf" in near.rules


def test_copies_are_similar_however_few_documents_there_are(tmp_path: Path) -> None:
    result = la.find_pairs(["one two", "one two"], weights="idf", shingles="words:1")
    assert list(result) == [(0, 1, 1.0)]
    result.save(tmp_path / "saved")
    assert list(la.load(tmp_path / "saved")) == [(0, 1, 1.0)]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("method", "exact"),
        ("verify", "none"),
        ("bands", 4),
        ("top", 3),
        ("engine", "reference"),
        ("ignore_common", 0.1),
        ("plan", "plan.toml"),
        ("work", "folder"),
    ],
)
def test_options_of_other_searches_are_refused(option: str, value: Any) -> None:
    with pytest.raises(InvalidOption) as refused:
        la.find_pairs(["a b c"], weights="idf", **{option: value})
    assert refused.value.code == "not-with-weights" and refused.value.values["option"] == option


def test_a_recall_of_one_and_too_little_memory_are_refused() -> None:
    with pytest.raises(InvalidOption) as refused:
        la.find_pairs(["a b c"], weights="idf", recall=1)
    assert refused.value.code == "weights-at-full-recall"
    with pytest.raises(InvalidOption) as refused:
        la.find_pairs(["a b c"], weights="idf", memory="1MiB")
    assert refused.value.code == "sets-outgrow-memory"
