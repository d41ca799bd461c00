"""lookalike index: the commands do what the methods of Index do, and leave the index as it was if they fail."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from tests.cli.conftest import BASE, Run


@pytest.fixture(autouse=True)
def made(lookalike: Run) -> None:
    """An index with the five documents of news.jsonl."""
    assert lookalike("index", "create", "x.index", "--shingles", "words:2", "--threshold", "0.8").code == 0
    assert lookalike("index", "add", "x.index", "news.jsonl", "--id", "id").code == 0


def content() -> list[dict[str, Any]]:
    with la.Index.open("x.index") as ix:
        return list(ix)


def test_a_query_finds_what_is_similar(lookalike: Run) -> None:
    Path("new.csv").write_text(f"name,text\nq,{BASE} soon\nr,nothing of this kind is there\n")
    ran = lookalike("index", "query", "x.index", "new.csv", "--id", "name", "--top", "2", "--threshold", "0.9")
    assert [(row["left"], row["right"]) for row in ran.rows] == [("q", "a"), ("q", "c")]
    for line in (
        "queries          2 from new.csv",
        "index            5 documents in x.index",
        "found            2 documents by jaccard of 0.9 or more, for 1 of the queries",
    ):
        assert line in ran.err
    ran = lookalike("index", "query", "x.index", "--text", BASE, "--distinct", "-q")
    assert [(row["left"], row["right"], row["similarity"]) for row in ran.rows] == [(0, "a", 1.0)] and ran.err == ""


def test_a_query_finds_the_documents_that_contain_a_passage(lookalike: Run) -> None:
    Path("pages.txt").write_text(" ".join(f"word{n}" for n in range(300)) + "\n")
    assert lookalike("index", "create", "y.index", "--contain").code == 0
    assert lookalike("index", "add", "y.index", "pages.txt").code == 0
    sentence = " ".join(f"word{n}" for n in range(200, 214))
    ran = lookalike("index", "query", "y.index", "--text", sentence, "--measure", "containment", "--threshold", "0.5")
    assert [(row["right"], row["similarity"]) for row in ran.rows] == [("pages.txt", 1.0)]
    assert "found            1 document by containment of 0.5 or more, for 1 of the queries" in ran.err
    assert "containment      found by passages of 8 shingles" in lookalike("index", "info", "y.index").out
    lookalike("index", "query", "x.index", "--text", sentence, "--measure", "containment").refused(
        2, "index-without-passages", {"name": "x.index"}
    )


def test_dedupe_takes_an_index_as_reference(lookalike: Run) -> None:
    Path("new.csv").write_text(f"name,text\nq,{BASE} soon\nr,nothing of this kind is there\n")
    ran = lookalike("dedupe", "new.csv", "--against", "x.index", "--id", "name", "--out", "unseen.csv")
    assert ran.code == 0 and Path("unseen.csv").read_text() == "name,text\nr,nothing of this kind is there\n"
    assert "against          5 documents of an index; 3 share a bucket with the input" in ran.err
    again = lookalike("dedupe", "new.csv", "--against", "x.index", "--id", "name", "--out", "u.csv", "--json")
    assert json.loads(again.out)["summary"]["indexed"] == 5
    refused = lookalike("dedupe", "new.csv", "--against", "x.index", "--threshold", "0.9", "--out", "-")
    values: dict[str, object] = {"option": "threshold", "own": "0.8", "wanted": "0.9", "name": "x.index"}
    refused.refused(2, "contradicts-index", values)
    lookalike("dedupe", "new.csv", "--against", "x.index", "--out", "x.index", "--force").refused(
        4, "output-is-input", {"name": "x.index"}
    )


def test_clusters_can_leave_out_small_ones(lookalike: Run) -> None:
    ran = lookalike("index", "clusters", "x.index", "--out", "c.csv", "--min-size", "2")
    rows = [line.split(",") for line in Path("c.csv").read_text().splitlines()]
    assert rows == [["id", "cluster", "size", "representative"], *([i, "0", "3", "a"] for i in "acd")]
    assert "clusters         1 of two or more, with 3 documents; the largest has 3" in ran.err
    assert len(lookalike("index", "clusters", "x.index").rows) == 5


def test_export_lists_all_documents_in_order(lookalike: Run) -> None:
    assert lookalike("index", "export", "x.index", "--out", "e.parquet").code == 0
    rows = pq.read_table("e.parquet").to_pylist()
    assert [(row["id"], row["cluster"]) for row in rows] == [("a", 0), ("b", 1), ("c", 0), ("d", 0), ("e", 2)]
    assert [{"id": row["id"], "text": row["text"]} for row in rows] == content()
    assert list(lookalike("index", "export", "x.index", "--no-clusters").rows[0]) == ["id", "text"]


@pytest.mark.parametrize("how", ["arguments", "lines", "stdin", "table"])
def test_ids_to_delete_come_from_anywhere(lookalike: Run, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    if how == "lines":
        Path("gone.txt").write_text("a\n\n e \nnobody\n")
    elif how == "table":
        pq.write_table(pa.table({"id": ["a", "e", "nobody", None]}), "gone.parquet")
    elif how == "stdin":
        stream = io.TextIOWrapper(io.BytesIO(b"a\ne\nnobody\n"))
        monkeypatch.setattr("sys.stdin", stream)
    given = {
        "arguments": ["a", "e", "nobody"],
        "lines": ["--ids", "gone.txt"],
        "stdin": ["--ids", "-"],
        "table": ["--ids", "gone.parquet"],
    }[how]
    ran = lookalike("index", "delete", "x.index", *given, "--json")
    assert json.loads(ran.out)["summary"] == {"deleted": 2, "unknown": 1, "documents": 3}
    assert [row["id"] for row in content()] == ["b", "c", "d"]


def test_ids_of_an_index_with_integers_are_integers(lookalike: Run) -> None:
    lookalike("index", "create", "n.index")
    assert lookalike("index", "add", "n.index", "news.jsonl", "--json").code == 0
    lookalike("index", "delete", "n.index", "two").refused(2, "index-ids-of-another-type", {"first": "two"})
    pq.write_table(pa.table({"id": [0, 3]}), "gone.parquet")
    assert lookalike("index", "delete", "n.index", "--ids", "gone.parquet").code == 0
    assert [row["id"] for row in lookalike("index", "export", "n.index").rows] == [1, 2, 4]


def test_info_shows_counts_and_the_plan(lookalike: Run) -> None:
    ran = lookalike("index", "info", "x.index")
    for line in ("documents        5", "ids              strings", "shingles         words:2"):
        assert line in ran.out
    assert json.loads(lookalike("index", "info", "x.index", "--json").out)["summary"]["documents"] == 5
    lookalike("index", "create", "new.index")
    assert "decided by the first add" in lookalike("index", "info", "new.index").out


def test_an_index_without_texts_says_that_it_estimates(lookalike: Run) -> None:
    lookalike("index", "create", "s.index", "--no-texts", "--shingles", "words:2", "--threshold", "0.8")
    lookalike("index", "add", "s.index", "news.jsonl", "--id", "id")
    ran = lookalike("index", "query", "s.index", "--text", BASE)
    assert ran.rows[0]["right"] == "a" and ran.rows[0]["similarity"] == 1 and ran.rows[0]["containment"] is None
    assert "by estimated jaccard of 0.8 or more" in ran.err
    assert "verified         by signature only" in lookalike("index", "clusters", "s.index", "--out", "c.csv").err
    assert "estimated from 8 bits per hash" in " ".join(lookalike("index", "info", "s.index").out.split())
    lookalike("index", "export", "s.index").refused(2, "index-without-texts", {"name": "s.index"})


def test_data_like_the_documents_decides_the_plan(lookalike: Run) -> None:
    ran = lookalike("index", "create", "l.index", "--like", "news.jsonl", "--seed", "3", "--json")
    plan = json.loads(ran.out)["summary"]["plan"]
    assert plan["shingles"]["kind"] == "words" and plan["seed"] == 3 and plan["resolved"]
    with la.Index.open("l.index") as ix:
        assert len(ix) == 0 and ix.plan == la.Index.create("m.index", like=Path("news.jsonl"), seed=3).plan
    lookalike("index", "create", "k.index", "--like", "none.jsonl").refused(3, "no-such-file", {})
    assert not Path("k.index").exists()


def test_damage_is_found(lookalike: Run) -> None:
    assert lookalike("index", "verify", "x.index", "--quiet").code == 0
    segment = max(Path("x.index/segments").iterdir(), key=lambda path: path.stat().st_size)
    data = bytearray(segment.read_bytes())
    data[len(data) // 2] ^= 255
    segment.write_bytes(data)
    lookalike("index", "verify", "x.index").refused(3, "damaged-segment", {})


def test_an_interrupted_add_leaves_the_index_as_it_was(lookalike: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    before = content()

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("lookalike.index.embedded_bulk.EmbeddedBulk.finish", interrupted)
        ran = lookalike("index", "add", "x.index", "news.jsonl", "--id", "id")
    assert ran.code == 130 and content() == before
    assert lookalike("index", "verify", "x.index").code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "refused", "values"),
    [
        ("query x.index", 2, "input-or-text", {}),
        ("query x.index news.jsonl --text this", 2, "input-or-text", {}),
        ("query x.index news.jsonl --threshold 0.5", 2, "below-threshold-of-index", {"own": "0.8", "wanted": "0.5"}),
        ("query x.index news.jsonl --top 0", 2, None, {}),
        ("query none.index news.jsonl", 3, "no-such-index", {"folder": "none.index"}),
        ("add news.jsonl news.jsonl", 3, "index-is-a-file", {"folder": "news.jsonl"}),
        ("add . news.jsonl", 3, "not-an-index", {"folder": "."}),
        ("add x.index none.jsonl", 3, "no-such-file", {"path": "none.jsonl"}),
        ("add x.index news.jsonl", 2, "index-needs-ids", {}),
        ("create x.index", 4, "index-exists", {}),
        ("create y.index --threshold 80", 2, "not-a-share", {}),
        ("create y.index --recall 1", 2, None, {}),
        ("delete x.index", 2, "ids-or-file", {}),
        ("delete x.index a --ids gone.txt", 2, "ids-or-file", {}),
        ("delete x.index --ids people.csv", 3, "no-column-of-ids", {"columns": ("name",)}),
        ("clusters x.index --min-size 0", 2, None, {}),
        ("export x.index --out news.jsonl", 4, "output-exists", {}),
        ("exprot x.index", 2, "unknown-command", {"command": "exprot", "meant": "export"}),
    ],
)
def test_what_is_invalid_is_refused(
    lookalike: Run, arguments: str, code: int, refused: str | None, values: dict[str, object]
) -> None:
    before = content()
    Path("people.csv").write_text("name\nAnn\n")
    lookalike("index", *arguments.split()).refused(code, refused, values)
    assert content() == before and not Path("y.index").exists()


def test_a_second_writer_is_refused(lookalike: Run) -> None:
    with la.Index.open("x.index") as ix:
        ix.delete("a")
        lookalike("index", "delete", "x.index", "b").refused(4, "index-in-use", {})
        assert lookalike("index", "query", "x.index", "--text", BASE).rows[0]["right"] == "c"
