"""The store returns the texts that were added, from memory or file, and reads the rest from the source."""

from __future__ import annotations

import tempfile
import time
import weakref
from collections.abc import Sequence
from contextlib import closing

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.flow import Documents
from lookalike.io.source import Lanes, Piece
from lookalike.testing import Rows
from lookalike.work.text_store import LastTexts, TextStore


class File(Rows):
    """Rows that are expensive to read again."""

    in_memory = cheap_to_reread = False


texts = st.lists(st.text(max_size=20), min_size=1, max_size=40)


class Parquet(File):
    """Rows that are read again, by several threads, rather than stored."""

    cheap_to_reread = True


@given(
    texts,
    st.sampled_from([File, Parquet]),
    st.integers(1, 7),
    st.sampled_from([0, 100, 10_000]),
    st.integers(0, 40),
    st.sampled_from([None, 0, 50]),
    st.data(),
)
def test_any_range_comes_back_from_memory_file_and_source(
    texts: list[str], kind: type[File], batch: int, memory: int, added_from: int, most: int | None, data: st.DataObject
) -> None:
    source = kind(texts, batch_rows=batch)
    start = data.draw(st.integers(0, len(texts)))
    stop = data.draw(st.integers(start, len(texts)))
    with closing(TextStore(source, memory, threads=3)) as store:
        for documents in source.documents(min(added_from, len(texts))):
            store.place(store.keep(documents), documents.start)
        if most is not None:
            store.shrink(most)
            assert store.held <= most
        got = list(store.documents(start, stop))
    assert [text for documents in got for text in documents.to_pylist()] == texts[start:stop]
    assert [d.start for d in got] == [start + sum(map(len, got[:i])) for i in range(len(got))]


def test_slices_and_nulls_survive_the_file() -> None:
    with closing(TextStore(File(["a", "bc", "", "d"]), memory=0)) as store:
        store.place(store.keep(Documents(Documents.from_texts(["x", "bc", None, "d"]).texts[1:])), 1)
        assert [d.to_pylist() for d in store.documents(1, 4)] == [["bc", "", "d"]]


def test_lists_of_tokens_come_from_the_source() -> None:
    source = File([["a"], ["b", "c"]])
    store = TextStore(source, memory=1 << 20)
    for documents in source.documents():
        store.place(store.keep(documents), documents.start)
    assert not store.batches
    assert [d.to_pylist() for d in store.documents(0, 2)] == [[["a"], ["b", "c"]]]


def test_texts_that_a_full_disk_rejects_are_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    source = File(["one", "two", "three"], batch_rows=1)
    store = TextStore(source, memory=0)
    # a real full device in place of the temporary file
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: open("/dev/full", "wb", buffering=0))  # noqa: SIM115, PTH123
    for documents in source.documents():
        store.place(store.keep(documents), documents.start)
    assert not store.batches
    assert [text for d in store.documents(0, 3) for text in d.to_pylist()] == ["one", "two", "three"]


def test_what_is_in_memory_anyway_is_not_kept_twice() -> None:
    store = TextStore(Rows(["one"]), memory=1 << 20)
    assert store.keep(Documents.from_texts(["one"])) is None
    assert not store.batches and [d.to_pylist() for d in store.documents(0, 1)] == [["one"]]


def test_what_is_quick_to_read_again_is_never_written_out() -> None:
    source = Parquet(["one", "two", "three"], batch_rows=1)
    with closing(TextStore(source, memory=20)) as store:
        for documents in source.documents():
            store.place(store.keep(documents), documents.start)
        assert len(store.batches) == 1 and store.file is None
        assert [text for d in store.documents(0, 3) for text in d.to_pylist()] == ["one", "two", "three"]


@given(texts, st.integers(1, 5), st.integers(0, 400), st.integers(1, 4))
def test_texts_may_be_kept_in_any_order(texts: list[str], batch: int, memory: int, threads: int) -> None:
    """Workers keep texts as they read them; only the order in which they are placed follows the rows."""
    source = File(texts, batch_rows=batch)
    documents = list(source.documents())
    with closing(TextStore(source, memory, threads=threads)) as store:
        kept = {some.start: store.keep(some) for some in reversed(documents)}
        for some in documents:
            store.place(kept[some.start], some.start)
        pieces = [piece for lane in store.lanes(0, len(texts)) for piece in lane]
        assert [text for piece in pieces for text in piece.load().to_pylist()] == texts
        assert [text for some in store.documents(0, len(texts)) for text in some.to_pylist()] == texts


def test_texts_are_read_only_a_little_ahead_of_their_use() -> None:
    """Texts that are loaded and wait for their use count, too."""
    loaded: list[int] = []

    class Counted(Parquet):
        def lanes(self, columns: Sequence[str], start: int = 0, stop: int | None = None) -> Lanes:
            pieces = [piece for lane in super().lanes(columns, start, stop) for piece in lane]
            for first in range(0, len(pieces), 10):
                yield map(self._counted, pieces[first : first + 10])

        def _counted(self, piece: Piece[pa.RecordBatch]) -> Piece[pa.RecordBatch]:
            loaded.append(piece.nbytes)
            return piece

    source = Counted(["x" * 1000] * 200, batch_rows=1)
    used = 0
    for documents in TextStore(source, memory=0, threads=4, ahead=3000).documents(0, 200):
        used += len(documents)
        time.sleep(0.0002)  # so that the workers read as far ahead as they may
        assert len(loaded) <= used + 3 + 4  # within the limit when each of four workers took another text
    assert used == len(loaded) == 200


@given(texts, st.sampled_from([File, Parquet]), st.integers(1, 7), st.sampled_from([0, 100, 10_000]), st.data())
def test_the_last_reading_returns_the_same_texts_and_frees_them(
    texts: list[str], kind: type[File], batch: int, memory: int, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(texts)))
    stop = data.draw(st.integers(start, len(texts)))
    with closing(filled(kind(texts, batch_rows=batch), memory)) as store:
        last = LastTexts(store)
        got = [piece.load() for lane in last.lanes(start, stop) for piece in lane]
        assert [text for documents in got for text in documents.to_pylist()] == texts[start:stop]
        assert store.held == 0
        again = [text for documents in last.documents(start, stop) for text in documents.to_pylist()]
        assert again == texts[start:stop]  # now from the source


def test_a_text_is_not_in_memory_after_its_last_use() -> None:
    with closing(filled(File([str(i) for i in range(9)], batch_rows=1), 10_000)) as store:
        kept = [weakref.ref(some) for _, some in store.batches]
        lanes = LastTexts(store).lanes(0, 9)
        for row in range(9):
            for piece in next(iter(lanes)):
                assert piece.load().to_pylist() == [str(row)]
                del piece
            assert all(some() is None for some in kept[:row])


def filled(source: File, memory: int) -> TextStore:
    store = TextStore(source, memory)
    for documents in source.documents(0):
        store.place(store.keep(documents), documents.start)
    return store
