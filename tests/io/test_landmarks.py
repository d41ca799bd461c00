"""Saved positions find the same rows as reading the files again."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.io.file_source import FileSource
from lookalike.io.formats import line_blocks
from lookalike.io.landmarks import Landmarks
from lookalike.io.open import open_source

from .making import texts, write

COUNTS = (30, 1, 0, 40, 25)
"""The number of rows of each file."""


@pytest.fixture(scope="module", params=["jsonl", "csv", "parquet"])
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("corpus")
    for i, count in enumerate(COUNTS):
        rows = [{"id": j, "text": f"text {j} of file {i}"} for j in range(count)]
        if rows or request.param == "jsonl":
            path = write(folder / f"{i}.{request.param}", rows)
            if request.param == "jsonl":
                path.write_bytes(path.read_bytes() + b'{"text": 5}\n' * 3)
    return folder


def opened(corpus: Path) -> FileSource:
    source = open_source(corpus, on_error="skip")
    assert isinstance(source, FileSource)
    return source


@given(data=st.data())
def test_a_source_that_recalls_reads_on_as_if_it_had_read_before(data: st.DataObject, corpus: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_blocks, "BLOCK", 100)
        whole = texts(opened(corpus))
        before = opened(corpus)
        landmarks, noted = Landmarks(before), []
        at = 0
        for stop in sorted(data.draw(st.lists(st.integers(0, len(whole) + 5), max_size=4), "stops")):
            texts(before, at, stop)
            at = stop
            noted.append(landmarks.learned())
        assert not landmarks.learned(), "nothing is told twice"
        after = opened(corpus)
        recalled = Landmarks(after)
        for learned in noted:
            recalled.recall(learned)
        assert not recalled.learned()
        assert after.malformed == before.malformed
        assert after.total_rows() == before.total_rows()
        start = data.draw(st.integers(0, len(whole)), "start")
        assert texts(after, start) == whole[start:]
        assert after.malformed >= before.malformed
        list(after.read(["text"]))
        list(before.read(["text"]))
        assert (after.malformed, after.warnings) == (before.malformed, before.warnings)


def test_files_before_are_not_read_again(tmp_path: Path) -> None:
    for i in range(3):
        write(tmp_path / f"{i}.jsonl", [{"text": f"text {j} of file {i}"} for j in range(10)])
    before = opened(tmp_path)
    landmarks = Landmarks(before)
    texts(before, 0, 25)
    learned = landmarks.learned()
    after = opened(tmp_path)  # which looks at the first line, to know what texts are
    for i in range(2):
        (tmp_path / f"{i}.jsonl").write_bytes(b"\0")
    Landmarks(after).recall(learned)
    assert texts(after, 20) == [f"text {j} of file 2" for j in range(10)]
