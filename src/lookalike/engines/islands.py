"""Band keys → islands: groups of rows that candidate pairs connect. No pair lies across two of them.

So islands can be worked on one after the other, in batches that fit into memory. They are found band by band: of each
band's keys only one slice needs to be in memory at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from lookalike import kernel
from lookalike.engines.hot import Hot
from lookalike.engines.room import sorted_row
from lookalike.engines.signed import PRINTS, Signed, matrix_of
from lookalike.work import mapped

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Islands:
    """The rows that share a bucket with another, ascending, each with the first row of its island."""

    rows: Rows
    island: Rows
    indexed: Mask
    """Whether the row is in a bucket so large that it is joined by an index."""
    hot: Hot = field(default_factory=Hot)


def first_copies(signed: Signed, empty: Mask, room: int) -> Rows:
    """For each row its first exact copy, in slices of fingerprints that fit."""
    first = np.arange(signed.rows, dtype=np.int64)
    slices = _slices(signed.rows, 40, room)
    for nth in range(slices):
        rows, prints = [], []
        for start, table in signed.read(*PRINTS):
            found = matrix_of(table, PRINTS)
            here = ~empty[start : start + len(found)] & _in_slice(found[:, 0], nth, slices)
            rows.append(np.flatnonzero(here) + start)
            prints.append(found[here])
        if rows:
            these = np.concatenate(rows)
            first[these] = these[kernel.copies(np.concatenate(prints), np.zeros(len(these), dtype=bool))]
    return first


def find_islands(signed: Signed, left_out: Mask, room: int, threads: int) -> Islands:
    """The islands of all rows that are not left out. `room` is what the sorting may take."""
    forest = kernel.Forest(signed.rows)
    indexed = np.zeros(signed.rows, dtype=bool)
    hot = Hot()
    for members, starts in each_band(signed, left_out, range(signed.bands), room, threads):
        forest.join_buckets(members, starts)
        hot = hot.and_those_of(members, starts)
        sizes = np.diff(starts)
        indexed[members[np.repeat(sizes > kernel.SMALL_BUCKET, sizes)]] = True
    roots = forest.find(np.arange(signed.rows, dtype=np.int64))
    del forest
    sizes = np.bincount(roots, minlength=signed.rows)
    rows = np.flatnonzero(sizes[roots] > 1)
    return Islands(rows, roots[rows], indexed[rows], hot)


def each_band(
    signed: Signed, left_out: Mask, bands: range, room: int, threads: int
) -> Iterator[tuple[npt.NDArray[np.uint32], Rows]]:
    """The buckets of two and more of each of these bands, in slices that fit: members, and where each starts."""
    some = int(np.count_nonzero(~left_out))
    at_once = max(1, min(threads, len(bands), room // max(1, sorted_row() * some)))
    slices = _slices(some, sorted_row() * at_once, room)

    def grouped(job: tuple[int, int]) -> tuple[npt.NDArray[np.uint32], Rows]:
        band, nth = job
        keyed = np.empty((some if slices == 1 else 0, 2), dtype=np.uint64)
        filled = 0
        for start, keys in signed.keys(band):
            here = ~left_out[start : start + len(keys)]
            if slices > 1:
                here &= _in_slice(keys, nth, slices)
            rows = np.flatnonzero(here)
            if filled + len(rows) > len(keyed):  # grown in place: see load_sets
                keyed.resize((filled + max(len(rows), some // slices // 8), 2), refcheck=False)
            keyed[filled : filled + len(rows), 0] = keys[rows]
            keyed[filled : filled + len(rows), 1] = rows + start
            filled += len(rows)
        return kernel.buckets(keyed[:filled])

    return mapped(grouped, ((band, nth) for band in bands for nth in range(slices)), at_once)


def _slices(rows: int, a_row: int, room: int) -> int:
    """Into how many slices of keys so many rows have to be cut; a power of two."""
    slices = 1
    while slices < min(rows, 1 << 16) and rows * a_row > room * slices:
        slices *= 2
    return slices


def _in_slice(keys: npt.NDArray[np.uint64], nth: int, slices: int) -> Mask:
    """Slices by the leading bits; keys are hashes, so they are of about the same size."""
    if slices == 1:
        return np.ones(len(keys), dtype=bool)
    return np.asarray(keys >> np.uint64(65 - slices.bit_length()) == nth)
