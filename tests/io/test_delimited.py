"""CSV and TSV: quoting, line ends, headers, and rows that do not fit them."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.io.dialect import NO_QUOTES
from lookalike.io.files import File
from lookalike.io.formats import delimited, delimited_lines
from lookalike.io.formats.delimited import DelimitedScan
from lookalike.io.open import open_source
from lookalike.notices import Notice
from tests.io.making import read_rows, texts
from tests.refusals import refused


def given_file(folder: Path, content: bytes | str, name: str = "a.csv") -> str:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_will_do_and_quoted_ones_are_kept(tmp_path: Path, end: str) -> None:
    content = end.join(["id,text", '1,"two', 'lines"', "2,plain", "", "3,last"])
    assert texts(open_source(given_file(tmp_path, content))) == [f"two{end}lines", "plain", "last"]


def test_a_long_file_is_cut_between_lines_wherever_the_pieces_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [(str(i), "x" * (i % 700) + ("\r\n" if i % 3 else "")) for i in range(9000)]
    text = io.StringIO(newline="")
    csv.writer(text).writerows([("id", "text"), *rows])
    path = given_file(tmp_path, text.getvalue())
    assert Path(path).stat().st_size > 2 << 20
    source = open_source(path, id="id")
    assert [(row["id"], row["text"]) for row in read_rows(source, ["id", "text"])] == rows
    assert texts(source, 8000, 8003) == [row[1] for row in rows[8000:8003]]
    monkeypatch.setattr(delimited, "CHUNK_BYTES", 50)
    assert texts(open_source(path), 100, 200) == [row[1] for row in rows[100:200]]


def test_a_text_may_be_longer_than_a_piece(tmp_path: Path) -> None:
    long = "word " * 500_000
    assert texts(open_source(given_file(tmp_path, f'text\n"{long}"\nshort\n'))) == [long, "short"]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("only one", Notice("wrong-number-of-fields", expected=2, got=1)),
        ("1,2,3", Notice("wrong-number-of-fields", expected=2, got=3)),
        ('1,"a"b', Notice("broken-quoting", reason="',' expected after '\"'")),
        (b"1,caf\xe9", Notice("in-another-encoding", byte="0xe9", offset=5, likely="latin-1")),
        (b'1,"a\nb\xff"', Notice("not-utf8-line", byte="0xff", offset=1, line=4)),
    ],
)
def test_malformed_rows_are_reported_or_skipped(tmp_path: Path, row: str | bytes, reason: Notice) -> None:
    raw = row if isinstance(row, bytes) else row.encode()
    path = given_file(tmp_path, b"id,text\n0,before\n" + raw + b"\n2,after\n")
    where = Notice("row-at-line", name=path, row=2, line=3)
    with refused("malformed-row", where=where, reason=reason):
        texts(open_source(path))
    source = open_source(path, on_error="skip")
    for _ in range(2):
        assert texts(source) == ["before", "after"]
        assert source.malformed == 1
        assert source.warnings == (Notice("row-skipped", where=where, reason=reason),)


def test_an_unclosed_quote_is_reported_with_its_number_of_lines(tmp_path: Path) -> None:
    path = given_file(tmp_path, 'text\nfine\n"open\nmore\nmore\n')
    source = open_source(path, on_error="skip")
    assert texts(source) == ["fine"]
    where = Notice("row-at-line", name=path, row=2, line=3)
    assert source.warnings == (Notice("row-skipped", where=where, reason=Notice("unclosed-quote", lines=3)),)


def test_a_byte_order_mark_is_not_part_of_the_first_name(tmp_path: Path) -> None:
    source = open_source(given_file(tmp_path, b"\xef\xbb\xbftext\na\n"))
    assert source.columns == ["text"]
    assert texts(source) == ["a"]


def test_a_file_without_a_header_is_refused(tmp_path: Path) -> None:
    for content in ("", "\n\n"):
        with refused("empty-delimited-file", name=str(tmp_path / "a.csv")):
            open_source(given_file(tmp_path, content))
    with refused("malformed-header", reason=Notice("not-utf8-line", byte="0xff", offset=2, line=1)):
        open_source(given_file(tmp_path, b"te\xffxt\na\n"))
    assert texts(open_source(given_file(tmp_path, "text"))) == []


def test_repeated_names_are_numbered_unless_they_are_needed(tmp_path: Path) -> None:
    source = open_source(given_file(tmp_path, "text,x,x,x_2,\na,1,2,3,4\n"))
    assert read_rows(source) == [{"text": "a", "x": "1", "x_3": "2", "x_2": "3", "": "4"}]
    with refused("repeated-column", column="text"):
        open_source(given_file(tmp_path, "text,text\na,b\n"))


def test_an_empty_id_is_a_missing_one(tmp_path: Path) -> None:
    source = open_source(given_file(tmp_path, "id,text\n1,a\n,b\n"), id="id")
    with refused("missing-id", where=Notice("numbered-row", name=str(tmp_path / "a.csv"), row=2)):
        read_rows(source)
    assert texts(source) == ["a", "b"]


def test_a_tsv_named_csv_is_read_by_its_tabs(tmp_path: Path) -> None:
    assert texts(open_source(given_file(tmp_path, "id\ttext\n1\ta\n"))) == ["a"]
    with refused("no-such-column", columns=("id", "text")):
        open_source(given_file(tmp_path, "id\ttext\n1\ta\n"), column="body")
    assert texts(open_source(given_file(tmp_path, "id\ttext\n1\ta,b\n", "a.tsv"))) == ["a,b"]


CELLS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6) | st.text('",\n\r\t x', max_size=5)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.tuples(CELLS, CELLS), max_size=8), size=st.integers(1, 40), format=st.sampled_from(["csv", "tsv"])
)
def test_what_a_csv_writer_wrote_is_what_is_read(rows: list[tuple[str, str]], size: int, format: str) -> None:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter="," if format == "csv" else "\t").writerows([("text", "more"), *rows])
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "CHUNK_BYTES", size)
        source = open_source(given_file(Path(folder), text.getvalue(), f"a.{format}"))
        assert [tuple(row.values()) for row in read_rows(source)] == rows
        assert [tuple(row.values()) for row in read_rows(source, None, 2, 5)] == rows[2:5]


@given(
    st.lists(st.sampled_from([b"a", b"b,", b'"', b'""', b'","', b"\n", b"\r\n", b"\r", b"\xc3\xa9", b"\xff"])),
    st.sampled_from([",", ";"]),
    st.sampled_from([None, "'", NO_QUOTES]),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_huge_records_are_parsed_like_all_others(
    tmp_path: Path, content: list[bytes], delimiter: str, quote: str | None
) -> None:
    """Huge records are parsed as bytes, because Python's parser takes four bytes per character and does not free
    them."""
    path = tmp_path / "rows.csv"
    path.write_bytes(b"one,two\n" + b"".join(content))

    def rows(huge: int) -> list[Any]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(delimited_lines, "HUGE", huge)
            scan = DelimitedScan(File.local(path, "rows.csv"), delimiter, None, quote)
            kept, copied = np.ones(1000, bool), io.BytesIO()
            scan.copy(kept, copied)
            found = list(scan.chunks(scan.header, scan.first))
            return [copied.getvalue(), *((c.at, c.data.to_pylist(), c.malformed, c.next) for c in found)]

    assert rows(huge=2) == rows(huge=1 << 20)


def test_a_wide_file_can_be_deduplicated(tmp_path: Path) -> None:
    """The time grew with the square of the number of columns: 20,000 of them took minutes."""
    names = [f"c{i}" for i in range(20_000)] + ["same"] * 3
    lines = [",".join(names), *[",".join(["one two"] * len(names))] * 2]
    (tmp_path / "wide.csv").write_text("\n".join(lines))
    kept = la.dedupe(tmp_path / "wide.csv", column="c5", out=tmp_path / "out.parquet").kept
    assert kept.num_rows == 1 and kept.column_names == [*names[:20_001], "same_2", "same_3"]
    assert la.dedupe(tmp_path / "out.parquet", column="c5").kept.equals(kept)
