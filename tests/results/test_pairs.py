"""Pairs answer questions: the most similar, the partners of one, a higher threshold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.flow.threshold import Threshold
from lookalike.results.pairs import Pairs
from tests.refusals import refused


def some_pairs(ids: pa.Array | None = None) -> Pairs:
    left, right = np.array([0, 0, 1, 3]), np.array([1, 2, 2, 4])
    return Pairs(left, right, np.array([0.8, 0.95, 0.9, 1.0]), Threshold("0.8"), 5, ids)


def test_top_gives_the_most_similar_first() -> None:
    assert some_pairs().top(2) == [(3, 4, 1.0), (0, 2, 0.95)]


@pytest.mark.parametrize("n", [-1, 1.5, "2", True, None])
def test_top_takes_a_whole_number(n: Any) -> None:
    """-1 gave all pairs but the last, and other values a TypeError; `show` refused the integers of NumPy."""
    found = la.find_pairs(["a b c"] * 3, shingles="words:1")
    frequent = la.frequent_pairs([["a", "b"]] * 2, support=2)
    one: Any = np.int64(1)
    for result in (found, frequent):
        with refused("not-a-whole-number", option="n", least=0):
            result.top(n)
        assert len(result.top(one)) == 1 and result.top(0) == []
    assert str(found.show(one)) == str(found.show(1))


def test_of_gives_the_partners_of_one_document_most_similar_first() -> None:
    assert some_pairs().of(2) == [(0, 0.95), (1, 0.9)]
    assert some_pairs(pa.array(list("abcde"))).of("c") == [("a", 0.95), ("b", 0.9)]


def test_of_refuses_a_document_that_is_not_there() -> None:
    with refused("no-such-position", last=4, value=5):
        some_pairs().of(5)
    with refused("no-such-id", value="z"):
        some_pairs(pa.array(list("abcde"))).of("z")


def test_rethreshold_keeps_exactly_the_pairs_at_or_above() -> None:
    higher = some_pairs().rethreshold(0.9)
    assert [pair[:2] for pair in higher] == [(0, 2), (1, 2), (3, 4)]
    assert higher.summary.pairs == 3 and str(higher.threshold) == "0.9"


def test_rethreshold_downwards_is_refused_with_the_reason() -> None:
    with refused("below-threshold-of-run", found="0.8", wanted="0.7"):
        some_pairs().rethreshold(0.7)


@pytest.mark.parametrize("distance", [float("nan"), float("inf"), 10**400, "a", True, [1]])
def test_a_distance_that_is_no_finite_number_is_refused(distance: Any) -> None:
    near = la.find_pairs(np.array([[3.0, 4.0], [3.0, 4.5], [9.0, 9.0]]), measure="euclidean", distance=1)
    with refused("not-a-number", option="distance"):
        near.rethreshold(distance=distance)
    assert len(near.rethreshold(distance=np.float64(0.5))) == 1


def test_clusters_of_pairs_are_their_connected_components() -> None:
    assert some_pairs().clusters().members() == [[0, 1, 2], [3, 4]]
    assert some_pairs().rethreshold("0.96").clusters().members() == [[3, 4]]


def test_the_arrow_interface_exports_ids() -> None:
    table = pa.table(some_pairs(pa.array(list("abcde"))))
    assert table.column_names == ["left", "right", "similarity"]
    assert table["left"].to_pylist() == ["a", "a", "b", "d"]


@given(shared=st.integers(0, 10**6), other=st.integers(0, 10**6), places=st.integers(1, 9), data=st.data())
def test_a_float_similarity_decides_a_threshold_as_the_integers_do(
    shared: int, other: int, places: int, data: st.DataObject
) -> None:
    """rethreshold compares float64 similarities; below 2⁵³ that equals comparing the integers."""
    total = shared + other
    if total == 0:
        return
    threshold = Threshold(f"{data.draw(st.integers(1, 10**places))}e-{places}")
    assert (shared / total >= float(threshold)) == threshold.reached(shared, total)


def test_the_table_carries_the_plan(tmp_path: Path) -> None:
    found = la.find_pairs(["one two three"] * 2, threshold=0.8)
    pq.write_table(found.to_arrow(), tmp_path / "pairs.parquet")
    metadata = pq.read_schema(tmp_path / "pairs.parquet").metadata
    assert la.Plan.from_toml(metadata[b"lookalike.plan"].decode()).resolve().threshold == found.threshold
    assert metadata[b"lookalike.verified"] == b"exact"


@pytest.mark.parametrize("ids", [pa.array([10, 11]), pa.array(["10", "11"])], ids=["integers", "strings"])
@pytest.mark.parametrize("id", [10.5, [1], 2**70, None, "\ud800", b"10", 5, "5"], ids=ascii)
def test_an_id_that_no_document_has_is_refused_whatever_its_type(ids: pa.Array, id: object) -> None:
    pairs = Pairs(np.array([0]), np.array([1]), np.array([1.0]), Threshold(0.5), 2, ids)
    with refused("no-such-id"):
        pairs.of(id)
    with refused("no-such-id"):
        pairs.of("10" if ids.type == pa.int64() else 10)
    assert pairs.of(ids[0].as_py()) == [(ids[1].as_py(), 1.0)]


VECTORS = [[3.0, 4.0], [3.0, 4.1], [30.0, -4.0], [3.0, 4.2], [30.0, -4.0]]


def test_pairs_of_vectors_by_a_similarity_answer_as_those_of_texts_do() -> None:
    found = la.find_pairs(VECTORS, measure="cosine", threshold=0.9)
    assert (found.measure, found.threshold, found.greatest_distance) == ("cosine", 0.9, None)
    assert found.similarity is not None and found.of(2) == [(4, 1.0)]
    higher = found.rethreshold(0.99999)
    assert list(higher) == [pair for pair in found if pair[2] is not None and pair[2] >= 0.99999] != list(found)
    with refused("below-threshold-of-run", found="0.9", wanted="0.8"):
        found.rethreshold(0.8)
    with refused("pairs-by-similarity", measure="cosine"):
        found.rethreshold(distance=1)


def test_pairs_of_vectors_by_a_distance_answer_with_distances() -> None:
    found = la.find_pairs(VECTORS, measure="euclidean", distance=0.5)
    assert (found.measure, found.threshold, found.greatest_distance) == ("euclidean", None, 0.5)
    assert found.to_arrow().column_names == ["left", "right", "distance"]
    assert found.top(1) == [(2, 4, 0.0)] and [name for name, _ in found.of(0)] == [1, 3]
    assert [pair[:2] for pair in found.rethreshold(distance=0.15)] == [(0, 1), (1, 3), (2, 4)]
    assert found.clusters().members() == [[0, 1, 3], [2, 4]]
    with refused("beyond-distance-of-run", found=0.5, wanted=1):
        found.rethreshold(distance=1)
    with refused("pairs-by-distance", measure="euclidean"):
        found.rethreshold(0.9)
    for neither in ({}, {"threshold": 0.9, "distance": 1}):
        with refused("threshold-or-distance"):
            found.rethreshold(**neither)


def test_left_and_right_are_the_columns_of_the_table() -> None:
    texts = [{"id": f"n{i}", "text": text} for i, text in enumerate(["a b c", "x y z", "a b c"])]
    for found in (la.find_pairs(texts, id="id"), la.join(texts, id="id"), la.join(texts, texts[1:], id="id")):
        table = found.to_arrow()
        assert (found.left.to_pylist(), found.right.to_pylist()) == (
            table["left"].to_pylist(),
            table["right"].to_pylist(),
        )
        assert found.left.to_pylist()[0] == "n0" and found.left_rows.tolist()[0] == 0


def test_matches_of_a_row_are_of_the_left_collection() -> None:
    found = la.join([[*"abc"], [*"xyz"]], [[*"xy"], [*"xyz"]], threshold=0.5)
    assert found.of(1) == [(1, 1.0), (0, 2 / 3)] and found.of(0) == []
    with refused("no-such-position", last=1, value=2):
        found.of(2)
