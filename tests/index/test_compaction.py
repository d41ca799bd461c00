"""Compaction: space is returned, readers go on, and nothing is lost if it fails."""

from __future__ import annotations

import errno
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.corpus import tailed_file
from lookalike.errors import OutputError
from lookalike.flow.progress import Progress
from tests.index.laws import PLAN, texts
from tests.index.test_changes import content, same_as_new
from tests.index.test_queries import index


def words(seed: int, count: int = 120) -> str:
    return " ".join(random.Random(seed).choices([f"w{i}" for i in range(5000)], k=count))


def size(path: Path) -> int:
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


@settings(max_examples=25)
@given(texts(25), st.sets(st.integers(0, 24)), st.sets(st.integers(0, 30)), texts(8))
def test_an_index_answers_the_same_after_it_was_compacted(
    data: list[str], deleted: set[int], later: set[int], more: list[str]
) -> None:
    expected = dict(enumerate(data))
    with index(data) as ix:
        for ids in (deleted, later):
            ix.delete(ids)
            expected = {id: text for id, text in expected.items() if id not in ids}
            ix.compact()
            info = ix.info()
            assert (info["deleted"], info["recent"], info["dead_bytes"]) == (0, 0, 0) and info["segments"] <= 1
            same_as_new(ix, expected)
            if data:
                ids = ix.add(more).ids.to_pylist()
                expected |= zip(ids, more, strict=True)
                same_as_new(ix, expected)


def test_half_of_an_index_takes_half_the_space(tmp_path: Path) -> None:
    data = [words(i) for i in range(4000)]
    kept = {i: text for i, text in enumerate(data) if i % 2}
    with la.Index.create(tmp_path / "fresh.index", **PLAN) as ix:
        ix.add({"id": [*kept], "text": [*kept.values()]}, id="id")
        ix.compact()
    with la.Index.create(tmp_path / "x.index", **PLAN) as ix:
        ix.add(data[:3000])
        for text in data[3000:3400]:
            ix.add([text])
        ix.add(data[3400:])
        ix.delete(range(0, 4000, 2))
        before = ix.info()
        assert before["deleted"] == 2000
        assert before["bytes"] == before["live_bytes"] + before["dead_bytes"]
        assert 0.3 < before["dead_bytes"] / before["bytes"] < 0.8
        ix.compact()
        assert content(ix) == kept
        assert ix.info()["bytes"] <= before["live_bytes"] * 1.1
        assert ix.info()["bytes"] == size(tmp_path / "x.index" / "segments") + ix.store.catalogue.size()  # type: ignore[attr-defined]
        files = {path: path.stat().st_ino for path in (tmp_path / "x.index" / "segments").iterdir()}
        ix.compact()
        assert files == {path: path.stat().st_ino for path in (tmp_path / "x.index" / "segments").iterdir()}
    assert size(tmp_path / "x.index") <= 1.1 * size(tmp_path / "fresh.index")


def test_a_reader_keeps_its_snapshot_through_a_compaction(tmp_path: Path) -> None:
    data = [words(i, 30) for i in range(600)]
    with la.Index.create(tmp_path / "x.index", **PLAN) as ix, la.Index.open(tmp_path / "x.index") as reader:
        ix.add(data)
        batches = reader.to_reader(clusters=False)
        with reader.store.reading():
            rows = reader.store.all_rows()
            ix.delete(range(0, 600, 2))
            ix.compact()
            assert reader.store.texts_of(rows).to_pylist() == data
            assert reader.store.ids_of(rows).to_pylist() == [*range(600)]
        assert batches.read_all()["text"].to_pylist() == data
        assert len(reader) == 300 and content(reader) == {i: data[i] for i in range(1, 600, 2)}
        assert reader.query(data[0]).right.to_pylist() == [] and reader.query(data[1]).right.to_pylist() == [1]
        ix.add(["two new words here"])
        assert reader.cluster_of(600) == [600]
        reader.verify()


def test_a_reader_that_opens_a_segment_just_removed_reads_the_catalogue_again(tmp_path: Path) -> None:
    with la.Index.create(tmp_path / "x.index", **PLAN) as ix, la.Index.open(tmp_path / "x.index") as reader:
        ix.add([words(i, 30) for i in range(300)])
        ix.add([words(i, 30) for i in range(300, 600)])
        names: Any = reader.store.catalogue.segments  # type: ignore[attr-defined]
        calls: list[list[str]] = []

        def segments() -> list[str]:
            found: list[str] = names()
            if not calls:
                ix.compact()
            calls.append(found)
            return found

        with mock.patch.object(reader.store.catalogue, "segments", segments):  # type: ignore[attr-defined]
            assert len(reader) == 600
        assert len(calls) == 2 and calls[0] != calls[1]


def stops_after(count: int, error: BaseException) -> Progress:
    left = [count]

    def progress(*_: object) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise error

    return progress


@pytest.mark.parametrize("count", [0, 3, 10])
def test_an_interrupted_compaction_leaves_the_index_as_it_was(tmp_path: Path, count: int) -> None:
    data = [words(i, 30) for i in range(600)]
    with la.Index.create(tmp_path / "x.index", **PLAN) as ix:
        ix.add(data[:300])
        ix.add(data[300:])
        ix.delete(range(100))
        with pytest.raises(KeyboardInterrupt):
            ix.compact(progress=stops_after(count, KeyboardInterrupt()))
        files = sorted((tmp_path / "x.index" / "segments").iterdir())
        assert len(files) == 3 * ix.info()["segments"]
        same_as_new(ix, {i: data[i] for i in range(100, 600)})
        ix.compact()
        same_as_new(ix, {i: data[i] for i in range(100, 600)})


@pytest.mark.parametrize("allowed", [0, 1, 20])
def test_a_full_disk_is_one_error_and_nothing_is_lost(tmp_path: Path, allowed: int) -> None:
    data, left = [words(i, 30) for i in range(600)], [allowed]
    write = tailed_file.TailedWriter.write

    def writes(self: Any, data: Any) -> int:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(self, data)

    with la.Index.create(tmp_path / "x.index", **PLAN) as ix:
        ix.add(data)
        ix.delete(range(0, 600, 3))
        kept = {i: text for i, text in enumerate(data) if i % 3}
        with mock.patch.object(tailed_file.TailedWriter, "write", writes), pytest.raises(OutputError) as error:
            ix.compact()
        assert error.value.code == "unwritable" and "no space left" in str(error.value)
        assert len([*(tmp_path / "x.index" / "segments").iterdir()]) == 3 and content(ix) == kept
        ix.compact()
        assert content(ix) == kept and ix.info()["deleted"] == 0


DYING = """
import os, sys
import lookalike as la
from lookalike.index import {module}
def dies(*_):
    os._exit(9)
setattr({module}, "{what}", dies)
la.Index.open(sys.argv[1]).compact()
"""


@pytest.mark.parametrize(
    ("module", "what"), [("compacting", "sync_folder"), ("compacting", "remove_segments"), ("settling", "are_similar")]
)
def test_a_compaction_that_is_killed_loses_nothing(tmp_path: Path, module: str, what: str) -> None:
    path = tmp_path / "x.index"
    family = ["a b c d e f g h", *(f"a b c d e f g h {i}" for i in range(40)), *(words(i, 30) for i in range(300))]
    with la.Index.create(path, **PLAN) as ix:
        ix.add(family)
        ix.delete([0, 1, 50])
        ix.add(["one more"])
        before = content(ix)
    script = DYING.format(module=module, what=what)
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True)
    assert done.returncode == 9, done.stderr
    with la.Index.open(path) as ix:
        assert content(ix) == before
        ix.compact()
        same_as_new(ix, before)
        assert len([*(path / "segments").iterdir()]) == 3


def test_an_empty_index_can_be_compacted(tmp_path: Path) -> None:
    with la.Index.create(tmp_path / "x.index", **PLAN) as ix:
        ix.compact()
        ix.add(["one two three"] * 300)
        ix.delete(range(300))
        ix.compact()
        assert len(ix) == 0 and [*(tmp_path / "x.index" / "segments").iterdir()] == []
        assert ix.add(["one two three"]).ids.to_pylist() == [300]
