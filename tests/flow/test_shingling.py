"""`words:5` on the command line and `Words(5)` in Python give the same shingling."""

from __future__ import annotations

import pytest

from lookalike.flow import Auto, Chars, Shingling, Signatures, Stopwords, Tokens, Words, parse_shingling
from tests.refusals import refused


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
    ("text", "code"),
    [
        ("words:-1", "shingle-length-out-of-range"),
        ("words:0", "shingle-length-out-of-range"),
        ("words:10001", "shingle-length-out-of-range"),
        ("words:x", "shingle-length-not-a-number"),
        ("words:1.5", "shingle-length-not-a-number"),
        ("chars:", "shingle-length-not-a-number"),
        ("stopwords:3", "shingles-without-length"),
        ("shingles", "no-such-shingles"),
        ("", "no-such-shingles"),
    ],
)
def test_invalid_shingles_are_refused(text: str, code: str) -> None:
    with refused(code):
        parse_shingling(text)


def test_signatures_of_different_rules_do_not_mix() -> None:
    import numpy as np

    ones = np.ones((1, 4), dtype=np.uint64)
    with refused("signatures-of-different-rules", differences=("shingles words:5 and chars:5",)):
        Signatures(ones, "shingles=words:5").merge(Signatures(ones, "shingles=chars:5"))
