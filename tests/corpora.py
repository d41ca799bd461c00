"""Corpora shared by tests: small, generated with fixed seeds, with unusual rows like those of real data."""

from __future__ import annotations

import random


def corpus(documents: int = 400, seed: int = 1) -> list[str]:
    """Texts in several scripts, with copies, edited copies, and empty and short texts."""
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


def boilerplate(documents: int = 120, seed: int = 2) -> list[str]:
    """Pages with one long header, which share buckets though few are similar; then a family of near-copies."""
    rng = random.Random(seed)
    header = "this page is best seen with a browser of the kind that everyone has " * 6
    words = [f"item{i}" for i in range(500)]
    pages = [header + " ".join(rng.choices(words, k=rng.randint(8, 60))) for _ in range(documents // 2)]
    story = rng.choices(words, k=80)
    for _ in range(documents - len(pages)):
        edited = list(story)
        edited[rng.randrange(len(edited))] = rng.choice(words)
        pages.append(" ".join(edited))
    return pages


def packages(documents: int = 120, seed: int = 3) -> list[str]:
    """Package descriptions as in a Linux distribution: a paragraph about the project, a line about the package."""
    rng = random.Random(seed)
    words = [f"tool{i}" for i in range(200)]
    texts: list[str] = []
    while len(texts) < documents:
        about = " ".join(rng.choices(words, k=rng.randint(30, 90)))
        kinds = rng.sample(["the library", "headers for development", "documentation", "debugging symbols", ""], 3)
        texts += [f"{about}\n .\n This package contains {kind}." for kind in kinds]
    return texts[:documents]


def without_spaces(documents: int = 120, seed: int = 4) -> list[str]:
    """Chinese and Japanese sentences with edited copies: every character is a word."""
    rng = random.Random(seed)
    characters = "的一是在不了有和人这中大为上个国我以要他時來用們生到作地於出就分對成會可主發年動日本東京語文字"
    texts: list[str] = []
    for i in range(documents):
        if i % 3 == 2:
            edited = list(rng.choice(texts))
            edited[rng.randrange(len(edited))] = rng.choice(characters)
            texts.append("".join(edited))
        else:
            texts.append("".join(rng.choices(characters, k=rng.randint(40, 120))) + "。")
    return texts


KINDS = {"generated": corpus, "boilerplate": boilerplate, "packages": packages, "without spaces": without_spaces}
