"""Generated basket files of six-digit article numbers. Popularity is skewed, and some articles are bought together."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from common import build_files

ITEMS = 300_000
SEED = 20
CHUNK = 1 << 20


def write(size: int) -> Path:
    """Path of a file of about `size` bytes. Popularity follows Zipf's law; a basket has 1 + Poisson(7) items.

    One basket in twenty ends with an associated pair: articles 2r and 2r + 1, where r follows Zipf's law.
    """
    return build_files.written_once(f"baskets-{size >> 20}MiB.dat", lambda path: _write(path, size))


def _write(path: Path, size: int) -> None:
    random = np.random.default_rng(SEED)
    popularity = np.cumsum(1 / np.arange(1, ITEMS + 1))
    names = random.permutation(900_000)[:ITEMS] + 100_000
    digits = (names[:, None] // 10 ** np.arange(5, -1, -1) % 10 + ord("0")).astype(np.uint8)
    written = 0
    with path.open("wb") as file:
        while written < size:
            sizes = 1 + random.poisson(7, CHUNK)
            ends = np.cumsum(sizes)
            items = np.searchsorted(popularity, random.random(ends[-1]) * popularity[-1])
            coupled = np.flatnonzero((random.random(CHUNK) < 0.05) & (sizes > 1))
            items[ends[coupled] - 1] = items[ends[coupled] - 2] ^ 1
            text = np.full((len(items), 7), ord(" "), np.uint8)
            text[:, :6] = digits[np.minimum(items, ITEMS - 1)]
            text[ends - 1, 6] = ord("\n")
            written += file.write(text.tobytes())
