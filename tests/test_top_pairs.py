"""The most similar pairs of a corpus: equal to brute force, with any engine, memory limit and number of copies."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike import top_pairs
from lookalike.engines.reference import definitions
from lookalike.errors import InvalidOption
from lookalike.flow import Documents, Shingles, parse_shingling
from lookalike.joins import most_similar
from lookalike.joins.sets import SetPairs
from tests.refusals import refused

Found = list[tuple[int, int, float]]
LISTS = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=7), max_size=14)


def brute(lists: list[list[str]], top: int, least: float = 0.0) -> Found:
    sets = [set(tokens) for tokens in lists]
    pairs = combinations(range(len(sets)), 2)
    alike = [(-len(sets[i] & sets[j]) / len(sets[i] | sets[j]), i, j) for i, j in pairs if sets[i] & sets[j]]
    return sorted((i, j, -less) for less, i, j in sorted(alike)[:top] if -less >= least)


def found(result: la.Pairs) -> Found:
    assert result.similarity is not None
    return list(zip(result.left_rows.tolist(), result.right_rows.tolist(), result.similarity.tolist(), strict=True))


@given(LISTS, st.integers(1, 40))
def test_the_best_pairs_are_those_of_brute_force(lists: list[list[str]], top: int) -> None:
    expected = brute(lists, top)
    result = la.find_pairs(lists, top=top, engine="local")
    assert found(result) == expected
    short = [warning.code for warning in result.warnings if warning.code == "fewer-pairs-than-top"]
    assert bool(short) == (len(expected) < top)
    assert all(similarity >= float(str(result.threshold)) for *_, similarity in expected)


@given(LISTS, st.integers(1, 20), st.sampled_from([0.3, 0.5, 1.0]))
def test_a_threshold_is_a_lower_limit(lists: list[list[str]], top: int, least: float) -> None:
    assert found(la.find_pairs(lists, top=top, threshold=least)) == brute(lists, top, least)


@given(LISTS, st.integers(1, 30), st.integers(1, 12))
def test_pairs_that_do_not_fit_are_joined_in_blocks(lists: list[list[str]], top: int, most: int) -> None:
    documents = Documents(pa.array(lists, pa.list_(pa.string())))
    whole = definitions.shingle(documents, parse_shingling("tokens"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(most_similar, "AT_ONCE", most)
        best = most_similar.most_similar_pairs(whole, top)
    assert isinstance(best, SetPairs)
    assert [(i, j) for i, j, _ in brute(lists, top)] == list(zip(best.left.tolist(), best.right.tolist(), strict=True))


def refuse_joins(*_: Any, below: Any, **__: Any) -> Any:
    return below


@pytest.mark.parametrize("top", [1, 5, 40, 400, 5000])
@pytest.mark.parametrize("road", ["joined", "repeated", "between", "reference"])
def test_every_road_leads_to_the_same_pairs(top: int, road: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    lists = [rng.choice(list("abcdefghijkl"), rng.integers(1, 9)).tolist() for _ in range(70)]
    lists += lists[:20] + lists[:5] + [[]]
    if road in ("repeated", "between"):
        monkeypatch.setattr(top_pairs, "most_similar_pairs", refuse_joins)
    if road == "between":
        monkeypatch.setattr("lookalike.engines.stages.copies.MOST_PAIRS", max(top, 900))
        monkeypatch.setattr(top_pairs, "FIRST", Fraction("0.01"))
    engine = "reference" if road == "reference" else "local"
    assert found(la.find_pairs(lists, top=top, engine=engine)) == brute(lists, top)


@given(st.lists(st.integers(0, 6), min_size=2, max_size=40), st.integers(1, 60), st.integers(0, 2**32 - 1))
def test_of_copies_only_the_smallest_pairs_are_listed(copies: list[int], top: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    first = np.array([copies.index(value) for value in copies])
    distinct = sorted(set(first.tolist()))
    alike = {pair: float(rng.choice([0.5, 0.75, 1.0])) for pair in combinations(distinct, 2) if rng.random() < 0.5}
    rows = combinations(range(len(first)), 2)
    groups = [(i, j, min(first[i], first[j]), max(first[i], first[j])) for i, j in rows]
    every = [(-(1.0 if a == b else alike[a, b]), i, j) for i, j, a, b in groups if a == b or (a, b) in alike]
    expected = sorted((i, j) for _, i, j in sorted(every)[:top])
    left, right = (np.array([pair[side] for pair in alike], np.int64) for side in (0, 1))
    similarity = np.array(list(alike.values()))
    best = np.sort(np.lexsort((right, left, -similarity))[:top])
    chosen = left[best], right[best], similarity[best]
    assert list(zip(*(part.tolist() for part in top_pairs.best_of_rows(first, *chosen, top)[:2]))) == expected  # noqa: B905
    if len(best) or len(distinct) < len(first):
        lefts, rights, values = top_pairs._smallest_of_rows(first, *chosen, top)
        order = np.lexsort((rights, lefts, -values))[:top]
        assert sorted(zip(lefts[order].tolist(), rights[order].tolist(), strict=True)) == expected


def test_many_copies_need_no_list_of_all_their_pairs() -> None:
    texts = ["one text that occurs very often indeed"] * 20_000 + ["one text that occurs very often in fact"] * 3
    result = la.find_pairs(texts, top=4, shingles="words:2")
    assert found(result) == [(0, 1, 1.0), (0, 2, 1.0), (0, 3, 1.0), (0, 4, 1.0)]


def test_texts_and_memory_limits(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    words = np.array([f"w{i}" for i in range(300)])
    texts = [" ".join(rng.choice(words, 40)) for _ in range(400)]
    for i in range(0, 60, 2):
        parts = texts[i].split()
        parts[: 1 + i // 3] = rng.choice(words, 1 + i // 3).tolist()
        texts[i + 1] = " ".join(parts)
    usual = la.find_pairs(texts, top=25)
    assert found(usual) == found(la.find_pairs(texts, top=25, memory="4GiB", threads=1))
    every = la.find_pairs(texts, threshold=str(usual.threshold), method="exact")
    assert found(usual) == found(every)[: len(found(usual))] or set(found(usual)) <= set(found(every))
    assert usual.limit == 25 and "at most the 25 most similar" in repr(usual)
    usual.save(tmp_path / "saved")
    again = la.load(tmp_path / "saved")
    assert again.limit == 25 and found(again) == found(usual)


def test_boilerplate_can_be_ignored() -> None:
    texts = [f"this page was printed from our site on {a} {b} {c}" for a, b, c in ("xyz", "xyw", "pqr", "stu", "klm")]
    result = la.find_pairs(texts, top=3, shingles="words:1", ignore_common=0.9)
    assert found(result) == [(0, 1, 0.5)]
    assert [warning.code for warning in result.warnings if "fewer" in warning.code] == ["fewer-pairs-than-top"]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("method", "lsh"),
        ("verify", "none"),
        ("verify", "signature"),
        ("bands", 4),
        ("rows", 3),
        ("recall", 0.9),
        ("work", "folder"),
    ],
)
def test_options_without_a_meaning_are_refused(option: str, value: Any) -> None:
    with pytest.raises(InvalidOption) as refused:
        la.find_pairs(["a b c"], top=3, **{option: value})
    assert refused.value.code == "not-with-top" and refused.value.values["option"] == option


def test_vectors_are_refused_and_so_is_none_at_all() -> None:
    with pytest.raises(InvalidOption) as refused:
        la.find_pairs([[1.0, 2.0]], measure="cosine", top=3)
    assert refused.value.code == "not-for-vectors"
    with pytest.raises(InvalidOption) as refused:
        la.find_pairs(["a"], top=0)
    assert refused.value.code == "not-in-whole-range"


def test_sets_without_elements_have_no_pairs() -> None:
    empty = Shingles(np.zeros(4, np.int64), np.zeros(0, np.uint64))
    best = most_similar.most_similar_pairs(empty, 3)
    assert isinstance(best, SetPairs) and len(best) == 0


def test_the_best_pairs_are_not_audited(tmp_path: Path) -> None:
    texts = ["a b c d e f", "a b c d e f", "a b c d e x", "u v w"]
    result = la.find_pairs(texts, top=1, shingles="words:1")
    result.save(tmp_path / "saved")
    for one in (result, result.to_arrow(), tmp_path / "saved", result.rethreshold(1)):
        with refused("audit-of-top"):
            la.audit(one, texts)
