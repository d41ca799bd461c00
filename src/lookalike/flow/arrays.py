"""Array types, and conversions between Arrow and NumPy that avoid slow imports, which dominate a short run.

If pandas is installed, `pa.array`, `pa.scalar` and `to_numpy` import it, which takes a quarter of a second.
`pyarrow.compute`, which `cast`, `take` and `filter` import, takes 30 ms. Code that every run executes uses this module
instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

try:
    from pyarrow._compute import CastOptions, call_function
except ImportError:  # `pyarrow._compute` is private and may change; the public module has the same two functions
    from pyarrow.compute import CastOptions, call_function


__all__ = [
    "Hashes",
    "Mask",
    "Rows",
    "call_function",
    "cast",
    "characters",
    "ids_of",
    "large_strings",
    "take",
    "to_arrow",
    "to_numpy",
]

Rows = npt.NDArray[np.int64]
"""Row numbers, or one whole number per row, such as an offset, a size or a count."""

Hashes = npt.NDArray[np.uint64]
"""64-bit hashes: shingles, signature slots, band keys, or halves of 128-bit hashes."""

Mask = npt.NDArray[np.bool_]
"""One boolean per row."""


def to_numpy(array: pa.Array | pa.ChunkedArray) -> npt.NDArray[Any]:
    """Converts an Arrow array of numbers without nulls to a read-only NumPy view; several chunks are combined first."""
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0) if array.num_chunks == 1 else pa.concat_arrays(array.chunks or [pa.nulls(0, array.type)])
    return np.from_dlpack(array)


def to_arrow(values: npt.NDArray[Any]) -> pa.Array:
    """Converts a NumPy array of numbers to an Arrow array of the same type; a contiguous array is not copied."""
    values = np.ascontiguousarray(values)
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, pa.py_buffer(values)])


def strings(*values: str) -> pa.Array:
    """Same as `pa.array(values)`, without the slow import."""
    texts = [value.encode() for value in values]
    offsets = np.cumsum([0, *map(len, texts)], dtype=np.int32)
    return pa.StringArray.from_buffers(len(texts), pa.py_buffer(offsets), pa.py_buffer(b"".join(texts)))


def large_strings(values: Sequence[str]) -> pa.Array:
    """Same as `pa.array(values, pa.large_string())`, without the slow import."""
    texts = [value.encode() for value in values]
    offsets = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(texts))]
    return pa.Array.from_buffers(pa.large_string(), len(texts), buffers)


def cast(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """Same as `array.cast(kind)`, but an array that already has this type is returned unchanged."""
    return array if array.type == kind else call_function("cast", [array], CastOptions.safe(kind))


def take(array: Any, rows: npt.NDArray[np.int64]) -> Any:
    """Same as `array.take(rows)` of an array or a batch, without the slow import."""
    return call_function("take", [array, to_arrow(rows)])


def ids_of(ids: pa.Array | None, rows: npt.NDArray[np.int64]) -> pa.Array:
    """Returns the ids of the given rows, or the row numbers if `ids` is None."""
    return to_arrow(rows) if ids is None else take(ids, rows)


def characters(texts: pa.Array) -> npt.NDArray[np.int64]:
    """Returns the length of each text (`large_string`, no nulls) in code points."""
    return to_numpy(call_function("utf8_length", [texts]))


CODE_SIGNS = b"()[]{}=;_"
"""Characters that are frequent in source code, and rare in prose, markup and tables."""

CODE_READ = 20_000
"""The number of bytes at the start of each text in which these characters are counted."""

CODE_FIRST, CODE_EVERY = 100, 50
"""They are counted in each of the first 100 texts, and in every 50th text after that."""


def code_shares(texts: pa.Array, start: int = 0) -> list[float]:
    """Returns the share of CODE_SIGNS among the bytes that are not white space, for some of the texts.

    `start` is the row of the first text. Which texts are examined depends only on their rows. Empty texts are skipped.
    """
    shares = []
    for i in range(len(texts)):
        if start + i >= CODE_FIRST and (start + i) % CODE_EVERY:
            continue
        buffer = texts[i].as_buffer()
        solid = buffer[:CODE_READ].to_pybytes().translate(None, b" \t\n\r\f\v") if buffer else b""
        if solid:
            shares.append(1 - len(solid.translate(None, CODE_SIGNS)) / len(solid))
    return shares
