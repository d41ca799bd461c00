"""What exceeds a limit is refused as a whole, and a call that takes too long or lost its client stops."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from lookalike.errors import ServiceError
from lookalike.index.index import Index
from lookalike.service.limits import Limits, Rates
from lookalike.service.room import Room
from tests.refusals import refused
from tests.service.running import CAT, DOG, Running, over, problem


def test_a_large_body_is_refused_however_it_is_sent() -> None:
    with over(max_body="10KiB") as service:
        fits, large = (json.dumps({"text": "x" * size}).encode() for size in (10_000, 11_000))
        assert service.http.post("/documents", content=fits, headers={"Content-Type": "application/json"}).is_success
        for content in (large, iter([large[:6000], large[6000:]])):  # with its length, and in chunks
            answer = service.http.post("/documents", content=content, headers={"Content-Type": "application/json"})
            problem(answer, 413, "body-too-large", largest=10_240)
        assert service.http.get("/info").json()["documents"] == 1
        assert service.prepared.service.room.reserved == 0


def test_many_documents_and_rows_are_refused() -> None:
    with over([f"{CAT} {number}" for number in range(30)], max_documents=5, max_rows=20) as service:
        http = service.http
        problem(http.post("/documents", json={"documents": [{"text": "x"}] * 6}), 413, "too-many-documents", most=5)
        lines: dict[str, Any] = {"content": b'{"text": "x"}\n' * 6, "headers": {"Content-Type": "application/x-ndjson"}}
        problem(http.post("/documents", **lines), 413, "too-many-documents")
        problem(http.post("/query", **lines), 413, "too-many-documents")
        problem(http.post("/query", json={"texts": ["x"] * 6}), 413, "too-many-documents")
        problem(http.request("DELETE", "/documents", json={"ids": [0] * 6}), 413, "too-many-documents")
        problem(http.post("/query", json={"text": CAT}), 422, "too-many-rows", most=20)
        assert len(http.post("/query", json={"text": CAT, "top": 20}).json()["found"]) == 20
        assert len(http.post("/query", json={"texts": [CAT] * 4, "top": 5}).json()["found"]) == 20
        problem(http.post("/query", json={"texts": [CAT] * 5, "top": 5}), 422, "too-many-rows")


def test_a_caller_that_sends_too_many_requests_is_told_when_to_try_again() -> None:
    with over(rate=2.0) as service:
        answers = [service.http.get("/info") for _ in range(4)]
        assert [answer.status_code for answer in answers[:2]] == [200, 200]
        problem(answers[-1], 429, "rate-exceeded", rate=2.0)
        assert answers[-1].headers["retry-after"] == "1"
        assert httpx.get(f"{service.url}/healthz").status_code == 200


def test_each_caller_may_send_as_many_requests_as_the_rate_allows() -> None:
    now = [0.0]
    rates = Rates(10, lambda: now[0])
    taken = {"a": 0, "b": 0}
    for _ in range(2000):
        now[0] += 0.005
        for name in taken:
            try:
                rates.take(name)
                taken[name] += 1
            except ServiceError:
                pass
    assert 100 <= taken["a"] <= 111 and taken["a"] == taken["b"]


class Slow:
    """Makes `Index.query` and `Index.add` slow: they report progress until they are told to go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.go, self.started, self.stopped = threading.Event(), threading.Event(), threading.Event()
        original = Index.add

        def add(index: Index, data: Any, *, progress: Any, **how: Any) -> Any:
            self.wait(progress)
            return original(index, data, progress=progress, **how)

        monkeypatch.setattr(Index, "add", add)

    def wait(self, progress: Any) -> None:
        self.started.set()
        try:
            while not self.go.wait(0.01):
                progress("waiting", 0, None)
        except ServiceError:
            self.stopped.set()
            raise


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[Slow]:
    made = Slow(monkeypatch)
    yield made
    made.go.set()


def test_a_change_that_takes_too_long_is_undone(slow: Slow) -> None:
    with over(timeout=0.3) as service:
        problem(service.http.post("/documents", json={"text": CAT}), 503, "request-timed-out", seconds=0.3)
        assert slow.stopped.is_set()
        slow.go.set()
        assert service.http.get("/info").json()["documents"] == 0
        assert service.http.post("/documents", json={"text": CAT}).json()["added"] == 1


def test_a_change_whose_client_goes_away_is_undone(slow: Slow) -> None:
    with over() as service:
        body = json.dumps({"text": CAT}).encode()
        host, port = service.url.removeprefix("http://").split(":")
        head = f"POST /documents HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer {service.prepared.token}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        with socket.create_connection((host, int(port))) as sent:
            sent.sendall(head.encode() + body)
            assert slow.started.wait(5)
        assert slow.stopped.wait(5)
        slow.go.set()
        assert service.http.get("/info").json()["documents"] == 0


def test_changes_wait_for_one_another_and_queries_for_none(slow: Slow) -> None:
    with over(timeout=10) as service:
        answers: list[int] = []

        def add(text: str) -> None:
            answers.append(service.http.post("/documents", json={"text": text}).status_code)

        threads = [threading.Thread(target=add, args=(text,)) for text in (CAT, DOG)]
        for thread in threads:
            thread.start()
        assert slow.started.wait(5)
        assert service.http.post("/query", json={"text": CAT}).json() == {
            "queries": 1, "documents": 0, "asked": "jaccard of 0.5 or more", "found": []
        }  # fmt: skip
        assert answers == []
        slow.go.set()
        for thread in threads:
            thread.join(10)
        assert answers == [200, 200] and service.http.get("/info").json()["documents"] == 2


def test_too_many_requests_in_progress_are_told_to_try_again(slow: Slow) -> None:
    with over(concurrency=2) as service:
        threads = [
            threading.Thread(target=lambda: service.http.post("/documents", json={"text": CAT})) for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        while service.prepared.service.calls.in_progress < 2:
            time.sleep(0.01)
        answer = service.http.post("/query", json={"text": CAT})
        problem(answer, 503, "service-busy")
        assert answer.headers["retry-after"] == "1"
        assert httpx.get(f"{service.url}/healthz").status_code == 200
        slow.go.set()
        for thread in threads:
            thread.join(10)


def test_a_body_that_does_not_arrive_is_given_up() -> None:
    with over(timeout=0.3) as service:
        host, port = service.url.removeprefix("http://").split(":")
        head = f"POST /query HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {service.prepared.token}\r\n"
        head += "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
        with socket.create_connection((host, int(port))) as sent:
            sent.sendall(head.encode())
            sent.settimeout(5)
            answer = b"".join(iter(lambda: sent.recv(4096), b""))  # the service closes the connection
        assert answer.startswith(b"HTTP/1.1 408 ") and b"body-too-slow" in answer


def test_bodies_share_the_memory_of_the_process() -> None:
    room = Room(100)
    room.reserve(60)
    with refused("service-busy"):
        room.reserve(41)
    room.release(60)
    room.reserve(100)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"max_body": "much"}, "not-a-size"),
        ({"max_documents": 0}, "not-a-whole-number"),
        ({"rate": 0}, "not-positive"),
        ({"timeout": float("inf")}, "not-positive"),
        ({"timeout": True}, "not-positive"),
    ],
)
def test_limits_are_checked(given: dict[str, Any], code: str) -> None:
    with refused(code):
        Limits.of(given)


def test_the_metrics_count_what_was_answered(running_service: Running) -> None:
    http = running_service.http
    http.get("/documents/a-secret-id")
    http.get("/nothing/else")
    http.request("BREW", "/pot")
    lines = http.get("/metrics").text.splitlines()
    assert 'lookalike_requests_total{method="GET",route="/documents/{id:path}",status="404"} 1' in lines
    assert 'lookalike_requests_total{method="other",route="other",status="404"} 1' in lines
    assert 'lookalike_problems_total{code="no-such-id"} 1' in lines
    assert "lookalike_documents 0" in lines and not any("secret" in line for line in lines)
    counts = [line for line in lines if line.startswith("lookalike_request_seconds_bucket") and "+Inf" in line]
    assert counts and all(line.startswith("#") or float(line.rpartition(" ")[2]) >= 0 for line in lines)


@pytest.fixture
def running_service() -> Iterator[Running]:
    with over() as service:
        yield service


def test_the_log_has_neither_texts_nor_ids_nor_keys(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", "lookalike.service"), over({"secret-id": CAT}) as service:
        service.http.get("/documents/secret-id?x=secret-word")
        service.http.post("/query", json={"text": "a secret text"})
        service.http.post("/query", json={"text": "secret", "secret": 1})
        token = str(service.prepared.token)
        httpx.get(f"{service.url}/?token={token}")
    facts = [record.__dict__["facts"] for record in caplog.records if "facts" in record.__dict__]
    requests = [one for one in facts if "route" in one]
    assert [one["status"] for one in requests] == [200, 200, 422, 303]
    assert requests[0]["route"] == "/documents/{id:path}" and requests[0]["key"] == "start"
    assert requests[2]["code"] == "unknown-option"
    assert "secret" not in json.dumps(facts) and token not in json.dumps(facts)
