"""Bad input: the right status, one problem document, nothing leaked, and nothing half-written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from lookalike.errors import InputError, MalformedInput, OutputError
from lookalike.index.index import Index
from lookalike.service.bodies import ARROW, JSON, JSON_LINES
from tests.service.running import CAT, DOG, Running, over, problem
from tests.service.test_documents import arrow

EVIL = "<script>alert('x')</script>"


@pytest.fixture(scope="module")
def shared() -> Iterator[Running]:
    with over({"cat": CAT}) as service:
        yield service


def send(service: Running, content: bytes, media: str = JSON, path: str = "/documents") -> Any:
    return service.http.post(path, content=content, headers={"Content-Type": media})


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "body-not-json"),
        (b"{", "body-not-json"),
        (b"{'text': 1}", "body-not-json"),
        (b'{"text": "\xff"}', "body-not-json"),
        (b'{"text": NaN}', "body-not-json"),
        (b"[" * 100_000, "body-not-json"),
        (b'{"id": ' + b"9" * 5000 + b', "text": "x"}', "body-not-json"),
    ],
)
def test_broken_json_is_refused(shared: Running, content: bytes, code: str) -> None:
    found = problem(send(shared, content), 400, code)
    assert "Traceback" not in found["detail"]


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ([], "body-not-an-object"),
        ("text", "body-not-an-object"),
        ({}, "one-or-several"),
        ({"text": "x", "documents": []}, "one-or-several"),
        ({"id": 1, "documents": []}, "one-or-several"),
        ({"text": 1}, "wrong-type"),
        ({"text": ["x"]}, "wrong-type"),
        ({"documents": "x"}, "wrong-type"),
        ({"documents": ["x"]}, "wrong-type-in-document"),
        ({"documents": [{"text": "x"}, {"text": None}]}, "wrong-type-in-document"),
        ({"documents": [{"text": "x", "id": True}]}, "wrong-type-in-document"),
        ({"documents": [{"text": "x", "id": 1.5}]}, "wrong-type-in-document"),
        ({"documents": [{"text": "x", "id": 2**63}]}, "wrong-type-in-document"),
        ({"documents": [{"text": "x", "id": "1"}, {"text": "x", "id": 1}]}, "wrong-type-in-document"),
        ({"documents": [{"text": "x", "id": "1"}, {"text": "x"}]}, "some-ids-missing"),
        ({"documents": [{"text": "x", EVIL: 1}]}, "unknown-member-of-document"),
        ({"text": "x", "path": "/etc/passwd"}, "unknown-option"),
        ({"documents": [{"text": "\ud800", "id": "x"}]}, "surrogate-in-document"),
        ({"text": "x", "id": "\ud800"}, "surrogate-in-option"),
        ({"documents": [{"text": "x", "id": "a"}, {"text": "y", "id": "a"}]}, "id-given-twice"),
        ({"text": "x", "id": 5}, "index-ids-of-another-type"),
        ({"text": "x"}, "index-needs-ids"),
    ],
)
def test_what_is_no_document_is_refused(shared: Running, value: Any, code: str) -> None:
    problem(send(shared, json.dumps(value).encode()), 422, code)
    assert shared.http.get("/info").json()["documents"] == 1


def test_json_broken_in_line_17_adds_nothing(shared: Running) -> None:
    lines = [json.dumps({"id": str(number), "text": f"{DOG} {number}"}) for number in range(30)]
    lines[16] = lines[16][:-3]
    found = problem(send(shared, "\n".join(lines).encode(), JSON_LINES), 400, "line-not-json", line=17)
    assert "dog" not in json.dumps(found)  # no part of the text
    lines[16] = "[1]"
    problem(send(shared, "\n".join(lines).encode(), JSON_LINES), 422, "line-not-an-object", line=17)
    assert shared.http.get("/info").json()["documents"] == 1


@pytest.mark.parametrize(
    ("content", "status", "code"),
    [
        (b"", 400, "body-not-arrow"),
        (b"garbage" * 100, 400, "body-not-arrow"),
        (arrow(pa.table({"text": ["x"], "id": ["x"]}))[:-40], 400, "body-not-arrow"),
        (arrow(pa.table({"text": ["x" * 9999], "id": ["x"]}), compression="zstd"), 422, "arrow-compressed"),
        (arrow(pa.table({"words": ["x"]})), 422, "unexpected-columns"),
        (arrow(pa.table({"text": ["x"], "id": [1.5]})), 422, "unexpected-column-type"),
        (arrow(pa.table({"text": ["x", None]})), 422, "unexpected-column-type"),
        (arrow(pa.table({"text": pa.array(["x"]).dictionary_encode()})), 422, "unexpected-column-type"),
    ],
)
def test_a_stream_that_is_not_arrow_is_refused(shared: Running, content: bytes, status: int, code: str) -> None:
    problem(send(shared, content, ARROW), status, code)
    assert shared.http.get("/info").json()["documents"] == 1


def test_a_forged_stream_is_refused_or_read_but_never_trusted(shared: Running) -> None:
    """Offsets of strings that point outside of the data would otherwise be followed."""
    good = bytearray(arrow(pa.table({"id": ["f1", "f2"], "text": ["some text", "another one"]})))
    for place in range(0, len(good), 3):
        forged = good.copy()
        forged[place] ^= 0xFF
        answer = send(shared, bytes(forged), ARROW, "/query")
        assert answer.status_code in (200, 400, 422), answer.text


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd"])
def test_a_compressed_body_is_refused(shared: Running, coding: str) -> None:
    headers = {"Content-Type": JSON, "Content-Encoding": coding}
    problem(shared.http.post("/documents", content=b"{}", headers=headers), 415, "body-compressed", how=coding)


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        ("/query", {"text": "x", "thresold": 0.9}, "unknown-option"),
        ("/query", {"text": "x", "threshold": 80}, "not-a-share"),
        ("/query", {"text": "x", "threshold": "x"}, "not-a-share"),
        ("/query", {"text": "x", "threshold": 0.1}, "below-threshold-of-index"),
        ("/query", {"text": "x", "threshold": [0.9]}, "wrong-type"),
        ("/query", {"text": "x", "top": 0}, "not-a-whole-number"),
        ("/query", {"text": "x", "top": 1.5}, "wrong-type"),
        ("/query", {"text": "x", "top": 10**30}, "number-too-large"),
        ("/query", {"text": "x", "distinct": "yes"}, "not-true-or-false"),
        ("/query", {"text": "x", "texts": ["x"]}, "one-or-several"),
        ("/query", {"texts": ["x", 1]}, "wrong-type"),
        ("/query", {"text": "\ud800"}, "surrogate-in-option"),
        ("/query", {"texts": ["x", "\ud800"]}, "surrogate-in-option"),
        ("/compare", {"a": "x"}, "missing-option"),
        ("/compare", {"a": "x", "b": {"id": True}}, "wrong-type"),
        ("/compare", {"a": "x", "b": {"path": "/etc/passwd"}}, "wrong-type"),
        ("/compare", {"a": "x", "b": {"id": "\ud800"}}, "surrogate-in-option"),
        ("/compare", {"a": "x", "b": "y", "shingles": "words:-1"}, "shingle-length-out-of-range"),
        ("/explain", {"bands": 1000}, "too-few-hashes"),
        ("/explain", {"plan": "/etc/passwd"}, "unknown-option"),
        ("/explain", {"hashes": True}, "wrong-type"),
    ],
)  # fmt: skip
def test_an_invalid_option_has_the_code_that_it_has_in_python(
    shared: Running, path: str, body: dict[str, Any], code: str
) -> None:
    problem(send(shared, json.dumps(body).encode(), JSON, path), 422, code)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("order=worst", "not-one-of"),
        ("limit=0", "not-in-whole-range"),
        ("limit=x", "wrong-type"),
        ("limit=99999999999999999999999", "wrong-type"),
        ("min_size=1", "not-a-whole-number"),
        ("limit=1&limit=2", "not-in-query-string"),
        ("sort=size", "unknown-option"),
    ],
)
def test_an_invalid_query_string_is_refused(shared: Running, words: str, code: str) -> None:
    problem(shared.http.get(f"/clusters?{words}"), 422, code)


def test_a_number_without_a_fraction_is_an_integer(shared: Running) -> None:
    """JSON has one type of numbers, and JSON Schema calls 2.0 an integer."""
    for top in (b"2", b"2.0", b"2e0"):
        answer = send(shared, b'{"text": "x", "top": ' + top + b"}", JSON, "/query")
        assert answer.status_code == 200, answer.text
    problem(send(shared, b'{"text": "x", "top": 1e400}', JSON, "/query"), 422, "wrong-type")


def test_an_option_in_the_body_and_in_the_query_string_is_refused(shared: Running) -> None:
    answer = send(shared, b'{"text": "x", "top": 2}', JSON, "/query?top=1")
    problem(answer, 422, "not-in-query-string", option="top")
    assert send(shared, b'{"text": "x"}', JSON, "/query?top=1").status_code == 200


def test_a_text_that_is_the_name_of_a_file_is_a_text(shared: Running) -> None:
    """An error would reveal which files the server has."""
    for name in ("/etc/passwd", "pyproject.toml", "x.jsonl"):
        assert send(shared, json.dumps({"text": name}).encode(), JSON, "/query").json()["found"] == []
        assert send(shared, json.dumps({"texts": [name]}).encode(), JSON, "/query").json()["found"] == []
        assert send(shared, json.dumps({"a": name, "b": name}).encode(), JSON, "/compare").status_code == 200
        answer = send(shared, json.dumps({"text": name, "id": "name"}).encode(), JSON, "/documents?if_new=true")
        assert answer.json()["added"] == 1
        shared.http.request("DELETE", "/documents", json={"ids": ["name"]})


def test_scripts_are_data(shared: Running) -> None:
    answer = send(shared, json.dumps({"text": EVIL, "id": EVIL}).encode())
    assert answer.headers["content-type"] == JSON and answer.headers["x-content-type-options"] == "nosniff"
    assert shared.http.get(f"/documents/{EVIL.replace('/', '%2F')}").json() == {"id": EVIL, "text": EVIL}
    shared.http.request("DELETE", "/documents", json={"ids": [EVIL]})


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (OutputError("unwritable", path="/srv/secret.index", reason="no space left"), 507, "index-not-writable"),
        (MalformedInput("damaged-segment", name="/srv/secret.index", reason="a checksum"), 500, "index-not-readable"),
        (InputError("unreadable", name="/srv/secret.index", reason="an error"), 500, "index-not-readable"),
        (ZeroDivisionError("a text with a secret"), 500, "internal-error"),
        (MemoryError(), 503, "service-busy"),
    ],
)  # fmt: skip
def test_a_failure_reveals_nothing_of_the_server(
    shared: Running,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    status: int,
    code: str,
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(Index, "add", fail)
    monkeypatch.setattr(Index, "documents", fail)
    answer = send(shared, b'{"text": "x", "id": "x"}')
    problem(answer, status, code)
    assert "secret" not in answer.text
    problem(shared.http.get("/documents/cat"), status, code)
    assert "secret" not in caplog.text
    monkeypatch.undo()
    assert shared.http.get("/info").json()["documents"] == 1


def test_unknown_paths_and_methods_have_problems(shared: Running) -> None:
    problem(shared.http.get("/nothing"), 404, "no-such-path")
    answer = shared.http.put("/documents")
    problem(answer, 405, "no-such-method", method="PUT")
    assert answer.headers["allow"]
