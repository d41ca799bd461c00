"""Text: a folder of files, one file, or one document per line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from lookalike.io.formats import line_blocks, text
from lookalike.io.open import open_source
from lookalike.notices import Notice
from tests.io.making import read_rows, texts
from tests.refusals import refused


def fill(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def test_a_folder_gives_a_document_for_each_file_with_its_path_as_id(tmp_path: Path) -> None:
    fill(
        tmp_path,
        {"b.txt": "second", "a/x.txt": "first\nfile", "c.txt.gz": gzip.compress(b"third"), "d.txt": b"\xef\xbb\xbf4"},
    )
    source = open_source(str(tmp_path))
    assert source.id == "path"
    assert source.columns == ["path", "text"]
    assert source.total_rows() == 4
    assert read_rows(source) == [
        {"path": "a/x.txt", "text": "first\nfile"},
        {"path": "b.txt", "text": "second"},
        {"path": "c.txt.gz", "text": "third"},
        {"path": "d.txt", "text": "4"},
    ]
    assert texts(source, 1, 3) == ["second", "third"]
    assert source.warnings == ()


@pytest.mark.parametrize("on_error", ["fail", "skip"])
def test_ranges_of_a_folder_are_slices(tmp_path: Path, on_error: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "CHUNK_ROWS", 3)
    fill(tmp_path, {f"{i:02}.txt": f"text {i}" for i in range(20)})
    expected = [f"text {i}" for i in range(20)]
    if on_error == "skip":
        fill(tmp_path, {"05a.txt": b"\xff", "11a.txt": b"\xfe\xff"})
    source = open_source(str(tmp_path), on_error=on_error, batch_rows=2)  # type: ignore[arg-type]
    for start in range(0, 22, 2):
        assert texts(source, start, start + 5) == expected[start : start + 5]
    assert texts(source) == expected
    assert source.total_rows() == 20
    assert source.malformed == (2 if on_error == "skip" else 0)


def test_a_file_that_is_not_text_is_reported(tmp_path: Path) -> None:
    fill(tmp_path, {"a.txt": "fine", "b.txt": b"fin\xe9", "c.txt": "hé".encode("utf-16")})
    latin = Notice("in-another-encoding", byte="0xe9", offset=3, likely="latin-1")
    reason = Notice("not-a-text-file", reason=latin, advice=None)
    with refused("malformed-row", where=str(tmp_path / "b.txt"), reason=reason):
        texts(open_source(str(tmp_path)))
    source = open_source(str(tmp_path), on_error="skip")
    assert texts(source) == ["fine"]
    assert source.malformed == 2
    assert source.warnings[1].values["reason"] == Notice("not-a-text-file", reason=Notice("utf16"), advice=None)


def test_a_folder_with_programs_is_best_read_by_a_glob(tmp_path: Path) -> None:
    fill(tmp_path, {"a.py": "x = 1", "cache/a.pyc": b"\xa7\x0d\x0d\x0a" + bytes(12)})
    binary = Notice("binary", byte="0xa7", offset=0)
    reason = Notice("not-a-text-file", reason=binary, advice=Notice("choose-files-advice"))
    with refused("malformed-row", where=str(tmp_path / "cache/a.pyc"), reason=reason):
        texts(open_source(str(tmp_path), format="text"))
    assert texts(open_source(str(tmp_path / "**/*.py"))) == ["x = 1"]


def test_with_format_text_every_file_is_a_document(tmp_path: Path) -> None:
    fill(tmp_path, {"README": "r", "a.md": "a", "data.csv": "text\nx\n", ".hidden": "h"})
    source = open_source(str(tmp_path), format="text")
    assert [row["path"] for row in read_rows(source)] == ["README", "a.md", "data.csv"]
    assert source.warnings == (Notice("hidden-files-skipped", folder=tmp_path, count=1),)


def test_one_text_file_is_one_document_with_a_warning_if_it_has_lines(tmp_path: Path) -> None:
    fill(tmp_path, {"a.txt": "one\ntwo\n", "b.log": "x", "c": "no suffix"})
    source = open_source(str(tmp_path / "a.txt"))
    assert read_rows(source) == [{"path": "a.txt", "text": "one\ntwo\n"}]
    assert source.warnings == (Notice("read-as-one-document", name=tmp_path / "a.txt"),)
    assert texts(open_source(str(tmp_path / "b.log"))) == ["x"]
    assert texts(open_source(str(tmp_path / "c"))) == ["no suffix"]


def test_lines_are_documents_including_blank_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = "\ufefffirst\r\n\nthird é\nlast\r without end".encode()
    fill(tmp_path, {"a.txt": content, "a.txt.gz": gzip.compress(content)})
    expected = ["first", "", "third é", "last\r without end"]
    for block in (1, 5, 1 << 20):
        monkeypatch.setattr(line_blocks, "BLOCK", block)
        for name in ("a.txt", "a.txt.gz"):
            source = open_source(str(tmp_path / name), format="lines")
            assert texts(source) == expected
            assert texts(source, 1, 3) == expected[1:3]
    assert source.id is None
    for empty in (b"", b"\xef\xbb\xbf"):
        assert texts(open_source(str(fill(tmp_path, {"e.txt": empty}) / "e.txt"), format="lines")) == []
    assert texts(open_source(str(fill(tmp_path, {"e.txt": "\n"}) / "e.txt"), format="lines")) == [""]


def test_a_line_that_is_not_utf8_is_reported_or_skipped(tmp_path: Path) -> None:
    path = fill(tmp_path, {"a.txt": b"fine\nb\xffd\nfine too"}) / "a.txt"
    where, reason = Notice("line", name=path, line=2), Notice("not-utf8", byte="0xff", offset=1)
    with refused("malformed-row", where=where, reason=reason):
        texts(open_source(str(path), format="lines"))
    source = open_source(str(path), format="lines", on_error="skip")
    assert texts(source) == ["fine", "fine too"]
    assert source.malformed == 1


def test_text_has_only_its_own_columns(tmp_path: Path) -> None:
    path = str(fill(tmp_path, {"a.txt": "x"}) / "a.txt")
    with refused("no-such-column", column="body", columns=("path", "text")):
        open_source(path, column="body")
    with refused("no-such-column", column="path", columns=("text",), options=("id",)):
        open_source(path, id="path", format="lines")
