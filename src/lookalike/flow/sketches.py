"""Sketches: what the first pass keeps of each document."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

EMPTY, SHORT, FALLBACK = 1, 2, 4
"""Bits of `Sketches.flags`: no shingle; fewer than k tokens; no stop-word window, so cut as `words:3`."""


@dataclass(frozen=True, eq=False)
class Sketches:
    """What later stages need of each document, one row each."""

    fingerprints: npt.NDArray[np.uint64]
    """Two numbers per document; documents of equal fingerprint are exact copies."""
    flags: npt.NDArray[np.uint8]
    keys: npt.NDArray[np.uint64]
    """One key per band."""
    lengths: npt.NDArray[np.int64]
    """Characters of a text, tokens of a list."""
    sizes: npt.NDArray[np.int64]
    """The same in bytes."""
    windows: npt.NDArray[np.uint32]
    """An upper bound of the size of the set: the number of windows of the text, including equal ones."""
