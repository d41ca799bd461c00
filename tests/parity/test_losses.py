"""What is lost with a removed document: the kernel agrees with the definition, and the definition with examples."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lookalike.engines.reference import definitions
from lookalike.engines.reference.losses import lost
from lookalike.flow import Chars, Documents, Shingling, Stopwords, Tokens, Words
from lookalike.kernel import Cpu
from tests.parity import strategies as our

pieces = st.sampled_from(["a ", "b ", "the ", "ab", "! ", "é ", "e\u0301\u0323", "字", " \t", "ﬁ ", "of ", "A "])
texts = st.one_of(our.texts, st.lists(pieces, max_size=14).map("".join))


def found(rows: list[str] | list[list[str | None]], shingling: Shingling, threads: int) -> None:
    """Compares every pair of rows."""
    removed, kept = (places.ravel() for places in np.indices((len(rows), len(rows))))
    identical, missing = Cpu(threads).losses(Documents.from_texts(rows), shingling, removed, kept)
    for nth, (i, j) in enumerate(zip(removed.tolist(), kept.tolist(), strict=True)):
        assert identical[nth] == (rows[i] == rows[j])
        assert missing[nth] == lost(rows[i], rows[j], shingling)
        if definitions.hash_words(rows[i], shingling) == definitions.hash_words(rows[j], shingling):
            assert missing[nth] == 0


@given(st.lists(texts, min_size=1, max_size=4), our.shinglings, st.sampled_from([1, 2]))
@example(["", " ", "!!!", "a", "! !"], Chars(3, whitespace="keep"), 1)
@example(["the a b", "a b the", "of the and the of"], Stopwords(), 1)
def test_texts(rows: list[str], shingling: Shingling, threads: int) -> None:
    found(rows, shingling, threads)


@given(st.lists(st.lists(st.sampled_from(["a", "b", "", None]), max_size=5), min_size=1, max_size=4))
def test_lists(rows: list[list[str | None]]) -> None:
    found(rows, Tokens(2), 1)


@given(st.lists(texts, min_size=1, max_size=4), our.shinglings, st.data())
def test_ignored_shingles_are_not_lost(rows: list[str], shingling: Shingling, data: st.DataObject) -> None:
    once = definitions.shingle(Documents.from_texts(rows), replace(shingling, bag=False))
    some = data.draw(st.sets(st.sampled_from(sorted({*once.values.tolist()}))) if len(once.values) else st.just(set()))
    found(rows, replace(shingling, ignored=np.array(sorted(some), "<u8").tobytes()), 1)


@pytest.mark.parametrize(
    ("removed", "kept", "shingling", "expected"),
    [
        ("one two three", "One, two, three!", Words(2), 0),
        ("one two three", "one two", Words(2), len("two three")),
        ("one two three four", "one two x three four", Words(2), len("two three")),
        ("one two three four", "x", Words(2), len("one two three four")),
        ("abcdef", "abcdxf", Chars(2), len("def")),
        ("GPLv3+", "GPLv3", Words(5), 0),
        ("GPLv3+", "GPLv3", Chars(2), len("3+")),
        ("", "a", Words(1), 0),
    ],
)
def test_examples(removed: str, kept: str, shingling: Shingling, expected: int) -> None:
    assert lost(removed, kept, shingling) == expected
    found([removed, kept], shingling, 1)
