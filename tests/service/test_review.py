"""The review of clusters: what views show, and what decisions change, over an index and over saved results."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lookalike as la
from lookalike.flow.progress import silent
from lookalike.service.review.index_corpus import IndexCorpus
from lookalike.text.comparison import compare
from tests.service.reviews import FAMILIES, complete, get, post, reviewed, saved, states, write
from tests.service.running import CAT, PLAN, Running, problem, running

EVERY = ("index", "Deduped", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("Clusters", "Pairs")))

CHANGES = [
    *((how, "Deduped") for how in ("missing", "torn", "other ids", "other words")),
    *(pytest.param(how, kind, marks=pytest.mark.slow) for how in ("longer", "memory") for kind in ("Deduped", "Pairs")),
    ("missing", "Pairs"),
    pytest.param("other words", "Pairs", marks=pytest.mark.slow),
]
"""What happened to the input of a saved result, and the kind of the result."""


@pytest.fixture(params=["index", "Deduped"])
def service(request: pytest.FixtureRequest) -> Iterator[Running]:
    with reviewed(request.param) as made:
        yield made


def test_the_summary_counts_what_was_found(service: Running) -> None:
    found = complete(service)
    assert (found["documents"], found["clusters"], found["clustered"]) == (10, 3, 9)
    assert found["sizes"] == [{"size": n, "clusters": 1} for n in (2, 3, 4)]
    assert found["states"] == {"open": 3, "accepted": 0, "distinct": 0, "skipped": 0}
    assert found["texts"] == {"available": True, "reason": None, "detail": None} and found["can_decide"]
    others = [text for id, text in FAMILIES.items() if id not in ("cat0", "dog0", "owl0", "alone")]
    assert found["reclaimable"] == {"documents": 6, "characters": None, "bytes": sum(map(len, others))}
    assert sum(found["similarities"]["counts"]) in (6, 10) and len(found["similarities"]["edges"]) == 51


def test_the_queue_has_exact_figures(service: Running) -> None:
    complete(service)
    found = get(service, "queue")
    assert found["total"] == found["open"] == 3 and found["next"] is None and found["figures"]["complete"]
    assert [one["key"] for one in found["clusters"]] == ["0", "4", "7"], "none is suspicious: large ones come first"
    for one in found["clusters"]:
        texts = [text for id, text in FAMILIES.items() if id[:3] == one["survivor"]["id"][:3]]
        pairs = [compare(a, b, la.Plan(**PLAN)).similarity for a, b in itertools.combinations(texts, 2)]
        assert one["least"] == min(pairs) and one["density"] == 1.0 and one["size"] == len(texts)
        assert one["excerpt"] == texts[0] and not one["reasons"] and one["state"] == "open"


def test_a_filter_selects_and_a_cursor_continues(service: Running) -> None:
    complete(service)
    assert [one["key"] for one in get(service, "queue", order="similarity")["clusters"]] == ["0", "7", "4"]
    assert {one["key"] for one in get(service, "queue", min_size=3)["clusters"]} == {"0", "4"}
    assert {one["key"] for one in get(service, "queue", max_size=3, min_least=0.9)["clusters"]} == {"4"}
    assert {one["key"] for one in get(service, "queue", max_least=0.9)["clusters"]} == {"0", "7"}
    for words in ("owl1", "OWL barn", "hunt mice"):
        assert [one["key"] for one in get(service, "queue", search=words)["clusters"]] == ["7"], words
    assert not get(service, "queue", search="owl cat")["clusters"]
    first = get(service, "queue", limit=1, min_size=3)
    post(service, "decisions", action="accept", cluster=first["clusters"][0]["key"])
    second = get(service, "queue", limit=1, cursor=first["next"])
    assert [one["key"] for one in second["clusters"]] == ["4"] and second["next"] is None and second["total"] == 1


def test_a_cluster_shows_its_members_and_their_similarities(service: Running) -> None:
    found = get(service, "clusters/0")
    assert [one["id"] for one in found["members"]] == ["cat0", "cat1", "cat2", "cat3"]
    assert [one["is_survivor"] for one in found["members"]] == [True, False, False, False]
    assert found["members"][0]["similarity"] is None and found["why"]["by"] == "order"
    for i, j, similarity in found["pairs"]:
        assert similarity == compare(FAMILIES[f"cat{i}"], FAMILIES[f"cat{j}"], la.Plan(**PLAN)).similarity
    assert len(found["pairs"]) == 6 and found["members"][2]["characters"] == len(FAMILIES["cat2"])
    page = get(service, "clusters/0", members=2)
    rest = get(service, "clusters/0", members="all", after=page["next"])
    assert [one["id"] for one in page["members"] + rest["members"]] == ["cat0", "cat1", "cat2", "cat3"]
    assert rest["next"] is None


def test_pieces_together_are_the_texts(service: Running) -> None:
    found = get(service, "compare", a=0, b=3)
    for side, id in (("a", "cat0"), ("b", "cat3")):
        assert "".join(piece["text"] for piece in found[side]["pieces"]) == FAMILIES[id] and found[side]["id"] == id
    assert not any(piece["shared"] is False for piece in found["a"]["pieces"])
    assert "indeed" in "".join(piece["text"] for piece in found["b"]["pieces"] if not piece["shared"])
    assert get(service, "texts/9")["text"] == FAMILIES["alone"]


def test_decisions_change_the_state_and_can_be_undone(service: Running) -> None:
    steps = []
    for cluster, action, state in (
        ("0", "accept", "accepted"),
        ("4", "skip", "skipped"),
        ("7", "distinct", "distinct"),
    ):
        made = post(service, "decisions", action=action, cluster=cluster)
        assert made["cluster"]["state"] == state and made["cluster"]["key"] == cluster
        steps.append(made["step"])
    assert states(service) == {"0": "accepted", "4": "skipped", "7": "distinct"}
    assert {one["key"] for one in get(service, "queue", state="decided")["clusters"]} == {"0", "7"}
    assert [one["action"] for one in get(service, "history")["steps"]] == ["distinct", "skip", "accept"]
    undone = post(service, "undo", step=steps[0])
    assert undone["clusters"][0]["state"] == "open" and undone["undone"]["step"] == steps[0]
    assert post(service, "undo")["undone"]["step"] == steps[2] and states(service)["7"] == "open"
    again = post(service, "undo", step=undone["step"])
    assert again["undone"]["action"] == "undo" and states(service)["0"] == "accepted", "to undo an undo restores"
    history = get(service, "history")
    assert history["total"] == 6 and [one["undone"] for one in history["steps"]] == [
        False,
        False,
        True,
        True,
        False,
        False,
    ]
    problem(service.http.post("/review/undo", json={"step": steps[2]}), 409, "undone-before")
    problem(service.http.post("/review/undo", json={"step": "none"}), 404, "no-such-step")


def test_another_survivor_and_excluded_members(service: Running) -> None:
    made = post(service, "decisions", action="accept", cluster="0", survivor=2, exclude=[3])
    assert made["cluster"]["survivor"] == {"row": 2, "id": "cat2"} and made["cluster"]["excluded"] == 1
    found = get(service, "clusters/0")
    assert {one["id"]: one["decision"] for one in found["members"]} == {
        "cat2": "keep", "cat0": None, "cat1": None, "cat3": "exclude"
    }  # fmt: skip
    assert found["why"]["by"] == "decision" and found["previous_steps"] == [made["step"]]
    post(service, "decisions", action="accept", cluster="0", survivor=1)
    assert get(service, "queue", state="accepted")["clusters"][0]["survivor"]["id"] == "cat1", "the last one counts"
    post(service, "decisions", action="exclude", cluster="7", rows=[7])
    assert states(service)["7"] == "distinct", "a cluster with one member that is left has no duplicates"
    post(service, "decisions", action="distinct", cluster="0")
    post(service, "decisions", action="accept", cluster="0", survivor=0)
    assert states(service)["0"] == "accepted"


def test_bulk_actions_are_one_step(service: Running) -> None:
    post(service, "decisions", action="skip", cluster="0")
    counted = post(service, "bulk", action="accept", min_size=3, state="all", dry_run=True)
    assert (counted["clusters"], counted["documents"], counted["step"]) == (2, 7, None)
    assert states(service) == {"0": "skipped", "4": "open", "7": "open"}
    done = post(service, "bulk", action="accept", min_size=3, state="all")
    assert states(service) == {"0": "accepted", "4": "accepted", "7": "open"} and done["states"]["accepted"] == 2
    assert post(service, "undo")["undone"]["step"] == done["step"]
    assert states(service) == {"0": "skipped", "4": "open", "7": "open"}
    assert post(service, "bulk", action="distinct")["clusters"] == 2 and states(service)["7"] == "distinct"


@pytest.mark.parametrize("kind", EVERY)
def test_decisions_survive_a_restart_and_dedupe_takes_them(tmp_path: Path, kind: str) -> None:
    if kind == "index":
        path = tmp_path / "result"
        with la.Index.create(path, **PLAN) as made:
            made.add(FAMILIES)
    else:
        path = saved(tmp_path, kind=kind)
    before = sorted((one, one.read_bytes()) for one in tmp_path.rglob("*") if one.is_file() and kind != "index")
    with running(path) as service:
        post(service, "decisions", action="accept", cluster="0", survivor=3, note="the longest")
        post(service, "decisions", action="distinct", cluster="7")
        gone = post(service, "decisions", action="distinct", cluster="4")
        post(service, "undo", step=gone["step"])
        exported = service.http.get("/review/export/decisions").content
    assert all(one.read_bytes() == content for one, content in before), "the input and the result are not touched"
    decisions = tmp_path / "result.decisions.jsonl"
    assert decisions.read_bytes() == exported
    with running(path) as service:
        assert states(service) == {"0": "accepted", "4": "open", "7": "distinct"}
        history = get(service, "history")
        assert history["total"] == 4 and history["steps"][-1]["note"] == "the longest"
        assert get(service, "summary")["decisions"]["applied"] == 3
        post(service, "undo", step=history["steps"][-1]["step"])
        assert states(service)["0"] == "open"
        post(service, "undo")
    write(tmp_path / "again.jsonl", FAMILIES)
    (tmp_path / "taken.jsonl").write_bytes(exported)
    again = la.dedupe(tmp_path / "again.jsonl", id="id", decisions=tmp_path / "taken.jsonl", **PLAN)
    assert again.kept["id"].to_pylist() == ["cat3", "dog0", "owl0", "owl1", "alone"]
    assert again.summary.decisions == {"applied": 2, "stale": 0, "not found": 0}


def test_a_replay_applies_what_is_unchanged_and_lists_the_rest(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    with running(saved(tmp_path / "one")) as service:
        post(service, "decisions", action="accept", cluster="0", survivor=1)
        post(service, "decisions", action="accept", cluster="4", survivor=5)
        post(service, "decisions", action="exclude", cluster="7", rows=[8])
        exported = service.http.get("/review/export/decisions").content
    changed = {"new": CAT + " again", **FAMILIES, "dog1": FAMILIES["dog1"] + " again"}
    del changed["owl1"]
    with running(saved(tmp_path / "two", changed)) as service:
        headers = {"Content-Type": "application/x-ndjson"}
        found = service.http.post("/review/import", content=exported, headers=headers).json()
        assert found["applied"] == 1 and found["stale"] == [{"id": "dog1", "decision": "keep"}]
        assert found["missing"] == [{"id": "owl1", "decision": "exclude"}]
        cluster = get(service, "queue", state="accepted")["clusters"]
        assert [one["survivor"]["id"] for one in cluster] == ["cat1"]
        listed = get(service, "summary")["decisions"]
        assert listed["stale_count"] == listed["missing_count"] == 1 and listed["applied"] == 1
        assert post(service, "undo")["undone"]["action"] == "import" and set(states(service).values()) == {"open"}


@pytest.mark.parametrize(("how", "kind"), CHANGES)
def test_without_the_input_only_scores_are_shown(tmp_path: Path, how: str, kind: str) -> None:
    path, data = saved(tmp_path, kind=kind), tmp_path / "in.jsonl"
    if how == "missing":
        data.unlink()
    elif how == "longer":
        data.write_text(data.read_text() + "\n")
    elif how == "torn":
        data.write_text(data.read_text()[:-9] + "\n" * 9)
    elif how == "other ids":
        data.write_text(data.read_text().replace('"dog1"', '"dig1"'))
    elif how == "other words":
        data.write_text(data.read_text().replace(" and rats", " hunt for"))
    else:
        la.dedupe([{"id": id, "text": text} for id, text in FAMILIES.items()], id="id", **PLAN).save(path, force=True)
    reason = {"missing": "input-missing", "memory": "input-not-recorded"}.get(how, "input-changed")
    with running(path) as service:
        found = complete(service)
        assert found["texts"]["reason"] == reason and found["texts"]["detail"] and not found["can_decide"]
        cluster = get(service, "clusters/0")
        assert cluster["texts"]["reason"] == reason and {one["excerpt"] for one in cluster["members"]} == {None}
        assert how == "memory" or cluster["members"][1]["similarity"] is not None
        assert len(get(service, "queue")["clusters"]) == 3
        problem(service.http.get("/review/compare", params={"a": 0, "b": 1}), 409, "texts-not-available")
        decision = {"action": "accept", "cluster": "0"}
        problem(service.http.post("/review/decisions", json=decision), 409, "texts-not-available")
    assert not (tmp_path / "result.decisions.jsonl").exists()


def test_what_belongs_to_an_index_is_refused_over_a_result() -> None:
    with reviewed() as service:
        for path in ("/clusters", "/documents/cat0", "/clusters/cat0", "/signatures/cat0"):
            problem(service.http.get(path), 404, "no-index")
        problem(service.http.post("/query", json={"text": CAT}), 404, "no-index")
        problem(service.http.post("/documents", json={"text": CAT}), 404, "no-index")
        assert service.http.get("/readyz").status_code == service.http.get("/metrics").status_code == 200
        assert service.http.get("/info").json()["documents"] is None


def test_an_index_is_reviewed_again_after_changes() -> None:
    with reviewed("index") as service:
        post(service, "decisions", action="accept", cluster="0")
        assert not get(service, "summary")["changed"]
        service.http.post("/documents", json={"text": FAMILIES["alone"], "id": "twin"})
        assert get(service, "summary")["changed"] and len(states(service)) == 3
        cursor = get(service, "queue", limit=1)["next"]
        assert post(service, "refresh")["clusters"] == 4
        assert states(service) == {"0": "accepted", "4": "open", "7": "open", "9": "open"}
        problem(service.http.get("/review/queue", params={"cursor": cursor}), 410, "cursor-expired")


def test_decisions_do_not_wait_for_calls_about_many_documents() -> None:
    """The figures and the decisions shared a handle of the index, which answers one call at a time."""
    with reviewed("index") as service:
        complete(service)
        corpus = service.prepared.service.reviewing.ready(silent)[0].corpus
        assert isinstance(corpus, IndexCorpus)
        with corpus._for_many._access.reading():  # as if the figures read texts, in another thread
            assert post(service, "decisions", action="accept", cluster="0")["cluster"]["state"] == "accepted"
            assert get(service, "clusters/4")["members"][1]["similarity"] == 1.0
            assert get(service, "compare", a=0, b=3)["similarity"] < 1


def test_a_read_only_service_decides_nothing(tmp_path: Path) -> None:
    path = saved(tmp_path)
    with running(path, read_only=True) as service:
        assert not get(service, "summary")["can_decide"]
        sent = service.http.post("/review/decisions", json={"action": "accept", "cluster": "0"})
        problem(sent, 403, "read-only")


def test_what_another_program_appends_is_noticed(tmp_path: Path) -> None:
    path = saved(tmp_path)
    with running(path) as service:
        post(service, "decisions", action="accept", cluster="0")
        other: Any = la.Decisions(tmp_path / "result.decisions.jsonl", tmp_path / "in.jsonl", id="id")
        other.different("owl0", "owl1", by="Ann")
        assert states(service) == {"0": "accepted", "4": "open", "7": "distinct"}
        step = get(service, "history")["steps"][0]
        assert step["by"] == "Ann" and step["action"] == "different"
        post(service, "undo", step=step["step"])
        assert states(service)["7"] == "open"
