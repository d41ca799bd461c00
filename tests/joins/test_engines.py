"""`engine="reference"`, which compares every pair, gives the same matches as the local engine."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from tests.refusals import refused

elements = st.sampled_from("abcdefgh")
collections = st.lists(st.lists(elements, max_size=6), max_size=8)
texts = st.lists(st.text("abÄß ", max_size=6), max_size=8)

similarities = st.tuples(
    st.sampled_from(["jaccard", "dice", "cosine", "overlap", "containment"]), st.sampled_from(["0.3", "0.5", "1"])
).map(lambda asked: {"measure": asked[0], "threshold": asked[1]})
others = st.sampled_from(
    [
        {"measure": "shared", "threshold": 2},
        {"measure": "hamming", "distance": 2},
        {"measure": "sum-bag", "threshold": "0.4"},
    ]
)
tops = st.sampled_from([None, 1, 2])


def same(left: Any, right: Any, **asked: Any) -> None:
    one, two = (la.join(left, right, engine=engine, **asked) for engine in ("local", "reference"))
    assert one.to_arrow().equals(two.to_arrow())
    assert (one.rules, one.summary.empty) == (two.rules, two.summary.empty)


@given(collections, st.none() | collections, similarities | others, tops, st.booleans())
@settings(max_examples=150)
def test_sets(left: Any, right: Any, asked: dict[str, Any], top: int | None, bag: bool) -> None:
    same(left, right, top=top, bag=bag or asked["measure"] == "sum-bag", **asked)


@given(collections, st.none() | collections, st.sampled_from(["jaccard", "cosine", "overlap", "shared"]))
@settings(max_examples=60)
def test_the_nearest_sets_without_a_threshold(left: Any, right: Any, measure: str) -> None:
    same(left, right, measure=measure, top=2)


@given(texts, st.none() | texts, st.sampled_from(["chars:2", "words:1"]))
@settings(max_examples=60)
def test_texts(left: Any, right: Any, shingles: str) -> None:
    same(left, right, threshold="0.4", shingles=shingles)


@given(
    texts,
    st.none() | texts,
    st.sampled_from(["edit", "levenshtein"]),
    st.integers(0, 4),
    tops,
    st.sampled_from(["keep", "fold"]),
)
@settings(max_examples=100)
def test_strings(left: Any, right: Any, measure: str, distance: int, top: int | None, case: str) -> None:
    same(left, right, measure=measure, distance=distance, top=top, case=case)


@pytest.mark.parametrize("engine", ["spark", "quick", 3])
def test_other_engines_are_refused(engine: Any) -> None:
    with refused("not-one-of", option="engine"):
        la.join([["a"]], engine=engine)
    with refused("not-one-of", option="engine"):
        la.frequent_pairs([["a"]], support=1, engine=engine)
