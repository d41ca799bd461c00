"""Texts that are very large: what it takes to cut and sign one, foretold from pieces of it; and one at a time."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pyarrow as pa

from lookalike.families import Banded
from lookalike.flow import Documents
from lookalike.flow.arrays import call_function
from lookalike.flow.shingles import Shingling
from lookalike.kernel.protocol import Kernel

PIECES, PIECE = 8, 1 << 17
"""Pieces of a text, in even steps, that are cut to see how many shingles there are in it, and their bytes."""

GIANT = 16 << 20
"""Bytes of a batch that is one large text: others have a quarter of it."""

HASH = 8

SPARE = 1.1


def bytes_to_cut(kernel: Kernel, text: pa.Array, shingling: Shingling) -> int:
    """Of an array of one text: copies of it, a hash of each token and window, and for bags room to sort these."""
    data = text[0].as_buffer()
    size: int = data.size
    starts = [(size - PIECE) * piece // (PIECES - 1) if size > PIECE else 0 for piece in range(PIECES)]
    pieces = [bytes(data[start : start + PIECE]).decode(errors="ignore") for start in starts]
    documents = Documents(pa.array(pieces, pa.large_string()))
    cut = kernel.sketch(documents, shingling, sketch="fast", hashes=1, seed=0, banding=Banded(1, 1))
    windows = int(cut.windows.sum()) * size / max(1, sum(len(piece.encode()) for piece in pieces))
    characters = shingling.kind == "chars"
    copies = 2 if characters else 1  # normalised, and then its characters
    # Windows of characters that are all ASCII are made without a hash of each.
    hashes = 1 if characters and call_function("string_is_ascii", [text])[0].as_py() else 2
    return round(SPARE * (copies * size + HASH * windows * (hashes + shingling.bag)))


_one_at_a_time = threading.Lock()


def alone(texts: pa.Array) -> AbstractContextManager[Any]:
    """While these are cut. Two giants at once would take twice what a budget was asked for."""
    return _one_at_a_time if texts.nbytes > GIANT else nullcontext()
