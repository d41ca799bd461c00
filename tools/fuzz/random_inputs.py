"""Generates unusual texts, damaged bytes and arguments of the kernel, for all fuzz targets."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from lookalike.flow.shingles import KINDS

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


def random_offsets(rng: random.Random, length: int) -> Any:
    ends = sorted(rng.randrange(length + 1) for _ in range(rng.randrange(6)))
    made = [0, *ends, length]
    if rng.random() < 0.2:
        made[rng.randrange(len(made))] = rng.choice([-1, length + 1, 2**62, 0])
    return np.array(made if rng.random() < 0.98 else [], np.int64)


def random_rules(rng: random.Random, native: Any) -> Any:
    kind, k = rng.choice([kind for kind in KINDS if kind != "auto"]), rng.choice([1, 2, 3, 5, 9, 64, 10_000])
    choices = rng.choice(["nfkc", "none"]), rng.choice(["fold", "keep"]), rng.choice(["fold", "drop", "keep"])
    words = np.array(sorted(rng.getrandbits(64) for _ in range(rng.randrange(3))), np.uint64)
    ignored = rng.choice([None, np.array(sorted({rng.getrandbits(64) for _ in range(3)}), np.uint64)])
    return native.Rules(kind, k, *choices, rng.random() < 0.3, rng.choice([32, 64]), words, ignored)


def random_threads(rng: random.Random) -> int:
    return rng.choice([1, 1, 2, 3, 0])


def random_lists(rng: random.Random, rows: int) -> list[Any]:
    """Returns an inverted file of two lists, which all rows search, but sometimes with invalid numbers."""
    split, pairs = rows // 2, rows * (rng.random() < 0.5)
    made = [[0, split, rows], [*range(rows)], [row % 2 for row in range(rows)], [*range(pairs)]]
    made.append([1 - row % 2 for row in range(pairs)])
    if rng.random() < 0.2:
        wrong = rng.choice(made)
        wrong[-1:] = rng.choice([[-1], [rows + 1], [2**40], []])
    return [np.array(numbers, np.int64) for numbers in made]


def random_sets(rng: random.Random) -> tuple[Any, Any]:
    """Returns sets as the kernel expects them, but sometimes unsorted or with invalid offsets."""
    sets = [
        sorted({rng.choice([rng.randrange(20), rng.getrandbits(64)]) for _ in range(rng.randrange(8))})
        for _ in range(rng.randrange(8))
    ]
    if rng.random() < 0.1:
        sets = [one[::-1] for one in sets]
    values = np.array([element for one in sets for element in one], np.uint64)
    if rng.random() < 0.1:
        return random_offsets(rng, len(values)), values
    return np.cumsum([0, *map(len, sets)]).astype(np.int64), values
