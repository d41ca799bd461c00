"""Tools of the review: rules, search, predictions for other plans, and the clean corpus."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike.service.review.rules import _command
from tests.service.reviews import FAMILIES, complete, get, post, reviewed, saved
from tests.service.running import CAT, PLAN, Running, over, problem, running


@pytest.fixture(scope="module", params=["index", "Deduped"])
def shared(request: pytest.FixtureRequest) -> Iterator[Running]:
    with reviewed(request.param) as made:
        yield made


def test_rules_are_counted_without_an_effect(shared: Running) -> None:
    found = post(shared, "rules", keep="longest")
    assert found["rules"] == [{"rule": "longest", "decides": 4}, {"rule": "input order", "decides": 2}]
    assert (found["removed"], found["kept"], found["changed"], found["step"]) == (6, 4, 2, None)
    assert found["command"] == "--keep longest" and "best:COLUMN" in found["known"]
    last = post(shared, "rules", keep=["shortest", "last"])
    assert last["rules"][0]["decides"] == 4 and last["rules"][1] == {"rule": "last", "decides": 2}
    assert post(shared, "rules")["changed"] == 0 and get(shared, "history")["total"] == 0
    problem(shared.http.post("/review/rules", json={"keep": "newest"}), 422, "not-one-of")


def test_neighbours_of_a_text_are_found(shared: Running) -> None:
    found = post(shared, "search", text=CAT + " indeed", top=2)
    assert [one["id"] for one in found["found"]] == ["cat1", "cat2"] and found["found"][0]["similarity"] == 1.0
    assert found["found"][0]["key"] == "0" and found["found"][0]["size"] == 4 and found["read"] == 10
    assert post(shared, "search", text="zzz qqq xxx")["found"] == []
    assert post(shared, "search", text="")["found"] == []


def test_a_plan_is_predicted(shared: Running) -> None:
    complete(shared)
    found = get(shared, "tune", bands=20, rows=5, threshold=0.5)
    assert len(found["curve"]) == 101 and found["curve"][80]["chance"] == pytest.approx(1 - (1 - 0.8**5) ** 20)
    assert found["pairs"] == 10 and 0.99 < found["recall"] <= 1 and found["sampled"] == {"documents": 10, "pairs": 45}
    everything = get(shared, "tune", bands=1, rows=0)
    assert everything["recall"] == 1 and everything["missed"] == 0 and everything["false_candidates"] == 35
    nothing = get(shared, "tune", bands=1, rows=64)
    assert nothing["found"] < found["found"] and nothing["false_candidates"] == pytest.approx(0, abs=1e-6)
    histogram = found["histogram"]
    middles = (np.array(histogram["edges"])[:-1] + np.array(histogram["edges"])[1:]) / 2
    chances = 1 - (1 - middles**5) ** 20
    assert histogram["found"] == pytest.approx((np.array(histogram["pairs"]) * chances).tolist())
    for wrong in ({"threshold": 0}, {"threshold": 1.1}, {"bands": 0}, {"rows": 65}, {"bands": "many"}):
        assert shared.http.get("/review/tune", params=wrong).status_code == 422


def test_the_clean_corpus_has_one_document_per_cluster(shared: Running) -> None:
    answer = shared.http.get("/review/export/clean")
    assert answer.headers["content-type"] == "application/x-ndjson"
    rows = [json.loads(line) for line in answer.text.splitlines()]
    assert [row["id"] for row in rows] == ["cat0", "dog0", "owl0", "alone"] and rows[0]["text"] == CAT
    table = pq.read_table(io.BytesIO(shared.http.get("/review/export/clean?format=parquet").content))
    assert table["id"].to_pylist() == ["cat0", "dog0", "owl0", "alone"]
    table = pyarrow.csv.read_csv(io.BytesIO(shared.http.get("/review/export/clean?format=csv").content))
    assert table["text"].to_pylist()[0] == CAT
    problem(shared.http.get("/review/export/clean?format=exe"), 422, "not-one-of")


@pytest.mark.parametrize("kind", ["index", "Deduped", pytest.param("Pairs", marks=pytest.mark.slow)])
def test_decisions_apply_to_the_clean_corpus(kind: str) -> None:
    with reviewed(kind) as service:
        post(service, "decisions", action="accept", cluster="0", survivor=2, exclude=[3])
        post(service, "decisions", action="distinct", cluster="7")
        post(service, "decisions", action="exclude", cluster="4", rows=[4])
        rows = [json.loads(line) for line in service.http.get("/review/export/clean").text.splitlines()]
        assert [row["id"] for row in rows] == ["cat2", "cat3", "dog0", "dog1", "owl0", "owl1", "alone"]


def test_rules_of_columns_and_protected_files(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    rows = [{"id": id, "text": text, "year": year} for year, (id, text) in enumerate(FAMILIES.items())]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    la.dedupe(path, id="id", keep="longest", **PLAN).save(tmp_path / "result")
    with running(tmp_path / "result") as service:
        found = post(service, "rules", keep="where:year=1,best:year", protect=["where:id=cat0"])
        assert found["columns"] == ["id", "text", "year"] and found["current"] == ["longest"]
        assert found["protected"] == [{"rule": "where:id=cat0", "documents": 1}]
        assert found["rules"][:3] == [
            {"rule": "protected", "decides": 3},
            {"rule": "where:year=1", "decides": 0},
            {"rule": "best:year", "decides": 3},
        ]
        problem(service.http.post("/review/rules", json={"keep": "best:size"}), 422, "no-column-to-keep-by")
        problem(service.http.post("/review/rules", json={"protect": ["other/*"]}), 422, "glob-without-files")
        post(service, "decisions", action="distinct", cluster="7")
        done = post(service, "rules", keep="best:year", dry_run=False)
        survivors = {one["key"]: one["survivor"]["id"] for one in get(service, "queue", state="accepted")["clusters"]}
        assert survivors == {"4": "dog2"}, "the cluster of cats had this survivor, and that of owls was decided"
        assert post(service, "undo")["undone"]["step"] == done["step"]


def test_rules_that_need_columns_are_refused_for_an_index() -> None:
    with over(FAMILIES) as service:
        for rules in ({"keep": "best:year"}, {"protect": ["clean/*"]}):
            problem(service.http.post("/review/rules", json=rules), 422, "rule-without-columns")


@pytest.mark.parametrize(
    ("keep", "protect", "command"),
    [
        ("longest", None, "--keep longest"),
        (["best:a b", "longest"], ["x y/*"], "--keep 'best:a b,longest' --protect 'x y/*'"),
        (["where:t=a, b"], None, "--keep '\"where:t=a, b\"'"),
        (None, None, ""),
    ],
)
def test_the_command_has_the_same_rules(keep: Any, protect: Any, command: str) -> None:
    assert _command({"keep": keep, "protect": protect}) == command


def test_an_empty_index_can_be_reviewed() -> None:
    with over() as service:
        assert complete(service)["clusters"] == 0 and get(service, "queue")["clusters"] == []
        assert post(service, "search", text=CAT) == {"found": [], "read": 0}
        problem(service.http.get("/review/tune"), 422, "no-plan-yet")
        assert post(service, "bulk", action="accept")["step"] is None
        problem(service.http.post("/review/undo", json={}), 409, "nothing-to-undo")
        problem(service.http.get("/review/clusters/0"), 404, "no-such-cluster")
        problem(service.http.get("/review/texts/0"), 404, "no-such-document-row")


def test_results_without_clusters_are_refused(tmp_path: Path) -> None:
    from tests.refusals import refused

    la.compare(CAT, CAT).save(tmp_path / "result")
    with refused("result-not-reviewable"), running(tmp_path / "result"):
        pass


def test_a_damaged_result_is_refused(tmp_path: Path) -> None:
    from tests.refusals import refused

    path = saved(tmp_path)
    (path / "clusters.parquet").unlink()
    with refused("damaged-result"), running(path):
        pass
