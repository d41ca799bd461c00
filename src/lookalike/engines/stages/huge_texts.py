"""Estimates the memory that a huge document needs. `docs/internals.md` explains the formula and its numbers."""

from __future__ import annotations

import pyarrow as pa

from lookalike.families.amplify import Banded
from lookalike.flow import Documents
from lookalike.flow.shingles import Shingling
from lookalike.kernel.protocol import Kernel
from lookalike.storage.budget import PER_BYTE

HUGE = 5.5
"""The maximum memory per byte of a document while it is read, cut and signed, in bytes: the text itself, and two hashes
per token.
"""

PIECES, PIECE = 8, 1 << 17
"""The number of evenly spaced pieces of a text from which its number of shingles is estimated, and the bytes per
piece."""

IN_BLOCKS = ("words", "symbols", "chars")
"""The kinds of shingles that the kernel makes block by block, so that those of a huge text are never in memory at
once."""

HASH = 8  # bytes

SPARE = 1.1
"""A safety factor, since the estimate may be too low."""


def bytes_of_document(kernel: Kernel, documents: Documents, size: int, shingling: Shingling) -> int:
    """Returns the memory that the largest of these documents needs, given its size in bytes.

    It is a multiple of the size, except for texts that are not cut in blocks, if their words have only a letter or two.
    """
    if shingling.kind in IN_BLOCKS or documents.has_tokens:
        return PER_BYTE * size
    windows = windows_of_largest(kernel, documents, shingling)
    return max(PER_BYTE * size, round(2 * size + 2 * HASH * windows))


def windows_of_largest(kernel: Kernel, documents: Documents, shingling: Shingling) -> int:
    """The number of shingles of the largest of these documents, estimated from pieces of it."""
    sizes = documents.sizes()
    nth = int(sizes.argmax())
    size = int(sizes[nth])
    if documents.has_tokens:
        return len(documents.texts[nth])
    data = documents.texts[nth].as_buffer()
    starts = [(size - PIECE) * piece // (PIECES - 1) if size > PIECE else 0 for piece in range(PIECES)]
    pieces = [bytes(data[start : start + PIECE]).decode(errors="ignore") for start in starts]
    sample = Documents(pa.array(pieces, pa.large_string()))
    cut = kernel.sketch(sample, shingling, sketch="fast", hashes=1, seed=0, banding=Banded(1, 1))
    return round(SPARE * int(cut.windows.sum()) * size / max(1, sum(len(piece.encode()) for piece in pieces)))
