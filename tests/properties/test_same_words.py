"""Two texts have equal hashes of words if and only if they have the same tokens in the same order."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from lookalike.engines.reference import definitions
from lookalike.families.amplify import Banded
from lookalike.flow import Chars, Documents, Shingling, Tokens, Words
from lookalike.kernel import Cpu
from lookalike.text.definitions import characters, hash128, normalize, tokens
from tests.parity import strategies as our

pieces = st.sampled_from(["a", "b", "A", " ", "  ", "!", "ab", "é", "e\u0301", "字", "\t", "b a", "ﬁ", "\u3000"])
texts = st.lists(pieces, max_size=12).map("".join)
token_lists = st.lists(st.sampled_from(["a", "b", "ab", "", None, "é"]), max_size=6)


def sequence(text: str | list[str | None], shingling: Shingling) -> tuple[int, ...]:
    """The tokens of a text, or its characters if it has no tokens; nothing if it has no shingles."""
    if not definitions.windows(text, shingling).values:
        return ()
    found = tokens(text, shingling)
    if not found and isinstance(text, str):
        found = characters(normalize(text, shingling), "fold")[1]
    return tuple(found)


def sketched(column: list[str] | list[list[str | None]], shingling: Shingling) -> tuple[list[bytes], list[bytes]]:
    found = Cpu().sketch(Documents.from_texts(column), shingling, sketch="fast", hashes=1, seed=0, banding=Banded(1, 1))
    return [row.tobytes() for row in found.words], [row.tobytes() for row in found.bytes]


@given(st.lists(texts, min_size=2, max_size=8), our.shinglings)
@example(["a b a b", "b a b a"], Words(1))
@example(["a b c a b", "a b c a b c a b"], Words(2))
@example(["x y x z x y", "x z x y x y", "x y x y x z"], Words(1))
@example(["ab", "a b", "ba"], Chars(1, whitespace="drop"))
def test_texts_with_the_same_words(column: list[str], shingling: Shingling) -> None:
    words, raw = sketched(column, shingling)
    sequences = [sequence(text, shingling) for text in column]
    sets = [definitions.set_of(definitions.windows(text, shingling), shingling) for text in column]
    for i in range(len(column)):
        for j in range(i):
            same = words[i] == words[j]
            assert same == (sequences[i] == sequences[j])
            assert not same or sets[i] == sets[j], "the same words, but different sets"
            assert (raw[i] == raw[j]) == (column[i] == column[j])
            assert raw[i] != raw[j] or same


@given(st.lists(token_lists, min_size=2, max_size=8))
@example([["ab"], ["a", "b"], ["", "ab"], [None, "ab"], ["ab", None], ["ab", ""], [], [None], [""]])
def test_lists_with_the_same_tokens(column: list[list[str | None]]) -> None:
    words, raw = sketched(column, Tokens(2))
    for i in range(len(column)):
        for j in range(i):
            ours, theirs = ([token for token in row if token is not None] for row in (column[i], column[j]))
            assert (words[i] == words[j]) == (ours == theirs)
            assert (raw[i] == raw[j]) == (column[i] == column[j]), "null and empty tokens are different"


@given(st.binary(max_size=200), st.integers(0, 199), st.integers(0, 7))
def test_every_bit_changes_about_half_of_the_hash(data: bytes, at: int, bit: int) -> None:
    if not data:
        return
    changed = bytearray(data)
    changed[at % len(data)] ^= 1 << bit
    one, two = (np.array(hash128(bytes(each)), np.uint64) for each in (data, changed))
    flipped = sum(int(x).bit_count() for x in one ^ two)
    assert 24 <= flipped <= 104  # 64 on average, with a standard deviation of 5.7
