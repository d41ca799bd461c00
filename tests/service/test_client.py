"""The client gives what the index itself gives, and raises the same errors."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import lookalike as la
from lookalike.index.adding import Duplicate
from tests.refusals import refused
from tests.service.running import CAT, DOG, OWL, PLAN, Running, over, running

DATA = {"cat": CAT, "cat two": CAT + " again", "dog/é?": DOG, "owl": OWL, "": "a document with an empty id"}


@pytest.fixture(scope="module")
def shared() -> Iterator[Running]:
    with over(DATA) as service:
        yield service


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[la.Index]:
    """An index with the same documents."""
    with la.Index.create(tmp_path_factory.mktemp("local") / "x.index", **PLAN) as made:
        made.add(DATA)
        yield made


@pytest.mark.parametrize("options", [{}, {"top": 1}, {"threshold": 0.9}, {"distinct": True}])
def test_queries_have_the_answers_of_the_index(
    shared: Running, local: la.Index, options: dict[str, Any], tmp_path: Path
) -> None:
    lines = tmp_path / "asked.jsonl"
    lines.write_text('{"name": "q1", "body": "' + CAT + '"}\n{"name": "q2", "body": "fish"}\n', encoding="utf-8")
    with shared.client() as client:
        for asked in (CAT, "nothing like it", [CAT, DOG, "x"], {"q": CAT}, pa.table({"text": [OWL]})):
            found, own = (one.query(asked, **options) for one in (client, local))
            assert found.to_arrow().to_pylist() == own.to_arrow().to_pylist()
            assert np.array_equal(found.right_rows, own.right_rows) and found.queries == own.queries
            assert (found.documents, found.asked) == (own.documents, own.asked)
        found, own = (one.query(lines, id="name", column="body", **options) for one in (client, local))
        assert found.to_arrow().to_pylist() == own.to_arrow().to_pylist()
        assert found.of("q1") == own.of("q1")


def test_documents_clusters_and_signatures_are_those_of_the_index(shared: Running, local: la.Index) -> None:
    with shared.client() as client:
        for id, text in DATA.items():
            assert client.document(id) == text
            assert client.cluster_of(id) == local.cluster_of(id)
        assert [one.members for one in client.clusters()] == local.clusters().members()
        assert client.info()["documents"] == len(client) == len(local)
        assert client.signature("dog/é?").made_by.startswith("format 1")


def test_documents_are_added_and_deleted(tmp_path: Path) -> None:
    with over() as service, service.client() as client:
        assert repr(client.add([CAT, DOG])) == "Added(2 documents)"
        assert client.add([OWL]).ids.to_pylist() == [2]
        assert client.add({1: CAT + " again"}).replaced == 1
        assert client.add_if_new(CAT) == Duplicate(0, 1.0)
        assert client.add_if_new("one two three", id=50) is None
        assert client.add_if_new("four five six") is None and client.cluster_of(51) == [51]
        assert client.delete(np.array([1, 99])) == 1 and client.delete(0) == 1 and client.delete([]) == 0
        assert client.add(pa.table({"text": pa.array([], pa.string())})).ids.to_pylist() == []
        assert len(client) == 3
        table = tmp_path / "more.parquet"
        import pyarrow.parquet as pq

        pq.write_table(pa.table({"key": [7, 8], "words": ["x y z", None]}), table)
        assert client.add(table, id="key", column="words").ids.to_pylist() == [7, 8]
        assert client.document(8) == ""


def test_more_members_than_a_page_are_all_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lookalike.service.client.PAGE", 3)
    with over([CAT] * 10) as service, service.client() as client:
        assert client.cluster_of(4) == list(range(10))


def test_errors_are_those_of_the_index(shared: Running, local: la.Index) -> None:
    with shared.client() as client, refused("index-without-passages"):
        client.query(CAT, measure="containment")
    with shared.client() as client:
        for one in (client, local):
            with refused("no-such-id", value="none") as caught:
                one.cluster_of("none")
            assert isinstance(caught.value, la.errors.InvalidOption)
            with refused("below-threshold-of-index", wanted="0.1"):
                one.query(CAT, threshold=0.1)
            with refused("index-ids-of-another-type"):
                one.add({5: CAT})
            with refused("id-given-twice"):
                one.add(pa.table({"id": ["x", "x"], "text": [CAT, DOG]}), id="id")
            with refused("file-name-instead-of-text"):
                one.add_if_new("pyproject.toml")


def test_only_texts_are_sent(shared: Running) -> None:
    with shared.client() as client, refused("service-takes-texts"):
        client.add([["a", "b"]])


def test_an_index_without_texts_can_be_served(tmp_path: Path) -> None:
    la.Index.create(tmp_path / "x.index", **PLAN, texts=False).close()
    with running(tmp_path / "x.index") as service, service.client() as client:
        client.add({"cat": CAT, "dog": DOG})
        found = client.query(CAT)
        assert found.of(0) == [("cat", 1.0)] and found.containment is None
        assert service.http.post("/query", json={"text": CAT}).json()["found"][0]["containment"] is None
        with refused("index-without-texts", name="x.index"):
            client.document("cat")
        assert str(tmp_path) not in service.http.get("/documents/cat").text


def test_an_index_that_finds_passages_can_be_served(tmp_path: Path) -> None:
    page = " ".join(f"word{n}" for n in range(300))
    la.Index.create(tmp_path / "x.index", contain=True).close()
    with running(tmp_path / "x.index") as service, service.client() as client:
        client.add({"page": page, "cat": CAT})
        sentence = " ".join(f"word{n}" for n in range(200, 214)) + " and more"
        found = client.query([sentence, "nothing"], measure="containment", threshold=0.5)
        assert found.of(0) == [("page", 10 / 12)] and found.asked == "containment of 0.5 or more"
        asked = {"text": sentence, "measure": "containment", "threshold": 0.5}
        assert service.http.post("/query", json=asked).json()["found"][0]["id"] == "page"
        assert client.info()["contain"] is True


def test_a_refusal_by_the_service_is_an_error_of_its_own(shared: Running) -> None:
    with la.Client(shared.url, "wrong") as client, refused("unknown-key") as caught:
        client.info()
    assert isinstance(caught.value, la.errors.ServiceError) and caught.value.exit_code == 6
    with la.Client(shared.url) as client, refused("no-key"):
        client.info()
    with la.Client(shared.prepared.address) as client:  # the address that the service prints
        assert client.info()["documents"] == 5 and str(shared.prepared.token) not in repr(client)


@pytest.mark.parametrize("url", ["", "localhost:8321", "ftp://localhost", "http://", "http://x:99999", None, 5])
def test_an_address_is_checked(url: str) -> None:
    with refused("not-a-url"):
        la.Client(url)


def test_a_service_that_is_not_there_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with la.Client(f"http://127.0.0.1:{port}/?token=secret") as client, refused("unreachable") as caught:
        client.info()
    assert "secret" not in str(caught.value)


def test_a_server_of_another_kind_is_noticed() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        la.Client(f"http://127.0.0.1:{server.getsockname()[1]}") as client,
    ):
        import threading

        def answer() -> None:
            connection, _ = server.accept()
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi")
            connection.close()

        thread = threading.Thread(target=answer)
        thread.start()
        with refused("not-an-answer", status=200):
            client.info()
        thread.join(5)


def test_the_client_needs_no_extra() -> None:
    code = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"fastapi", "starlette", "pydantic", "uvicorn", "anyio", "httpx"}:
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Absent())
import lookalike as la
from lookalike.index.adding import Duplicate
la.Client("http://127.0.0.1:1")
from lookalike import cli
sys.exit(cli.run(["serve", "none.index"]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 5 and "fastapi" in done.stderr and "[service]" in done.stderr
