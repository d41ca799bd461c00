"""Writing: whole files or none, nothing overwritten without permission, and a one-sentence error if writing fails."""

from __future__ import annotations

import datetime
import gzip
import io
import json
import math
import os
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lookalike.errors import OutputExists
from lookalike.io import sinks, writers
from lookalike.io.open import open_source
from lookalike.io.outputs import WRITABLE, check_output
from lookalike.io.sinks import staged, write_table
from lookalike.notices import Notice
from lookalike.storage.whole_files import temporary_name
from lookalike.storage.whole_folders import remove_unfinished
from tests.io.making import CODECS, FORMATS, read_rows
from tests.refusals import refused

TABLE = pa.table({"left": pa.array([1, 2]), "right": ["a", 'b "c", d\n'], "similarity": [1.0, 0.8000000000000001]})


def names(folder: Path) -> list[str]:
    """The names of all files in a folder, including hidden ones."""
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("codec", CODECS)
def test_a_table_comes_back_as_it_was_written(tmp_path: Path, format: str, codec: str) -> None:
    path = tmp_path / "new" / "folder" / f"out.{format}{codec}"
    write_table(TABLE, path)
    rows = read_rows(open_source(str(path), column="right"))
    expected = TABLE.to_pylist()
    if format in ("csv", "tsv"):
        expected = [
            {name: value if isinstance(value, str) else repr(value) for name, value in row.items()} for row in expected
        ]
    assert rows == expected
    assert names(path.parent) == [path.name]
    assert oct(path.stat().st_mode & 0o777) == oct(0o666 & ~current_umask())


def current_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("codec", CODECS)
def test_the_same_rows_make_the_same_bytes_however_they_are_chunked(tmp_path: Path, format: str, codec: str) -> None:
    rows = pa.table({"id": list(range(5000)), "text": [f"text {i % 70}" for i in range(5000)]})
    chunked = pa.concat_tables([rows.slice(i, 13) for i in range(0, 5000, 13)])
    first, second = tmp_path / f"a.{format}{codec}", tmp_path / f"b.{format}{codec}"
    write_table(rows, first)
    write_table(chunked, second)
    assert first.read_bytes() == second.read_bytes()


def test_row_groups_do_not_depend_on_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writers, "ROW_GROUP", 10)
    sink = io.BytesIO()
    sizes = (1, 7, 40, 3)
    batches = (pa.concat_tables([TABLE] * size).combine_chunks().to_batches()[0] for size in sizes)
    writers.write_parquet(batches, sink, TABLE.schema)
    metadata = pq.ParquetFile(io.BytesIO(sink.getvalue())).metadata
    assert [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)] == [10] * 10 + [2]


def test_row_groups_of_long_rows_have_fewer_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row group is in memory until it is written; once, a million documents were."""
    monkeypatch.setattr(writers, "GROUP_BYTES", 5_000_000)
    rows = pa.table({"text": [f"{i:01000d}" for i in range(10_000)]})
    files = []
    for chunk in (10_000, 700):
        sink = io.BytesIO()
        writers.write_parquet(rows.to_batches(max_chunksize=chunk), sink, rows.schema)
        files.append(sink.getvalue())
    metadata = pq.ParquetFile(io.BytesIO(files[0])).metadata
    assert [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)] == [4096, 4096, 1808]
    assert files[0] == files[1] and pq.read_table(io.BytesIO(files[0])).equals(rows)


def test_metadata_travels_in_parquet(tmp_path: Path) -> None:
    write_table(
        TABLE.replace_schema_metadata({"old": "1"}), tmp_path / "a.parquet", metadata={"plan": "threshold = 0.8"}
    )
    assert pq.read_schema(tmp_path / "a.parquet").metadata == {b"old": b"1", b"plan": b"threshold = 0.8"}


def test_values_that_json_and_csv_lack_are_converted(tmp_path: Path) -> None:
    table = pa.table(
        {
            "nan": [math.nan],
            "nested": [{"a": [math.inf, 1.5]}],
            "when": pa.array([1], pa.timestamp("ns")),
            "day": [datetime.date(2020, 1, 2)],
            "bytes": [b"\xff"],
            "flag": [True],
            "none": pa.nulls(1),
            "dict": pa.array(["x"]).dictionary_encode(),
        }
    )
    write_table(table, tmp_path / "a.jsonl")
    assert json.loads((tmp_path / "a.jsonl").read_text()) == {
        "nan": None,
        "nested": {"a": [None, 1.5]},
        "when": "1970-01-01 00:00:00.000000001",
        "day": "2020-01-02",
        "bytes": "/w==",
        "flag": True,
        "none": None,
        "dict": "x",
    }
    write_table(table, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().splitlines()[1] == (
        'nan,"{""a"": [null, 1.5]}",1970-01-01 00:00:00.000000001,2020-01-02,/w==,true,,x'
    )


@pytest.mark.parametrize("format", ["jsonl", "csv"])
def test_strings_that_are_not_utf8_cannot_be_written_as_text(tmp_path: Path, format: str) -> None:
    table = pa.table({"more": pa.array([b"\xff"], pa.binary()).view(pa.string())})
    with refused("column-not-writable", column="more"):
        write_table(table, tmp_path / f"a.{format}")
    assert names(tmp_path) == []


def test_an_existing_file_is_only_overwritten_by_force(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("precious")
    with refused("output-exists", path=str(path)):
        check_output(path)
    with refused("output-exists", path=str(path)):
        write_table(TABLE, path)
    assert path.read_text() == "precious"
    check_output(path, force=True)
    write_table(TABLE, path, force=True)
    assert len(path.read_text().splitlines()) == 2
    assert names(tmp_path) == ["a.jsonl"]


def test_a_file_created_during_the_writing_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"

    def write_while_another_comes() -> None:
        with sinks.open_sink(path) as sink:
            sink.write(b"ours")
            path.write_text("theirs")

    with pytest.raises(OutputExists):
        write_while_another_comes()
    assert path.read_text() == "theirs"
    assert names(tmp_path) == ["a.jsonl"]


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, SystemExit, MemoryError, RuntimeError])
@pytest.mark.parametrize("suffix", ["", ".gz", ".zst", ".bz2"])
def test_an_interruption_leaves_nothing_behind(tmp_path: Path, interruption: type[BaseException], suffix: str) -> None:
    path = tmp_path / f"a.jsonl{suffix}"

    def write_half() -> None:
        with sinks.open_sink(path, force=True) as sink:
            sink.write(b"half a li")
            raise interruption

    for there in (False, True):
        if there:
            path.write_text("old")
        with pytest.raises(interruption):
            write_half()
        assert names(tmp_path) == ([path.name] if there else [])
    assert path.read_text() == "old"


@contextmanager
def little_space(size: int) -> Iterator[None]:
    """Limits the size of files of this process: a substitute for a full disk that needs no privileges."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("codec", CODECS)
def test_a_file_that_is_too_large_leaves_nothing_behind(tmp_path: Path, format: str, codec: str) -> None:
    table = pa.table({"text": [os.urandom(100).hex() for _ in range(5000)]})
    path = tmp_path / f"a.{format}{codec}"
    with little_space(100_000), refused("unwritable", path=str(path), reason=Notice("file-too-large")):
        write_table(table, path)
    assert names(tmp_path) == []


def test_a_full_disk_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with refused("unwritable", path=str(tmp_path / "a.parquet"), reason=Notice("no-space-left")):
        write_table(TABLE, tmp_path / "a.parquet")
    assert names(tmp_path) == []


@pytest.mark.parametrize("name", ["pairs", "pairs.xlsx", "pairs.txt", "pairs.gz"])
def test_a_name_with_an_unknown_suffix_is_refused(tmp_path: Path, name: str) -> None:
    with refused("unknown-output-format", suffixes=tuple(f".{format}" for format in WRITABLE)):
        write_table(TABLE, tmp_path / name)
    assert names(tmp_path) == []


def test_paths_that_cannot_be_written_are_refused_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    (tmp_path / "empty").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with refused("unwritable", reason=Notice("parent-is-a-file", folder=tmp_path / "file")):
        check_output(tmp_path / "file" / "a.parquet")
    with pytest.raises(OutputExists):
        check_output(tmp_path / "full", folder=True)
    with refused("output-not-a-file"):
        check_output(tmp_path / "pipe", force=True)
    with refused("output-is-url"):
        check_output("s3://bucket/a.parquet")
    with refused("output-is-a-folder"):
        write_table(TABLE, tmp_path / "full", format="csv", force=True)
    (tmp_path / "closed").mkdir(mode=0o555)
    if os.geteuid():
        with refused("unwritable", reason=Notice("folder-not-writable", folder=tmp_path / "closed")):
            check_output(tmp_path / "closed" / "new" / "a.parquet")
    for fine in ("-", tmp_path / "empty", tmp_path / "new" / "a.parquet"):
        check_output(fine, folder=True)
    assert names(tmp_path) == ["closed", "empty", "file", "full", "pipe"]


def test_a_folder_without_write_permission_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)  # root is never refused
    with refused("unwritable", reason=Notice("folder-not-writable", folder=tmp_path)):
        check_output(tmp_path / "a.parquet")


def test_a_link_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "real.jsonl").touch()
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "real.jsonl")
    write_table(TABLE, tmp_path / "link.jsonl", force=True)
    assert (tmp_path / "link.jsonl").is_symlink()
    assert len((tmp_path / "real.jsonl").read_text().splitlines()) == 2


def test_standard_output_gets_json_lines_by_default(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    write_table(TABLE, "-")
    sys.stdout.flush()
    assert [json.loads(line)["left"] for line in capfdbinary.readouterr().out.splitlines()] == [1, 2]
    write_table(TABLE, "-", format="tsv")
    sys.stdout.flush()
    assert capfdbinary.readouterr().out.startswith(b"left\tright\tsimilarity\n1\ta\t1.0\n")


def test_standard_output_that_accepts_only_text_gets_text(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    write_table(TABLE, "-", format="csv")
    assert out.getvalue().startswith("left,right,similarity\n")


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_a_closed_or_full_standard_output_is_reported(monkeypatch: pytest.MonkeyPatch, format: str) -> None:
    def write_to(file: str | int, reason: str) -> None:
        with open(file, "w") as out:  # noqa: PTH123
            monkeypatch.setattr(sys, "stdout", out)
            with refused("unwritable", path=Notice("standard-output"), reason=Notice(reason)):
                write_table(TABLE, "-", format=format)
            monkeypatch.undo()

    read, write = os.pipe()
    os.close(read)
    # Closing tries once more to write what is left, and fails once more.
    with pytest.raises(OSError, match="No space left"):
        write_to("/dev/full", "no-space-left")
    with pytest.raises(BrokenPipeError):
        write_to(write, "reader-stopped")


def test_a_staged_table_exists_after_the_block_has_succeeded(tmp_path: Path) -> None:
    table, path = pa.table({"id": [1]}), tmp_path / "t.csv.gz"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), staged(table, path, force=True):
        raise ZeroDivisionError
    assert path.read_text() == "old"
    with staged(table, path, force=True):
        assert path.read_text() == "old"
    assert gzip.decompress(path.read_bytes()) == b"id\n1\n"
    with pytest.raises(OutputExists), staged(pa.table({"id": [2]}), path):
        pass
    assert gzip.decompress(path.read_bytes()) == b"id\n1\n"
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv.gz"]


@pytest.mark.parametrize("letter", ["x", "é", "語", "🐈"])
def test_the_longest_names_of_any_script_can_be_written(tmp_path: Path, letter: str) -> None:
    """A name may have 255 bytes. The temporary name adds some, and once kept 100 characters instead of bytes."""
    name = letter * ((255 - len(".csv")) // len(letter.encode())) + ".csv"
    write_table(pa.table({"id": [1]}), tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_unfinished_files_of_killed_runs_are_removed_in_every_script(tmp_path: Path) -> None:
    """Names are shortened by bytes, but were once searched by characters."""
    for name in ("a.parquet", "文" * 80 + ".parquet", "ä" * 120):
        left = temporary_name(tmp_path / name)
        left.write_bytes(b"half")
        remove_unfinished(tmp_path / "another")
        assert left.exists()
        remove_unfinished(tmp_path / name)
        assert not left.exists()


def test_row_groups_of_huge_texts_end_by_their_size_and_have_small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand texts were collected before their size was looked at: of 10 MB each, that is 10 GB."""
    monkeypatch.setattr(writers, "GROUP_BYTES", 1_000_000)
    texts = [str(number) * 100_000 for number in range(10)] * 3
    table = pa.table({"id": range(30), "text": texts})
    written = []
    for rows in (1, 7, 30):
        sink = io.BytesIO()
        writers.write_parquet(table.to_batches(rows), sink, table.schema)
        written.append(sink.getvalue())
    assert written[0] == written[1] == written[2]
    found = pq.ParquetFile(io.BytesIO(written[0]))
    assert [found.metadata.row_group(i).num_rows for i in range(found.num_row_groups)] == [10, 10, 10]
    assert found.read().equals(table)
    assert "RLE_DICTIONARY" not in found.metadata.row_group(0).column(1).encodings
