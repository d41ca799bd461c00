"""ASCII texts are read in blocks of 64 bytes: no result may depend on where a block begins or ends."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest

from lookalike import kernel
from lookalike.engines.reference import definitions
from lookalike.families.amplify import Banded
from lookalike.flow import Chars, Documents, Shingling, Words
from lookalike.kernel import Cpu

ASCII = "abcdefghijklmnopqrstuvwxyzABCXYZ019_ !-.\t\n\x00\x1f\x7f"
OTHER = "éß字あ한\u0301\u0345\u00ad\u2003\u3000ﬁก\u0e34𝔸"
RULES: list[Shingling] = [
    Words(1), Words(5), Words(2, case="keep"), Words(3, normalize="none"), Words(2, bits=32),
    Chars(1), Chars(9), Chars(4, whitespace="drop"), Chars(5, whitespace="keep"), Chars(11), Chars(64), Chars(65),
]  # fmt: skip


def text(rng: random.Random, length: int, others: float) -> str:
    """A text of words, runs of spaces and long words, with a share of characters that are not ASCII."""
    pieces: list[str] = []
    while sum(map(len, pieces)) < length:
        kind = rng.random()
        if kind < others:
            pieces.append(rng.choice(OTHER))
        elif kind < 0.1:
            pieces.append(rng.choice([" ", "\n", "x", "A"]) * rng.randrange(1, 80))
        else:
            pieces.append(rng.choice(ASCII))
    return "".join(pieces)[:length]


@pytest.mark.parametrize("shingling", RULES, ids=str)
@pytest.mark.parametrize("others", [0.0, 0.005, 0.05])
def test_texts_of_every_length_around_the_ends_of_blocks(shingling: Shingling, others: float) -> None:
    rng = random.Random(f"{shingling} {others}")
    lengths = [*range(70), *range(120, 136), *range(190, 194), *range(250, 301, 7)]
    texts = [text(rng, length, others) for length in lengths]
    documents = Documents.from_texts(texts)
    found, ours = Cpu().shingle(documents, shingling), definitions.shingle(documents, shingling)
    np.testing.assert_array_equal(found.offsets, ours.offsets)
    np.testing.assert_array_equal(found.values, ours.values)
    sketches = Cpu().sketch(documents, shingling, sketch="fast", hashes=4, seed=3, banding=Banded(2, 2))
    for row, each in enumerate(texts):
        assert tuple(sketches.words[row].tolist()) == definitions.hash_words(each, shingling)
        assert tuple(sketches.bytes[row].tolist()) == definitions.hash_raw(each)


@pytest.mark.parametrize("at", [0, 1, 62, 63, 64, 65, 127, 128, 4095, 4096])
@pytest.mark.parametrize("what", ["e\u0301", "字字", " \u2003 ", "\u00ad"])
def test_a_character_that_is_not_ascii_anywhere(what: str, at: int) -> None:
    for filler in ("x", "ab cd ", " "):
        before = (filler * at)[:at]
        documents = Documents.from_texts([before + what, before + what + filler * 70, what + before])
        for shingling in (Words(1), Words(2), Chars(3)):
            found, ours = Cpu().shingle(documents, shingling), definitions.shingle(documents, shingling)
            np.testing.assert_array_equal(found.offsets, ours.offsets)
            np.testing.assert_array_equal(found.values, ours.values)


def test_bytes_after_the_end_of_a_text_are_ignored() -> None:
    """A text may end where the next text begins, or at the end of the buffer."""
    whole = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau"
    for shingling in (Words(1), Words(5), Chars(1), Chars(9)):
        for end in range(len(whole) + 1):
            alone = Cpu().shingle(Documents.from_texts([whole[:end]]), shingling)
            array = pa.Array.from_buffers(
                pa.large_string(), 2, [None, pa.py_buffer(np.array([0, end, len(whole)])), pa.py_buffer(whole.encode())]
            )
            np.testing.assert_array_equal(Cpu().shingle(Documents(array), shingling)[0], alone[0])


@pytest.mark.parametrize("hashes", [1, 2, 7, 8, 9, 63, 64, 65, 127, 129, 300, 511, 512, 513, 1100])
@pytest.mark.parametrize("sketch", ["fast", "classic"])
def test_sets_and_signatures_of_every_size(sketch: str, hashes: int) -> None:
    rng = random.Random(hashes)
    sizes = [*range(20), 63, 64, 65, 100, 130, 511, 512, 513, 900] if hashes < 200 else [0, 1, 5, 9, 70, 260, 1500]
    sets = [sorted({rng.getrandbits(64) for _ in range(size)}) for size in sizes]
    shingles = definitions.as_shingles(sets)
    found = Cpu().sign(shingles, sketch=sketch, hashes=hashes, seed=hashes)
    np.testing.assert_array_equal(found, definitions.sign(shingles, sketch=sketch, hashes=hashes, seed=hashes))


def test_every_path_can_be_forced_and_no_other(path: str) -> None:
    assert path in kernel.paths() and kernel.paths()[0] == "portable"
    with pytest.raises(ValueError, match="this machine has"):
        kernel.force("abacus")
