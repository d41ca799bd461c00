"""The survivor rule: one survivor per cluster, ties by input order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.io.open import open_source
from lookalike.results.clusters import Clusters
from lookalike.results.deduped import Deduped
from lookalike.results.ranking import Ranking
from lookalike.results.rule_keys import keys_of
from lookalike.results.survivors import Keep, choose_survivors
from tests.refusals import refused

LABELS = np.array([0, 1, 0, 1, 0])
LENGTHS = np.array([3, 5, 9, 5, 9])


def survivors(labels: Any, keep: str, table: dict[str, Any], lengths: Any = None) -> list[int]:
    rules, source = Keep.parse(keep).rules, open_source(pa.table({"text": ["x"] * len(labels)} | table))
    lengths = np.zeros(len(labels), np.int64) if lengths is None else lengths
    ranking = Ranking(dict(zip(map(str, rules), keys_of(rules, source, lengths), strict=True)), len(labels))
    chosen: list[int] = choose_survivors(np.asarray(labels), ranking.order()).tolist()
    return chosen


@pytest.mark.parametrize(
    ("keep", "expected"),
    [
        ("first", [0, 1, 0, 1, 0]),
        ("last", [4, 3, 4, 3, 4]),
        ("longest", [2, 1, 2, 1, 2]),
        ("shortest", [0, 1, 0, 1, 0]),
    ],
)
def test_each_rule_chooses_as_documented(keep: str, expected: list[int]) -> None:
    assert survivors(LABELS, keep, {}, LENGTHS) == expected


def test_without_an_order_the_first_row_survives() -> None:
    assert choose_survivors(LABELS).tolist() == [0, 1, 0, 1, 0]


def test_best_takes_the_highest_value_and_missing_ones_lose() -> None:
    values = pa.array([1.0, None, 7.5, -3.0, 7.5])
    assert survivors(LABELS, "best:score", {"score": values}) == [2, 3, 2, 3, 2]
    assert survivors(LABELS, "least:score", {"score": values}) == [0, 3, 0, 3, 0]
    words = pa.array(["a", "b", "c", "d", None])
    assert survivors(LABELS, "best:name", {"name": words}) == [2, 3, 2, 3, 2]
    assert survivors(LABELS, "least:name", {"name": words}) == [0, 1, 0, 1, 0]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30), st.sampled_from(["first", "last", "longest", "shortest"]))
def test_every_cluster_has_one_survivor_and_it_is_a_member(groups: list[int], keep: str) -> None:
    labels = np.array([groups.index(g) for g in groups])
    found = np.array(survivors(labels, keep, {}, np.array([g % 3 for g in groups])))
    for label in set(labels.tolist()):
        chosen = set(found[labels == label].tolist())
        assert len(chosen) == 1 and labels[chosen.pop()] == label


def test_a_result_that_loses_a_document_is_refused() -> None:
    """kept + removed = read is checked for every result."""
    clusters = Clusters(np.array([0, 0, 2]))
    removed = pa.table({"id": [1], "kept": [0], "similarity": [1.0], "cluster": [0]})
    assert len(Deduped(clusters, np.array([0, 2]), removed, lambda: pa.table({}))) == 2
    with refused("rows-lost", kept=1, removed=1, read=3):
        Deduped(clusters, np.array([0]), removed, lambda: pa.table({}))


@pytest.mark.parametrize(
    ("values", "best"),
    [
        (["9", "10", None], 1),
        (["9", "10", ""], 1),
        ([" 2.5", "+10", "-3e2"], 1),
        (["9007199254740993", "9007199254740992", "1"], 0),
        (["9007199254740992", "9007199254740993", "1"], 1),
        (["9", "10", "x"], 2),
        (["9", "10", "nan"], 2),
        (["b", "a", None], 0),
    ],
)
def test_texts_are_compared_as_numbers_where_all_are_finite_numbers(values: list[str | None], best: int) -> None:
    for array in (pa.array(values), pa.chunked_array([values[:1], values[1:]]), pa.array(values).dictionary_encode()):
        assert survivors([0, 0, 0], "best:q", {"q": array}) == [best] * 3


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()], ids=str)
def test_nan_is_a_missing_value(kind: pa.DataType) -> None:
    """NaN was preferred to null. So a table had other survivors in pandas, which has only NaN, than in Arrow."""
    values = pa.array([None, float("nan"), 1.0], kind)
    for keep in ("best:q", "least:q"):
        assert survivors([0, 0, 2], keep, {"q": values}) == [0, 0, 2]
        assert survivors([0, 0, 0], keep, {"q": values}) == [2, 2, 2]
        assert survivors([0, 0, 2], keep, {"q": pa.array([float("nan")] * 3, kind)}) == [0, 0, 2]


@pytest.mark.parametrize("kind", [pa.null(), pa.string(), pa.list_(pa.int64())], ids=str)
def test_the_best_of_missing_values_is_the_first(kind: pa.DataType) -> None:
    for keep in ("best:q", "least:q"):
        assert survivors([0, 0, 2], keep, {"q": pa.nulls(3, kind)}) == [0, 0, 2]
