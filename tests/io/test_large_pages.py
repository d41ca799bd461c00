"""Large pages of Parquet files: the same rows as Arrow reads, in little memory."""

from __future__ import annotations

import contextlib
import errno
import gc
import struct
import tempfile
import tracemalloc
from io import FileIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.errors import LookalikeError, MalformedInput
from lookalike.io.formats import large_pages, row_groups
from lookalike.io.formats.parquet_pages import pages_of
from lookalike.io.open import open_source
from lookalike.notices import Notice
from tests.io.making import read_rows
from tests.refusals import refused

CODECS = ["none", "snappy", "zstd", "gzip", "brotli", "lz4"]


def with_all_pages_large(patch: pytest.MonkeyPatch, batch_bytes: int) -> None:
    patch.setattr(row_groups, "LARGE", 0)
    patch.setattr(large_pages, "LONG", 0)
    patch.setattr(row_groups, "BATCH_BYTES", batch_bytes)


def written(folder: str, values: list[Any], kind: pa.DataType, options: dict[str, Any]) -> str:
    path = str(Path(folder) / "a.parquet")
    table = pa.table({"text": pa.array(values, kind), "n": pa.array(range(len(values)))})
    pq.write_table(table, path, **options)
    return path


def how() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "compression": st.sampled_from(CODECS),
            "data_page_version": st.sampled_from(["1.0", "2.0"]),
            "use_dictionary": st.booleans(),
            "write_page_checksum": st.booleans(),
            "data_page_size": st.sampled_from([1, 500, 1 << 20]),
            "dictionary_pagesize_limit": st.sampled_from([1, 500, 1 << 20]),
            "write_batch_size": st.sampled_from([1, 7, 1024]),
        }
    )


texts = st.one_of(st.none(), st.text(max_size=5), st.builds(str.__mul__, st.text(max_size=3), st.integers(0, 3000)))


@settings(max_examples=60, deadline=None)
@given(
    values=st.lists(texts, min_size=1, max_size=30).flatmap(lambda some: st.lists(st.sampled_from(some), max_size=60)),
    kind=st.sampled_from([pa.string(), pa.large_string()]),
    options=how(),
    batch_bytes=st.sampled_from([1, 100, 5000, 1 << 22]),
)
def test_large_pages_contain_what_was_written(
    values: list[str | None], kind: pa.DataType, options: dict[str, Any], batch_bytes: int
) -> None:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        with_all_pages_large(patch, batch_bytes)
        source = open_source(written(folder, values, kind, options))
        if "".join(text or "" for text in values):  # otherwise pages are empty, and Arrow reads them
            patch.delattr(row_groups.StretchReader, "_by_arrow")
        for columns in (["text"], ["n", "text"], None):
            rows = [row["text"] for row in read_rows(source, columns)]
            assert rows == values


@settings(max_examples=60, deadline=None)
@given(
    values=st.lists(st.text(max_size=40), min_size=1, max_size=30),
    options=how(),
    place=st.floats(0, 1),
    junk=st.binary(min_size=1, max_size=3),
)
def test_damaged_pages_give_rows_or_our_errors(
    values: list[str], options: dict[str, Any], place: float, junk: bytes
) -> None:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        with_all_pages_large(patch, 100)
        path = Path(written(folder, values, pa.string(), options))
        content = path.read_bytes()
        footer = int.from_bytes(content[-8:-4], "little")
        at = 4 + int(place * (len(content) - footer - 16))
        path.write_bytes(content[:at] + junk + content[at + len(junk) :])
        with contextlib.suppress(LookalikeError):
            assert len(read_rows(open_source(str(path)), ["text"])) == len(values)


@pytest.mark.parametrize(("codec", "by_dictionary"), [("snappy", True), ("zstd", False), ("lz4", False)])
def test_a_page_is_never_in_memory_as_a_whole(tmp_path: Path, codec: str, by_dictionary: bool) -> None:
    """Arrow's writer puts up to 1,024 texts into a page, and its reader holds them twice."""
    values = [f"{i:02} " * 300_000 for i in range(40)]
    options = {"compression": codec, "use_dictionary": by_dictionary}
    source = open_source(written(str(tmp_path), values, pa.string(), options))
    before = pa.default_memory_pool()
    pool = pa.proxy_memory_pool(before)  # counts from here on
    pa.set_memory_pool(pool)
    tracemalloc.start()
    try:
        assert {len(batch) for batch in source.read(["text"])} == {4}
        assert tracemalloc.get_traced_memory()[1] + pool.max_memory() < sum(map(len, values))
    finally:
        tracemalloc.stop()
        pa.set_memory_pool(before)


def one_page(folder: Path, values: list[str | None], **options: Any) -> tuple[Path, int]:
    """A file whose texts are one plain page that is not compressed, and the position of that page in the file."""
    same = {"compression": "none", "use_dictionary": False}
    path = Path(written(str(folder), values, pa.string(), same | options))
    chunk = pq.ParquetFile(path).metadata.row_group(0).column(0)
    with path.open("rb") as file:
        pages = pages_of(file.fileno(), chunk)
    assert pages is not None and len(pages) == 1
    return path, pages[0].at


def changed(path: Path, at: int, old: bytes, new: bytes) -> str:
    content = path.read_bytes()
    assert content[at : at + len(old)] == old and len(old) == len(new)
    path.write_bytes(content[:at] + new + content[at + len(old) :])
    return str(path)


def test_the_checksum_of_the_last_page_is_tested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All rows were read before the end of the page, and then the checksum was not looked at."""
    with_all_pages_large(monkeypatch, 1 << 22)
    path, at = one_page(tmp_path, ["one", "two"], write_page_checksum=True)
    two = path.read_bytes().index(b"two", at)
    with pytest.raises(MalformedInput, match="checksum"):
        read_rows(open_source(changed(path, two, b"two", b"six")), ["text"])


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_levels_that_do_not_exist_are_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    """They were taken for nulls."""
    with_all_pages_large(monkeypatch, 1 << 22)
    path, at = one_page(tmp_path, ["one", "two"], data_page_version=version)
    at += 4 if version == "1.0" else 0  # the number of bytes of the levels
    with pytest.raises(MalformedInput):
        read_rows(open_source(changed(path, at, bytes([2 << 1, 1]), bytes([2 << 1, 3]))), ["text"])


def test_values_that_are_missing_in_a_page_are_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They were read as empty texts."""
    with_all_pages_large(monkeypatch, 1 << 22)
    path, at = one_page(tmp_path, ["one", None, "two"])
    nulls = bytes([1 << 1 | 1, 0b101])
    with pytest.raises(MalformedInput):
        read_rows(open_source(changed(path, at + 4, nulls, bytes([1 << 1 | 1, 0b111]))), ["text"])


def test_levels_of_very_old_files_are_left_to_arrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For 48 rows, bits that are packed in the old way have as many bytes as a run of levels and its length."""
    with_all_pages_large(monkeypatch, 1 << 22)
    values: list[str | None] = [f"text {i}" for i in range(48)]
    path, at = one_page(tmp_path, values, write_statistics=False)
    run, packed = struct.pack("<IBB", 2, 48 << 1, 1), b"\xff" * 6
    changed(path, at, run, packed)
    header = path.read_bytes()[:at].rindex(bytes([0x15, 3 << 1, 0x15, 3 << 1]))  # the encodings of both kinds of levels
    source = open_source(changed(path, header, bytes([0x15, 6, 0x15, 6]), bytes([0x15, 8, 0x15, 8])))
    assert [row["text"] for row in read_rows(source, ["text"])] == values


def test_the_last_text_of_a_row_group_is_freed_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It stayed in memory until the garbage collector ran, so several texts of 10 MB exceeded a small budget."""
    with_all_pages_large(monkeypatch, 1 << 16)
    path = written(str(tmp_path), ["a" * 3_000_000, "b" * 3_000_000], pa.string(), {"use_dictionary": False})
    source = open_source(path)
    gc.disable()
    tracemalloc.start()
    try:
        for batch in source.read(["text"]):
            del batch
        assert tracemalloc.get_traced_memory()[0] < 2_000_000
    finally:
        tracemalloc.stop()
        gc.enable()


@pytest.mark.parametrize("room", [0, 5000, 29_999])
def test_a_full_disk_is_not_called_a_damaged_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    """A disk that is almost full accepts a part of what is written, which was not noticed."""

    class Disk(FileIO):
        def write(self, data: Any) -> int:
            left = room - self.tell()
            if not left:
                raise OSError(errno.ENOSPC, "No space left on device")
            return super().write(memoryview(data)[:left])

    def temporary(**options: object) -> Disk:
        return Disk(tmp_path / "temporary", "w+")

    with_all_pages_large(monkeypatch, 1 << 22)
    path = written(str(tmp_path), [letter * 10_000 for letter in "abc"], pa.string(), {"use_dictionary": True})
    monkeypatch.setattr(tempfile, "TemporaryFile", temporary)
    with refused("no-room-for-page", reason=Notice("no-space-left")):
        read_rows(open_source(path), ["text"])
