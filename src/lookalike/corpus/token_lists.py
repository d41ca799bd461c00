"""Lists of tokens as strings of bytes, so that an index stores them like texts.

A list is the byte 255, which no text in UTF-8 contains; the number of its tokens (32 bits); the length of each token in
bytes (32 bits, or 2³² − 1 for a missing token); and the tokens.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.flow import Documents
from lookalike.flow.arrays import Rows, to_numpy
from lookalike.flow.documents import TEXT, TOKENS

MARK = 255
"""The first byte of a list."""

MISSING = 2**32 - 1
"""The length of a missing token."""

HEAD = 5
"""The bytes of a list before the lengths of its tokens."""


def packed_texts(documents: Documents) -> pa.Array:
    """Returns texts themselves, and lists as strings of bytes, which are not valid UTF-8."""
    if not documents.has_tokens:
        return documents.texts
    lists, tokens = documents.texts, documents.texts.flatten()
    bounds = np.frombuffer(lists.buffers()[1] or bytes(8), np.int64, len(lists) + 1, 8 * lists.offset)
    bounds = bounds - bounds[0]
    places, data = _strings(tokens)
    lengths, counts = np.diff(places), np.diff(bounds)
    offsets = np.zeros(len(lists) + 1, np.int64)
    np.cumsum(HEAD + 4 * counts + np.diff(places[bounds]), out=offsets[1:])
    out = np.empty(int(offsets[-1]), np.uint8)
    starts = offsets[:-1]
    out[starts] = MARK
    out[_spans(starts + 1, np.full(len(starts), 4))] = counts.astype("<u4").view(np.uint8)
    stored = lengths.astype("<u4")
    if tokens.null_count:
        stored[~to_numpy(tokens.is_valid().cast(pa.uint8())).astype(bool)] = MISSING
    out[_spans(starts + HEAD, 4 * counts)] = stored.view(np.uint8)
    out[_spans(starts + HEAD + 4 * counts, np.diff(places[bounds]))] = data
    return pa.Array.from_buffers(TEXT, len(lists), [None, pa.py_buffer(offsets), pa.py_buffer(out)])


def unpacked(texts: pa.Array) -> pa.Array:
    """Returns the texts, or the lists that `packed_texts` has packed. All rows are texts, or all are lists."""
    if not is_packed(texts):
        return texts
    offsets, data = _strings(texts)
    starts = offsets[:-1]
    counts = _numbers(data[_spans(starts + 1, np.full(len(starts), 4))])
    lengths = _numbers(data[_spans(starts + HEAD, 4 * counts)])
    is_missing = lengths == MISSING
    places, bounds = np.zeros(len(lengths) + 1, np.int64), np.zeros(len(starts) + 1, np.int64)
    np.cumsum(np.where(is_missing, 0, lengths), out=places[1:])
    np.cumsum(counts, out=bounds[1:])
    first = starts + HEAD + 4 * counts
    content = data[_spans(first, offsets[1:] - first)]
    bits = None if not is_missing.any() else pa.py_buffer(np.packbits(~is_missing, bitorder="little"))
    buffers = [bits, pa.py_buffer(places), pa.py_buffer(content)]
    tokens = pa.Array.from_buffers(pa.large_string(), len(lengths), buffers)
    return pa.Array.from_buffers(TOKENS, len(starts), [None, pa.py_buffer(bounds)], children=[tokens])


def is_packed(texts: pa.Array) -> bool:
    """Returns whether these are packed lists."""
    if not len(texts):
        return False
    data = _strings(texts[:1])[1]
    return len(data) > 0 and int(data[0]) == MARK


def _strings(texts: pa.Array) -> tuple[Rows, npt.NDArray[np.uint8]]:
    """Returns the offsets of strings, from 0 on, and their bytes."""
    _, places, data = texts.buffers()
    offsets = np.frombuffer(places or bytes(8), np.int64, len(texts) + 1, 8 * texts.offset)
    content = np.frombuffer(data or b"", np.uint8)[int(offsets[0]) : int(offsets[-1])]
    return offsets - offsets[0], content


def _spans(starts: Rows, sizes: Rows) -> Rows:
    """Returns the numbers from each start on, as many as its size."""
    ends = np.cumsum(sizes)
    spans: Rows = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(starts - ends + sizes, sizes)
    return spans


def _numbers(raw: npt.NDArray[np.uint8]) -> Rows:
    return np.ascontiguousarray(raw).view("<u4").astype(np.int64)
