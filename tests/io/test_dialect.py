"""Text files with other separators, quotation marks and encodings, and JSON arrays."""

from __future__ import annotations

import csv
import gzip
import io
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.io import converted_streams
from lookalike.io.open import open_source
from lookalike.notices import Notice
from tests.io.making import read_rows, texts
from tests.refusals import refused

CAFE = ["the café is open", "the café is closed"]
LATIN = st.characters(max_codepoint=0xFF, exclude_characters="\0", exclude_categories=["Cc"])


def csv_of(rows: list[list[str]], separator: str = ",", quote: str = '"') -> str:
    file = io.StringIO()
    csv.writer(file, delimiter=separator, quotechar=quote, lineterminator="\n").writerows([["id", "text"], *rows])
    return file.getvalue()


@given(
    rows=st.lists(st.lists(st.text(LATIN, min_size=1, max_size=6), min_size=2, max_size=2), max_size=4),
    separator=st.sampled_from(",;\t|"),
    quote=st.sampled_from("\"'"),
    encoding=st.sampled_from(["utf-8", "latin-1", "utf-16", "utf-32-be", "cp500"]),
    packed=st.booleans(),
)
def test_a_table_is_read_as_it_was_written(
    rows: list[list[str]], separator: str, quote: str, encoding: str, packed: bool
) -> None:
    data = csv_of(rows, separator, quote).encode(encoding)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.csv.gz" if packed else "a.csv")
        path.write_bytes(gzip.compress(data) if packed else data)
        source = open_source(path, separator=separator, quote=quote, encoding=encoding)
        assert [[row["id"], row["text"]] for row in read_rows(source)] == rows
        assert texts(source, 1) == [text for _, text in rows[1:]]  # reading starts again at a mark


@pytest.mark.parametrize("separator", [";", "\t", "|", ","])
@pytest.mark.parametrize("quoting", [csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
def test_the_separator_of_a_csv_file_is_found_by_every_verb(tmp_path: Path, separator: str, quoting: Any) -> None:
    with (tmp_path / "a.csv").open("w") as file:
        rows = [["id", "text"], ["1", "milk, bread; eggs"], ["2", "milk, bread; eggs"], ["3", "tea"]]
        csv.writer(file, delimiter=separator, quoting=quoting).writerows(rows)
    path = tmp_path / "a.csv"
    assert [*la.find_pairs(path, id="id")] == [*la.join(path, id="id")] == [("1", "2", 1.0)]
    assert la.contamination(path, path, shingles="words:1").contained == 3
    assert la.plagiarism(path, id="id").summary.documents == 3
    assert len(la.resolve(path, id="id").records[0].columns) == 2
    assert len(la.frequent_pairs(path, column="text", basket="id", support=1)) == 0
    kept = la.dedupe(path, out=tmp_path / "kept.csv").kept
    assert kept["text"].to_pylist() == ["milk, bread; eggs", "tea"]
    assert (tmp_path / "kept.csv").read_text().count(separator) >= 3  # lines are copied as they are


def test_quotation_marks_can_belong_to_the_text(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text('text\n5" wide\n"so" called\n')
    with refused("malformed-row", reason=Notice("broken-quoting", reason="'\t' expected after '\"'")):
        texts(open_source(tmp_path / "a.tsv"))
    assert texts(open_source(tmp_path / "a.tsv", quote="none")) == ['5" wide', '"so" called']


@pytest.mark.parametrize("separator", ["\\t", "tab", "\t"])
def test_a_tab_can_be_typed(tmp_path: Path, separator: str) -> None:
    (tmp_path / "a.csv").write_text("id,n\ttext\n1\ta\n")
    assert texts(open_source(tmp_path / "a.csv", separator=separator)) == ["a"]


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.txt", "a.json", "a.dat"])
def test_every_text_format_can_be_in_another_encoding(tmp_path: Path, name: str) -> None:
    rows = [{"text": text} for text in CAFE]
    written = {
        "a.jsonl": "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows),
        "a.csv": "text\n" + "\n".join(CAFE),
        "a.json": json.dumps(rows, ensure_ascii=False),
    }.get(name, "\n".join(CAFE))
    how: Any = {"a.txt": {"format": "lines"}, "a.dat": {"format": "baskets"}}.get(name, {})
    expected = [text.split() for text in CAFE] if name == "a.dat" else CAFE
    for encoding in ("latin-1", "utf-16", "utf-8-sig"):
        (tmp_path / name).write_text(written, encoding=encoding)
        assert texts(open_source(tmp_path / name, encoding=encoding, **how)) == expected
    (tmp_path / name).write_text(written, encoding="latin-1")
    with pytest.raises(la.LookalikeError) as caught:
        texts(open_source(tmp_path / name, **how))
    reason = caught.value.values["reason"]
    assert (reason.code, reason.values["likely"]) == ("in-another-encoding", "latin-1")
    (tmp_path / name).write_text(written, encoding="utf-16")
    with pytest.raises(la.LookalikeError) as caught:
        texts(open_source(tmp_path / name, **how))
    assert caught.value.values["reason"] == Notice("utf16")


def test_texts_of_a_folder_are_copied_in_their_encoding(tmp_path: Path) -> None:
    for name, text in (("a.txt", CAFE[0]), ("b.txt", CAFE[0]), ("c.txt", "thé")):
        (tmp_path / name).write_text(text, encoding="latin-1")
    la.dedupe(tmp_path, encoding="latin-1", out=tmp_path.with_name("kept"))
    kept = tmp_path.with_name("kept")
    assert {path.name: path.read_text(encoding="latin-1") for path in kept.iterdir()} == {
        "a.txt": CAFE[0],
        "c.txt": "thé",
    }


def test_bytes_that_are_not_in_the_encoding_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"caf\xe9\x81")
    with refused("not-in-encoding", encoding="cp1252"):
        texts(open_source(tmp_path / "a.txt", encoding="windows-1252"))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5), lambda inner: st.lists(inner), max_leaves=5
)


@given(
    rows=st.lists(st.fixed_dictionaries({"text": st.text(max_size=6)}, optional={"more": JSON}), max_size=5),
    indent=st.sampled_from([None, 0, 2]),
    ascii=st.booleans(),
    block=st.integers(1, 20),
)
def test_an_array_is_read_like_lines(rows: list[dict[str, Any]], indent: int | None, ascii: bool, block: int) -> None:
    text = json.dumps(rows, indent=indent, ensure_ascii=ascii)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(converted_streams, "BLOCK", block)
        path = Path(folder, "a.json")
        path.write_bytes(f"\ufeff \n{text}\n".encode())
        assert texts(open_source(path)) == [row["text"] for row in rows]


def test_kept_rows_of_an_array_are_an_array_again(tmp_path: Path) -> None:
    rows = [{"text": "one two", "n": 1.50}, {"text": "one two", "n": 2}, {"text": "three", "n": None}]
    (tmp_path / "a.json").write_text(json.dumps(rows, indent=2))
    la.dedupe(tmp_path / "a.json", out=tmp_path / "kept.json")
    assert json.loads((tmp_path / "kept.json").read_text()) == [rows[0], rows[2]]
    la.dedupe(tmp_path / "a.json", out=tmp_path / "kept.jsonl")
    assert [*map(json.loads, (tmp_path / "kept.jsonl").read_text().splitlines())] == [rows[0], rows[2]]
    (tmp_path / "none.json").write_text("[]")
    la.dedupe(tmp_path / "none.json", out=tmp_path / "empty.json")
    assert json.loads((tmp_path / "empty.json").read_text()) == []


@pytest.mark.parametrize(
    ("text", "element"),
    [
        ('[{"text": "a"}, {"text": b}]', 1),
        ('[{"text": "a"}', 1),
        ('[{"text": "a"} {"text": "b"}]', 1),
        ("[] x", 0),
        ('[{"text": "a"},]', 1),
    ],
)
def test_what_is_wrong_with_an_array_is_reported(tmp_path: Path, text: str, element: int) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with refused("malformed-array", where=Notice("element", name=str(path), element=element)):
        texts(open_source(path))


def test_elements_that_are_wrong_are_named_by_their_place(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('[{"text": "a"},\n\n{"text": 5}, 7]')
    with refused("malformed-row", where=Notice("element", name=str(path), element=1)):
        texts(open_source(path))
    source = open_source(path, on_error="skip")
    assert texts(source) == ["a"] and [one.values["where"].values["element"] for one in source.warnings] == [1, 2]


@pytest.mark.parametrize("name", ["a.json", "a.txt"])
@given(rows=st.lists(st.text(max_size=6), max_size=5) | st.lists(st.lists(st.text(max_size=3), max_size=3), max_size=5))
def test_an_array_of_texts_or_of_token_lists_is_read_as_documents(name: str, rows: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_text(json.dumps(rows, indent=1))
        assert texts(open_source(path, format="json")) == rows
        la.dedupe(
            path,
            format="json",
            out=Path(folder, "kept.json"),
            shingles="chars:1" if rows and isinstance(rows[0], str) else "tokens",
        )
        kept = json.loads(Path(folder, "kept.json").read_text())
        assert kept == la.dedupe(Path(folder, "kept.json"), format="json").kept["text"].to_pylist()
        assert all(row in rows for row in kept)


def test_an_array_of_texts_has_one_column(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('["one two", "three", {"text": "four"}]')
    with refused("malformed-row", where=Notice("element", name=str(path), element=2)):
        texts(open_source(path))
    path.write_text('["one two", null, "three"]')
    assert texts(open_source(path)) == ["one two", "", "three"]
    with refused("no-such-column", columns=("text",)):
        open_source(path, column="body")
    with refused("records-without-columns"):
        la.resolve(path)
    la.dedupe(path, out=tmp_path / "kept.jsonl")
    assert texts(open_source(tmp_path / "kept.jsonl")) == ["one two", "", "three"]


@pytest.mark.parametrize(
    ("name", "options", "code"),
    [
        ("a.jsonl", {"separator": ";"}, "not-for-this-format"),
        ("a.jsonl", {"quote": "'"}, "not-for-this-format"),
        ("a.csv", {"separator": "ab"}, "not-a-separator"),
        ("a.csv", {"quote": ""}, "not-a-quote"),
        ("a.csv", {"encoding": "klingon"}, "unknown-encoding"),
        ("a.csv", {"encoding": "hex"}, "unknown-encoding"),
        ("a.csv", {"encoding": 5}, "unknown-encoding"),
    ],
)
def test_options_that_do_not_apply_are_refused(tmp_path: Path, name: str, options: Any, code: str) -> None:
    (tmp_path / name).write_text('{"text": "a"}\n')
    with refused(code):
        open_source(tmp_path / name, **options)


def test_data_in_memory_has_no_dialect() -> None:
    for options in ({"separator": ";"}, {"quote": "'"}, {"encoding": "latin-1"}):
        with refused("dialect-of-data-in-memory", option=next(iter(options))):
            la.find_pairs(["a"], **options)  # type: ignore[arg-type]


def test_the_dialect_is_part_of_the_identity_and_of_the_result(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text;n\n'a b';1\n'a b';2\n", encoding="utf-8")
    reading: list[Any] = [{}, {"quote": "'"}, {"encoding": "latin-1"}, {"separator": ";"}]
    assert len({open_source(tmp_path / "a.csv", **how).identity() for how in reading}) == len(reading)
    result = la.find_pairs(tmp_path / "a.csv", quote="'", separator=";", encoding="cp1252")
    assert la.audit(result).recall.value == 1


@pytest.mark.parametrize("quote", [None, '"'])
def test_the_separator_cannot_be_the_quote(quote: str | None, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('id"text\n1"one\n')
    with refused("separator-is-quote", value='"'):
        open_source(tmp_path / "a.csv", separator='"', quote=quote)
    assert open_source(tmp_path / "a.csv", separator='"', quote="none").columns == ["id", "text"]
