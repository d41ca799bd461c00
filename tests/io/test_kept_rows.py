"""Kept rows: the input's format, all columns, input order; a folder or a file; byte for byte where that can be."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.errors import InputError, OutputExists
from lookalike.io.formats import line_blocks
from lookalike.io.kept_rows import KeptOutput
from lookalike.io.open import Paths, open_source
from lookalike.io.outputs import WRITABLE, Outputs
from lookalike.notices import Notice
from lookalike.storage import whole_folders
from tests.io.making import CODECS, FORMATS, encode, read_rows, write, write_kept
from tests.io.test_sinks import little_space, names
from tests.refusals import refused

ROWS = [{"id": i, "text": f"text, {i}\nmore", "note": None if i % 4 else f"n{i}"} for i in range(30)]
STRINGS = [{name: "" if value is None else str(value) for name, value in row.items()} for row in ROWS]
EVEN = np.arange(30) % 2 == 0


def rows_for(format: str) -> list[dict[str, Any]]:
    return STRINGS if format in ("csv", "tsv") else ROWS


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("format", FORMATS)
def test_a_folder_gets_a_file_for_each_input_file(tmp_path: Path, format: str, codec: str) -> None:
    rows = rows_for(format)
    for part in range(3):
        write(tmp_path / "in" / f"sub{part}" / f"a.{format}{codec}", rows[part * 10 : part * 10 + 10])
    source = open_source(str(tmp_path / "in"), id="id")
    out = tmp_path / "out"
    written = write_kept(source, EVEN, out)
    assert written == [out / f"sub{part}" / f"a.{format}{codec}" for part in range(3)]
    for part, path in enumerate(written):
        assert read_rows(open_source(str(path))) == rows[part * 10 : part * 10 + 10 : 2]
    assert names(tmp_path) == ["in", "out"]


@pytest.mark.parametrize("format", ["jsonl", "csv", "tsv"])
def test_when_all_is_kept_the_files_are_the_same_bytes(tmp_path: Path, format: str) -> None:
    content = encode(STRINGS, format).replace(b"\r\n", b"\n" if format == "csv" else b"\r\n")[:-1]
    (tmp_path / f"a.{format}").write_bytes(content)
    source = open_source(str(tmp_path / f"a.{format}"))
    write_kept(source, np.ones(30, bool), tmp_path / "out")
    assert (tmp_path / "out" / f"a.{format}").read_bytes() == content
    write_kept(source, np.ones(30, bool), tmp_path / f"one.{format}")
    assert (tmp_path / f"one.{format}").read_bytes() == content


def test_lines_of_json_are_copied_byte_for_byte(tmp_path: Path) -> None:
    lines = [
        b'{"text" : "\\u00e9", "x": 1.50}\n',
        b"\n",
        b"oops\n",
        b'  {"x": 1e2, "text": "b"}\r\n',
        b'{"text":"last"}',
    ]
    (tmp_path / "a.jsonl").write_bytes(b"\xef\xbb\xbf" + b"".join(lines))
    source = open_source(str(tmp_path / "a.jsonl"), on_error="skip")
    write_kept(source, np.array([True, False, True]), tmp_path / "out")
    assert (tmp_path / "out" / "a.jsonl").read_bytes() == lines[0] + lines[4]
    write_kept(source, np.array([False, True, True]), tmp_path / "one.jsonl.gz")
    assert gzip.decompress((tmp_path / "one.jsonl.gz").read_bytes()) == lines[3] + lines[4]
    assert source.malformed == 1


@pytest.mark.parametrize(("codec", "name"), [("gzip", "GZIP"), ("none", "UNCOMPRESSED"), ("lz4", "LZ4")])
def test_parquet_keeps_schema_metadata_and_compression(tmp_path: Path, codec: str, name: str) -> None:
    table = pa.table(
        {
            "text": pa.array(["a", "b", "c"]).dictionary_encode(),
            "when": pa.array([1, 2, 3], pa.timestamp("us", "UTC")),
            "nested": [{"a": [1]}, None, {"a": []}],
            "view": pa.array(["x", "y", None], pa.string_view()),
        },
    ).replace_schema_metadata({"huggingface": "{}"})
    pq.write_table(table, tmp_path / "a.parquet", compression=codec)
    for out in (tmp_path / "out", tmp_path / "one.parquet"):
        [path] = write_kept(open_source(str(tmp_path / "a.parquet")), np.array([True, False, True]), out)
        kept = pq.ParquetFile(path)
        assert kept.schema_arrow.equals(pq.read_schema(tmp_path / "a.parquet"), check_metadata=True)
        assert kept.metadata.row_group(0).column(0).compression == name
        assert kept.read().to_pylist() == [table.to_pylist()[0], table.to_pylist()[2]]


def test_malformed_rows_of_parquet_are_not_kept(tmp_path: Path) -> None:
    text = pa.array([b"a", b"\xff", b"c", b"d"], pa.binary()).view(pa.string())
    pq.write_table(pa.table({"text": text, "n": [0, 1, 2, 3]}), tmp_path / "a.parquet")
    source = open_source(str(tmp_path / "a.parquet"), on_error="skip")
    write_kept(source, np.array([True, False, True]), tmp_path / "out")
    assert pq.read_table(tmp_path / "out" / "a.parquet").to_pylist() == [{"text": "a", "n": 0}, {"text": "d", "n": 3}]


def test_text_folders_are_copied_file_by_file(tmp_path: Path) -> None:
    contents = {
        "a.txt": b"\xef\xbb\xbfone",
        "b/c.txt": b"two",
        "b/d.txt.gz": gzip.compress(b"three"),
        "bad.txt": b"\xff",
    }
    for name, content in contents.items():
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_bytes(content)
    source = open_source(str(tmp_path / "in"), on_error="skip")
    written = write_kept(source, np.array([True, False, True]), tmp_path / "out")
    assert [path.relative_to(tmp_path / "out").as_posix() for path in written] == ["a.txt", "b/d.txt.gz"]
    assert [path.read_bytes() for path in written] == [contents["a.txt"], contents["b/d.txt.gz"]]
    write_kept(source, np.array([True, False, True]), tmp_path / "one.jsonl")
    assert [json.loads(line) for line in (tmp_path / "one.jsonl").read_text().splitlines()] == [
        {"path": "a.txt", "text": "one"},
        {"path": "b/d.txt.gz", "text": "three"},
    ]
    with refused("unknown-output-format", path=str(tmp_path / "one.txt")):
        write_kept(source, np.ones(3, bool), tmp_path / "one.txt")


def test_lines_of_text_are_copied(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"one\r\n\ntwo\nthree")
    source = open_source(str(tmp_path / "a.txt"), format="lines")
    for out in (tmp_path / "out", tmp_path / "kept.txt"):
        [path] = write_kept(source, np.array([True, True, False, True]), out)
        assert path.read_bytes() == b"one\r\n\nthree"


@pytest.mark.parametrize("out", FORMATS)
@pytest.mark.parametrize("format", [*FORMATS, "memory"])
def test_many_files_become_one_of_any_format(tmp_path: Path, format: str, out: str) -> None:
    rows = rows_for(format)
    if format == "memory":
        source = open_source(pa.Table.from_pylist(rows))
    else:
        for part in range(3):
            write(tmp_path / f"{part}.{format}", rows[part * 10 : part * 10 + 10])
        source = open_source(str(tmp_path / f"*.{format}"))
    [path] = write_kept(source, EVEN, tmp_path / f"kept.{out}")
    expected = STRINGS if out in ("csv", "tsv") else rows
    assert read_rows(open_source(str(path))) == expected[::2]


def test_files_of_different_columns_become_one_with_all(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", [{"text": "x", "n": "1"}])
    write(tmp_path / "b.csv", [{"m": "2", "text": "y"}])
    write_kept(open_source(str(tmp_path)), np.ones(2, bool), tmp_path / "one.csv")
    assert (tmp_path / "one.csv").read_text() == "text,n,m\nx,1,\ny,,2\n"
    pq.write_table(pa.table({"text": ["x"]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"text": ["y"], "n": [1]}), tmp_path / "b.parquet")
    write_kept(open_source(str(tmp_path / "*.parquet")), np.ones(2, bool), tmp_path / "one.parquet")
    assert pq.read_table(tmp_path / "one.parquet").to_pylist() == [{"text": "x", "n": None}, {"text": "y", "n": 1}]


def test_nothing_kept_is_an_empty_file_with_its_columns(tmp_path: Path) -> None:
    for format in FORMATS:
        write(tmp_path / f"a.{format}", STRINGS)
        source = open_source(str(tmp_path / f"a.{format}"))
        for out in (tmp_path / f"out-{format}", tmp_path / f"none.{format}"):
            [path] = write_kept(source, np.zeros(30, bool), out)
            assert path.exists()
            if format != "jsonl":
                assert open_source(str(path)).columns == ["id", "text", "note"]
            assert read_rows(open_source(str(path))) == []
    (tmp_path / "empty.jsonl").touch()
    write_kept(open_source(str(tmp_path / "empty.jsonl")), np.zeros(0, bool), tmp_path / "empty.parquet")
    assert pq.read_table(tmp_path / "empty.parquet").num_rows == 0


def test_standard_input_goes_to_one_file_or_to_standard_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    data = encode(STRINGS, "jsonl")
    expected = b"".join(data.splitlines(keepends=True)[::2])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    source = open_source("-")
    for out in (tmp_path / "clean", tmp_path / "clean.jsonl"):
        assert write_kept(source, EVEN, out) == [out]
        assert out.read_bytes() == expected
    assert write_kept(source, EVEN, "-") == []
    assert capfdbinary.readouterr().out == expected
    write(tmp_path / "a.parquet", ROWS)
    write_kept(open_source(str(tmp_path / "a.parquet")), EVEN, "-")
    assert [json.loads(line) for line in capfdbinary.readouterr().out.splitlines()] == ROWS[::2]


def test_kept_rows_of_a_table_in_memory_need_a_known_suffix(tmp_path: Path) -> None:
    with refused("unknown-output-format", suffixes=tuple(f".{format}" for format in WRITABLE)):
        write_kept(open_source(["a"]), np.ones(1, bool), tmp_path / "clean")


def test_companion_tables_are_written_with_the_kept_files(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", ROWS)
    source, out = open_source(str(tmp_path / "a.jsonl")), tmp_path / "out"
    written = KeptOutput(source, out, out / "removed.parquet").write(EVEN, pa.table({"id": [1]}))
    assert [path.name for path in written] == ["a.jsonl", "removed.parquet"]
    assert pq.read_table(tmp_path / "out" / "removed.parquet").num_rows == 1
    with refused("tables-beside-one-file"):
        KeptOutput(source, tmp_path / "one.jsonl", tmp_path / "one.jsonl" / "removed.parquet")


def test_an_existing_folder_is_only_replaced_by_force_and_only_if_nothing_else_is_lost(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", ROWS)
    source = open_source(str(tmp_path / "a.jsonl"))
    out = tmp_path / "out"
    out.mkdir()
    write_kept(source, EVEN, out)  # an empty folder loses nothing
    with pytest.raises(OutputExists):
        write_kept(source, EVEN, out)
    write_kept(source, ~EVEN, out, force=True)
    assert read_rows(open_source(str(out)))[0] == ROWS[1]
    (out / "sub").mkdir()
    (out / "sub" / "thesis.doc").write_text("five years of work")
    with refused("folder-has-other-files", path=str(out), name="sub/thesis.doc"):
        write_kept(source, EVEN, out, force=True)
    assert read_rows(open_source(str(out)))[0] == ROWS[1]
    assert names(tmp_path) == ["a.jsonl", "out"]
    (tmp_path / "file").touch()
    with refused("output-is-a-file"):
        write_kept(source, EVEN, tmp_path / "file", force=True)


@pytest.mark.parametrize("out", ["in", "in/a.jsonl", ".", "in/../in", "link"])
def test_the_input_is_never_overwritten(tmp_path: Path, out: str) -> None:
    path = write(tmp_path / "in" / "a.jsonl", ROWS)
    (tmp_path / "link").symlink_to(tmp_path / "in")
    source = open_source(str(tmp_path / "in"))
    with refused("output-is-input", path=str(tmp_path / out), name=str(path)):
        Outputs({"out": tmp_path / out}, force=True, folder="out").check_inputs(source)


@pytest.mark.parametrize("format", [*FORMATS, "txt"])
@pytest.mark.parametrize("out", ["out", "one.csv"])
def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, format: str, out: str) -> None:
    texts = [os.urandom(2000).hex() for _ in range(60)]
    if format == "txt":
        (tmp_path / "in").mkdir()
        for i, text in enumerate(texts):
            (tmp_path / "in" / f"{i}.txt").write_text(text * 30)
    else:
        write(tmp_path / "in" / f"a.{format}", [{"text": text} for text in texts])
    source = open_source(str(tmp_path / "in"))
    with little_space(100_000), refused("unwritable", reason=Notice("file-too-large")):
        write_kept(source, np.ones(60, bool), tmp_path / out)
    assert names(tmp_path) == ["in"]


@pytest.mark.parametrize("out", ["out", "one.jsonl"])
def test_an_interruption_leaves_nothing_behind(tmp_path: Path, out: str, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a.jsonl", ROWS)
    write(tmp_path / "b.jsonl", ROWS)
    source = open_source(str(tmp_path / "*.jsonl"))
    original = type(source.format.scans[1]).copy  # type: ignore[attr-defined]

    def interrupted(self: Any, *args: Any, **options: Any) -> int:
        if self.file.name.endswith("b.jsonl"):
            raise KeyboardInterrupt
        return int(original(self, *args, **options))

    monkeypatch.setattr(type(source.format.scans[1]), "copy", interrupted)  # type: ignore[attr-defined]
    with pytest.raises(KeyboardInterrupt):
        write_kept(source, np.ones(60, bool), tmp_path / out)
    assert names(tmp_path) == ["a.jsonl", "b.jsonl"]


@pytest.mark.parametrize("format", FORMATS)
def test_a_file_that_changed_is_noticed(tmp_path: Path, format: str) -> None:
    path = write(tmp_path / f"a.{format}", STRINGS)
    source = open_source(str(path))
    assert len(read_rows(source)) == 30
    with refused("rows-changed", before=29, rows=30):
        write_kept(source, np.ones(29, bool), tmp_path / "out")
    write(path, STRINGS[:20])
    with pytest.raises(InputError) as caught:
        write_kept(source, np.ones(30, bool), tmp_path / "out")
    assert caught.value.code in ("rows-changed", "damaged-file", "damaged-row-group")
    assert names(tmp_path) == [f"a.{format}"]


@settings(max_examples=40, deadline=None)
@given(
    sizes=st.lists(st.integers(0, 7), min_size=1, max_size=4),
    data=st.data(),
    format=st.sampled_from(["parquet", "jsonl", "csv"]),
    one=st.booleans(),
)
def test_kept_and_removed_rows_are_all_rows(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], data: st.DataObject, format: str, one: bool
) -> None:
    """Law: the written rows are those of the mask, in order; together with the other rows, they are all rows."""
    folder = tmp_path_factory.mktemp("kept")
    rows = [{"text": f"t{i}", "more": f"{i}"} for i in range(sum(sizes))]
    start = 0
    paths = []
    for number, size in enumerate(sizes):
        part = rows[start : start + size] or [{"text": "", "more": ""}]
        path = folder / f"{number}.{format}"
        path.write_bytes(encode(part, format))
        if not size:  # as many columns, no rows
            empty = pa.schema([("text", pa.string()), ("more", pa.string())]).empty_table()
            pq.write_table(empty, path) if format == "parquet" else path.write_bytes(
                b"" if format == "jsonl" else b"text,more\n"
            )
        paths.append(path)
        start += size
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))), bool)
    source = open_source(Paths(paths))
    got = []
    for name, mask in (("kept", kept), ("removed", ~kept)):
        written = write_kept(source, mask, folder / (f"{name}.{format}" if one else name))
        got.append([row for path in written for row in read_rows(open_source(str(path)), None if rows else ["text"])])
    expected = [[row for row, keep in zip(rows, mask, strict=True) if keep] for mask in (kept, ~kept)]
    assert [[row["text"] for row in part] for part in got] == [[row["text"] for row in part] for part in expected]


def test_a_folder_that_cannot_be_replaced_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a.jsonl", ROWS)
    source = open_source(str(tmp_path / "a.jsonl"))
    write_kept(source, EVEN, tmp_path / "out")

    def fails(*_: Path) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(whole_folders, "_exchange", fails)
    with pytest.raises(KeyboardInterrupt):
        write_kept(source, ~EVEN, tmp_path / "out", force=True)
    assert names(tmp_path) == ["a.jsonl", "out"]
    assert read_rows(open_source(str(tmp_path / "out")))[0] == ROWS[0]


def test_rows_of_a_source_that_has_changed_are_not_left_behind(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text('{"text": "a"}\n{"text": "b"}\n', encoding="utf-8")
    source = open_source(path)
    os.utime(path, ns=(0, 0))  # the bytes are the same, but that is not known
    with refused("input-changed", name=str(path)):
        write_kept(source, np.array([True, False]), tmp_path / "k.jsonl")
    assert list(tmp_path.iterdir()) == [path]


def test_a_companion_table_needs_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_text('{"text": "a"}\n', encoding="utf-8")
    source = open_source(tmp_path / "in")
    KeptOutput(source, tmp_path / "out", tmp_path / "out" / "removed.jsonl")
    with refused("table-named-like-kept-rows", name="a.jsonl"):
        KeptOutput(source, tmp_path / "out", tmp_path / "out" / "a.jsonl")


def test_lines_of_json_are_the_same_bytes_whatever_the_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_blocks, "BLOCK", 1 << 10)
    rows = [b'{"text": "text %d"}\n' % row if row % 7 else b'{"text": "odd", "x": Infinity}\n' for row in range(500)]
    (tmp_path / "a.jsonl").write_bytes(b"".join(rows))
    kept = np.random.default_rng(1).random(500) < 0.5
    for threads in (1, 2, 5):
        [path] = write_kept(
            open_source(str(tmp_path / "a.jsonl")), kept, tmp_path / "b.jsonl", force=True, threads=threads
        )
        assert path.read_bytes() == b"".join(row for row, keep in zip(rows, kept, strict=True) if keep)
