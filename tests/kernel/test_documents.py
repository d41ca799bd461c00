"""The kernel accepts documents in Arrow's layouts; sketches agree with sets, signatures and band keys."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.families.amplify import Banded
from lookalike.flow import Auto, Chars, Documents, Shingles, Shingling, Stopwords, Tokens, Words
from lookalike.flow.documents import TOKENS
from lookalike.flow.sketches import EMPTY, FALLBACK, SHORT
from lookalike.kernel import Cpu
from tests.parity import strategies as our
from tests.refusals import refused

texts = st.lists(st.text(st.sampled_from("aAbé字กit e\u0301\t\n!ﬁ"), max_size=40) | st.text(max_size=20), max_size=40)


def same(a: Shingles, b: Shingles) -> bool:
    return np.array_equal(a.offsets, b.offsets) and np.array_equal(a.values, b.values) and a.start == b.start


@given(texts, our.shinglings, st.sampled_from(["fast", "classic"]), st.integers(0, 2**64 - 1))
def test_sketch_is_shingle_then_sign_then_band_keys(
    rows: list[str], shingling: Shingling, sketch: str, seed: int
) -> None:
    documents = Documents.from_texts(rows)
    sketches = Cpu().sketch(documents, shingling, sketch=sketch, hashes=20, seed=seed, banding=Banded(4, 5))
    shingles = Cpu().shingle(documents, shingling)
    signatures = Cpu().sign(shingles, sketch=sketch, hashes=20, seed=seed)
    np.testing.assert_array_equal(sketches.keys, Cpu().band_keys(signatures, 4, 5))
    np.testing.assert_array_equal((sketches.flags & EMPTY) > 0, shingles.sizes == 0)
    assert sketches.words.shape == sketches.bytes.shape == (len(rows), 2) and sketches.words.dtype == np.uint64
    assert sketches.keys.shape == (len(rows), 4) and sketches.flags.shape == (len(rows),)
    assert sketches.lengths.tolist() == list(map(len, rows))
    assert sketches.sizes.tolist() == [len(text.encode()) for text in rows]


def test_the_length_of_a_list_is_its_number_of_tokens() -> None:
    rows: list[list[str | None]] = [["left", "out"], ["a", None, "字"], [], ["b"]]
    documents = Documents(Documents.from_texts(rows).texts[1:])
    sketches = Cpu().sketch(documents, Tokens(1), sketch="fast", hashes=8, seed=0, banding=Banded(2, 4))
    assert sketches.lengths.tolist() == [3, 0, 1] and sketches.sizes.tolist() == [4, 0, 1]


@given(texts, our.shinglings)
def test_sets_are_ascending_and_distinct(rows: list[str], shingling: Shingling) -> None:
    for values in Cpu().shingle(Documents.from_texts(rows), shingling):
        assert (values[:-1] < values[1:]).all()


@given(texts, our.shinglings, st.integers(2, 5))
def test_threads_and_batches_change_nothing(rows: list[str], shingling: Shingling, threads: int) -> None:
    documents = Documents.from_texts(rows * 3)
    whole = Cpu().shingle(documents, shingling)
    assert same(whole, Cpu(threads).shingle(documents, shingling))
    rules: dict[str, Any] = {"sketch": "fast", "hashes": 8, "seed": 1, "banding": Banded(2, 4)}
    one, many = (kernel.sketch(documents, shingling, **rules) for kernel in (Cpu(), Cpu(threads)))
    for field in dataclasses.fields(one):
        np.testing.assert_array_equal(getattr(one, field.name), getattr(many, field.name))
    half = len(rows) // 2
    part = Cpu().shingle(Documents(documents.texts.slice(half), start=half), shingling)  # an Arrow slice has an offset
    assert part.start == half
    np.testing.assert_array_equal(part.values, whole.values[whole.offsets[half] :])


def test_the_sets_of_large_documents_are_sorted_too() -> None:
    rng = np.random.default_rng(0)
    rows = [" ".join(map(str, rng.integers(0, limit, 50_000))) for limit in (3, 1000, 10**9)]
    for text, values in zip(rows, Cpu().shingle(Documents.from_texts(rows), Tokens(1)), strict=True):
        assert len(values) == len(set(text.split())) and (values[:-1] < values[1:]).all()


def test_null_tokens_are_excluded_in_slices_too() -> None:
    rows = [["a", None, "b"], [], [None], ["a", "b"], ["b", "", "a", None]]
    tokens = pa.array(rows, TOKENS)
    shingles = Cpu().shingle(Documents(tokens), Tokens(1))
    assert shingles.sizes.tolist() == [2, 0, 0, 2, 3]
    assert shingles[0].tolist() == shingles[3].tolist()
    nested = pa.LargeListArray.from_arrays(
        pa.array([0, 2, 3]), pa.array(["x", "a", None, "b"], pa.large_string()).slice(1)
    )
    assert same(
        Cpu().shingle(Documents(nested.slice(1)), Tokens(1)), Cpu().shingle(Documents.from_texts([["b"]]), Tokens(1))
    )
    for start in range(len(rows) + 1):
        part = Cpu().shingle(Documents(tokens.slice(start)), Tokens(1))
        np.testing.assert_array_equal(part.values, shingles.values[shingles.offsets[start] :])


def test_flags_mark_empty_and_short_texts_and_texts_without_stop_words() -> None:
    def flags(text: str, shingling: Shingling) -> int:
        documents = Documents.from_texts([text])
        return int(Cpu().sketch(documents, shingling, sketch="fast", hashes=1, seed=0, banding=Banded(1, 1)).flags[0])

    assert flags("", Words(2)) == flags(" \t\u2003", Words(2)) == flags("  ", Chars(2, whitespace="keep")) == EMPTY
    assert flags("\u00ad", Words(2)) == EMPTY  # normalising removes a soft hyphen
    assert flags("one", Words(2)) == flags("!!!", Words(2)) == flags("!", Chars(2)) == SHORT
    assert flags("one two", Words(2)) == 0
    assert flags("the cat sat", Stopwords()) == 0
    assert flags("cats eat mice", Stopwords()) == flags("mice the cat", Stopwords()) == FALLBACK
    assert flags("the cat", Stopwords()) == FALLBACK | SHORT
    assert flags("!!!", Stopwords()) == SHORT


def test_stopwords_are_normalised_like_the_text() -> None:
    documents = Documents.from_texts(["THE Straße ﬁn"])
    upper, lower = Stopwords(words=("The",)), Stopwords(words=("the",))
    assert same(Cpu().shingle(documents, upper), Cpu().shingle(documents, lower))
    kept = Cpu().shingle(documents, Stopwords(words=("The",), case="keep"))
    assert same(kept, Cpu().shingle(documents, Words(3, case="keep")))  # no stop word: falls back


@pytest.mark.parametrize("documents", [Documents.from_texts([]), Documents(pa.array([], TOKENS))])
def test_no_documents_give_empty_tables(documents: Documents) -> None:
    shingles = Cpu(4).shingle(documents, Tokens(1))
    assert shingles.offsets.tolist() == [0] and len(shingles.values) == 0
    sketches = Cpu(4).sketch(documents, Tokens(1), sketch="fast", hashes=8, seed=0, banding=Banded(2, 4))
    assert (
        sketches.keys.shape == (0, 2)
        and sketches.words.shape == sketches.bytes.shape == (0, 2)
        and sketches.flags.shape == (0,)
    )
    assert Cpu().sign(shingles, sketch="classic", hashes=8, seed=0).shape == (0, 8)


def test_shinglings_that_do_not_fit_are_refused() -> None:
    with refused("shingles-not-resolved"):
        Cpu().shingle(Documents.from_texts(["a"]), Auto())
    with refused("tokens-not-cut"):
        Cpu().shingle(Documents.from_texts([["a"]]), Words(2))
