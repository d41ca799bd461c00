"""Shingles are written words:5 on the command line and Words(5) in Python; both mean one value."""

from __future__ import annotations

import pytest

from lookalike.errors import InvalidOption, PlanMismatch
from lookalike.flow import Auto, Chars, Shingling, Signatures, Stopwords, Tokens, Words, parse_shingling


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("words:5", Words(5)),
        ("chars:9", Chars(9)),
        ("tokens", Tokens()),
        ("tokens:3", Tokens(3)),
        ("stopwords", Stopwords()),
        ("auto", Auto()),
    ],
)
def test_text_and_value_agree(text: str, value: Shingling) -> None:
    assert parse_shingling(text) == value
    assert Shingling.from_dict(value.to_dict()) == value
    assert parse_shingling(str(value)) == value


@pytest.mark.parametrize(
    "text", ["words:-1", "words:0", "words:x", "chars:", "shingles", "stopwords:3", "words:1.5", ""]
)
def test_what_is_no_shingle_is_refused(text: str) -> None:
    with pytest.raises(InvalidOption):
        parse_shingling(text)


def test_the_message_for_a_bad_length_names_the_range_and_what_came() -> None:
    with pytest.raises(InvalidOption, match=r"must lie in 1 … 10000, got words:-1"):
        parse_shingling("words:-1")


def test_signatures_of_different_rules_do_not_mix() -> None:
    import numpy as np

    ones = np.ones((1, 4), dtype=np.uint64)
    with pytest.raises(PlanMismatch, match=r"words.*chars"):
        Signatures(ones, "words").merge(Signatures(ones, "chars"))
