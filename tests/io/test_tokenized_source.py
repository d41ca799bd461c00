"""A tokenizer of the user: any function from a text to its tokens."""

from __future__ import annotations

from collections import UserDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from tests.refusals import refused

TEXTS = {"a": "one two three four", "b": "four three two one", "c": "five six"}


@given(st.lists(st.text("ab ", max_size=8), max_size=8), st.sampled_from(["auto", "tokens:2"]))
def test_a_tokenizer_gives_what_its_tokens_give(texts: list[str], shingles: str) -> None:
    find: Any = {"threshold": 0.5, "shingles": shingles}
    expected = list(la.find_pairs([text.split() for text in texts], **find))
    assert list(la.find_pairs(texts, tokenizer=str.split, **find)) == expected
    assert list(la.find_pairs(texts, tokenizer=lambda text: iter(text.split()), **find)) == expected


def test_rows_are_written_as_they_were_and_can_be_audited(tmp_path: Path) -> None:
    lines = [f'{{"text": "{text}",  "n": 1}}\n' for text in TEXTS.values()]
    (tmp_path / "in.jsonl").write_text("".join(lines))
    options: Any = {"tokenizer": str.split, "out": tmp_path / "out.jsonl", "work": tmp_path / "work"}
    result = la.dedupe(tmp_path / "in.jsonl", **options)
    assert (tmp_path / "out.jsonl").read_text() == lines[0] + lines[2]
    assert result.kept.column_names == ["text", "n"]
    assert la.audit(result, tokenizer=str.split).recall.value == 1
    with refused("result-of-a-tokenizer", name="str.split"):
        la.audit(result)


@pytest.mark.parametrize(
    "call",
    [
        lambda **how: la.find_pairs(TEXTS, engine="reference", **how).top(),
        lambda **how: la.join(TEXTS, **how).top(),
        lambda **how: la.find_clusters(TEXTS, **how).members(),
        lambda **how: la.dedupe({"d": "six five"}, against=TEXTS, **how).removed["id"].to_pylist(),
        lambda **how: la.contamination(TEXTS, {"d": "six five"}, shingles="tokens", **how).contained,
        lambda **how: la.forecast(TEXTS, **how).pairs,
    ],
    ids="reference join clusters against contamination forecast".split(),
)
def test_every_verb_that_reads_documents_takes_one(call: Any) -> None:
    assert call(tokenizer=str.split) in ([("a", "b", 1.0)], [["a", "b"]], ["d"], 1)


def broken(text: str) -> list[str]:
    raise ZeroDivisionError


@pytest.mark.parametrize(
    ("data", "options", "code"),
    [
        (TEXTS, {"tokenizer": 5}, "not-a-tokenizer"),
        (TEXTS, {"tokenizer": str.lower}, "tokenizer-failed"),  # a text is not a list of tokens
        (TEXTS, {"tokenizer": lambda text: [1.5]}, "tokenizer-failed"),
        (TEXTS, {"tokenizer": broken}, "tokenizer-failed"),
        (TEXTS, {"tokenizer": str.split, "shingles": "words:2"}, "tokens-not-cut"),
        ([["a", "b"]], {"tokenizer": str.split}, "tokenizer-of-tokens"),
        ({"b": ["x"], "i": ["y"]}, {"tokenizer": str.split, "basket": "b", "column": "i"}, "tokenizer-of-sets"),
    ],
)
def test_what_a_tokenizer_cannot_do_is_refused(data: Any, options: Any, code: str) -> None:
    with refused(code):
        la.find_pairs(data, **options)


def test_the_dictionary_of_a_tokenizer_is_refused() -> None:
    """The tokens were its keys, such as input_ids, so that all documents were equal, and `dedupe` kept one."""
    tokenizer: Any
    for tokenizer in (lambda text: {"input_ids": text.split()}, lambda text: UserDict(input_ids=text.split())):
        with refused("tokenizer-failed"):
            la.dedupe(TEXTS, tokenizer=tokenizer)


def test_sets_and_arrays_of_tokens_are_read_in_a_fixed_order() -> None:
    numbers = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
    for tokenizer in (lambda text: {*text.split()}, lambda text: np.array([numbers[word] for word in text.split()])):
        pairs = la.find_pairs(TEXTS, tokenizer=tokenizer, shingles="tokens", threshold=0.5)
        assert list(pairs) == [("a", "b", 1.0)]
