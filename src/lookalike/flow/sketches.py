"""Sketches: the data that the first pass keeps for each document."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

EMPTY, SHORT, FALLBACK = 1, 2, 4
"""Bits of `Sketches.flags`: the text has no shingles; it has fewer than k tokens; it has no stop-word window, and was
therefore cut into `words:3`.
"""


@dataclass(frozen=True, eq=False)
class Sketches:
    """The data about each document that later stages need, one row per document."""

    words: npt.NDArray[np.uint64]
    """A 128-bit hash of the tokens of each document in their order, as two numbers; zero for an empty document.
    Documents with equal hashes have the same words in the same order, and therefore the same set.
    """
    bytes: npt.NDArray[np.uint64]
    """A 128-bit hash of the raw bytes of each document, as two numbers."""
    flags: npt.NDArray[np.uint8]
    keys: npt.NDArray[np.uint64]
    """One key per document and band."""
    lengths: npt.NDArray[np.int64]
    """The number of characters of each text, or of tokens of each list."""
    sizes: npt.NDArray[np.int64]
    """The size of each document in bytes."""
    windows: npt.NDArray[np.uint32]
    """The number of windows of each text, including repeated ones: an upper bound on the size of its set."""
