"""Kinds of generated text. A document is an array of numbers for words, characters or lines; edits change some."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

VOCABULARY = 50_000
FAMILY = 1_000
"""Maximum number of near-copies of one document, in kinds with `family`."""


@dataclass(frozen=True)
class Kind:
    """How to generate an original and convert it to text."""

    original: Callable[[np.random.Generator], np.ndarray]
    text: Callable[[np.ndarray], str]
    pieces: int
    """Number of distinct words, characters or lines that an edit chooses from."""
    k: int = 5
    """Words per shingle (for Chinese: characters per shingle)."""
    family: bool = False
    """Whether one document has a large family of near-copies."""
    span: int = 5
    """Number of shingles that contain one piece."""
    words: str = "spaces"
    """How words are separated: by "spaces", by "marks" (also punctuation), or "han" (each character is a word)."""

    def edited(self, document: np.ndarray, similarity: float, rng: np.random.Generator) -> np.ndarray:
        """A copy with about the given Jaccard similarity: half of the copies have scattered edits, half one block."""
        edited = document.copy()
        lost = len(document) * (1 - similarity) / (1 + similarity)  # shingles that each side does not share
        if rng.random() < 0.5:
            count = round(lost / self.span)
            edited[rng.choice(len(document), count, replace=False)] = rng.integers(self.pieces, size=count)
        else:
            count = max(0, round(lost) - self.span + 1)
            start = rng.integers(len(document) - count + 1)
            edited[start : start + count] = rng.integers(self.pieces, size=count)
        return edited


@cache
def _words() -> np.ndarray:
    rng = np.random.default_rng(1)
    letters = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))
    weight = 1 / np.arange(3, len(letters) + 3)
    return np.array(
        ["".join(rng.choice(letters, n, p=weight / weight.sum())) + str(i % 7) * (i % 5 == 0)
         for i, n in enumerate(rng.integers(2, 9, VOCABULARY))],
        dtype=object,
    )  # fmt: skip


@cache
def _zipf(pieces: int) -> np.ndarray:
    """A lookup table for sampling: piece i fills a share of the table proportional to 1/i."""
    share = np.cumsum(1 / np.arange(1, pieces + 1))
    return np.searchsorted(share / share[-1], (np.arange(2**20) + 0.5) / 2**20).astype(np.int32)


def _drawn(rng: np.random.Generator, count: int, pieces: int = VOCABULARY) -> np.ndarray:
    return _zipf(pieces)[rng.integers(2**20, size=count)]


def _length(rng: np.random.Generator) -> int:
    return int(np.clip(rng.lognormal(5.6, 0.6), 20, 5000))


def _joined(document: np.ndarray) -> str:
    return " ".join(_words()[document].tolist())


# Web pages: on half of them, 60 % of the text consists of paragraphs that appear on many other pages too.


@cache
def _paragraphs() -> list[np.ndarray]:
    rng = np.random.default_rng(2)
    return [_drawn(rng, int(n)) for n in rng.integers(20, 80, 200)]


def _page(rng: np.random.Generator) -> np.ndarray:
    own = _drawn(rng, _length(rng))
    if rng.random() < 0.5:
        return own
    shared: list[np.ndarray] = []
    while sum(map(len, shared)) < 1.5 * len(own):
        shared.append(_paragraphs()[rng.integers(len(_paragraphs()))])
    middle = len(shared) // 2
    return np.concatenate([*shared[:middle], own, *shared[middle:]])


# Titles and questions of 20 to 100 characters.


def _title(rng: np.random.Generator) -> np.ndarray:
    words = _drawn(rng, 40)
    ends = np.cumsum([len(word) + 1 for word in _words()[words]]) - 1
    return words[: int(np.searchsorted(ends, rng.integers(28, 100), side="right"))]


# Chinese: characters without spaces; sentences end with a full stop.

HAN = 3_000


def _han(document: np.ndarray) -> str:
    characters = [chr(0x4E00 + 6 * int(number)) for number in document]
    return "".join(c + "。" * (i % 23 == 22) for i, c in enumerate(characters))


# Source code: a piece is a line, built from a template and random names.

LINES = 200_000


@cache
def _templates() -> tuple[str, ...]:
    return (
        "    {a} = {b}.{c}({d}, {n})",
        "    if {a} > {n} and not {b}.{c}:",
        "    for {a} in {b}_{c}[{n}:]:",
        "        self.{a}[{b}] += {c}({d})",
        "    return {a} if {b} else {c}({n})",
        "def {a}_{b}({c}, {d}={n}):",
        "    raise {a}Error(f'{b} {c} {{{d}}}')",
        "import {a}.{b}",
    )


@cache
def _line(number: int) -> str:
    rng = np.random.default_rng((3, number))
    a, b, c, d = _words()[_drawn(rng, 4, 2_000)]
    return _templates()[number % len(_templates())].format(a=a, b=b, c=c, d=d, n=number % 97)


def _file(document: np.ndarray) -> str:
    return "\n".join(map(_line, document.tolist()))


KINDS = {
    "zipf": Kind(lambda rng: _drawn(rng, _length(rng)), _joined, VOCABULARY),
    "boilerplate": Kind(_page, _joined, VOCABULARY, family=True),
    "short": Kind(_title, _joined, VOCABULARY, k=2, span=2),
    "cjk": Kind(lambda rng: _drawn(rng, _length(rng), HAN), _han, HAN, words="han"),
    "code": Kind(lambda rng: rng.integers(LINES, size=_length(rng) // 4 + 3), _file, LINES, span=2, words="marks"),
}
