"""Estimates the memory of a huge text from a sample, and processes such texts one at a time."""

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
"""Evenly spaced pieces of a text from which its number of shingles is estimated, and bytes per piece."""

GIANT = 16 << 20
"""Bytes above which a batch is one huge text; other batches have a quarter of that."""

HASH = 8  # bytes

SPARE = 1.1
"""Factor for the error of the estimate."""


def bytes_to_cut(kernel: Kernel, text: pa.Array, shingling: Shingling) -> int:
    """Bytes needed to cut the only text of an array: copies, a hash per token and window and, for bags, sorting."""
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


_one_at_a_time = threading.Lock()


def alone(texts: pa.Array) -> AbstractContextManager[Any]:
    """A lock for huge texts, since the budget was checked for one at a time. Other texts need none."""
    return _one_at_a_time if texts.nbytes > GIANT else nullcontext()
