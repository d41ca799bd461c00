"""Generates unusual texts and damaged bytes, for all fuzz targets."""

from __future__ import annotations

import random
from typing import Any

WORDS = [
    "",
    "a",
    "the",
    "word",
    "Straße",
    "東京",
    "ไทย",
    "é",
    "e\u0301",
    "\u200d",
    "\U0001f600",
    "1",
    "\x00",
    "ﬁ",
    "\ufeff",
    "İ",
]


def text_of(rng: random.Random, most: int = 12) -> str:
    return rng.choice([" ", "", "\n", "\t"]).join(rng.choices(WORDS, k=rng.randrange(most)))


def damaged(rng: random.Random, content: bytes) -> bytes:
    """Returns the content, half of the time with some bytes changed, deleted, repeated, inserted or cut off."""
    data = bytearray(content)
    for _ in range(rng.choice([0, 0, 0, 1, 1, 3])):
        place, length = rng.randrange(len(data) + 1), rng.choice([0, 1, 1, 2, 8])
        change = rng.randrange(5)
        if change == 0:
            data[place : place + length] = rng.randbytes(length)
        elif change == 1:
            del data[place : place + length]
        elif change == 2:
            data[place:place] = data[place : place + 40]
        elif change == 3:
            del data[place:]
        else:
            data[place:place] = rng.choice(
                [b"\x00", b"\xff", b'"', b"\n", b"{", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"9" * 400]
            )
    return bytes(data)


def expect(holds: Any, what: str) -> None:
    if not holds:
        raise AssertionError(f"wrong result: {what}")
