"""Postings of many rows: for each band, pairs of a key and a row, sorted and cut into pages.

A page has up to 160 postings, so that four pages fill a block of PostgreSQL. Keys are signed and big-endian, as
`int8send` writes them, so that the server can leave out pages that do not contain a key.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from lookalike.flow.arrays import Hashes, Rows
from lookalike.io.workers import mapped

POSTINGS = 160
"""The maximum number of postings of a page."""

KEY, ROW = np.dtype(">i8"), np.dtype(">u4")
"""How keys, and rows counted from the first one of the segment, are stored."""

KINDS = ["int4", "int2", "int8", "int4", "int8", "bytea", "bytea"]
"""The types of the columns of `pages_of_band`."""

Signed = npt.NDArray[np.int64]
"""Keys as PostgreSQL compares them."""


def signed(keys: Hashes) -> Signed:
    """Returns band keys as signed integers with the same bits."""
    return np.ascontiguousarray(keys).view(np.int64)


def pages_of_band(segment: int, band: int, keys: Signed, places: Rows) -> list[tuple[Any, ...]]:
    """Returns the rows of `posting` for the keys of a band. `places` are the rows, ascending."""
    order = np.argsort(keys, kind="stable")
    keys, stored = keys[order], places[order].astype(ROW)
    pages = []
    for page, start in enumerate(range(0, len(keys), POSTINGS)):
        here = slice(start, start + POSTINGS)
        key, row = keys[here].astype(KEY).tobytes(), stored[here].tobytes()
        last = int(keys[min(start + POSTINGS, len(keys)) - 1])
        pages.append((segment, band, last, page, zlib.crc32(row, zlib.crc32(key)), key, row))
    return pages


def pages_of(segment: int, keys: Hashes, places: Rows, threads: int) -> Iterator[tuple[Any, ...]]:
    """Yields the rows of `posting` for the keys of all bands."""
    columns = signed(keys)

    def made(band: int) -> list[tuple[Any, ...]]:
        return pages_of_band(segment, band, columns[:, band], places)

    for pages in mapped(made, range(keys.shape[1]), threads):
        yield from pages


def page_count(postings: int) -> int:
    return -(-postings // POSTINGS)


def opened(keys: bytes, rows: bytes, first: int) -> tuple[Signed, Rows]:
    """Returns the keys and row numbers of pages."""
    return np.frombuffer(keys, KEY).astype(np.int64), np.frombuffer(rows, ROW).astype(np.int64) + first


def matches(stored: Signed, wanted: Signed) -> tuple[Rows, Rows]:
    """Returns the places of equal keys: those in `wanted`, and those in `stored`, which ascends."""
    first, last = np.searchsorted(stored, wanted, side="left"), np.searchsorted(stored, wanted, side="right")
    sizes = last - first
    queries = np.repeat(np.arange(len(wanted)), sizes)
    within = np.arange(len(queries)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return queries, np.repeat(first, sizes) + within
