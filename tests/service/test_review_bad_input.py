"""Requests for the review that are wrong, texts that are hostile, and files that are damaged."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

import lookalike as la
from lookalike.service.review.journal import Journal
from tests.refusals import refused
from tests.service.reviews import FAMILIES, get, post, reviewed, saved, states, write
from tests.service.running import CAT, PLAN, Running, problem, running
from tests.service.test_security import READER, WRITER, key_file

DECISION = {"action": "accept", "cluster": "0"}


@pytest.fixture(scope="module")
def shared() -> Iterator[Running]:
    with reviewed() as service:
        yield service


READ = (
    "summary",
    "queue",
    "clusters/0",
    "compare?a=0&b=1",
    "texts/0",
    "history",
    "tune",
    "export/decisions",
    "export/clean",
)
WRITE = ("decisions", "undo", "bulk", "import", "refresh")


@pytest.mark.parametrize("path", [*READ, *WRITE, "rules", "search"])
def test_nothing_is_answered_without_a_key(shared: Running, path: str) -> None:
    method = "GET" if path in READ else "POST"
    problem(httpx.request(method, f"{shared.url}/review/{path}"), 401, "no-key")


def test_each_reviewer_undoes_the_own_decisions_first(tmp_path: Path) -> None:
    names = ("Ann", "Bob")
    entry = "[{}]\nsha256 = '{}'\nscopes = ['read', 'review']\n"
    keys = tmp_path / "keys.toml"
    keys.write_text("".join(entry.format(name, hashlib.sha256(name.encode()).hexdigest()) for name in names))
    with running(saved(tmp_path), keys=keys) as service:
        ann, bob = ({"Authorization": f"Bearer {name}"} for name in names)
        first = service.http.post("/review/decisions", json=DECISION, headers=ann).json()["step"]
        second = service.http.post("/review/decisions", json={**DECISION, "cluster": "4"}, headers=bob).json()["step"]
        undone = [service.http.post("/review/undo", json={}, headers=one).json()["undone"] for one in (ann, bob)]
        assert [(one["step"], one["by"]) for one in undone] == [(first, "Ann"), (second, "Bob")]
        problem(service.http.post("/review/undo", json={}, headers=ann), 409, "nothing-to-undo")


def test_errors_about_rules_do_not_name_folders_of_the_server(tmp_path: Path) -> None:
    with running(saved(tmp_path)) as service:
        for option, value in (("protect", ["00"]), ("keep", "source:00"), ("keep", "best:nothing")):
            answer = service.http.post("/review/rules", json={option: value})
            assert answer.status_code == 422 and tmp_path.name not in answer.text, answer.text
        found = service.http.post("/review/rules", json={"protect": ["00"]})
        problem(found, 422, "glob-without-files", files=["in.jsonl"])


def test_decisions_need_the_scope_review(tmp_path: Path) -> None:
    path = saved(tmp_path)
    with running(path, keys=key_file(tmp_path), host="127.0.0.1") as service:
        for key in (READER, WRITER):
            caller = httpx.Client(base_url=service.url, headers={"Authorization": f"Bearer {key}"})
            with caller:
                for where in READ:
                    assert caller.get(f"/review/{where}").status_code == 200, where
                for where in WRITE:
                    problem(caller.post(f"/review/{where}", json=DECISION), 403, "no-scope")
                problem(caller.post("/review/rules", json={"dry_run": False}), 403, "no-scope")
                assert caller.post("/review/rules", json={}).status_code == 200
                assert caller.get("/review/summary").json()["scopes"] in (["read"], ["read", "write"])


WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "option-needed"),
    ({"action": "delete", "cluster": "0"}, "not-one-of"),
    ({"action": "accept", "cluster": 0}, "wrong-type"),
    ({**DECISION, "survivor": "cat0"}, "wrong-type"),
    ({**DECISION, "survivor": True}, "wrong-type"),
    ({**DECISION, "survivor": 4}, "not-a-member"),
    ({**DECISION, "survivor": -1}, "not-a-member"),
    ({**DECISION, "survivor": 1, "exclude": [1]}, "survivor-is-excluded"),
    ({**DECISION, "exclude": [1.5]}, "not-a-member"),
    ({**DECISION, "rows": [1]}, "option-of-another-action"),
    ({"action": "distinct", "cluster": "0", "survivor": 1}, "option-of-another-action"),
    ({"action": "distinct", "cluster": "0", "rows": [1]}, "rows-needed"),
    ({"action": "distinct", "cluster": "0", "rows": [1, 1]}, "rows-needed"),
    ({"action": "distinct", "cluster": "0", "rows": [1, 9]}, "not-a-member"),
    ({"action": "exclude", "cluster": "0"}, "rows-needed"),
    ({**DECISION, "note": "\ud800"}, "surrogate-in-option"),
    ({**DECISION, "nota": "x"}, "unknown-option"),
]


@pytest.mark.parametrize(("members", "code"), WRONG)
def test_a_wrong_decision_is_refused_and_changes_nothing(shared: Running, members: dict[str, Any], code: str) -> None:
    sent = shared.http.post(
        "/review/decisions", content=json.dumps(members), headers={"Content-Type": "application/json"}
    )
    found = sent.json()
    assert sent.status_code == 422 and (found["code"] == code or code == "option-needed"), found
    assert get(shared, "history")["total"] == 0


@pytest.mark.parametrize("key", ["1", "00", "-1", "x", "0x0", "9" * 30, "%2e%2e", "0%00", "%F0%9F%90%88", "4.0"])
def test_an_unknown_cluster_is_not_found(shared: Running, key: str) -> None:
    problem(shared.http.get(f"/review/clusters/{key}"), 404, "no-such-cluster")


def test_wrong_query_strings_are_refused(shared: Running) -> None:
    for path, code in {
        "queue?order=newest": "not-one-of",
        "queue?limit=0": "not-in-whole-range",
        "queue?min_least=2": "not-a-similarity",
        "queue?min_least=nan": "wrong-type",
        "queue?min_size=-1": "not-in-whole-range",
        "queue?state=gone": "not-one-of",
        "queue?nothing=1": "unknown-option",
        "queue?search=a&search=b": "not-in-query-string",
        "clusters/0?members=0": "not-in-whole-range",
        "clusters/0?members=many": "not-in-whole-range",
        "compare?a=0": "option-needed",
        "compare?a=0&b=x": "wrong-type",
    }.items():
        sent = shared.http.get(f"/review/{path}")
        assert sent.status_code == 422 and (sent.json()["code"] == code or "needed" in code or "range" in code), (
            sent.text
        )
    for row in ("99", "-1", str(2**63), "x"):
        problem(shared.http.get(f"/review/texts/{row}"), 404, "no-such-document-row")
    problem(shared.http.get("/review/compare?a=0&b=99"), 404, "no-such-document-row")
    problem(shared.http.get("/review/clusters/0?after=9"), 404, "no-such-document-row")
    for cursor in ("x", "%00", "e30", "W10", "WzFd", "a" * 30_000):
        answer = shared.http.get(f"/review/queue?cursor={cursor}")
        problem(answer, 400, "not-a-cursor")
    problem(shared.http.get("/review/history?cursor=-1"), 400, "not-a-cursor")


def test_a_cursor_of_another_result_is_refused(shared: Running) -> None:
    with reviewed(documents={id: f"{text} too" for id, text in FAMILIES.items()}) as other:
        cursor = get(other, "queue", limit=1)["next"]
    problem(shared.http.get(f"/review/queue?cursor={cursor}"), 400, "cursor-of-another-index")


HOSTILE = (
    "<script>alert(1)</script> & \"quotes\" 'and' <img src=x onerror=alert(2)> \u202e\u2028\x00\x1b[2J "
    "{{7*7}} ${7*7} ../../etc/passwd 😀 " + CAT
)


def test_hostile_texts_ids_and_names_arrive_as_they_are(tmp_path: Path) -> None:
    folder = tmp_path / "<b>out"
    folder.mkdir()
    ids = ["<script>1</script>", "../../x", "a\u2028b", "😀", "'; drop"]
    write(folder / "<i>in.jsonl", {id: f"{HOSTILE} {n}" for n, id in enumerate(ids)})
    la.dedupe(folder / "<i>in.jsonl", id="id", **PLAN).save(folder / "<u>result")
    with running(folder / "<u>result") as service:
        answer = service.http.get("/review/clusters/0")
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["x-content-type-options"] == "nosniff"
        members = answer.json()["members"]
        assert [one["id"] for one in members] == ids and members[0]["excerpt"] == f"{HOSTILE} 0"[:200]
        pieces = get(service, "compare", a=0, b=1)["b"]["pieces"]
        assert "".join(piece["text"] for piece in pieces) == f"{HOSTILE} 1"
        assert get(service, "summary")["name"] == "<u>result"
        post(service, "decisions", action="accept", cluster="0", note=HOSTILE)
        assert get(service, "history")["steps"][0]["note"] == HOSTILE
        assert get(service, "queue", search="<script>", state="all")["total"] == 1
    la.dedupe(folder / "<i>in.jsonl", id="id", decisions=folder / "<u>result.decisions.jsonl", **PLAN)


def test_nothing_is_shown_of_the_folders_of_the_server(tmp_path: Path) -> None:
    with running(saved(tmp_path)) as service:
        for path in READ:
            assert str(tmp_path) not in service.http.get(f"/review/{path}").text
        (tmp_path / "result.decisions.jsonl").write_text("{}\n")
        answer = problem(service.http.get("/review/summary"), 500, "decisions-not-readable")
        assert str(tmp_path) not in json.dumps(answer)


def test_a_malformed_decisions_file_is_refused_at_the_start(tmp_path: Path) -> None:
    path = saved(tmp_path)
    (tmp_path / "result.decisions.jsonl").write_text('{"decision": "keep", "documents": []}\n')
    with refused("malformed-decision"), running(path):
        pass


def test_a_torn_last_line_is_removed(tmp_path: Path) -> None:
    path, decisions = saved(tmp_path), tmp_path / "result.decisions.jsonl"
    with running(path) as service:
        post(service, "decisions", **DECISION)
        whole = decisions.read_bytes()
    decisions.write_bytes(whole + whole[:40])
    with running(path) as service:
        assert states(service)["0"] == "accepted" and decisions.read_bytes() == whole
        post(service, "decisions", action="skip", cluster="4")
    assert len(decisions.read_bytes().splitlines()) == 2


def test_a_line_that_another_program_is_still_writing_is_left_alone(tmp_path: Path) -> None:
    path, decisions = saved(tmp_path), tmp_path / "result.decisions.jsonl"
    with running(path) as service:
        post(service, "decisions", **DECISION)
        line = decisions.read_bytes().replace(b"keep", b"skip").replace(b'"cat0"', b'"dog0"')
        with decisions.open("ab", buffering=0) as other:
            other.write(line[:40])
            assert states(service)["0"] == "accepted"
            other.write(line[40:])
        assert get(service, "history")["total"] == 1, "its step is that of the first line"
        assert decisions.read_bytes().endswith(line)
    decisions.write_bytes(decisions.read_bytes() + line[:40])
    before = decisions.read_bytes()
    with running(path, read_only=True) as service:
        assert states(service)["0"] == "accepted" and decisions.read_bytes() == before


def test_what_another_program_writes_just_before_a_decision_is_noticed(tmp_path: Path) -> None:
    journal, other = Journal(tmp_path / "d.jsonl"), Journal(tmp_path / "d.jsonl")
    keep = {"decision": "keep", "documents": [{"id": "a", "bytes": "0" * 32}]}
    other.write([keep])
    journal.write([keep])
    assert journal.refresh() and len(journal.lines) == 2 and not journal.refresh()
    assert other.refresh() and [line.number for line in other.lines] == [line.number for line in journal.lines]


def test_import_refuses_what_is_not_a_file_of_decisions(shared: Running) -> None:
    lines = {"Content-Type": "application/x-ndjson"}
    for content in (b"{", b"\xff", b"[]", b"{}"):
        problem(shared.http.post("/review/import", content=content, headers=lines), 422, "malformed-decision")
    problem(shared.http.post("/review/import", content=b"", headers=lines), 422, "no-decisions-to-import")
    problem(
        shared.http.post("/review/import", content=b"{}", headers={"Content-Type": "text/plain"}),
        415,
        "unknown-media-type",
    )
    assert get(shared, "history")["total"] == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device /dev/full")
def test_a_full_disk_is_reported_and_nothing_counts(tmp_path: Path) -> None:
    path = saved(tmp_path)
    (tmp_path / "full.jsonl").symlink_to("/dev/full")
    with running(path, decisions=tmp_path / "full.jsonl") as service:
        problem(service.http.post("/review/decisions", json=DECISION), 507, "index-not-writable")
        assert set(states(service).values()) == {"open"} and get(service, "history")["total"] == 0
