"""Types of arrays, and conversions between Arrow and NumPy that import little: a short run is mostly imports.

If pandas is installed, `pa.array`, `pa.scalar` and `to_numpy` import it, which takes a quarter of a second.
`pyarrow.compute`, which `cast`, `take` and `filter` import, takes 30 ms. Code that every run executes uses this module
instead.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

try:
    from pyarrow._compute import CastOptions, call_function
except ImportError:  # that module is private to pyarrow; the public module has the same two functions
    from pyarrow.compute import CastOptions, call_function


__all__ = ["Hashes", "Mask", "Rows", "call_function", "cast", "characters", "ids_of", "take", "to_arrow", "to_numpy"]

Rows = npt.NDArray[np.int64]
"""Row numbers, or other whole numbers of rows: offsets, sizes, counts."""

Hashes = npt.NDArray[np.uint64]
"""Shingles, slots of signatures, band keys, fingerprints."""

Mask = npt.NDArray[np.bool_]
"""True or False per row."""


def to_numpy(array: pa.Array | pa.ChunkedArray) -> npt.NDArray[Any]:
    """An Arrow array of numbers without nulls as a read-only view; chunks are combined first."""
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0) if array.num_chunks == 1 else pa.concat_arrays(array.chunks or [pa.nulls(0, array.type)])
    return np.from_dlpack(array)


def to_arrow(values: npt.NDArray[Any]) -> pa.Array:
    """NumPy numbers as an Arrow array of their type; contiguous arrays are not copied."""
    values = np.ascontiguousarray(values)
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, pa.py_buffer(values)])


def cast(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """`array.cast(kind)`; an array that already has the type is returned as it is."""
    return array if array.type == kind else call_function("cast", [array], CastOptions.safe(kind))


def take(array: pa.Array, rows: npt.NDArray[np.int64]) -> pa.Array:
    """`array.take(rows)`."""
    return call_function("take", [array, to_arrow(rows)])


def ids_of(ids: pa.Array | None, rows: npt.NDArray[np.int64]) -> pa.Array:
    """The ids of these rows; without ids, the row numbers themselves."""
    return to_arrow(rows) if ids is None else take(ids, rows)


def characters(texts: pa.Array) -> npt.NDArray[np.int64]:
    """The length of each text (`large_string`, no nulls) in code points."""
    return to_numpy(call_function("utf8_length", [texts]))
