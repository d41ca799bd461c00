"""Texts as parts: any range of added texts can be read back, and the input of a finished part is not read again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.engines.stages import signed_parts
from lookalike.flow import Documents
from lookalike.storage.parts import MemoryParts
from lookalike.testing import Rows
from lookalike.work.text_parts import TextParts
from tests.corpora import corpus

texts = st.lists(st.text(max_size=5), max_size=40)


@given(texts, st.lists(st.integers(1, 9), min_size=1), st.integers(1, 16), st.integers(0, 45), st.integers(0, 45))
def test_any_range_of_rows_comes_back(rows: list[str], sizes: list[int], whole: int, start: int, stop: int) -> None:
    kept, at = TextParts(MemoryParts(), Rows(rows), whole), 0
    for size in sizes * len(rows):
        kept.place(kept.keep(Documents.from_texts(rows[at : at + size])), at)
        at += size
    kept.finish()
    got = [(some.start + i, text) for some in kept.documents(start, stop) for i, text in enumerate(some.to_pylist())]
    assert got == list(enumerate(rows))[start : max(start, min(stop, len(rows)))]
    assert all(first // whole == (low // whole) for low, firsts in kept.starts.items() for first in firsts)


def test_lists_of_tokens_are_kept_too() -> None:
    lists: list[list[str | None]] = [["a", None], [], ["b"]]
    kept = TextParts(MemoryParts(), Rows(lists), 2)
    kept.place(kept.keep(Documents.from_texts(lists)), 0)
    kept.finish()
    assert [text for some in kept.documents(1, 3) for text in some.to_pylist()] == [[], ["b"]]


def test_a_run_with_all_parts_does_not_read_its_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signed_parts, "PART_ROWS", 64)
    path = tmp_path / "c.parquet"
    pq.write_table(pa.table({"text": corpus(200)}), path)
    options: dict[str, Any] = {"threshold": 0.7, "shingles": "words:3"}
    with la.Work(tmp_path / "work", keep=True) as work:
        whole = la.find_pairs(path, work=work, **options)
    for part in (tmp_path / "work").glob("result*"):
        part.unlink()  # with that there would be nothing to do

    def gone(*_: object) -> None:
        raise AssertionError("the input was read")

    monkeypatch.setattr("lookalike.io.formats.parquet.ParquetScan._batches", gone)
    again = la.find_pairs(path, work=tmp_path / "work", resume=True, **options)
    assert again.to_arrow().equals(whole.to_arrow())
