"""Estimates the memory that a huge document needs. `docs/internals.md` explains the formula and its numbers."""

from __future__ import annotations

import pyarrow as pa

from lookalike.families.amplify import Banded
from lookalike.flow import Documents
from lookalike.flow.shingles import Shingling
from lookalike.kernel.protocol import Kernel
from lookalike.storage.budget import PER_BYTE

BY_CHARACTERS = 20
"""Like PER_BYTE, for shingles of characters: a shingle begins at every character, and two sets are in memory at
once."""

HUGE = 5.5
"""The maximum memory per byte of a document while it is read, cut and signed, in bytes: the text itself, and two hashes
per token.
"""

PIECES, PIECE = 8, 1 << 17
"""The number of evenly spaced pieces of a text from which its number of shingles is estimated, and the bytes per
piece."""

HASH = 8  # bytes

SPARE = 1.1
"""A safety factor, since the estimate may be too low."""


def bytes_of_document(kernel: Kernel, text: pa.Array, size: int, shingling: Shingling) -> int:
    """Returns the memory that the only document of an array needs, given its size in bytes.

    It is a multiple of the size, except for texts whose words have only a letter or two. These have so many shingles
    that their number is estimated from pieces of the text.
    """
    if shingling.kind == "chars":
        return BY_CHARACTERS * size
    if not pa.types.is_large_string(text.type):
        return PER_BYTE * size
    data = text[0].as_buffer()
    starts = [(size - PIECE) * piece // (PIECES - 1) if size > PIECE else 0 for piece in range(PIECES)]
    pieces = [bytes(data[start : start + PIECE]).decode(errors="ignore") for start in starts]
    documents = Documents(pa.array(pieces, pa.large_string()))
    cut = kernel.sketch(documents, shingling, sketch="fast", hashes=1, seed=0, banding=Banded(1, 1))
    windows = int(cut.windows.sum()) * size / max(1, sum(len(piece.encode()) for piece in pieces))
    return max(PER_BYTE * size, round(SPARE * (2 * size + 2 * HASH * windows)))
