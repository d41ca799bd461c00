"""Text that many documents contain, and counts of some shingles: the kernel agrees with the definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lookalike.engines.reference import definitions
from lookalike.engines.reference.repeated import repeated_runs
from lookalike.flow import Chars, Documents, Shingling, Tokens, Words
from lookalike.flow.sketches import EMPTY, SHORT
from lookalike.kernel import Cpu
from tests.parity import strategies as our

pieces = st.sampled_from(["a ", "b ", "c ", "menu ", "of ", "! ", "é ", "字", "A "])
texts = st.one_of(our.texts, st.lists(pieces, max_size=20).map("".join))


def runs_of(documents: Documents, shingling: Shingling, least: int, threads: int) -> list[tuple[int, ...]]:
    found = Cpu(threads).repeated_runs(documents, shingling, least)
    return list(zip(*(column.tolist() for column in found), strict=True))


@given(st.lists(texts, max_size=6), our.shinglings, st.integers(1, 4), st.sampled_from([1, 2]))
@example(["a b c a b", "x a b y", "a b", "!!!"], Words(2), 2, 1)
@example(["menu a b", "c menu", "d", ""], Words(1), 2, 1)
def test_repeated_runs(rows: list[str], shingling: Shingling, least: int, threads: int) -> None:
    documents = Documents.from_texts(rows)
    assert runs_of(documents, shingling, least, threads) == repeated_runs(rows, shingling, least)


def test_runs_end_with_their_document_and_are_reported_once() -> None:
    rows = ["a b x", "x a b", "b a", "y"]
    assert runs_of(Documents.from_texts(rows), Words(1), 2, 1) == [(0, 0, 3, 2), (1, 0, 3, 2), (2, 0, 2, 3)]
    lists = [["a", "b"], ["a", "b"], []]
    assert runs_of(Documents.from_texts(lists), Tokens(1), 2, 1) == [(0, 0, 2, 2)]
    assert runs_of(Documents.from_texts([]), Words(1), 1, 1) == []


@given(st.lists(texts, max_size=6), our.shinglings, st.sampled_from([1, 2]), st.integers(0, 3))
def test_members_are_counted_as_often_as_they_occur(
    rows: list[str], shingling: Shingling, threads: int, sets: int
) -> None:
    windows = [definitions.windows(row, shingling) for row in rows]
    values = np.array(sorted({value for one in windows for value in one.values}), np.uint64)
    member_of = np.random.default_rng(len(values)).integers(0, 2, (len(values), sets)).astype(np.uint8)
    place = {value: at for at, value in enumerate(values.tolist())}
    counts, sizes, flags = Cpu(threads).members(Documents.from_texts(rows), shingling, values, member_of)
    for row, one in enumerate(windows):
        of_set = member_of[[place[value] for value in one.values]].sum(axis=0)
        assert counts[row].tolist() == of_set.tolist() and sizes[row] == len(one.values)
        assert flags[row] & (EMPTY | SHORT) == EMPTY * (not one.values) | SHORT * one.short


def test_bad_arrays_are_refused() -> None:
    documents = Documents.from_texts(["a b"])
    with pytest.raises(ValueError, match="same rows"):
        Cpu().members(documents, Words(1), np.zeros(2, np.uint64), np.zeros((1, 3), np.uint8))
    with pytest.raises(ValueError, match="least"):
        Cpu().repeated_runs(documents, Chars(3), 0)
