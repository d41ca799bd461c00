"""Hypothesis strategies for texts of every script and for every way to cut them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from hypothesis import strategies as st

from lookalike.flow import Auto, Shingling, Tokens
from lookalike.flow.shingles import KINDS
from lookalike.flow.stopwords import ENGLISH

TELLING = (
    "aAbz09_ßſİıΣςéﬁǆ½①"  # letters that fold, ligatures, numbers
    " \t\n\r\x0b\x1c\x1f\x85\u00a0\u2003\u2028\u3000"  # white space, and characters that only Python counts as such
    "字漢\u3400\U00020000あカｶﾞーㄅกลำလមြᦀ"  # scripts without spaces
    "한국ᄀ\u1161\u11a8가각"  # Hangul, whole and in parts
    "\u0301\u0300\u0323\u0345\u0327\u093c\u3099\U0001d165"  # marks of many classes
    "\u00ad\u200b\u200d\ufe0f\u115f\u3164\U000e0001"  # default ignorables
    "!-…。€+<👩🇩\u0378\ue000\U0010ffff"  # punctuation, symbols, unassigned, private
)
characters = st.one_of(st.sampled_from(TELLING), st.characters(exclude_categories=["Cs"]))
stop_words = st.sampled_from(["the", "of", "The", "a", "is", "fox", "dog", "ﬁx", "I"])
texts = st.one_of(
    st.text(characters, max_size=60),
    st.lists(st.one_of(stop_words, st.text(characters, max_size=5)), max_size=20).map(" ".join),
    st.builds(lambda text, n: text * n, st.text(characters, max_size=10), st.integers(0, 12)),
)
token_lists = st.lists(
    st.one_of(st.none(), st.sampled_from(["a", "b", "A", "", "a b"]), st.text(characters)), max_size=12
)

lengths = st.one_of(st.integers(1, 6), st.integers(1, 40))
OPTIONS: dict[str, st.SearchStrategy[Any]] = {
    "case": st.sampled_from(["fold", "keep"]),
    "normalize": st.sampled_from(["nfkc", "none"]),
    "bag": st.booleans(),
    "bits": st.sampled_from([32, 64]),
    "k": lengths,
    "whitespace": st.sampled_from(["fold", "drop", "keep"]),
    "key": st.sampled_from([0, 0, 1, 0x9E3779B97F4A7C15, 2**64 - 1]),
    "words": st.sampled_from([ENGLISH, ("FOX", "Straße"), ("字",), ("a b", "")]),
}
"""The values of each option of a shingling. A kind with another option needs a line here."""


def of_kind(kind: type[Shingling]) -> st.SearchStrategy[Shingling]:
    """Shinglings of one kind, with all its options. Ignored shingles come from the data, and are tested apart."""
    return st.builds(kind, **{field.name: OPTIONS[field.name] for field in fields(kind) if field.name != "ignored"})


tokens = of_kind(Tokens)
shinglings = st.one_of(*(of_kind(kind) for kind in KINDS.values() if kind is not Auto))

elements = st.sets(st.integers(0, 2**64 - 1), max_size=30)
sets_of_elements = st.lists(elements, max_size=8)
