"""Band keys → islands: groups of rows that candidate pairs connect. No pair lies across two of them.

So islands can be worked on one after the other, in batches that fit into memory. They are found band by band: of each
band's keys only one slice needs to be in memory at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from lookalike.engines.stages.boilerplate import Hot
from lookalike.engines.stages.memory import KEY, sorted_row
from lookalike.engines.stages.signed_rows import PRINTS, Signed, key_column, matrix_of
from lookalike.flow.arrays import Hashes, Mask, Rows
from lookalike.flow.buckets import SMALL_BUCKET
from lookalike.io.read_ahead import mapped
from lookalike.kernel.protocol import Kernel


@dataclass(frozen=True, eq=False)
class Islands:
    """The rows that share a bucket with another, ascending, each with the first row of its island."""

    rows: Rows
    island: Rows
    indexed: Mask
    """Whether the row is in a bucket so large that it is joined by an index."""
    hot: Hot = field(default_factory=Hot)

    def labels(self, rows: int) -> Rows:
        """For each row the first one of its island; a row that is in none is alone."""
        label = np.arange(rows, dtype=np.int64)
        label[self.rows] = self.island
        return label


def first_copies(kernel: Kernel, signed: Signed, empty: Mask, room: int) -> Rows:
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


def find_islands(kernel: Kernel, signed: Signed, left_out: Mask, room: int) -> Islands:
    """The islands of all rows that are not left out. `room` is what the sorting may take."""
    forest = kernel.forest(signed.rows)
    indexed = np.zeros(signed.rows, dtype=bool)
    hot = Hot()
    for members, starts in each_band(kernel, signed, left_out, range(signed.bands), room):
        forest.join_buckets(members, starts)
        hot = hot.and_those_of(members, starts)
        sizes = np.diff(starts)
        indexed[members[np.repeat(sizes > SMALL_BUCKET, sizes)]] = True
    roots = forest.find(np.arange(signed.rows, dtype=np.int64))
    del forest
    sizes = np.bincount(roots, minlength=signed.rows)
    rows = np.flatnonzero(sizes[roots] > 1)
    return Islands(rows, roots[rows], indexed[rows], hot)


def bucket_components(kernel: Kernel, keys: Hashes) -> Rows:
    """The components of all candidate pairs, of keys in memory: each bucket is joined to its first member."""
    forest, rows = kernel.forest(len(keys)), np.arange(len(keys), dtype=np.int64)
    for band in range(keys.shape[1]):
        forest.join_buckets(*kernel.buckets(np.ascontiguousarray(keys[:, band])))
    return forest.find(rows)


def each_band(
    kernel: Kernel, signed: Signed, left_out: Mask, bands: range, room: int
) -> Iterator[tuple[npt.NDArray[np.uint32], Rows]]:
    """The buckets of two and more of each of these bands, in slices that fit: members, and where each starts."""
    some = int(np.count_nonzero(~left_out))
    whole = max(1, KEY * signed.rows + sorted_row() * some)
    at_once = max(1, min(kernel.threads, len(bands), room // whole))
    slices = 1 if whole <= room else _slices(some, sorted_row() + 2 * KEY, room)

    def grouped(job: tuple[int, int]) -> tuple[npt.NDArray[np.uint32], Rows]:
        band, nth = job
        if slices == 1:
            return kernel.buckets(signed.column(key_column(band), np.uint64), left_out=left_out)
        chosen, rows = [np.zeros(0, np.uint64)], [np.zeros(0, np.uint32)]
        for start, keys in signed.keys(band):
            here = np.flatnonzero(_in_slice(keys, nth, slices) & ~left_out[start : start + len(keys)])
            chosen.append(keys[here])
            rows.append((here + start).astype(np.uint32))
        return kernel.buckets(np.concatenate(chosen), np.concatenate(rows))

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
