"""Tables that may not all fit: got back in pieces, from memory and from files alike, and nothing stays behind."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from lookalike.storage.parts import DirectoryParts, MemoryParts, NoParts, Parts
from lookalike.storage.spill import Spill
from tests.refusals import refused

TABLE = pa.Table.from_batches(
    [pa.record_batch({"row": [1, 2], "key": [3, 4]}), pa.record_batch({"row": [5], "key": [6]})]
)


@pytest.mark.parametrize("allowance", [0, 1 << 20])
@pytest.mark.parametrize("parts", [NoParts, MemoryParts, "directory"])
def test_columns_and_batches_come_back_from_wherever_they_are(
    allowance: int, parts: str | Callable[[], Parts], tmp_path: Path
) -> None:
    kept: Parts = DirectoryParts(tmp_path) if isinstance(parts, str) else parts()
    kept.begin("key")
    spill = Spill(kept, allowance)
    spill.put("a", TABLE)
    spill.put("b", TABLE, hold=False)
    assert spill.full is (allowance == 0) and spill.written >= TABLE.nbytes
    spill.put("other", pa.table({"word": ["x", "yy", "zzz"]}), hold=False)  # of another length
    spill.put("c", TABLE, hold=False)
    for name in ("a", "b", "c"):
        whole, column, batch = spill.get(name), spill.get(name, ["key"]), spill.get(name, batch=1)
        assert whole is not None and column is not None and batch is not None
        assert (
            whole.equals(TABLE) and column.equals(TABLE.select(["key"])) and batch.to_pylist() == [{"row": 5, "key": 6}]
        )
    assert spill.get("d") is None and spill.get("d", ["key"]) is None


def test_one_table_too_many_sends_all_to_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    spill = Spill(NoParts(), TABLE.nbytes)
    spill.put("a", TABLE)
    assert list(spill.held) == ["a"] and not list(tmp_path.iterdir())
    spill.put("b", TABLE)
    assert spill.full and not spill.held
    assert not list(tmp_path.iterdir()), "the file has no name, so that nothing can stay behind"
    spill.drop("a")
    assert spill.get("a") is None and spill.get("b") is not None


def test_short_reads_are_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """No system call returns more than 2 GiB. Larger tables were once truncated, and taken for damaged ones."""
    spill = Spill(NoParts(), 0)
    spill.put("a", TABLE)
    pread = os.pread
    monkeypatch.setattr(os, "pread", lambda file, size, at: pread(file, min(size, 7), at))
    found = spill.get("a")
    assert found is not None and found.equals(TABLE)


def test_a_temporary_folder_that_cannot_be_written_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", "/dev/null/nowhere")
    with refused("no-room-to-spill", folder="/dev/null/nowhere"):
        Spill(NoParts(), 0).put("a", TABLE)
