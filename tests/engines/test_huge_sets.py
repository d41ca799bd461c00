"""Huge texts are signed block by block, and sets that do not fit into memory are compared part by part."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.engines.local.engine import Local
from lookalike.engines.stages.huge_sets import parts_needed
from lookalike.engines.stages.memory import SHINGLE, Allowance
from lookalike.families.amplify import Banded
from lookalike.flow import Chars, Documents, Shingling, Words
from lookalike.io.open import open_source
from lookalike.kernel import Cpu

HUGE = 1 << 20
"""Texts with more bytes are cut in blocks."""


@pytest.mark.parametrize(
    "shingling", [Words(5), Words(1, bag=True), Words(300, bits=32), Chars(9), Chars(2, whitespace="keep")], ids=str
)
@pytest.mark.parametrize("letters", ["ab ", "aé語\u0301 \n"])
def test_a_huge_text_has_the_same_set_in_blocks_and_in_parts(shingling: Shingling, letters: str) -> None:
    text = "".join(np.random.default_rng(1).choice(list(letters), HUGE // 3)) * 4
    documents = Documents.from_texts([text, "short"])
    whole = Cpu(2).shingle(documents, shingling)
    parts = [Cpu(2).shingle_part(documents, shingling, part, 3) for part in range(3)]
    for row in range(2):
        sets = [one.values[one.offsets[row] : one.offsets[row + 1]] for one in (whole, *parts)]
        np.testing.assert_array_equal(np.sort(np.concatenate(sets[1:])), sets[0])
    sketches = Cpu(2).sketch(documents, shingling, sketch="fast", hashes=64, seed=3, banding=Banded(8, 8))
    signatures = Cpu(2).sign(whole, sketch="fast", hashes=64, seed=3)
    np.testing.assert_array_equal(sketches.keys, Cpu(2).band_keys(signatures, 8, 8))


@pytest.mark.parametrize("shingling", [Words(5), Chars(9), Chars(9, whitespace="keep")], ids=str)
@pytest.mark.parametrize("text", [" ", "! ", "x"])
def test_a_huge_text_of_one_word_or_none_has_the_flags_of_a_shorter_one(shingling: Shingling, text: str) -> None:
    short, huge = (Documents.from_texts([text * (size // len(text))]) for size in (HUGE // 2, 2 * HUGE))
    how: dict[str, Any] = {"sketch": "fast", "hashes": 8, "seed": 0, "banding": Banded(2, 4)}
    assert Cpu().sketch(short, shingling, **how).flags == Cpu().sketch(huge, shingling, **how).flags


def test_ignored_shingles_are_left_out_of_huge_texts() -> None:
    """If all are ignored, the text becomes one shingle, as a short text does."""
    common = Cpu().shingle(Documents.from_texts(["word " * 9, "other " * 9]), Words(5)).values
    documents = Documents.from_texts(["word " * HUGE, "other " * HUGE, "word " * HUGE + "x y z"])
    shingling = Words(5, ignored=np.sort(common).tobytes())
    whole = Cpu().shingle(documents, shingling)
    assert whole.sizes.tolist() == [1, 1, 3]
    signatures = Cpu().sign(whole, sketch="fast", hashes=8, seed=0)
    sketches = Cpu().sketch(documents, shingling, sketch="fast", hashes=8, seed=0, banding=Banded(2, 4))
    np.testing.assert_array_equal(sketches.keys, Cpu().band_keys(signatures, 2, 4))


@given(st.integers(0, 10_000), st.integers(0, 100_000))
def test_parts_fit_and_are_not_more_than_the_elements(elements: int, tables: int) -> None:
    """Regression: if no memory was left, there were eight parts for each element."""
    parts = parts_needed(elements, tables)
    assert 1 <= parts <= max(1, elements)
    assert elements * SHINGLE <= parts * max(SHINGLE, tables // 2)


@pytest.mark.parametrize("most", [1 << 30, 500, 100, 1])
def test_similarity_does_not_depend_on_the_memory(most: int) -> None:
    """Pairs that do not fit together are measured in groups, and pairs that do not fit singly in parts."""
    draw = np.random.default_rng(2)
    texts = [" ".join(map(str, draw.integers(0, 400, 300))) for _ in range(6)]
    texts += [text + " changed" for text in texts]
    plan = la.Plan(shingles="words:2").resolve()
    left, right = np.arange(6), np.arange(6, 12)
    engine = Local(threads=1, allowance=Allowance(1 << 30))
    expected = engine.measure(plan, open_source(texts), left, right)
    assert engine.measure(plan, open_source(texts), left, right, most).tolist() == expected.tolist()
