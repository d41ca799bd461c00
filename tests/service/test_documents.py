"""Documents are added, read and deleted over HTTP as by the methods of an index."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.ipc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.flow.progress import silent
from lookalike.service.adding import add_new_documents
from lookalike.service.bodies import ARROW, JSON_LINES
from tests.index.laws import PLAN, texts
from tests.service.running import CAT, DOG, OWL, Running, over, problem


@pytest.fixture(scope="module")
def shared() -> Iterator[Running]:
    with over({"cat": CAT, "dog/1": DOG, "..": OWL}) as service:
        yield service


def arrow(table: pa.Table, **options: Any) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table)
    return sink.getvalue()


def test_one_document_is_added_found_replaced_and_deleted() -> None:
    with over() as service:
        http = service.http
        assert http.post("/documents", json={"text": CAT, "id": 7}).json() == {
            "documents": [{"id": 7, "added": True, "duplicate": None}],
            "added": 1,
            "replaced": 0,
        }
        assert http.post("/documents", json={"text": DOG}).json()["documents"][0]["id"] == 8
        assert http.get("/documents/7").json() == {"id": 7, "text": CAT}
        assert http.post("/documents", json={"text": OWL, "id": 7}).json()["replaced"] == 1
        assert http.get("/documents/7").json()["text"] == OWL
        deleted = http.request("DELETE", "/documents", json={"ids": [7, 7, 99]})
        assert deleted.json() == {"deleted": 1, "unknown": 1}
        problem(http.get("/documents/7"), 404, "no-such-id", value="7")
        problem(http.get("/documents/seven"), 404, "no-such-id", value="seven")
        problem(http.get(f"/documents/{2**63}"), 404, "no-such-id")


@pytest.mark.parametrize("kind", ["json", "lines", "arrow"])
def test_many_documents_come_in_three_formats(kind: str) -> None:
    rows = [{"id": "a", "text": CAT}, {"id": "b", "text": "naïve 日本語 <script>\u0000"}, {"id": "c", "text": ""}]
    with over() as service:
        if kind == "json":
            answer = service.http.post("/documents", json={"documents": rows})
        else:
            lines = "".join(json.dumps(row) + "\r\n\n" for row in rows).encode()
            content = lines if kind == "lines" else arrow(pa.Table.from_pylist(rows))
            media = JSON_LINES if kind == "lines" else ARROW
            answer = service.http.post("/documents", content=content, headers={"Content-Type": media})
        assert answer.status_code == 200 and answer.json()["added"] == 3
        for row in rows:
            assert service.http.get(f"/documents/{row['id']}").json() == row


def test_nothing_is_added_by_an_empty_request() -> None:
    with over() as service:
        for content, media in ((b"\n", JSON_LINES), (arrow(pa.table({"text": pa.array([], pa.string())})), ARROW)):
            answer = service.http.post("/documents", content=content, headers={"Content-Type": media})
            assert answer.json() == {"documents": [], "added": 0, "replaced": 0}
        for query in ("", "?if_new=true"):
            assert service.http.post(f"/documents{query}", json={"documents": []}).json()["added"] == 0


def test_ids_may_contain_anything(shared: Running) -> None:
    assert shared.http.get("/documents/dog%2F1").json()["text"] == DOG
    assert shared.http.get("/documents/dog/1").json()["text"] == DOG
    with shared.client() as client:
        assert client.document("..") == OWL
    for path in ("/documents/../../etc/passwd", "/documents/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "/documents/%ff%00"):
        problem(shared.http.get(path.replace("/../", "/%2e%2e/")), 404, "no-such-id")


def test_only_new_documents_are_added_and_duplicates_are_named(shared: Running) -> None:
    rows = [{"id": "n1", "text": CAT + "!"}, {"id": "n2", "text": "fish " + OWL}, {"id": "n3", "text": "x y z u v w"}]
    rows.append({"id": "n4", "text": "X Y Z U V W."})
    outcomes = shared.http.post("/documents?if_new=true", json={"documents": rows}).json()
    assert [(one["id"], one["added"]) for one in outcomes["documents"]] == [
        ("n1", False), ("n2", False), ("n3", True), ("n4", False)
    ]  # fmt: skip
    assert [one["duplicate"] and one["duplicate"]["id"] for one in outcomes["documents"]] == ["cat", "..", None, "n3"]
    again = shared.http.post("/documents?if_new=true", json={"id": "n5", "text": "x y z u v w"}).json()
    assert again["documents"] == [{"id": "n5", "added": False, "duplicate": {"id": "n3", "similarity": 1.0}}]
    shared.http.request("DELETE", "/documents", json={"ids": ["n3"]})


@settings(max_examples=20)
@given(st.lists(texts(12), min_size=1, max_size=3), st.booleans())
def test_a_request_of_new_documents_adds_what_one_call_each_would_add(batches: list[list[str]], named: bool) -> None:
    with TemporaryDirectory() as folder:
        one = la.Index.create(Path(folder) / "one.index", **PLAN)
        other = la.Index.create(Path(folder) / "other.index", **PLAN)
        number = 0
        for batch in batches:
            ids = [f"d{number + place}" for place in range(len(batch))]
            number += len(batch)
            table = pa.table(
                {"text": pa.array(batch, pa.large_string())}
                | ({"id": pa.array(ids, pa.large_string())} if named else {})
            )
            found = add_new_documents(one, table, silent)
            added = [
                other.add_if_new(text, id=id if named else None) is None for id, text in zip(ids, batch, strict=True)
            ]
            assert [outcome["added"] for outcome in found["documents"]] == added
            for text, outcome in zip(batch, found["documents"], strict=True):
                if not outcome["added"]:
                    duplicate = outcome["duplicate"]
                    matches = dict(one.query(pa.table({"text": [text]})).of(0))
                    assert matches[duplicate["id"]] == duplicate["similarity"]
        assert list(one) == list(other)
        one.close()
        other.close()


def test_the_signature_of_a_document_is_that_of_the_library(shared: Running) -> None:
    with shared.client() as client:
        own = shared.prepared.service.handles.surveyor.signature("cat")
        assert client.signature("cat") == own
