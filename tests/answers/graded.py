"""Texts whose similarities lie everywhere between 0 and 1, so that every option changes which pairs are found."""

from __future__ import annotations

import random

STOPWORDS = "the of and to a in that is was he for it with as his on be at by i this had not are but from".split()
WORDS = [f"word{i}" for i in range(400)] + ["été", "naïve", "東京", "日本語", "Ærø", "ﬁne", "Straße"]
BANNER = "subscribe to our letter and read more of this every day"
AWKWARD = ["", "  \n", "one", "!!!", "two words", "\u200b", "日本"]
RATES = [0, 0, 0.01, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3]
"""Shares of the words that are replaced in a copy."""


def graded(documents: int, seed: int) -> list[str]:
    """Originals and copies of them, edited a little or a lot, in other case, spacing and Unicode forms."""
    rng = random.Random(seed)
    texts: list[str] = []
    for i in range(documents):
        if i % 40 == 9:
            texts.append(rng.choice(AWKWARD))
        elif i % 5 in (2, 4):
            texts.append(dressed(rng, edited(rng, rng.choice(texts[-60:]))))
        else:
            texts.append(original(rng))
    return texts


def original(rng: random.Random) -> str:
    """Every third word is a stop word; a third of the texts begin with a banner, a tenth repeat themselves."""
    words = [rng.choice(STOPWORDS if n % 3 == 0 else WORDS) for n in range(rng.randint(12, 80))]
    if rng.random() < 0.1:
        words += words[: len(words) // 2]
    text = " ".join(words)
    return f"{BANNER} {text}" if rng.random() < 0.4 else text


def edited(rng: random.Random, text: str) -> str:
    rate = rng.choice(RATES)
    return " ".join(rng.choice(WORDS) if rng.random() < rate else word for word in text.split())


def dressed(rng: random.Random, text: str) -> str:
    """The same words in another form. Whether they count as equal depends on the rules for case, white space and
    Unicode."""
    kind = rng.randrange(12)
    if kind == 0:
        return text.upper()
    if kind == 1:
        return text.replace(" ", "  \n", 9)
    if kind == 2:
        return "".join(chr(ord(c) + 0xFEE0) if "a" <= c <= "z" else c for c in text)  # full-width letters
    if kind == 3:
        return text.replace(" ", "", 5)
    if kind == 4:
        return text.title() + "!"
    if kind == 5:
        return f"{text} {text}"
    return text
