"""JSON Lines: rows, malformed lines, and the equality of both parsers."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lookalike.errors import LookalikeError
from lookalike.io.formats import json_bytes, jsonl, line_blocks, line_tools
from lookalike.io.formats.json_line import DEEPEST
from lookalike.io.formats.json_types import JSON, NULL, Kind, join, kind_of
from lookalike.io.open import open_source
from lookalike.notices import Notice
from tests.io.making import read_rows, texts, write_kept
from tests.refusals import refused


def given_file(folder: Path, *raw: bytes | str, name: str = "news.jsonl") -> str:
    path = folder / name
    path.write_bytes(b"\n".join(line if isinstance(line, bytes) else line.encode() for line in raw))
    return str(path)


def test_a_malformed_line_is_named_with_its_reason(tmp_path: Path) -> None:
    path = given_file(tmp_path, *['{"text": "fine"}'] * 16, '{"text": "a" "b"}', '{"text": "fine"}')
    reason = Notice("not-json", reason="Expecting ',' delimiter", column=14, advice=None)
    with refused("malformed-row", where=Notice("line", name=path, line=17), reason=reason):
        open_source(path).documents().__next__()


def not_json(reason: str, column: int) -> Notice:
    return Notice("not-json", reason=reason, column=column, advice=None)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"text": 5}', Notice("not-text", got="5")),
        (b'{"text": true}', Notice("not-text", got="true")),
        (b'{"text": ["a"]}', Notice("not-text", got="a list")),
        (b'{"text": {"a": 1}}', Notice("not-text", got="an object")),
        (b'["text"]', Notice("not-an-object", got="a list", advice=Notice("json-array-advice"))),
        (b'"text"', Notice("not-an-object", got="a text", advice=None)),
        (b"null", Notice("not-an-object", got="null", advice=None)),
        (b'{"text": "a"} {"text": "b"}', not_json("Extra data", 15)),
        (b'{"text": "a"}null{"text": "b"}', not_json("Extra data", 14)),
        (b'{"text": "\xff"}', Notice("not-utf8", byte="0xff", offset=10)),
        (b'{"x": "\xff", "text": "a"}', Notice("not-utf8", byte="0xff", offset=7)),
        (b'{"text": "\\ud83d"}', Notice("surrogate", character="\\ud83d")),
        (b'{"text": "a\tb"}', not_json("Invalid control character", 12)),
        (b'{"x": Inf, "text": "a"}', not_json("Expecting value", 7)),
        (b'{"text": "a"}\0', not_json("Extra data", 14)),
        (b'{"x": ' + b"[" * 300 + b"]" * 300 + b', "text": "a"}', Notice("nested-too-deeply", levels=200)),
        (b'{"text": ' + b"9" * 5000 + b"}", Notice("not-text", got="a number")),
    ],
)
def test_malformed_lines_are_skipped_counted_and_reported(tmp_path: Path, line: bytes, reason: Notice) -> None:
    path = given_file(tmp_path, '{"text": "before"}', line, '{"text": "after"}')
    where = Notice("line", name=path, line=2)
    with refused("malformed-row", where=where, reason=reason):
        texts(open_source(path))
    source = open_source(path, on_error="skip")
    for _ in range(2):  # reading again does not count again
        assert texts(source) == ["before", "after"]
        assert source.malformed == 1
        assert source.warnings == (Notice("row-skipped", where=where, reason=reason),)
    assert source.total_rows() == 2


def test_an_object_over_several_lines_is_answered_with_advice(tmp_path: Path) -> None:
    with refused("malformed-row") as caught:
        open_source(given_file(tmp_path, "{", '"text": "a"', "}"))
    assert caught.value.values["reason"].values["advice"] == Notice("json-object-advice")


def test_only_the_first_five_malformed_rows_are_named_and_all_are_counted(tmp_path: Path) -> None:
    source = open_source(given_file(tmp_path, *['{"text": "x"}', "oops"] * 20), on_error="skip")
    assert len(texts(source)) == 20
    assert source.malformed == 20
    assert [warning.values["where"].values["line"] for warning in source.warnings] == [2, 4, 6, 8, 10]


def test_missing_and_null_texts_are_empty_and_blank_lines_are_skipped(tmp_path: Path) -> None:
    path = given_file(tmp_path, '{"text": null}', "", '{"x": 1}', "  \t", '{"text": "a"}\r', "\r", "")
    source = open_source(path)
    assert texts(source) == ["", "", "a"]
    assert source.malformed == 0


def test_a_byte_order_mark_and_the_missing_last_line_end_do_not_matter(tmp_path: Path) -> None:
    assert texts(open_source(given_file(tmp_path, b'\xef\xbb\xbf{"text": "a"}', '{"text": "b"}'))) == ["a", "b"]


def test_a_column_that_no_line_has_is_answered_with_those_there_are(tmp_path: Path) -> None:
    path = given_file(tmp_path, '{"title": "a", "n": 1}', '{"body": "b"}')
    with refused("no-such-column", column="text", columns=("title", "n", "body")):
        open_source(path)


def test_files_without_lines_have_no_documents(tmp_path: Path) -> None:
    for content in (b"", b"\n\n", b"\xef\xbb\xbf"):
        source = open_source(given_file(tmp_path, content))
        assert texts(source) == []
        assert read_rows(source) == []
        assert source.total_rows() == 0
        assert source.columns == ["text"]


def test_lists_of_tokens_are_texts_too(tmp_path: Path) -> None:
    path = given_file(
        tmp_path, '{"text": []}', '{"text": ["a", "b"]}', '{"text": ["c", 3, null]}', "{}", '{"text": [-0, 12]}'
    )
    source = open_source(path)
    assert texts(source) == [[], ["a", "b"], ["c", "3", None], [], ["0", "12"]]
    huge = "9" * 5000
    path = given_file(
        tmp_path, '{"text": [1, 2]}', f'{{"text": [3, {2**70}, {huge}]}}', '{"text": "a b"}', '{"text": [1.5]}'
    )
    skipping = open_source(path, on_error="skip")
    assert texts(skipping) == [["1", "2"], ["3", str(2**70), huge]]
    reasons = [warning.values["reason"] for warning in skipping.warnings]
    assert reasons == [Notice("not-a-token-list", got="a text"), Notice("not-a-token", got="1.5")]


@pytest.mark.parametrize(
    ("ids", "code", "values"),
    [
        (["1", '"two"'], "id-not-an-integer", {"value": "two"}),
        (['"one"', "2"], "id-not-a-string", {"reason": Notice("not-text", got="2")}),
        (["1", "1.0"], "id-not-an-integer", {"value": 1.0}),
        (["1", "true"], "id-not-an-integer", {"value": True}),
        (["1", str(2**63)], "id-not-an-integer", {"value": 2**63}),
        (["1.5"], "id-not-a-string", {"reason": Notice("not-text", got="1.5")}),
        (["1", "null"], "missing-id", {"column": "id"}),
        (['"a"', '"\\ud800"'], "id-not-a-string", {"reason": Notice("surrogate", character="\\ud800")}),
    ],
)
def test_invalid_ids_are_reported_even_when_skipping(
    tmp_path: Path, ids: list[str], code: str, values: dict[str, Any]
) -> None:
    path = given_file(tmp_path, *(f'{{"text": "x", "id": {id}}}' for id in ids))
    for on_error in ("fail", "skip"):
        source = open_source(path, id="id", on_error=on_error)
        with refused(code, where=Notice("line", name=path, line=len(ids)), **values):
            read_rows(source, ["text", "id"])
        assert len(texts(source)) == len(ids)


def test_a_missing_id_is_named(tmp_path: Path) -> None:
    source = open_source(given_file(tmp_path, '{"text": "x", "id": "a"}', '{"text": "y"}'), id="id")
    with refused("missing-id", column="id"):
        read_rows(source)


def test_other_columns_keep_their_values_whatever_they_are(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {
            "text": "a",
            "n": 1,
            "f": 1,
            "mixed": 1,
            "big": 2**80,
            "list": [1],
            "obj": {"a": 1},
            "late": None,
            "none": None,
        },
        {
            "text": "b",
            "n": 2**60,
            "f": 1.5,
            "mixed": "x",
            "big": 1,
            "list": [],
            "obj": {"b": ["x"]},
            "flag": True,
            "e": {},
        },
        {"text": "c", "n": None, "f": None, "mixed": None, "list": [1.5], "late": "now"},
    ]
    source = open_source(given_file(tmp_path, *map(json.dumps, rows)))
    assert source.columns == ["text", "n", "f", "mixed", "big", "list", "obj", "late", "none", "flag", "e"]
    read = read_rows(source)
    assert [row["n"] for row in read] == [1, 2**60, None]
    assert [row["f"] for row in read] == [1.0, 1.5, None]
    assert [row["mixed"] for row in read] == ["1", '"x"', None]
    assert [row["big"] for row in read] == [str(2**80), "1", None]
    assert [row["list"] for row in read] == [[1.0], [], [1.5]]
    assert [row["obj"] for row in read] == [{"a": 1, "b": None}, {"a": None, "b": ["x"]}, None]
    assert [row["flag"] for row in read] == [None, True, None]
    assert [row["e"] for row in read] == [None, "{}", None]
    out = tmp_path / "all.parquet"
    write_kept(source, np.ones(3, bool), out)
    assert pq.read_table(out).to_pylist() == read


def test_lone_surrogates_in_other_columns_are_replaced_and_reported(tmp_path: Path) -> None:
    source = open_source(
        given_file(tmp_path, r'{"text": "a", "x": "q\ud800", "\udc00": 1}', r'{"text": "b", "x": "\ud83d\ude00"}')
    )
    assert texts(source) == ["a", "b"]
    assert read_rows(source) == [
        {"text": "a", "x": "q\ufffd", "\ufffd": 1},
        {"text": "b", "x": "😀", "\ufffd": None},
    ]
    assert source.warnings == (Notice("surrogates-replaced", rows=1),)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=100, deadline=None)
@given(st.lists(VALUES, max_size=6), st.integers(0, 6))
def test_the_kind_of_a_column_does_not_depend_on_where_it_is_cut(values: list[Any], cut: int) -> None:
    def kind(part: list[Any]) -> Kind:
        joined = NULL
        for value in part:
            joined = join(joined, kind_of(value))
        return joined

    whole = kind(values)
    assert join(kind(values[:cut]), kind(values[cut:])) == whole
    assert kind(values[::-1]) == whole
    assert join(whole, JSON) == JSON
    array = pa.array([whole.convert(value) for value in values], whole.to_arrow())
    array.validate(full=True)


LINES = st.one_of(
    st.fixed_dictionaries({}, optional={"text": st.text(max_size=8), "id": st.integers(-9, 2**63), "x": VALUES}).map(
        lambda row: json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass")
    ),
    st.fixed_dictionaries({"text": st.text(max_size=8)}, optional={"id": VALUES, "x": VALUES}).map(
        lambda row: json.dumps(row).encode()
    ),
    st.binary(max_size=6),
    st.text('{}[]"\\:,n ulta0-.eE\r\tNIf\ufeffé\0', max_size=24).map(str.encode),
    st.sampled_from(
        [
            b"", b" ", b"\r", b"null", b"{}", b"{}{}", b"{}null", b'{"text":\n"a"}', b'{"text":"a","text":"b"}',
            b'{"text":"a"}\r', b'{"x":NaN,"text":"a"}', b'{"x":Infinity}', b'{"x":Inf}', b'{"x":-NaN}', b'{"x":1e999}',
            b'{"te\\u0078t":"a"}', b'{"text":"\\ud83d\\ude00"}', b'{"text":"\\udc00"}', b'{"x":"\\udc00"}', b'{"x":-0}',
            b'{"id":-0}', b'{"id":1.0}', b'{"id":1e1}', b'{"x":' + b"7" * 4500 + b"}", b' {"text":"a"} ',
            b'{"text":"a",}',
            b'{"text":"a"}#', b'{"text":["a",1,null]}', b'{"text":[1,2]}', b'{"text":[]}', b'{"x":"}n"}',
            b'{"text":"}\\n{"}',
        ]
    ),
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(
    raw=st.lists(LINES, max_size=8),
    block=st.sampled_from([1, 20, 100, 1 << 20]),
    columns=st.sampled_from([["text"], ["text", "id"], ["id"], None]),
    id=st.sampled_from([None, "id"]),
)
@example([b'{"x":' + b"[" * 300 + b"]" * 300 + b"}"], 1 << 20, ["text"], None)
@example([b'{"text":"' + b"[{" * 300 + b'"}'], 1 << 20, ["text"], None)
@example([b'{"text":"\\\\"}', b'{"text":"\\\\\\"' + b"[" * 300 + b'"}'], 1 << 20, ["text"], None)
def test_both_ways_of_reading_give_the_same_rows(
    raw: list[bytes], block: int, columns: list[str] | None, id: str | None
) -> None:
    """Law: with or without Arrow's parser, in blocks of any size, a file has the same rows, counts and messages."""

    def outcome(size: int, fast: bool, batch_rows: int) -> object:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(line_blocks, "BLOCK", size)
            if not fast:
                patch.setattr(jsonl, "regular_lines", lambda data: None)
            try:
                source = open_source(path, id=id, on_error="skip", batch_rows=batch_rows)
                rows = repr(read_rows(source, columns))  # repr, since NaN equals nothing
                schema = {str(b.data.schema) for b in source.read(columns)}
                return rows, schema, source.malformed, source.warnings
            except LookalikeError as error:
                return error.notice

    with tempfile.TemporaryDirectory() as folder:
        path = given_file(Path(folder), *raw)
        assert outcome(block, True, 2) == outcome(1 << 20, False, 8192)


PARTS = [
    b"{",
    b"}",
    b"[",
    b"]",
    b"\n",
    b"\r",
    b" ",
    b"\t",
    b",",
    b"n",
    b"null",
    b"Inf",
    b"inity",
    b"NaN",
    b'"',
    b"\\",
    b"\0",
]
WHOLE = [b"{}\n", b'{"a": 1}\r\n', b"\n", b'{"a": "In [1]: NaNo"}\n', b"{}"]


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(WHOLE) | st.sampled_from(PARTS) | st.binary(max_size=2), max_size=12).map(b"".join))
def test_native_code_finds_the_same_lines(data: bytes) -> None:
    native = line_tools.json_lines
    assert native is not None
    found, expected = native(data), json_bytes.lines_of(data)
    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        assert [found[0].tolist(), found[1].tolist(), found[2]] == [
            expected[0].tolist(),
            expected[1].tolist(),
            expected[2],
        ]


def test_ordinary_lines_take_the_fast_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Line-by-line parsing gives the same rows, so only this test notices if every block needs it."""
    rows = [
        {"text": f'É{{["{i}"}}\n 🎉', "id": i, "meta": {"a": [i]}, "code": "}" * 250 + "[" * 250} for i in range(99)
    ]
    path = given_file(tmp_path, *map(json.dumps, rows), *(json.dumps(row, ensure_ascii=False) for row in rows))
    monkeypatch.setattr(jsonl.JsonLinesScan, "_read_slowly", lambda *_: pytest.fail("a block went the slow way"))
    source = open_source(path, id="id")
    assert read_rows(source, ["text", "id"]) == [{"text": row["text"], "id": row["id"]} for row in rows * 2]


# Depth


@given(st.text(alphabet='\\"[{x', max_size=60), st.text(alphabet='\\"', max_size=12), st.integers(150, 250))
def test_brackets_are_counted_outside_strings(line: str, end: str, brackets: int) -> None:
    line += end + "[" * brackets
    opened = 0
    in_string = escaped = False
    for character in line:
        if character == '"' and not escaped:
            in_string = not in_string
        escaped = character == "\\" and not escaped
        opened += character in "[{" and not in_string
    assert json_bytes.is_deep(line.encode()) == (opened > DEEPEST)


def test_a_long_run_of_backslashes_is_counted_at_once() -> None:
    """Each backslash took 10 µs: these would take half a minute."""
    line = b'{"text": "' + b"[" * 300 + b"\\" * 3_000_000
    assert not json_bytes.is_deep(line + b'"}')
    assert json_bytes.is_deep(line + b'", "a": ' + b"[" * 300)
