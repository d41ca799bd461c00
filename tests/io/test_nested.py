"""Nested columns: `payload.text` is the field `text` of the column `payload`."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.io.open import open_source
from tests.io.making import read_rows, texts
from tests.refusals import refused

TYPE = pa.struct([("text", pa.string()), ("meta", pa.struct([("id", pa.int64()), ("more", pa.bool_())]))])


def opened(rows: list[dict[str, Any]], form: str, folder: str, **options: Any) -> Any:
    """A source of the rows in memory, in Parquet or in JSON Lines."""
    table = pa.table({"payload": pa.array([row["payload"] for row in rows], TYPE), "n": [row["n"] for row in rows]})
    if form == "rows":
        return open_source(rows, **options)
    if form == "table":
        return open_source(table, **options)
    if form == "parquet":
        pq.write_table(table, f"{folder}/a.parquet", row_group_size=3)
    else:
        Path(folder, "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return open_source(f"{folder}/a.{form}", **options)


ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "payload": st.none()
            | st.fixed_dictionaries(
                {
                    "text": st.none() | st.text(max_size=4),
                    "meta": st.fixed_dictionaries({"id": st.integers(0, 99), "more": st.booleans()}),
                }
            ),
            "n": st.integers(0, 9),
        }
    ),
    min_size=1,
    max_size=8,
)


@pytest.mark.parametrize("form", ["rows", "table", "parquet", "jsonl"])
@given(rows=ROWS)
def test_a_nested_text_is_read_like_any_other(form: str, rows: list[dict[str, Any]]) -> None:
    rows = [{"payload": {"text": "first", "meta": {"id": 1, "more": True}}, "n": 0}, *rows]
    with tempfile.TemporaryDirectory() as folder:
        source = opened(rows, form, folder, column="payload.text", on_error="skip")
        assert texts(source) == [(row["payload"] or {}).get("text") or "" for row in rows]
        assert source.columns == ["payload", "n"]
        full = [row for row in rows if row["payload"]]
        source = opened(full, form, folder, column="payload.text", id="payload.meta.id")
        assert [row["payload.meta.id"] for row in read_rows(source, ["payload.meta.id"])] == [
            row["payload"]["meta"]["id"] for row in full
        ]


@pytest.mark.parametrize("form", ["rows", "table", "parquet", "jsonl"])
def test_kept_rows_are_as_they_were(form: str, tmp_path: Path) -> None:
    rows = [{"payload": {"text": text, "meta": {"id": n, "more": True}}, "n": n} for n, text in enumerate("aab")]
    source = opened(rows, form, str(tmp_path), column="payload.text", id="payload.meta.id")
    found = la.dedupe(source, out=tmp_path / "kept.jsonl")
    assert found.removed["id"].to_pylist() == [1]
    assert found.kept.column_names == ["payload", "n"]
    assert [*map(json.loads, (tmp_path / "kept.jsonl").read_text().splitlines())] == [rows[0], rows[2]]
    if form == "parquet":
        la.dedupe(source, out=tmp_path / "kept.parquet")
        assert pq.read_table(tmp_path / "kept.parquet").to_pylist() == [rows[0], rows[2]]


def test_a_column_of_that_very_name_comes_first(tmp_path: Path) -> None:
    rows = [{"a.b": "name", "a": {"b": "nested"}}, {"a.b": "other", "a": {"b": "nested"}}]
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "x.parquet")
    for data in (rows, tmp_path / "x.jsonl", tmp_path / "x.parquet"):
        assert texts(open_source(data, column="a.b")) == ["name", "other"]


def saved_in_every_form(rows: list[dict[str, Any]], folder: Path) -> list[Any]:
    """The rows in memory, as a table, and in a file of each format that has nested columns."""
    (folder / "x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "x.json").write_text(json.dumps(rows))
    table = pa.Table.from_pylist(rows)
    pq.write_table(table, folder / "x.parquet")
    return [rows, table, *(folder / f"x.{form}" for form in ("jsonl", "json", "parquet"))]


@pytest.mark.parametrize(
    "row",
    [
        {"p": {"a.b": "text"}},
        {"p": {"a.b": "text", "a": {"b": "no"}}},
        {"p.a": {"b": "text"}, "p": {"a.b": "no"}},
        {"p.a": {"c": "no"}, "p": {"a.b": "text"}},
        {"p": {"a": {"c": "no"}, "a.b": "text"}},
    ],
)
def test_a_nested_key_may_contain_a_dot(row: dict[str, Any], tmp_path: Path) -> None:
    """The rows of JSON Lines were read as empty; other inputs refused the column, and then named it."""
    for data in saved_in_every_form([row | {"n": 1}, row | {"n": 2}], tmp_path):
        assert texts(open_source(data, column="p.a.b")) == ["text", "text"]
        assert la.dedupe(data, column="p.a.b", keep="best:p.a.b").kept_rows.tolist() == [0]


def test_the_error_lists_nested_columns(tmp_path: Path) -> None:
    rows: list[Any] = [{"payload": {"text": "a", "meta": {"id": 1, "more": True}}, "n": 1}]
    for form in ("rows", "table", "parquet", "jsonl"):
        columns = ("payload.text", "payload.meta.id", "payload.meta.more", "n")
        with refused("no-such-column", column="payload.txt", columns=columns):
            opened(rows, form, str(tmp_path), column="payload.txt")
        with refused("no-such-column", column="text", columns=columns):
            opened(rows, form, str(tmp_path))


def test_the_fast_parser_reads_nested_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Line by line, JSON takes some ten times as long."""
    from lookalike.io.formats.jsonl import JsonLinesScan

    def slow(*_: Any) -> None:
        raise AssertionError("read line by line")

    (tmp_path / "a.jsonl").write_text('{"p": {"text": "a", "x": [1, {"y": 2}]}, "id": 1}\n{"p": null, "id": 2}\n')
    monkeypatch.setattr(JsonLinesScan, "_read_slowly", slow)
    assert texts(open_source(tmp_path / "a.jsonl", column="p.text", id="id")) == ["a", ""]


@pytest.mark.parametrize("form", ["rows", "table", "parquet", "jsonl"])
def test_other_columns_can_be_nested_too(form: str, tmp_path: Path) -> None:
    rows = [{"payload": {"text": "a b", "meta": {"id": n, "more": n == 1}}, "n": n} for n in range(3)]
    source = opened(rows, form, str(tmp_path), column="payload.text")
    assert la.dedupe(source, keep="best:payload.meta.id").kept_rows.tolist() == [2]
    with refused("no-column-to-keep-by", column="payload.meta.nothing"):
        la.dedupe(source, keep="best:payload.meta.nothing")
    pages = [{"text": "the end of the day", "at": {"date": f"2026-01-0{n}"}} for n in (1, 2)]
    assert la.stories(pages, date="at.date").undated == 0
    with refused("no-such-column", column="at.url"):
        la.stories(pages, url="at.url")


def test_vectors_can_be_nested(tmp_path: Path) -> None:
    rows = [{"meta": {"vector": [float(n), 1.0], "id": f"v{n}"}, "n": n} for n in (1, 1, 9)]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "v.parquet")
    for data in (pa.Table.from_pylist(rows), tmp_path / "v.parquet"):
        found = la.find_pairs(data, measure="cosine", threshold=0.99, column="meta.vector", id="meta.id")
        assert [(left, right) for left, right, _ in found] == [("v1", "v1")]
        with refused("no-such-column", column="meta.nothing", columns=("meta.vector", "meta.id", "n")):
            la.nearest(data, column="meta.nothing")


def test_the_advice_for_a_column_without_texts_allows_for_rows_without_a_key(tmp_path: Path) -> None:
    rows = [{"text": {"a.b": "one"}}, {"text": {"c": "two"}}, {"text": {"c": 3}}]
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with refused("column-without-texts", columns=("text.a.b", "text.c")):
        open_source(tmp_path / "x.jsonl")
