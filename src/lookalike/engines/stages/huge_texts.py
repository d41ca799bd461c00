"""Estimates from a sample how much memory a huge text needs, and ensures that only one is processed at a time."""

from __future__ import annotations

import threading

import pyarrow as pa

from lookalike.families.amplify import Banded
from lookalike.flow import Documents
from lookalike.flow.arrays import call_function
from lookalike.flow.shingles import Shingling
from lookalike.kernel.protocol import Kernel

PIECES, PIECE = 8, 1 << 17
"""The number of evenly spaced pieces from which a text's number of shingles is estimated, and the bytes per piece."""

GIANT = 16 << 20
"""A batch of more bytes than this is assumed to be one huge text; other batches have about a quarter of this size."""

HASH = 8  # bytes

SPARE = 1.1
"""Safety factor, since the estimate may be too low."""


def bytes_to_cut(kernel: Kernel, text: pa.Array, shingling: Shingling) -> int:
    """Estimates the bytes needed to cut the only text of an array: copies, hashes of tokens and windows, sorting."""
    data = text[0].as_buffer()
    size: int = data.size
    starts = [(size - PIECE) * piece // (PIECES - 1) if size > PIECE else 0 for piece in range(PIECES)]
    pieces = [bytes(data[start : start + PIECE]).decode(errors="ignore") for start in starts]
    documents = Documents(pa.array(pieces, pa.large_string()))
    cut = kernel.sketch(documents, shingling, sketch="fast", hashes=1, seed=0, banding=Banded(1, 1))
    windows = int(cut.windows.sum()) * size / max(1, sum(len(piece.encode()) for piece in pieces))
    characters = shingling.kind == "chars"
    copies = 2 if characters else 1  # the normalised text and its characters
    # Windows of ASCII characters are made without a hash per character.
    hashes = 1 if characters and call_function("string_is_ascii", [text])[0].as_py() else 2
    return round(SPARE * (copies * size + HASH * windows * (hashes + shingling.bag)))


ONE_AT_A_TIME = threading.Lock()
"""Held while a huge text is cut, since the budget was checked for one at a time."""
