"""Divides candidates into batches that fit into memory, and stores their keys and sets in files.

The texts are read once. Their sets are written in chunks, and within a chunk the sets of one batch are adjacent. To
load a batch, only its part of each chunk is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.engines.stages.arrows import StoredTexts, cut_rows
from lookalike.engines.stages.candidate_components import CandidateComponents
from lookalike.engines.stages.memory import Allowance
from lookalike.engines.stages.signed_parts import SignedParts
from lookalike.flow import Shingles
from lookalike.flow.arrays import Hashes, Rows, take, to_arrow, to_numpy
from lookalike.flow.distinct import distinct
from lookalike.flow.progress import Progress
from lookalike.kernel.protocol import Kernel
from lookalike.planning.resolve import ResolvedPlan
from lookalike.storage.spill import Spill

ALL = slice(None)

LEAST, CHUNK = 4 << 20, 64 << 20
"""The lower and upper limit on the size of a chunk, in bytes of keys and sets, which are sorted in memory."""


@dataclass(frozen=True, eq=False)
class Packed:
    """The batch of each candidate. A component that is too large for one batch is divided, by row, into several."""

    batch: npt.NDArray[np.int32]
    whole: range
    """The batches that consist of whole components."""
    large: list[int]
    """The first row of each component that does not fit in one batch."""


def pack(components: CandidateComponents, cost: Rows, allowance: int, order: Rows | None = None) -> Packed:
    """Packs components, in order of their first row, into batches of at most `allowance` bytes.

    A larger component is divided in input order or, if given, by the values of `order`, one per candidate.
    """
    firsts, nth = np.unique(components.component, return_inverse=True)
    total = np.bincount(nth, weights=cost, minlength=len(firsts))
    too_large = total > allowance
    numbers = np.full(len(firsts), -1, dtype=np.int32)
    fitting = np.flatnonzero(~too_large)
    spent, begin, count = np.cumsum(total[fitting]), 0, 0
    while begin < len(fitting):
        before = spent[begin - 1] if begin else 0
        end = int(np.searchsorted(spent, before + allowance, side="right"))
        numbers[fitting[begin:end]] = count
        begin, count = end, count + 1
    batch = numbers[nth]
    whole, large = range(count), []
    for component in np.flatnonzero(too_large):
        rows = np.flatnonzero(nth == component)
        if order is not None:
            rows = rows[np.argsort(order[rows], kind="stable")]
        block = (np.cumsum(cost[rows]) - 1) // max(1, allowance // 8)  # blocks are read whole but used only in part
        block = np.unique(block, return_inverse=True)[1]
        batch[rows] = count + block
        large.append(int(firsts[component]))
        count += int(block[-1]) + 1
    return Packed(batch, whole, large)


def hash_of(numbers: npt.NDArray[np.integer]) -> str:
    """Identifies an array, for the names of parts that depend on it."""
    return blake2b(np.ascontiguousarray(numbers).tobytes(), digest_size=8).hexdigest()


@dataclass(frozen=True, eq=False)
class StoredCandidates:
    """The keys and sets of all candidates, stored in files."""

    rows: Rows
    batch: npt.NDArray[np.int32]
    bands: int
    spill: Spill
    bounds: list[tuple[int, int]]
    """The start and end of each chunk, as positions in `rows`."""
    name: str
    selected: list[Rows] | None = None
    """The rows of each batch, if they are stored in another order; otherwise None."""

    @cached_property
    def present(self) -> list[npt.NDArray[np.int32]]:
        """The batches that each chunk contains, in the order in which they are stored."""
        return [distinct(self.batch[low:high]) for low, high in self.bounds]

    def chunk(self, number: int) -> Shingles:
        """Returns the sets of a chunk. All sets must be in one batch."""
        table = self.spill.get(f"{self.name}-{number:06d}", batch=0)
        assert table is not None, f"chunk {number} of the candidates is gone"
        return _sets(table)

    def load(self, batch: int) -> tuple[Rows, Hashes, Shingles]:
        """Loads the rows, keys and sets of a batch."""
        if self.selected is not None:
            return self.load_rows(self.selected[batch])
        return self._read([batch], int(np.count_nonzero(self.batch == batch)))

    def load_rows(self, wanted: Rows, bands: slice = ALL) -> tuple[Rows, Hashes, Shingles]:
        """Loads the keys of some bands and the sets of the wanted rows (ascending).

        Only the batches of these rows are read.

        Also returns the rows, in the order in which they were read.
        """
        batches = distinct(self.batch[np.searchsorted(self.rows, wanted)])
        return self._read(batches.tolist(), len(wanted), wanted, bands)

    def _read(
        self, batches: list[int], count: int, wanted: Rows | None = None, bands: slice = ALL
    ) -> tuple[Rows, Hashes, Shingles]:
        rows = np.empty(count, dtype=np.int64)
        keys = np.empty((count, len(range(self.bands)[bands])), dtype=np.uint64)
        offsets, values = np.zeros(count + 1, dtype=np.int64), np.zeros(0, dtype=np.uint64)
        at = 0
        for table in self._pieces(batches):
            there = to_numpy(table["row"])
            here = ALL if wanted is None else _positions_in(there, wanted)
            n = len(there[here])
            if n == 0:
                continue
            end = slice(at, at + n)
            rows[end] = there[here]
            keys[end] = _numbers(table["keys"].chunk(0), self.bands)[here, bands]
            sets = table["set"].chunk(0) if isinstance(here, slice) else take(table["set"].chunk(0), here)
            ends = to_numpy(sets.offsets)
            offsets[at + 1 : at + n + 1] = len(values) + ends[1:] - ends[0]
            values.resize(len(values) + int(ends[-1] - ends[0]), refcheck=False)  # see load_sets
            values[len(values) - int(ends[-1] - ends[0]) :] = to_numpy(sets.values)[ends[0] : ends[-1]]
            at += n
        assert at == count, f"{at} candidates were read where {count} were written"
        return rows, keys, Shingles(offsets, values)

    def _pieces(self, batches: list[int]) -> Iterator[pa.Table]:
        for chunk, present in enumerate(self.present):
            for place in np.flatnonzero(np.isin(present, batches)):
                table = self.spill.get(f"{self.name}-{chunk:06d}", batch=int(place))
                assert table is not None, f"chunk {chunk} of the candidates is gone"
                yield table


def gather(
    kernel: Kernel,
    resolved: ResolvedPlan,
    texts: StoredTexts,
    signed: SignedParts,
    rows: Rows,
    packed: Packed,
    windows: npt.NDArray[np.uint32],
    name: str,
    allowance: Allowance,
    progress: Progress,
) -> StoredCandidates:
    """Cuts the candidates' texts into sets, and stores the sets and keys.

    `windows` are upper bounds on the set sizes.
    """
    spill = signed.spill
    at_once = min(CHUNK, max(LEAST, allowance.tables // 16))  # sorting takes several times as much memory
    bounds = _chunks(8 * (windows.astype(np.int64) + signed.bands), at_once)
    stored = StoredCandidates(rows, packed.batch, signed.bands, spill, bounds, name)
    done = 0
    while done < len(bounds) and spill.get(f"{name}-{done:06d}") is not None:
        done += 1
    needed = rows[bounds[done][0] :] if done < len(bounds) else rows[:0]
    sets = _Queue(_cut(kernel, resolved, texts, needed, allowance.huge))
    keys = KeyLookup(signed)
    for chunk in range(done, len(bounds)):
        low, high = bounds[chunk]
        table = _ordered(rows[low:high], keys.of(rows[low:high]), sets.take(high - low), packed.batch[low:high])
        spill.put(f"{name}-{chunk:06d}", table, hold=False)
        del table
        allowance.tidy()
        progress("read candidates", high, len(rows))
    return stored


def regroup(stored: StoredCandidates, rows: Rows, packed: Packed, name: str, allowance: Allowance) -> StoredCandidates:
    """Stores some of the candidates again, divided into other batches. The stored ones must be in one batch."""
    spill, starts = stored.spill, np.searchsorted(rows, [stored.rows[low] for low, _ in stored.bounds]).tolist()
    bounds = [*pairwise([*starts, len(rows)])]
    regrouped = StoredCandidates(rows, packed.batch, stored.bands, spill, bounds, name)
    for chunk, (low, high) in enumerate(bounds):
        if low == high or spill.get(f"{name}-{chunk:06d}") is not None:
            continue
        table = spill.get(f"{stored.name}-{chunk:06d}", batch=0)
        assert table is not None, f"chunk {chunk} of the candidates is gone"
        here = _positions_in(to_numpy(table["row"]), rows[low:high])
        keys = _numbers(table["keys"].chunk(0), stored.bands)[here]
        spill.put(
            f"{name}-{chunk:06d}",
            _ordered(rows[low:high], keys, take(table["set"].chunk(0), here), packed.batch[low:high]),
            hold=False,
        )
        del table, keys
        allowance.tidy()
    return regrouped


def _chunks(cost: Rows, at_once: int) -> list[tuple[int, int]]:
    """Returns the start and end of each chunk.

    If possible, a chunk has candidates that cost `at_once` bytes or more.
    """
    spent, bounds, begin = np.cumsum(cost), [], 0
    while begin < len(cost):
        before = int(spent[begin - 1]) if begin else 0
        end = min(len(cost), int(np.searchsorted(spent, before + at_once)) + 1)
        bounds.append((begin, end))
        begin = end
    return bounds


def _cut(kernel: Kernel, resolved: ResolvedPlan, texts: StoredTexts, rows: Rows, huge: int) -> Iterator[Shingles]:
    """Cuts the texts of these rows into sets, in one or more tables.

    If the plan does not verify candidates, the sets are empty.
    """
    if resolved.plan.verify == "none":  # nothing is compared
        return iter([Shingles(np.zeros(len(rows) + 1, dtype=np.int64), np.zeros(0, dtype=np.uint64))])
    return cut_rows(kernel, resolved, texts, rows, huge)


class _Queue:
    """Regroups tables of sets into portions of any size."""

    def __init__(self, tables: Iterator[Shingles]) -> None:
        self._tables = tables
        self._waiting: list[pa.Array] = []

    def take(self, count: int) -> pa.Array:
        """Returns the next `count` sets, as lists."""
        taken: list[pa.Array] = []
        while count:
            if not self._waiting:
                sets = next(self._tables)
                if len(sets) == 0:
                    continue
                self._waiting = [pa.LargeListArray.from_arrays(to_arrow(sets.offsets), to_arrow(sets.values))]
            first = self._waiting.pop()
            taken.append(first[:count])
            if len(first) > count:
                self._waiting = [first[count:]]
            count -= len(taken[-1])
        return pa.concat_arrays(taken)


class KeyLookup:
    """Looks up keys by row. Rows must be requested in ascending order, so that each part is read only once."""

    def __init__(self, signed: SignedParts) -> None:
        self.signed = signed
        self._starts = np.array([*signed.starts, signed.rows], dtype=np.int64)
        self._part: tuple[int, pa.Table] | None = None

    def of(self, rows: Rows) -> Hashes:
        keys = np.empty((len(rows), self.signed.bands), dtype=np.uint64)
        bounds = np.searchsorted(rows, self._starts)
        for part in np.flatnonzero(np.diff(bounds)):
            low, high = bounds[part], bounds[part + 1]
            table = self._table(int(part))
            for band, name in enumerate(self.signed.key_columns):
                keys[low:high, band] = to_numpy(table[name])[rows[low:high] - self._starts[part]]
        return keys

    def _table(self, part: int) -> pa.Table:
        if self._part is None or self._part[0] != part:
            self._part = None
            table = self.signed.part(part, self.signed.key_columns)
            self._part = (part, table)
        return self._part[1]


def _ordered(rows: Rows, keys: Hashes, sets: pa.Array, batch: npt.NDArray[np.int32]) -> pa.Table:
    """Creates the table of a chunk, with one record batch for each batch of candidates in it, in ascending order."""
    order = np.argsort(batch, kind="stable")
    if (batch != batch[0]).any():  # otherwise they are in order
        sets = take(sets, order)
    whole = pa.record_batch(
        {
            "row": to_arrow(rows[order]),
            "keys": pa.FixedSizeListArray.from_arrays(to_arrow(keys[order].ravel()), keys.shape[1]),
            "set": sets,
        }
    )
    ends = [*(np.flatnonzero(np.diff(batch[order])) + 1).tolist(), len(rows)]
    starts = [0, *ends[:-1]]
    return pa.Table.from_batches([whole.slice(a, b - a) for a, b in zip(starts, ends, strict=True)])


def _sets(table: pa.Table) -> Shingles:
    """The sets of a stored table, without copying their elements."""
    sets = table["set"].chunk(0)
    offsets = to_numpy(sets.offsets)
    return Shingles(offsets - offsets[0], to_numpy(sets.values)[offsets[0] : offsets[-1]])


def _positions_in(rows: Rows, wanted: Rows) -> Rows:
    """Returns the positions in `rows` of rows that are in `wanted` (ascending)."""
    place = np.minimum(np.searchsorted(wanted, rows), len(wanted) - 1)
    return np.flatnonzero(wanted[place] == rows)


def _numbers(lists: pa.Array, width: int) -> Hashes:
    values = to_numpy(lists.values)[lists.offset * width :]
    return np.asarray(values[: len(lists) * width].reshape(-1, width))
