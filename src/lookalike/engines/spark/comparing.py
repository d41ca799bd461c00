"""What met at one place → what is similar. Each checker takes a table of row, keys and set (and what they are for)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike import kernel
from lookalike.engines.arrows import KernelArrows, equal_slots, reached
from lookalike.engines.copies import too_many
from lookalike.engines.spark.tables import as_sets, unpacked
from lookalike.flow import Shingles
from lookalike.flow.arrays import to_numpy
from lookalike.flow.pairs import MOST_PAIRS
from lookalike.plan import ResolvedPlan

Rows = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]
Found = tuple[Rows, Rows, Rows, Rows, int, int]
"""left, right, shared, total; how many were walked along, and how many candidates there were (-1: not counted)."""

Checker = Callable[[pa.Table], tuple[pa.Table, dict[str, int]]]

FEW_PAIRS = 32
"""Pairs a set up to which components come from an exact join of all."""


@dataclass(frozen=True)
class FindPairs:
    """All similar pairs of all works: a pair is in one work only."""

    resolved: ResolvedPlan

    def __call__(self, table: pa.Table) -> tuple[pa.Table, dict[str, int]]:
        keys, lists = unpacked(table["keys"]), table["set"].combine_chunks()
        rows = to_numpy(table["row"])
        found: list[tuple[Rows, ...]] = [(np.zeros(0, np.int64),) * 4]
        checked = candidates = uncounted = 0
        for at, how in works(table, "how"):
            at = at[np.lexsort((at, how % 2))]  # side by side; rows ascend
            split = int(np.count_nonzero(how % 2 == 0)) % len(at)
            band = int(how[0]) // 2
            share = kernel.Share(band, band + 1, split)
            left, right, *counts, walked, proposed = similar(self.resolved, keys[at], _sets(lists, at), share)
            found.append((rows[at[left]], rows[at[right]], *counts))
            checked += walked
            candidates += max(0, proposed)
            uncounted += proposed < 0
        columns = [np.concatenate(some) for some in zip(*found, strict=True)]
        pairs = pa.table(dict(zip(("left", "right", "shared", "total"), columns, strict=True)))
        return pairs, {"checked": checked, "candidates": candidates, "uncounted": uncounted}


@dataclass(frozen=True)
class FindComponents:
    """What hangs together of all that met here, whatever it met for: every candidate pair may be looked at."""

    resolved: ResolvedPlan

    def __call__(self, table: pa.Table) -> tuple[pa.Table, dict[str, int]]:
        rows = to_numpy(table["row"])
        labels, checked = components(self.resolved, unpacked(table["keys"]), as_sets(table["set"]))
        return _edges(rows, labels), {"checked": checked}


@dataclass(frozen=True)
class JoinClusters:
    """What hangs together of each work, where some are known to hang together already."""

    resolved: ResolvedPlan

    def __call__(self, table: pa.Table) -> tuple[pa.Table, dict[str, int]]:
        keys, lists, rows = unpacked(table["keys"]), table["set"].combine_chunks(), to_numpy(table["row"])
        edges, checked = [_edges(rows[:0], rows[:0])], 0
        for at, label in works(table, "label"):
            _, first, cluster = np.unique(label, return_index=True, return_inverse=True)
            labels, walked = components(self.resolved, keys[at], _sets(lists, at), first[cluster].astype(np.int64))
            edges.append(_edges(rows[at], labels))
            checked += walked
        return pa.concat_tables(edges).combine_chunks(), {"checked": checked}


@dataclass(frozen=True)
class Measure:
    """How similar members (side 1) are to the one of their work that stands for them (side 0)."""

    def __call__(self, table: pa.Table) -> tuple[pa.Table, dict[str, int]]:
        sets, rows = as_sets(table["set"]), to_numpy(table["row"])
        lefts, rights = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for at, how in works(table, "how"):
            members = at[how == 1]
            lefts.append(members)
            rights.append(np.full(len(members), at[how == 0][0]))
        left, right = np.concatenate(lefts), np.concatenate(rights)
        shared = kernel.intersections(sets, left, right)
        total = sets.sizes[left] + sets.sizes[right] - shared
        return pa.table({"row": rows[left], "kept": rows[right], "shared": shared, "total": total}), {}


def works(table: pa.Table, *what: str) -> Iterator[tuple[Rows, ...]]:
    """For every work: the positions of those that are in it, ascending, and what else is said of each of them."""
    lists = table["work"].combine_chunks()
    work = to_numpy(lists.flatten())
    lengths = np.diff(to_numpy(lists.offsets))
    at = np.repeat(np.arange(len(lists)), lengths)
    said = [to_numpy(table[name].combine_chunks().flatten()) for name in what]
    order = np.argsort(work, kind="stable")
    bounds = np.flatnonzero(np.diff(work[order])) + 1
    for here in np.split(order, bounds) if len(order) else []:
        yield (at[here], *(values[here] for values in said))


def similar(resolved: ResolvedPlan, keys: Hashes, sets: Shingles, share: kernel.Share) -> Found:
    """The true pairs among the candidates of a share, as positions."""
    t, plan = resolved.threshold, resolved.plan
    try:
        if resolved.exact:
            one, other = _halves(sets, share.split) if share.split else (sets, None)
            exact = kernel.exact_pairs(one, other, numerator=t.numerator, denominator=t.denominator, most=MOST_PAIRS)
            left, right, shared = exact.left, exact.right + share.split, exact.intersection
            return left, right, shared, _union(sets, left, right, shared), exact.compared, -1
        if plan.verify == "exact":
            met = kernel.similar_pairs(keys, sets, t.numerator, t.denominator, 1, MOST_PAIRS, share)
            left, right, shared = met.left, met.right, met.intersection
            return left, right, shared, _union(sets, left, right, shared), met.checked, met.candidates
    except OverflowError:
        raise too_many(f"over {MOST_PAIRS:,}", plan) from None
    left, right = kernel.candidates(keys, 1, share)
    if plan.verify == "none":
        return left, right, np.zeros_like(left), np.ones_like(left), 0, len(left)
    signatures = KernelArrows(1).sign(sets, resolved)
    shared, total = equal_slots(signatures, left, right)
    true = reached(shared, total, resolved)
    return left[true], right[true], shared[true], total[true], len(left), len(left)


def components(resolved: ResolvedPlan, keys: Hashes, sets: Shingles, known: Rows | None = None) -> tuple[Rows, int]:
    """The smallest position that each hangs together with; pairs that join nothing new are not compared."""
    t = resolved.threshold
    if resolved.exact and known is None:
        try:
            most = FEW_PAIRS * (1000 + len(sets))
            few = kernel.exact_pairs(sets, numerator=t.numerator, denominator=t.denominator, most=most)
            return kernel.connect(len(sets), few.left, few.right), few.compared
        except OverflowError:
            pass  # there are many more pairs than sets
    if resolved.plan.verify == "exact":
        found = kernel.similar_components(keys, sets, t.numerator, t.denominator, 1, kernel.ALL, known)
        return found.labels, found.checked
    left, right, _, _, checked, _ = similar(resolved, keys, sets, kernel.ALL)
    if known is not None:
        left, right = np.append(left, np.arange(len(known))), np.append(right, known)
    return kernel.connect(len(keys), left, right), checked


def _edges(rows: Rows, labels: Rows) -> pa.Table:
    apart = np.flatnonzero(labels != np.arange(len(labels)))
    return pa.table({"high": rows[apart], "low": rows[labels[apart]]})


def _union(sets: Shingles, left: Rows, right: Rows, shared: Rows) -> Rows:
    return np.asarray(sets.sizes[left] + sets.sizes[right] - shared)


def _halves(sets: Shingles, split: int) -> tuple[Shingles, Shingles]:
    return Shingles(sets.offsets[: split + 1], sets.values), Shingles(sets.offsets[split:], sets.values)


def _sets(lists: pa.Array, at: Rows) -> Shingles:
    return as_sets(pa.chunked_array([lists.take(pa.array(at))]))
