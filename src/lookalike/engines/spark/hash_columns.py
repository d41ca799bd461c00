"""Converts hashes to Arrow columns. A matrix becomes one fixed-width column, so parts and shuffle blocks have few
columns.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.flow import Shingles
from lookalike.flow.arrays import Hashes, to_numpy

MIX = np.uint64(0x9E3779B97F4A7C15)


def packed(matrix: Hashes) -> pa.Array:
    """Converts a matrix to a column of bytes, one value per row."""
    matrix = np.ascontiguousarray(matrix)
    kind = pa.binary(8 * matrix.shape[1])
    return pa.Array.from_buffers(kind, len(matrix), [None, pa.py_buffer(matrix)])


def unpacked(column: pa.ChunkedArray | pa.Array) -> Hashes:
    """The inverse of `packed`."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
        column = column.chunk(0) if isinstance(column, pa.ChunkedArray) and column.num_chunks else column
    width = column.type.byte_width // 8
    if not len(column):
        return np.zeros((0, width), np.uint64)
    data = np.frombuffer(column.buffers()[1], np.uint64, len(column) * width, offset=column.offset * 8 * width)
    return data.reshape(len(column), width)


def as_lists(sets: Shingles) -> pa.Array:
    return pa.LargeListArray.from_arrays(pa.array(sets.offsets, pa.int64()), pa.array(sets.values, pa.uint64()))


def as_sets(column: pa.ChunkedArray) -> Shingles:
    lists = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], pa.large_list(pa.uint64()))
    offsets = to_numpy(lists.offsets).astype(np.int64)
    return Shingles(offsets - offsets[:1], to_numpy(lists.flatten()))


def mixed(numbers: npt.NDArray[np.integer], more: npt.NDArray[np.integer] | int = 0) -> Hashes:
    """Returns evenly distributed hashes of numbers (or of pairs of numbers, with `more`), for use as addresses."""
    salt = np.broadcast_to(np.asarray(more, np.uint64), len(numbers)) + np.uint64(
        1
    )  # an array, because scalars warn on overflow
    x = (numbers.astype(np.uint64) + salt * MIX) * MIX
    x ^= x >> np.uint64(29)
    x *= np.uint64(0xBF58476D1CE4E5B9)
    return np.asarray(x ^ (x >> np.uint64(32)), np.uint64)
