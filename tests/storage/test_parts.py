"""Durable parts: whole or missing, checksummed, and never of another run."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.notices import Notice
from lookalike.storage.parts import DirectoryParts, MemoryParts, Parts
from lookalike.storage.whole_files import temporary_name
from tests.refusals import refused

TABLE = pa.table({"row": [1, 2, 3], "text": ["a", "", "ccc"]})


@pytest.fixture(params=["memory", "directory"])
def parts(request: pytest.FixtureRequest, tmp_path: Path) -> Parts:
    return MemoryParts() if request.param == "memory" else DirectoryParts(tmp_path / "work")


def test_a_part_can_be_read_back_and_a_missing_one_is_none(parts: Parts) -> None:
    parts.begin("key")
    assert parts.get("sign-0") is None
    parts.put("sign-0", TABLE)
    got = parts.get("sign-0")
    assert got is not None and got.equals(TABLE)


def test_parts_outlive_the_object_and_belong_to_one_run(tmp_path: Path) -> None:
    first = DirectoryParts(tmp_path)
    first.begin("one plan")
    first.put("sign-0", TABLE)
    again = DirectoryParts(tmp_path)
    again.begin("one plan")
    assert again.get("sign-0") is not None and again.reused == {"sign-0"}
    with refused("parts-of-another-run", folder=str(tmp_path)):
        DirectoryParts(tmp_path).begin("another plan")


@given(data=st.data())
def test_every_changed_byte_and_every_truncation_is_noticed(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A damaged part is reported and counts as missing, so that its stage computes it again."""
    folder = tmp_path_factory.mktemp("work")
    before = DirectoryParts(folder)
    before.begin("key")
    before.put("sign-0", TABLE)
    file = folder / "sign-0.part"
    content = bytearray(file.read_bytes())
    if data.draw(st.booleans(), "cut"):
        content = content[: data.draw(st.integers(0, len(content) - 1), "length")]
    else:
        content[data.draw(st.integers(0, len(content) - 1), "place")] ^= 1 << data.draw(st.integers(0, 7), "bit")
    file.write_bytes(content)
    parts = DirectoryParts(folder)
    parts.begin("key")
    assert (parts.get if data.draw(st.booleans(), "get") else parts.pick)("sign-0") is None
    assert parts.warnings == [Notice("part-replaced", path=file)]
    parts.put("sign-0", TABLE)
    got = parts.get("sign-0")
    assert got is not None and got.equals(TABLE)


def test_a_part_that_was_damaged_during_the_run_is_an_error(tmp_path: Path) -> None:
    """Nothing would compute it again, and results from its first batches would be wrong."""
    parts = DirectoryParts(tmp_path)
    parts.begin("key")
    parts.put("texts", TABLE)
    file = tmp_path / "texts.part"
    content = bytearray(file.read_bytes())
    content[-21] ^= 1
    file.write_bytes(content)
    with refused("part-damaged-in-use", path=str(file)):
        parts.get("texts")


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = DirectoryParts(tmp_path)
    parts.begin("key")

    def full(file: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with refused("work-folder-unwritable", folder=str(tmp_path), reason=Notice("no-space-left")):
        parts.put("texts", TABLE)
    assert [path.name for path in tmp_path.iterdir()] == ["KEY"]


def test_unfinished_parts_of_a_killed_run_are_removed(tmp_path: Path) -> None:
    temporary_name(tmp_path / "sign-0.part").write_bytes(b"half")
    (tmp_path / ".notes.part").write_bytes(b"not ours")
    DirectoryParts(tmp_path).clean()
    assert [path.name for path in tmp_path.iterdir()] == [".notes.part"]


def test_disk_use_is_counted(tmp_path: Path) -> None:
    parts = DirectoryParts(tmp_path)
    parts.begin("key")
    for name in ("a", "b"):
        parts.put(name, TABLE)
    size = (tmp_path / "a.part").stat().st_size
    assert (parts.disk.written, parts.disk.now, parts.disk.largest) == (2 * size, 2 * size, 2 * size)
    parts.put("a", TABLE)
    assert (parts.disk.written, parts.disk.now, parts.disk.largest) == (3 * size, 2 * size, 3 * size)
    again = DirectoryParts(tmp_path)
    again.begin("key")
    assert (again.disk.written, again.disk.now) == (0, 2 * size)


def test_a_folder_in_place_of_a_part_and_a_foreign_key_are_refused(tmp_path: Path) -> None:
    parts = DirectoryParts(tmp_path)
    parts.begin("key")
    (tmp_path / "sign-0.part").mkdir()
    with refused("unreadable-part", path=str(tmp_path / "sign-0.part")):
        parts.get("sign-0")
    (tmp_path / "KEY").write_bytes(b"\xff\xfe")
    with refused("parts-of-another-run", folder=str(tmp_path)):
        DirectoryParts(tmp_path).begin("key")


@pytest.mark.parametrize("name", ["", "../up", "a/b", "a.b", "ü"])
def test_names_of_parts_stay_in_the_folder(tmp_path: Path, name: str) -> None:
    with refused("invalid-part-name", name=name):
        DirectoryParts(tmp_path).put(name, TABLE)


def test_a_work_folder_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with refused("work-folder-unwritable", reason="not a directory"):
        DirectoryParts(tmp_path / "file" / "work").begin("key")
