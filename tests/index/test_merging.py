"""Merging segments: the merged files are those that one writer would have made of the remaining rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.corpus import segment_merge, tailed_file
from lookalike.corpus.segment import RECORD, Segment
from lookalike.corpus.segment_merge import SegmentMerge
from lookalike.corpus.segment_writer import SegmentWriter
from lookalike.corpus.text_blocks import pack_texts
from lookalike.index import merging
from lookalike.index.merging import MERGED, due_merge
from lookalike.kernel import default
from tests.index.laws import PLAN
from tests.index.test_changes import content, same_as_new

BANDS = 3


def write(folder: Path, name: str, rows: np.ndarray, seed: int, span: int, text_ids: bool) -> None:
    """Writes a segment with these rows. Their keys, below `span`, depend on the row and the seed only."""
    records, keys = np.zeros(len(rows), RECORD), np.zeros((len(rows), BANDS), np.uint64)
    for i, row in enumerate(rows.tolist()):
        draw = np.random.default_rng([seed, row])
        keys[i] = draw.integers(0, span, BANDS)
        records[i]["words"] = draw.integers(0, 2**62, 2)
        records[i]["id"] = 0 if text_ids else 1000 - row
        records[i]["flags"] = draw.random() < 0.1
    texts = [f"text {row} " * (row * seed % 40) for row in rows.tolist()]
    ids = pa.array([f"id {row}" for row in rows.tolist()], pa.large_string()) if text_ids else pa.array(1000 - rows)
    writer = SegmentWriter(folder, name, default(1), int(rows[0]), text_ids=text_ids)
    writer.add_texts(pack_texts(pa.array(texts, pa.large_string())))
    writer.add_ids(ids)
    offsets = (rows - rows[0]).astype(np.uint32)
    writer.finish(records, keys, ids, None if offsets[-1] == len(rows) - 1 else offsets)


@settings(max_examples=60)
@given(
    sizes=st.lists(st.integers(1, 800), min_size=1, max_size=5),
    gap=st.integers(0, 2),
    seed=st.integers(0, 100),
    span=st.sampled_from([2, 300, 2**62]),
    share=st.sampled_from([0.0, 0.01, 0.5, 0.95]),
    text_ids=st.booleans(),
    pages=st.integers(1, 4),
)
def test_a_merge_writes_what_one_writer_would(
    sizes: list[int], gap: int, seed: int, span: int, share: float, text_ids: bool, pages: int
) -> None:
    draw = np.random.default_rng(seed)
    with TemporaryDirectory() as name, mock.patch.object(segment_merge, "PAGES", pages):
        folder, segments, dropped, kept, start = Path(name), [], [], [], seed
        for i, size in enumerate(sizes):
            rows = start + np.arange(size) * (1 + (i % 2) * gap)
            write(folder, f"{i:06d}", rows, seed, span, text_ids)
            segments.append(Segment(folder, f"{i:06d}", default(1)))
            gone = draw.random(size) < share
            dropped.append(np.flatnonzero(gone))
            kept.append(rows[~gone])
            start = int(rows[-1]) + 1 + gap
        rows = np.concatenate(kept)
        if not len(rows):
            return
        write(folder, "expected", rows, seed, span, text_ids)
        merge = SegmentMerge(folder, "merged", default(1), segments, dropped)
        assert all(step >= 0 for step in merge.steps())
        for suffix in ("rows", "keys"):
            assert (folder / f"merged.{suffix}").read_bytes() == (folder / f"expected.{suffix}").read_bytes()
        merged, expected = (Segment(folder, name, default(1)) for name in ("merged", "expected"))
        every = np.arange(len(rows))
        assert merged.texts.take(every).equals(expected.texts.take(every))
        assert merged.ids_at(every).equals(expected.ids_at(every))
        assert merged.rows_at(every).tolist() == rows.tolist()
        *_, last = merged.verify()
        assert last > 0


@given(st.lists(st.integers(1, 10**7), max_size=60))
def test_segments_stay_few_and_rows_are_copied_rarely(adds: list[int]) -> None:
    """Adds of any sizes leave fewer segments than `MERGED` per level between two larger ones."""
    sizes: list[int] = []
    copies: list[float] = []
    for add in adds:
        sizes.append(add)
        copies.append(0)
        while (due := due_merge(sizes)) is not None:
            assert len(due) >= MERGED
            merged = sum(sizes[due.start : due.stop])
            most = max(copies[due.start : due.stop]) + 1
            sizes[due.start : due.stop], copies[due.start : due.stop] = [merged], [most]
    levels = [math.floor(math.log(size, MERGED)) for size in sizes]
    for level in set(levels):
        run = 0
        for other in levels:
            run = 0 if other > level else run + (other == level)
            assert run < MERGED
    if sizes:
        assert max(copies) <= math.log(sum(sizes), MERGED) + 1


@contextmanager
def small() -> Iterator[None]:
    """Recent rows are folded when there are a few, and each step is small."""
    with mock.patch.object(merging, "FOLDED", 8), mock.patch.object(merging, "STEP", 256):
        yield


def test_single_adds_fold_and_merge_in_small_steps(tmp_path: Path) -> None:
    with small(), la.Index.create(tmp_path / "x.index", **PLAN) as ix:
        ix.add(["the first text"])
        store: Any = ix.store
        unfinished, most = 0, 0
        for i in range(400):
            ix.add([f"text number {i} of many", f"another one {i % 7}"][i % 2 : i % 2 + 1])
            named = {segment.name for segment in store.segments}
            unfinished += len({path.stem for path in store.segment_folder.iterdir()} - named) > 0
            most = max(most, len(store.segments))
        assert unfinished > 60 and len(store.recent) < 32 and most < 24
        assert len(content(ix)) == 401
        ix.verify()
        assert len(store.catalogue.recent()) < 100
    with la.Index.open(tmp_path / "x.index") as ix:
        assert len(content(ix)) == 401
        store = ix.store
        named = {segment.name for segment in store.segments}
        assert {path.stem for path in store.segment_folder.iterdir()} == named


def test_work_that_is_overdue_is_done_at_once(tmp_path: Path) -> None:
    """Processes that add a few rows each never finish a job in small steps."""
    path = tmp_path / "x.index"
    with small():
        with la.Index.create(path, **PLAN) as ix:
            ix.add(["the first text"])
        for i in range(100):
            with la.Index.open(path) as ix:
                ix.add([f"text number {i}", "a copy"])
        with la.Index.open(path) as ix:
            info = ix.info()
            assert info["recent"] <= 8 * merging.OVERDUE and info["segments"] < 40 and len(ix) == 201


def test_an_add_succeeds_even_if_merging_fails(tmp_path: Path) -> None:
    """The rows are durable before; the index folds them later."""

    def fails(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with small(), la.Index.create(tmp_path / "x.index", **PLAN) as ix:
        ix.add(["the first text"])
        store: Any = ix.store
        with mock.patch.object(tailed_file.TailedWriter, "finish", fails):
            for i in range(30):
                ix.add([f"text number {i}"])
        assert len(ix) == 31 and "space" in store._upkeep.postponed
        assert {path.stem for path in store.segment_folder.iterdir()} == {one.name for one in store.segments}
        for i in range(30):
            ix.add([f"text number {i}"])
        assert store._upkeep.postponed is None and len(store.recent) < 20
        assert len(content(ix)) == 61


@pytest.mark.parametrize("kept", [0, 1, 2])
def test_adds_and_deletes_go_on_while_rows_are_folded(tmp_path: Path, kept: int) -> None:
    with small(), la.Index.create(tmp_path / "x.index", **PLAN) as ix:
        ix.add(["the first text"])
        expected = {0: "the first text"}
        for i in range(1, 200):
            expected[i] = f"text number {i} of {i % 9} kinds"
            ix.add([expected[i]])
            if i % 3 > kept % 3:
                ix.delete([i - 1])
                expected.pop(i - 1, None)
        same_as_new(ix, expected)
