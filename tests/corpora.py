"""Corpora that tests share: small, seeded, with the awkward rows that real data has."""

from __future__ import annotations

import random


def corpus(documents: int = 400, seed: int = 1) -> list[str]:
    """Texts with copies, edited copies, empty and short ones, in a few scripts."""
    rng = random.Random(seed)
    words = [f"word{i}" for i in range(300)] + ["été", "naïve", "東京", "日本語", "Ærø"]
    texts: list[str] = []
    for i in range(documents):
        kind = i % 8
        if kind == 0 and texts:
            texts.append(rng.choice(texts))
        elif kind in (1, 2) and texts:
            edited = rng.choice(texts).split()
            if edited:
                edited[rng.randrange(len(edited))] = rng.choice(words)
            texts.append(" ".join(edited).upper() if kind == 2 else " ".join(edited))
        elif i % 50 == 7:
            texts.append(rng.choice(["", "  \n", "one", "!!!", "two words"]))
        else:
            texts.append(" ".join(rng.choices(words, k=rng.randint(20, 120))))
    return texts
