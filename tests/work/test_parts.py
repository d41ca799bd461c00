"""Durable parts: whole or absent, checked, and never those of another run."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from lookalike.errors import MalformedInput, OutputError, PlanMismatch
from lookalike.work import DirectoryParts, MemoryParts, Parts

TABLE = pa.table({"row": [1, 2, 3]})


@pytest.fixture(params=["memory", "directory"])
def parts(request: pytest.FixtureRequest, tmp_path: Path) -> Parts:
    return MemoryParts() if request.param == "memory" else DirectoryParts(tmp_path / "work")


def test_what_was_put_is_got_and_what_was_not_is_none(parts: Parts) -> None:
    parts.begin("key")
    assert parts.get("sign-0") is None
    parts.put("sign-0", TABLE)
    got = parts.get("sign-0")
    assert got is not None and got.equals(TABLE)


def test_parts_outlive_the_object_and_are_refused_to_another_run(tmp_path: Path) -> None:
    first = DirectoryParts(tmp_path)
    first.begin("one plan")
    first.put("sign-0", TABLE)
    again = DirectoryParts(tmp_path)
    again.begin("one plan")
    assert again.get("sign-0") is not None
    with pytest.raises(PlanMismatch, match="another run"):
        DirectoryParts(tmp_path).begin("another plan")


@pytest.mark.parametrize("damage", [b"", b"short", None])
def test_a_damaged_part_is_noticed(tmp_path: Path, damage: bytes | None) -> None:
    parts = DirectoryParts(tmp_path)
    parts.begin("key")
    parts.put("sign-0", TABLE)
    file = tmp_path / "sign-0.arrow"
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(bytes(data) if damage is None else damage)
    with pytest.raises(MalformedInput, match="damaged"):
        parts.get("sign-0")


def test_what_is_no_part_or_key_is_said_to_be_none(tmp_path: Path) -> None:
    parts = DirectoryParts(tmp_path)
    parts.begin("key")
    (tmp_path / "sign-0.arrow").mkdir()
    with pytest.raises(MalformedInput, match="cannot be read"):
        parts.get("sign-0")
    (tmp_path / "KEY").write_bytes(b"\xff\xfe")
    with pytest.raises(PlanMismatch, match="another run"):
        DirectoryParts(tmp_path).begin("key")


def test_a_work_folder_that_cannot_be_is_an_output_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be written"):
        DirectoryParts(tmp_path / "file" / "work").begin("key")
