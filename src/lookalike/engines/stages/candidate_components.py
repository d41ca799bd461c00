"""Finds candidate components from band keys: groups of rows that are connected by candidate pairs.

Components can be processed separately, in batches that fit into memory. They are found band by band, and only one slice
of a band's keys needs to be in memory at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from lookalike.engines.stages.boilerplate import LargeBuckets
from lookalike.engines.stages.memory import KEY, sorted_row
from lookalike.engines.stages.signed_parts import WORDS, SignedParts, key_column, matrix_of
from lookalike.flow.arrays import Hashes, Mask, Rows
from lookalike.flow.buckets import SMALL_BUCKET
from lookalike.io.workers import mapped
from lookalike.kernel.protocol import Kernel


@dataclass(frozen=True, eq=False)
class CandidateComponents:
    """The rows that share a bucket with another row, in ascending order, each with the first row of its component."""

    rows: Rows
    component: Rows
    indexed: Mask
    """True for rows in a bucket that is so large that its pairs are found with an index."""
    large_buckets: LargeBuckets = field(default_factory=LargeBuckets)

    def labels(self, rows: int) -> Rows:
        """Returns, for each row, the first row of its component, or the row itself. `rows` is the number of rows."""
        label = np.arange(rows, dtype=np.int64)
        label[self.rows] = self.component
        return label


def first_copies(kernel: Kernel, signed: SignedParts, empty: Mask, allowance: int) -> Rows:
    """Returns, for each row, the first row with the same words in the same order.

    Hashes are read in slices that fit in memory.
    """
    first = np.arange(signed.rows, dtype=np.int64)
    slices = _slices(signed.rows, 40, allowance)
    for nth in range(slices):
        rows, hashes = [], []
        for start, table in signed.read(*WORDS):
            found = matrix_of(table, WORDS)
            here = ~empty[start : start + len(found)] & _in_slice(found[:, 0], nth, slices)
            rows.append(np.flatnonzero(here) + start)
            hashes.append(found[here])
        if rows:
            these = np.concatenate(rows)
            first[these] = these[kernel.copies(np.concatenate(hashes), np.zeros(len(these), dtype=bool))]
    return first


def find_components(kernel: Kernel, signed: SignedParts, left_out: Mask, allowance: int) -> CandidateComponents:
    """Finds the components of all rows that are not left out. Sorting uses at most `allowance` bytes."""
    forest = kernel.forest(signed.rows)
    indexed = np.zeros(signed.rows, dtype=bool)
    large_buckets = LargeBuckets()
    for members, starts in each_band(kernel, signed, left_out, range(signed.bands), allowance):
        forest.join_buckets(members, starts)
        large_buckets = large_buckets.with_buckets(members, starts)
        sizes = np.diff(starts)
        indexed[members[np.repeat(sizes > SMALL_BUCKET, sizes)]] = True
    roots = forest.find(np.arange(signed.rows, dtype=np.int64))
    del forest
    sizes = np.bincount(roots, minlength=signed.rows)
    rows = np.flatnonzero(sizes[roots] > 1)
    return CandidateComponents(rows, roots[rows], indexed[rows], large_buckets)


def bucket_components(kernel: Kernel, keys: Hashes) -> Rows:
    """Returns, for each row, the first row of its candidate component, given keys in memory."""
    forest, rows = kernel.forest(len(keys)), np.arange(len(keys), dtype=np.int64)
    for band in range(keys.shape[1]):
        forest.join_buckets(*kernel.buckets(np.ascontiguousarray(keys[:, band])))
    return forest.find(rows)


def each_band(
    kernel: Kernel, signed: SignedParts, left_out: Mask, bands: range, allowance: int
) -> Iterator[tuple[npt.NDArray[np.uint32], Rows]]:
    """Yields the buckets of two or more members, band by band, in slices that fit: members, and each bucket's start."""
    some = int(np.count_nonzero(~left_out))
    whole = max(1, KEY * signed.rows + sorted_row() * some)
    at_once = max(1, min(kernel.threads, len(bands), allowance // whole))
    slices = 1 if whole <= allowance else _slices(some, sorted_row() + 2 * KEY, allowance)

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


def _slices(rows: int, row_bytes: int, allowance: int) -> int:
    """Returns the number of slices, a power of two, such that the keys of one slice fit into `allowance` bytes."""
    slices = 1
    while slices < min(rows, 1 << 16) and rows * row_bytes > allowance * slices:
        slices *= 2
    return slices


def _in_slice(keys: npt.NDArray[np.uint64], nth: int, slices: int) -> Mask:
    """Returns True for keys whose leading bits put them in slice `nth`.

    Keys are hashes, so slices have similar sizes.
    """
    if slices == 1:
        return np.ones(len(keys), dtype=bool)
    return np.asarray(keys >> np.uint64(65 - slices.bit_length()) == nth)
