"""The kernel cuts texts exactly as the definitions do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lookalike.engines.reference import definitions
from lookalike.families.amplify import Banded
from lookalike.flow import Chars, Documents, Shingles, Shingling, Tokens, Words
from lookalike.kernel import Cpu
from lookalike.text import definitions as text_definitions
from lookalike.text import rules
from lookalike.text.unicode.tables import load
from tests.parity import strategies as our

EVERY = [cp for cp in range(0x110000) if not 0xD800 <= cp < 0xE000]
ASSIGNED = [cp for cp in EVERY if cp < 0x32400 or 0xE0000 <= cp < 0xE1000 or cp % 4096 < 3]
"""All planes that contain characters, and a few code points of the others."""


def chunks(cps: list[int], size: int = 4096) -> list[list[int]]:
    return [cps[i : i + size] for i in range(0, len(cps), size)]


def same_shingles(kernels: Shingles, ours: Shingles) -> None:
    assert kernels.offsets.dtype == np.int64
    assert kernels.values.dtype == np.uint64
    assert kernels.start == ours.start
    np.testing.assert_array_equal(kernels.offsets, ours.offsets)
    np.testing.assert_array_equal(kernels.values, ours.values)


@given(st.integers(0, 2**64 - 1))
def test_mix(x: int) -> None:
    assert rules.mix(x) == text_definitions.mix(x)


@given(st.binary(max_size=100))
@example(b"")
@example(b"\0" * 16)
@example(b"x" * 17)
def test_hash_bytes(data: bytes) -> None:
    assert rules.hash_bytes(data) == text_definitions.hash_bytes(data)


def test_normalising_every_code_point() -> None:
    """Line ends between the code points keep them from combining."""
    for cps in chunks(EVERY):
        text = "\n".join(map(chr, cps))
        assert rules.normalize(text, Words(1)) == text_definitions.normalize(text, Words(1))


@pytest.mark.parametrize(
    "changed", [{"case": "keep"}, {"normalize": "none"}, {"case": "keep", "normalize": "none"}], ids=str
)
def test_normalising_every_code_point_that_a_table_names(changed: dict[str, str]) -> None:
    tables = load()
    named = sorted({*tables.nfkd, *tables.nfkc_casefold, *tables.case_folding, *tables.combining_class})
    shingling = Words(1, **changed)  # type: ignore[arg-type]
    for cps in chunks(named):
        text = "\n".join(map(chr, cps))
        assert rules.normalize(text, shingling) == text_definitions.normalize(text, shingling)


def test_every_pair_that_composes() -> None:
    """Each pair is tested alone, with a mark in between, and twice in a row."""
    for first, second in load().composites:
        for text in (
            f"{chr(first)}{chr(second)}",
            f"{chr(first)}\u0323{chr(second)}",
            f"{chr(first)}{chr(second)}" * 2,
        ):
            assert rules.normalize(text, Words(1)) == text_definitions.normalize(text, Words(1))


def test_the_word_class_of_every_code_point() -> None:
    """Each code point is tested between two letters, where every class gives different words."""
    plain = Words(1, case="keep", normalize="none")
    for cps in chunks(ASSIGNED):
        text = " ".join(f"a{chr(cp)}b" for cp in cps)
        starts, ends, hashes = rules.token_spans(text, plain)
        ours = text_definitions.token_spans(text, plain)
        assert (starts.tolist(), ends.tolist(), hashes.tolist()) == ours


@given(our.texts, our.shinglings)
def test_normalize(text: str, shingling: Shingling) -> None:
    assert rules.normalize(text, shingling) == text_definitions.normalize(text, shingling)


@given(our.texts, our.shinglings)
def test_token_spans(text: str, shingling: Shingling) -> None:
    starts, ends, hashes = rules.token_spans(text, shingling)
    assert [array.dtype.name for array in (starts, ends, hashes)] == ["int64", "int64", "uint64"]
    assert (starts.tolist(), ends.tolist(), hashes.tolist()) == text_definitions.token_spans(text, shingling)


@given(st.lists(our.texts, max_size=6), our.shinglings, st.sampled_from([1, 2, 3]))
@example(["", " ", "!!!", "a"], Chars(3, whitespace="keep"), 1)
def test_shingle(texts: list[str], shingling: Shingling, threads: int) -> None:
    documents = Documents.from_texts(texts, start=5)
    same_shingles(Cpu(threads).shingle(documents, shingling), definitions.shingle(documents, shingling))


@given(st.lists(our.texts, min_size=1, max_size=6), our.shinglings, st.data())
def test_ignored_shingles_are_in_no_set(texts: list[str], shingling: Shingling, data: st.DataObject) -> None:
    """If all shingles of a text are ignored, the text becomes one shingle, which no other text has."""
    documents = Documents.from_texts(texts)
    once = definitions.shingle(documents, replace(shingling, bag=False))
    some = data.draw(st.sets(st.sampled_from(sorted({*once.values.tolist()}))) if len(once.values) else st.just(set()))
    ignored = np.array(sorted({*some, *data.draw(st.sampled_from([(), (0,), (7, 2**64 - 1)]))}), "<u8").tobytes()
    without = replace(shingling, ignored=ignored)
    found = Cpu().shingle(documents, without)
    same_shingles(found, definitions.shingle(documents, without))
    assert not np.isin(found.values, np.frombuffer(ignored, "<u8")).any()
    assert ((found.sizes > 0) == (once.sizes > 0)).all()
    options: dict[str, Any] = {"sketch": "fast", "hashes": 12, "seed": 3, "banding": Banded(3, 4)}
    with_all, with_some = (Cpu().sketch(documents, rules, **options) for rules in (shingling, without))
    np.testing.assert_array_equal(with_all.words, with_some.words)
    np.testing.assert_array_equal(with_all.flags, with_some.flags)
    slots = definitions.sign(found, sketch="fast", hashes=12, seed=3)
    np.testing.assert_array_equal(with_some.keys, definitions.band_keys(slots, 3, 4))


@given(st.lists(our.token_lists, min_size=1, max_size=6), our.tokens)
def test_shingle_of_token_lists(lists: list[list[str | None]], shingling: Shingling) -> None:
    documents = Documents.from_texts(lists)
    same_shingles(Cpu().shingle(documents, shingling), definitions.shingle(documents, shingling))


@given(st.lists(our.texts, min_size=1, max_size=8), st.data())
def test_shingle_of_a_slice_of_an_array(texts: list[str], data: st.DataObject) -> None:
    """Arrow arrays may begin in the middle of their buffers."""
    start = data.draw(st.integers(0, len(texts)))
    stop = data.draw(st.integers(start, len(texts)))
    whole = Documents.from_texts(texts)
    part = Documents(whole.texts.slice(start, stop - start), start)
    same_shingles(Cpu().shingle(part, Words(2)), definitions.shingle(part, Words(2)))
    lists = Documents.from_texts([text.split() for text in texts])
    part = Documents(lists.texts.slice(start, stop - start), start)
    same_shingles(Cpu().shingle(part, Tokens(2)), definitions.shingle(part, Tokens(2)))


def test_shingle_of_long_texts() -> None:
    """The texts are longer than any buffer on the stack, and some windows are longer than most texts."""
    text = " ".join(f"word{i % 997} 字{i}" for i in range(1500))
    documents = Documents.from_texts([text, text.upper(), text[:100]])
    for shingling in (Words(5), Chars(9), Chars(150), Tokens(3, bag=True), Words(1, bag=True)):
        same_shingles(Cpu(2).shingle(documents, shingling), definitions.shingle(documents, shingling))
