"""A service that runs in a thread of the test, on a free port of loopback."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx

import lookalike as la
from lookalike.requests.option import declared
from lookalike.requests.service import Serve
from lookalike.service.server import Prepared, create_server, prepare

PLAN: dict[str, Any] = {"threshold": 0.5, "shingles": "words:2"}

CAT = "the cat sat on the mat and looked at the moon for a long time"
DOG = "a dog barked all night long because nobody had closed the gate"
OWL = "an owl that had slept all day in the barn flew out to hunt for mice"


@dataclass
class Running:
    """A running service, and an HTTP client that has its start token."""

    prepared: Prepared
    http: httpx.Client

    @property
    def url(self) -> str:
        return self.prepared.url

    def client(self, key: str | None = None) -> la.Client:
        """A client of the library with this key (default: the start token)."""
        return la.Client(self.url, key or self.prepared.token)


@contextmanager
def running(path: Path, **options: Any) -> Iterator[Running]:
    """Runs a service over an index. `options` are those of the command."""
    defaults = {name: field.option.default for name, field in declared(Serve).items()}
    prepared = prepare(str(path), defaults | {"port": 0} | options, threads=2, memory=None)
    ready = threading.Event()
    server = create_server(prepared, ready.set)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [prepared.listener]})
    thread.start()
    try:
        assert ready.wait(10)
        key = {"Authorization": f"Bearer {prepared.token}"} if prepared.token else {}
        with httpx.Client(base_url=prepared.url, headers=key, timeout=20) as client:
            yield Running(prepared, client)
    finally:
        server.should_exit = True
        thread.join(20)
        prepared.service.close()
        assert not thread.is_alive()


@contextmanager
def over(
    data: Any = None, *, id: str | None = None, plan: dict[str, Any] | None = None, **options: Any
) -> Iterator[Running]:
    """Runs a service over a new index with these documents."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "x.index"
        with la.Index.create(path, **PLAN | (plan or {})) as made:
            if data is not None:
                made.add(data, id=id)
        with running(path, **options) as service:
            yield service


def problem(answer: httpx.Response, status: int, code: str, **values: Any) -> dict[str, Any]:
    """Asserts that an answer is one problem document with this status, code and, at least, these values."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    found: dict[str, Any] = answer.json()
    assert found["status"] == status and found["type"] == f"lookalike:{code}"
    assert found["code"] == code and values.items() <= found["values"].items(), found
    assert found["detail"] and found["title"]
    return found
