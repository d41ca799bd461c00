"""Texts in compressed blocks: any positions, in any order, read by one thread or several."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.corpus import text_blocks, written_texts
from lookalike.corpus.text_blocks import BlockCache, TextBlocks, TextBlocksWriter, pack_texts
from lookalike.corpus.written_texts import WrittenTexts
from lookalike.errors import MalformedInput

TEXTS = [f"text {n} " * (n % 7) for n in range(400)]


def written(folder: Path, texts: list[str]) -> Path:
    with mock.patch.object(text_blocks, "BLOCK", 200):
        writer = TextBlocksWriter(folder / "some.texts")
        writer.add(pack_texts(pa.array(texts, pa.large_string())))
        writer.finish()
    return folder / "some.texts"


@settings(max_examples=60)
@given(st.lists(st.integers(0, len(TEXTS) - 1)), st.integers(1, 3), st.integers(1, 4))
def test_any_positions_give_their_texts(positions: list[int], threads: int, runs: int) -> None:
    with TemporaryDirectory() as folder, mock.patch.object(text_blocks, "RUNS", runs):
        blocks = TextBlocks(written(Path(folder), TEXTS))
        assert len(blocks.table) > 20
        found = blocks.take(np.array(positions, np.int64), threads)
        assert found.to_pylist() == [TEXTS[position] for position in positions]
        blocks.close()


def test_files_with_one_cache_keep_to_its_size_and_are_not_mixed_up(tmp_path: Path) -> None:
    """A file that is written again after a failure may have the name of one that was read before."""
    cache, every = BlockCache(), np.arange(len(TEXTS))
    with mock.patch.object(text_blocks, "CACHED", 2000):
        for change in ("", "!", "?"):
            texts = [text + change for text in TEXTS]
            path = written(tmp_path, texts)
            blocks = TextBlocks(path, cache)
            assert blocks.take(every, 2).to_pylist() == texts
            assert cache._size <= 2000 and cache._size == sum(raw.size for _, raw in cache._blocks.values())
            blocks.close()
            path.unlink()


@settings(max_examples=60)
@given(st.sets(st.integers(0, len(TEXTS) - 1)), st.integers(1, 3), st.sampled_from([1, 500, 10**6]))
def test_texts_are_read_while_their_file_is_written(wanted: set[int], threads: int, at_once: int) -> None:
    positions = np.array(sorted(wanted), np.int64)
    with TemporaryDirectory() as folder, mock.patch.object(text_blocks, "BLOCK", 200):
        writer = TextBlocksWriter(Path(folder) / "some.texts")
        for start in range(0, len(TEXTS), 150):
            writer.add(pack_texts(pa.array(TEXTS[start : start + 150], pa.large_string())))
        table = writer.table()
        assert len(table) > 20
        with mock.patch.object(written_texts, "AT_ONCE", at_once):
            texts = WrittenTexts(writer.file.path, table, writer.count, positions, threads)
            found = dict[int, str]()
            for documents in texts.documents(0, len(TEXTS)):
                assert len(documents) <= len(TEXTS) // 10 or at_once == 10**6
                found |= dict(enumerate(documents.to_pylist(), documents.start))
        assert wanted <= found.keys() and all(text == TEXTS[position] for position, text in found.items())
        writer.file.close()


def test_a_block_that_is_damaged_while_its_file_is_written_is_named(tmp_path: Path) -> None:
    writer = TextBlocksWriter(tmp_path / "some.texts")
    writer.add(pack_texts(pa.array(TEXTS, pa.large_string())))
    table = writer.table()
    table["crc"] += 1
    texts = WrittenTexts(writer.file.path, table, writer.count, np.arange(3), 1)
    with pytest.raises(MalformedInput) as error:
        list(texts.documents(0, 3))
    assert error.value.code == "damaged-segment"
    writer.file.close()
