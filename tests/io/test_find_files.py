"""Which files a path, a glob, a folder, a URL or standard input names."""

from __future__ import annotations

import gc
import gzip
import io
import os
import sys
import tempfile
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import fsspec
import numpy as np
import pytest

from lookalike.io.find_files import EXTRAS
from lookalike.io.open import Paths, open_source
from lookalike.io.outputs import check_output
from lookalike.io.source import Source
from lookalike.notices import Notice
from tests.io.making import encode, read_rows, texts, write, write_kept
from tests.refusals import refused

ROWS = [{"text": "one"}, {"text": "two"}]


def test_missing_files_are_reported(tmp_path: Path) -> None:
    with refused("no-such-file", path=str(tmp_path / "news.jsonl"), advice=None):
        open_source(str(tmp_path / "news.jsonl"))
    with refused("glob-matches-nothing", pattern=str(tmp_path / "*.jsonl")):
        open_source(str(tmp_path / "*.jsonl"))
    (tmp_path / "sub").mkdir()
    with refused("glob-matches-only-folders"):
        open_source(str(tmp_path / "*"))
    write(tmp_path / "a.csv", ROWS)
    with refused("no-such-file", path=str(tmp_path / "a.csv" / "x")):
        open_source(str(tmp_path / "a.csv" / "x"))


def test_a_text_passed_as_a_path_is_answered_with_advice() -> None:
    for text in ("The cat sat on the mat, and so did the dog", "line\nline", "hello world"):
        with refused("no-such-file", path=text, advice=Notice("string-is-a-path")):
            open_source(text)
    with refused("no-such-file", advice=None):
        open_source("my news.jsonl")
    with refused("not-the-path-of-a-file", advice=Notice("string-is-a-path")):
        open_source("word " * 100)
    with refused("not-the-path-of-a-file", advice=None):
        open_source("nul\0")


def test_a_folder_without_documents_says_what_was_looked_for(tmp_path: Path) -> None:
    (tmp_path / "photo.png").write_bytes(b"\x89PNG")
    (tmp_path / "b.json").write_bytes(encode(ROWS, "jsonl"))
    (tmp_path / "LICENSE").touch()
    found = ("1 without a suffix", "1 .json", "1 .png")
    with refused("folder-without-documents", folder=str(tmp_path), codecs=(".gz", ".zst", ".bz2"), found=found):
        open_source(str(tmp_path))
    assert texts(open_source(str(tmp_path), format="json")) == ["one", "two"]


def test_a_folder_of_json_or_of_prose_alone_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[{"text": "one"}, {"text": "two"}]')
    (tmp_path / "b.json").write_text('{"text": "three"}\n')
    assert texts(open_source(str(tmp_path))) == ["one", "two", "three"]
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "a.md").write_text("# one")
    (pages / "b.HTML").write_text("<p>two")
    assert texts(open_source(str(pages))) == ["# one", "<p>two"]


def test_a_folder_of_several_formats_asks_for_one(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", ROWS)
    write(tmp_path / "b.jsonl", ROWS)
    write(tmp_path / "c.jsonl.gz", ROWS)
    with refused("folder-of-several-formats", counts=("2 jsonl", "1 csv")):
        open_source(str(tmp_path))
    with refused("paths-of-several-formats", examples=(str(tmp_path / "a.csv"), str(tmp_path / "c.jsonl.gz"))):
        open_source(str(tmp_path / "*"))
    source = open_source(str(tmp_path), format="jsonl")
    assert len(texts(source)) == 4
    assert source.warnings == (Notice("other-files-skipped", folder=tmp_path, count=1, first=tmp_path / "a.csv"),)


def test_other_files_of_a_folder_are_skipped_and_reported(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", ROWS)
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / ".a.jsonl.crc").touch()
    (tmp_path / "elsewhere").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe.jsonl")
    source = open_source(str(tmp_path))
    assert texts(source) == ["one", "two"]
    assert source.warnings == (
        Notice("hidden-files-skipped", folder=tmp_path, count=1),
        Notice("special-files-skipped", folder=tmp_path, count=2, first=tmp_path / "elsewhere"),
        Notice("other-files-skipped", folder=tmp_path, count=1, first=tmp_path / "_SUCCESS"),
    )


def test_with_a_format_files_need_no_suffix(tmp_path: Path) -> None:
    for part in range(3):
        (tmp_path / f"part-{part}").write_bytes(encode([{"text": f"t{part}"}], "jsonl"))
    assert texts(open_source(str(tmp_path), format="jsonl")) == ["t0", "t1", "t2"]
    assert texts(open_source(str(tmp_path / "part-1"), format="jsonl")) == ["t1"]
    (tmp_path / "blob").write_bytes(encode(ROWS, "parquet"))
    assert texts(open_source(str(tmp_path / "blob"))) == ["one", "two"]


def test_json_is_lines_when_named_and_settings_when_found(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(encode(ROWS, "jsonl"))
    write(tmp_path / "b.csv", ROWS[:1])
    assert texts(open_source(str(tmp_path / "a.json"))) == ["one", "two"]
    assert texts(open_source(str(tmp_path))) == ["one"]


def test_files_named_twice_are_read_once_and_reported(tmp_path: Path) -> None:
    a, b = write(tmp_path / "a.jsonl", ROWS), write(tmp_path / "b.jsonl", ROWS)
    source = open_source(Paths([str(b), str(tmp_path / "*.jsonl"), str(a)]))
    assert [file.path for file in source.format.files] == [str(b), str(a)]  # type: ignore[attr-defined]
    assert source.warnings == (Notice("files-named-twice", count=2),)


def test_names_below_several_roots_start_where_the_roots_part(tmp_path: Path) -> None:
    for name in ("x/a.txt", "y/z/a.txt", "y/b.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    source = open_source(Paths([tmp_path / "x", tmp_path / "y" / "z" / "a.txt", tmp_path / "y" / "b.txt"]))
    assert [row["path"] for row in read_rows(source)] == ["x/a.txt", "y/z/a.txt", "y/b.txt"]
    glob = open_source(str(tmp_path / "y" / "**" / "*.txt"))
    assert [row["path"] for row in read_rows(glob)] == ["b.txt", "z/a.txt"]


def test_a_name_with_brackets_is_a_name_before_it_is_a_glob(tmp_path: Path) -> None:
    write(tmp_path / "a[1].jsonl", ROWS)
    assert texts(open_source(str(tmp_path / "a[1].jsonl"))) == ["one", "two"]


def test_names_that_are_not_unicode_are_shown_escaped(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/caf\xe9.txt"
    Path(os.fsdecode(path)).write_text("x")
    assert read_rows(open_source(str(tmp_path))) == [{"path": "caf\\xe9.txt", "text": "x"}]


def test_a_relative_path_and_the_home_folder_are_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "in" / "a.jsonl", ROWS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for path in ("in/a.jsonl", "in", "in/*.jsonl", "*/a.jsonl", "~/in/a.jsonl", "./in/../in/a.jsonl"):
        assert texts(open_source(path)) == ["one", "two"]


@contextmanager
def as_nobody() -> Iterator[None]:
    """Runs the block without root's permission to read everything."""
    me = os.geteuid()
    if me == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(me)


def test_denied_permission_is_reported() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        for format in ("jsonl", "parquet", "csv", "tsv"):
            path = write(folder / f"a.{format}", ROWS)
            path.chmod(0)
            with as_nobody(), refused("permission-denied", name=str(path)):
                open_source(str(path))
        (folder / "closed").mkdir(mode=0)
        with as_nobody():
            with refused("permission-denied", name=str(folder / "closed" / "a.jsonl")):
                open_source(str(folder / "closed" / "a.jsonl"))
            with refused("permission-denied", name=str(folder / "closed")):
                open_source(str(folder))


@pytest.fixture
def memory() -> Iterator[fsspec.AbstractFileSystem]:
    system = fsspec.filesystem("memory")
    yield system
    system.store.clear()
    system.pseudo_dirs[:] = [""]


def test_urls_are_read_like_paths(memory: fsspec.AbstractFileSystem) -> None:
    for format in ("parquet", "jsonl", "csv"):
        memory.pipe(f"/data/{format}/a.{format}", encode(ROWS, format))
        memory.pipe(f"/data/{format}/b.{format}.gz", gzip.compress(encode(ROWS, format)))
        memory.pipe(f"/data/{format}/.hidden", b"")
        assert texts(open_source(f"memory://data/{format}/a.{format}")) == ["one", "two"]
        for url in (f"memory://data/{format}", f"memory://data/{format}/*.{format}*"):
            source = open_source(url)
            assert texts(source) == ["one", "two"] * 2
            assert texts(source, 1, 3) == ["two", "one"]
            assert source.identity() == open_source(url).identity()
    memory.pipe("/texts/a/x.txt", b"x")
    memory.pipe("/texts/b.txt", b"y")
    assert read_rows(open_source("memory://texts")) == [
        {"path": "a/x.txt", "text": "x"},
        {"path": "b.txt", "text": "y"},
    ]


def test_urls_that_lead_nowhere_are_reported(
    memory: fsspec.AbstractFileSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    with refused("no-such-file", path="memory://nothing.jsonl"):
        open_source("memory://nothing.jsonl")
    with refused("glob-matches-nothing", pattern="memory://x/*.jsonl"):
        open_source("memory://x/*.jsonl")
    with refused("invalid-address", url="nosuch://x"):
        open_source("nosuch://x")
    memory.pipe("/a.jsonl", encode(ROWS, "jsonl"))

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("the bucket\nis on fire")

    monkeypatch.setattr(memory, "open", fail)
    with refused("unreadable", name="memory://a.jsonl", reason="RuntimeError: the bucket"):
        open_source("memory://a.jsonl")


def test_a_file_system_that_is_not_installed_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(url: str) -> None:
        raise ImportError("Install it")

    monkeypatch.setattr(fsspec.core, "url_to_fs", missing)
    for protocol, (extra, packages) in EXTRAS.items():
        with refused("missing-extra", what=f"{protocol}://x/a.parquet", extra=extra, package=packages):
            open_source(f"{protocol}://x/a.parquet")
    with refused("file-system-not-installed", url="sftp://host/a.parquet", reason="Install it"):
        open_source("sftp://host/a.parquet")


def test_every_extra_for_addresses_has_the_packages_that_errors_name() -> None:
    pyproject = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    extras = pyproject["project"]["optional-dependencies"]
    for extra, packages in EXTRAS.values():
        named = [requirement.partition(">")[0].replace("-", "_") for requirement in extras[extra]]
        assert named == packages.split(" and ")


def from_stdin(data: bytes, monkeypatch: pytest.MonkeyPatch, format: str | None = None) -> Source:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    return open_source("-", format=format)


def test_standard_input_can_be_read_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    for data in (encode(ROWS, "jsonl"), encode(ROWS, "parquet"), gzip.compress(encode(ROWS, "jsonl"))):
        source = from_stdin(data, monkeypatch)
        for _ in range(2):
            assert texts(source) == ["one", "two"]
        assert source.name == "standard input"
        assert source.identity() == from_stdin(data, monkeypatch).identity()
        path = Path(source.format.files[0].path)  # type: ignore[attr-defined]
        assert path.exists()
        del source
        gc.collect()
        assert not path.exists()
    assert texts(from_stdin(encode(ROWS, "csv"), monkeypatch, "csv")) == ["one", "two"]
    assert texts(from_stdin(b"a\nb\n", monkeypatch, "lines")) == ["a", "b"]
    assert read_rows(from_stdin(b"a\nb\n", monkeypatch, "text")) == [{"path": "stdin", "text": "a\nb\n"}]
    assert texts(from_stdin(b"", monkeypatch)) == []


def test_standard_input_of_unknown_format_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with refused("standard-input-of-unknown-format"):
        from_stdin(b"a,b\n1,2\n", monkeypatch)
    with refused("standard-input-with-files"):
        open_source(Paths(["-", "a.jsonl"]))
    with refused("malformed-row", where=Notice("line", name="standard input", line=2)):
        texts(from_stdin(b'{"text": "a"}\noops\n', monkeypatch))
    monkeypatch.setattr(sys, "stdin", None)
    with refused("standard-input-closed"):
        open_source("-")


def test_a_pipe_is_read_once_and_kept(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(encode(ROWS, "jsonl"),))
    writer.start()
    source = open_source(str(pipe))
    writer.join()
    for _ in range(2):
        assert texts(source) == ["one", "two"]


def test_no_room_for_standard_input_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", "/nowhere/at/all")
    with refused("no-room-for-copy", name="standard input"):
        from_stdin(b"{}", monkeypatch)


@pytest.mark.parametrize("suffix", [".gz", ".zst", ".bz2"])
@pytest.mark.parametrize("format", ["jsonl", "csv", "parquet", "txt"])
def test_truncated_and_false_compression_is_reported(tmp_path: Path, suffix: str, format: str) -> None:
    rows = [{"text": os.urandom(20).hex()} for _ in range(2000)]
    path = tmp_path / f"a.{format}{suffix}"
    write(tmp_path / f"a.jsonl{suffix}", rows).rename(path) if format == "txt" else write(path, rows)
    whole = path.read_bytes()
    for content in (whole[: len(whole) // 2], whole[:-5], b"this is not compressed", whole + b"trailing garbage"):
        path.write_bytes(content)
        for on_error in ("fail", "skip"):
            if format == "txt" and on_error == "skip":
                continue  # there, a file is a row
            with refused("damaged-file", name=str(path)):
                texts(open_source(str(path), on_error=on_error))
    path.write_bytes(whole)
    assert len(texts(open_source(str(path)))) == (1 if format == "txt" else 2000)


def test_dots_in_paths_leave_no_trace_in_ids_and_kept_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("x", "y"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(f"text {name}", encoding="utf-8")
    monkeypatch.chdir(tmp_path / "x")
    source = open_source(Paths(["a.txt", "../y/a.txt"]))
    assert [row["path"] for row in read_rows(source)] == ["x/a.txt", "y/a.txt"]
    written = write_kept(source, np.array([True, True]), "../out")
    assert [path.read_text(encoding="utf-8") for path in written] == ["text x", "text y"]


def test_the_home_of_an_unknown_user_is_not_an_input() -> None:
    with refused("no-such-file", path="~nosuchuser/x", reason=Notice("unknown-user")):
        open_source("~nosuchuser/x")


def test_the_home_of_an_unknown_user_is_not_an_output() -> None:
    with refused("unwritable", path="~nosuchuser/x.jsonl", reason=Notice("unknown-user")):
        check_output("~nosuchuser/x.jsonl")


def test_an_empty_path_is_not_the_current_folder() -> None:
    with refused("empty-input"):
        open_source("")


def test_a_line_end_in_a_file_name_does_not_break_the_message(tmp_path: Path) -> None:
    path = tmp_path / "a\nb.csv"
    path.write_text("body\n1\n", encoding="utf-8")
    with refused("no-such-column", where=str(path)) as caught:
        open_source(path)
    assert "\n" not in str(caught.value)
