"""Decodes levels and dictionary indices of Parquet: runs of one number, and numbers packed bit by bit."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa


def decoded(data: bytes, width: int, count: int) -> npt.NDArray[np.int64]:
    """The first `count` numbers of `width` bits. Raises Arrow's error if there are fewer."""
    if width > 32:
        raise pa.ArrowInvalid(f"numbers of {width} bits")
    found, at, missing = [np.zeros(0, np.int64)], 0, count
    while missing > 0:
        head = shift = 0
        while True:  # seven bits per byte
            if at >= len(data) or shift > 56:
                raise pa.ArrowInvalid("a page ends within its levels or indices")
            head |= (data[at] & 127) << shift
            shift, at = shift + 7, at + 1
            if data[at - 1] < 128:
                break
        if head & 1:  # groups of eight numbers, bit by bit
            size = (head >> 1) * width
            numbers = _unpacked(
                data[at : at + min(size, -(-missing // 8) * width)], width, min(8 * (head >> 1), missing)
            )
        else:  # one number, repeated
            size = -(-width // 8)
            number = int.from_bytes(data[at : at + size], "little")
            if number >> width or at + size > len(data):
                raise pa.ArrowInvalid("a page has damaged levels or indices")
            numbers = np.full(min(head >> 1, missing), number, np.int64)
        at += size
        if not len(numbers):
            raise pa.ArrowInvalid("a page has an empty run of levels or indices")
        found.append(numbers)
        missing -= len(numbers)
    return np.concatenate(found)


def _unpacked(data: bytes, width: int, count: int) -> npt.NDArray[np.int64]:
    if width == 0:
        return np.zeros(count, np.int64)
    bits = np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little")
    rows = bits[: len(bits) // width * width].reshape(-1, width)[:count]
    return np.asarray(rows @ (1 << np.arange(width, dtype=np.int64)), np.int64)
