"""Lists of clusters show one state of the index, whole and in order, whatever happens between two pages."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.service import least_similar, member_pairs
from lookalike.service.least_similar import least_similarities
from lookalike.text.comparison import compare
from tests.index.laws import texts
from tests.index.test_queries import index
from tests.service.running import CAT, DOG, OWL, PLAN, Running, over, problem, running

FAMILIES = {
    **{f"cat{n}": CAT + " indeed" * n for n in range(4)},
    **{f"dog{n}": DOG for n in range(3)},
    "owl0": OWL,
    "owl1": OWL + " and rats",
    "alone": "nothing is like this one at all",
}


@pytest.fixture(scope="module")
def shared() -> Iterator[Running]:
    with over(FAMILIES, read_only=True) as service:
        yield service


def pages(service: Running, **words: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while True:
        answer = service.http.get("/clusters", params=words).json()
        found += answer["clusters"]
        if answer["next"] is None:
            assert len(found) == answer["total"]
            return found
        words = {"cursor": answer["next"], "limit": words.get("limit", 100)}


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
def test_pages_together_are_all_clusters(shared: Running, limit: int) -> None:
    by_size = pages(shared, limit=limit)
    assert [one["members"] for one in by_size] == [
        ["cat0", "cat1", "cat2", "cat3"], ["dog0", "dog1", "dog2"], ["owl0", "owl1"]
    ]  # fmt: skip
    assert [one["size"] for one in by_size] == [4, 3, 2] and by_size[0]["id"] == "cat0"
    assert {one["id"] for one in pages(shared, limit=limit, min_size=3)} == {"cat0", "dog0"}
    by_similarity = pages(shared, limit=limit, order="similarity")
    least = [one["least_similarity"] for one in by_similarity]
    assert least == sorted(least) and by_similarity[-1]["id"] == "dog0" and least[-1] == 1.0


@settings(max_examples=25)
@given(texts(), st.integers(2, 50))
def test_the_least_similar_pair_is_that_of_all_pairs(data: list[str], at_once: int) -> None:
    with index(data) as ix, pytest.MonkeyPatch.context() as patch:
        patch.setattr(least_similar, "AT_ONCE", at_once)
        clusters = ix.clusters()
        members = clusters.largest()
        ids = pa.array([int(row) for rows in members for row in rows], pa.int64())
        starts = np.cumsum([0, *map(len, members)])
        found = np.concatenate([np.zeros(0), *(part for _, part in least_similarities(ix, ids, starts, 0))])
        plan = la.Plan.from_options(ix.plan, "pairs", {})
        expected = [
            min(compare(data[a], data[b], plan).similarity for a, b in combinations(rows.tolist(), 2))
            for rows in members
        ]
        assert found.tolist() == pytest.approx(expected)


def test_a_large_cluster_is_sampled_always_in_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(member_pairs, "SAMPLED", 5)
    with index([f"{CAT} {'x' * (n % 7)}" for n in range(50)]) as ix:
        (rows,) = ix.clusters().largest()
        ids, starts = pa.array(rows, pa.int64()), np.array([0, len(rows)])
        ((_, one),) = least_similarities(ix, ids, starts, 0)
        ((_, two),) = least_similarities(ix, ids, starts, 0)
        assert one.tolist() == two.tolist() and 0 < one[0] <= 1
        ix.delete(rows[:-1].tolist())
        ((_, alone),) = least_similarities(ix, ids, starts, 0)
        assert alone.tolist() == [1.0]


def test_pages_show_one_state_while_documents_change() -> None:
    with over(FAMILIES) as service:
        first = service.http.get("/clusters", params={"limit": 1}).json()
        service.http.request("DELETE", "/documents", json={"ids": ["dog0", "dog1", "dog2"]})
        service.http.post("/documents", json={"documents": [{"id": f"new{n}", "text": "a b c d e"} for n in range(9)]})
        second = service.http.get("/clusters", params={"cursor": first["next"], "limit": 1}).json()
        assert second["clusters"][0]["id"] == "dog0" and second["total"] == 3
        assert [one["id"] for one in pages(service)] == ["new0", "cat0", "owl0"]
        for number in range(4):
            service.http.post("/documents", json={"id": f"more{number}", "text": f"{number} x y z"})
            pages(service)
        problem(service.http.get("/clusters", params={"cursor": first["next"]}), 410, "cursor-expired")


def test_a_list_does_not_show_deleted_documents() -> None:
    """Until clusters were settled, a list was the one from before. Only its state of settled deletions was compared."""
    with over(dict.fromkeys("abc", CAT)) as service:
        assert pages(service)[0]["members"] == ["a", "b", "c"]
        service.http.request("DELETE", "/documents", json={"ids": ["b"]})
        assert pages(service)[0]["members"] == ["a", "c"]
        service.http.post("/documents", json={"documents": [{"id": "a", "text": DOG}]})
        assert pages(service) == []


def test_a_cursor_expires_when_the_service_stops(tmp_path: Path) -> None:
    """The next service counted its snapshots from 0 again, so it continued a list that it had never begun."""
    path = tmp_path / "x.index"
    with la.Index.create(path, **PLAN) as ix:
        ix.add(FAMILIES)
    with running(path) as service:
        cursor = service.http.get("/clusters", params={"limit": 1}).json()["next"]
    with running(path) as service:
        pages(service)
        problem(service.http.get("/clusters", params={"cursor": cursor}), 410, "cursor-expired")


def test_a_cursor_of_another_index_is_refused(shared: Running) -> None:
    cursor = shared.http.get("/clusters", params={"limit": 1}).json()["next"]
    with over(FAMILIES) as other:
        problem(other.http.get("/clusters", params={"cursor": cursor}), 400, "cursor-of-another-index")
        for broken in ("x", "é", cursor[:-4], "W10", "bnVsbA", "[" * 9):
            problem(other.http.get("/clusters", params={"cursor": broken}), 400, "not-a-cursor")


def test_the_members_of_a_cluster_come_in_pages_too(shared: Running) -> None:
    assert shared.http.get("/clusters/cat2").json() == {
        "size": 4, "members": ["cat0", "cat1", "cat2", "cat3"], "next": None
    }  # fmt: skip
    first = shared.http.get("/clusters/cat2", params={"limit": 3}).json()
    assert first["next"] == "cat2"
    rest = shared.http.get("/clusters/cat2", params={"limit": 3, "after": first["next"]}).json()
    assert rest == {"size": 4, "members": ["cat3"], "next": None}
    assert shared.http.get("/clusters/alone").json()["members"] == ["alone"]
    problem(shared.http.get("/clusters/none"), 404, "no-such-id")
    problem(shared.http.get("/clusters/cat2", params={"after": "dog0"}), 404, "no-such-id")


def test_clusters_stay_exact_when_documents_are_deleted() -> None:
    chain = {"a": "a b c d e f", "b": "b c d e f g", "c": "c d e f g h"}
    with over(chain) as service:
        assert service.http.get("/clusters/a").json()["members"] == ["a", "b", "c"]
        service.http.request("DELETE", "/documents", json={"ids": ["b"]})
        assert service.http.get("/clusters/a").json()["members"] == ["a"]
        assert pages(service) == []


def test_a_service_that_only_reads_refuses_changes(shared: Running) -> None:
    problem(shared.http.post("/documents", json={"text": "x"}), 403, "read-only")
    problem(shared.http.request("DELETE", "/documents", json={"ids": ["cat0"]}), 403, "read-only")
    assert shared.http.get("/info").json()["read_only"] is True


def test_an_empty_index_has_no_clusters() -> None:
    with over() as service:
        for order in ("size", "similarity"):
            assert service.http.get("/clusters", params={"order": order}).json() == {
                "clusters": [], "total": 0, "next": None
            }  # fmt: skip
        assert service.http.post("/query", json={"texts": ["x", "y"]}).json()["found"] == []
        assert service.http.get("/info").json()["plan"] is None
