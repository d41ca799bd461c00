"""Compares the documents that one task received. Each checker takes a table of rows, keys, sets and comparisons."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.engines.spark.hash_columns import as_sets, unpacked
from lookalike.engines.spark.preferred import PreferredRows
from lookalike.engines.stages.checking import connected, similar
from lookalike.engines.stages.copies import too_many
from lookalike.flow import Shingles
from lookalike.flow.arrays import Rows, to_numpy
from lookalike.flow.buckets import Share
from lookalike.flow.threshold import Threshold
from lookalike.kernel.protocol import Kernel
from lookalike.planning.resolve import ResolvedPlan

Checker = Callable[[pa.Table], tuple[pa.Table, dict[str, int]]]


@dataclass(frozen=True)
class FindPairs:
    """Finds the similar pairs in every comparison. A pair is never found by two comparisons."""

    kernel: Kernel
    resolved: ResolvedPlan

    def __call__(self, table: pa.Table) -> tuple[pa.Table, dict[str, int]]:
        keys, lists, rows = unpacked(table["keys"]), table["set"].combine_chunks(), to_numpy(table["row"])
        found: list[tuple[Rows, ...]] = [(np.zeros(0, np.int64),) * 4]
        checked = candidates = uncounted = 0
        for at, how in comparisons(table, "how"):
            at, split = side_by_side(at, how % 2)
            band = int(how[0]) // 2
            try:
                of = similar(self.kernel, self.resolved, keys[at], _sets(lists, at), Share(band, band + 1, split))
            except OverflowError:
                raise too_many(self.resolved.plan) from None
            none = np.zeros_like(of.left)
            compared = (none, none + 1) if of.shared is None or of.total is None else (of.shared, of.total)
            found.append((rows[at[of.left]], rows[at[of.right]], *compared))
            checked += of.counts.checked
            candidates += of.counts.candidates or 0
            uncounted += of.counts.candidates is None
        columns = [np.concatenate(some) for some in zip(*found, strict=True)]
        pairs = pa.table(dict(zip(("left", "right", "shared", "total"), columns, strict=True)))
        return pairs, {"checked": checked, "candidates": candidates, "uncounted": uncounted}


@dataclass(frozen=True)
class FindReplacements:
    """Finds pairs of ranks: the document `high` is removed if `low`, which is preferred to it, survives."""

    kernel: Kernel
    resolved: ResolvedPlan
    preferred: PreferredRows

    def __call__(self, table: pa.Table) -> tuple[pa.Table, dict[str, int]]:
        found, counts = FindPairs(self.kernel, self.resolved)(table)
        rows, ranks = to_numpy(table["row"]), to_numpy(table["rank"])
        left, right = to_numpy(found["left"]), to_numpy(found["right"])
        shared, total = to_numpy(found["shared"]), to_numpy(found["total"])
        one, other = np.searchsorted(rows, left), np.searchsorted(rows, right)
        low, high = np.minimum(ranks[one], ranks[other]), np.maximum(ranks[one], ranks[other])
        replaces = (high >= self.preferred.always_kept) & ~self.preferred.are_different(left, right)
        if (share := self.resolved.plan.contained) is not None:
            share = Threshold(share)
            sizes = np.diff(to_numpy(table["set"].combine_chunks().offsets))
            removed = sizes[np.where(ranks[one] > ranks[other], one, other)]
            replaces &= shared * share.denominator >= removed * share.numerator
        columns = {"high": high, "low": low, "shared": shared, "total": total}
        return pa.table({name: values[replaces] for name, values in columns.items()}), {"checked": counts["checked"]}


@dataclass(frozen=True)
class FindComponents:
    """Finds the connected components of all documents in a table, from all candidate pairs in it."""

    kernel: Kernel
    resolved: ResolvedPlan

    def __call__(self, table: pa.Table) -> tuple[pa.Table, dict[str, int]]:
        rows = to_numpy(table["row"])
        labels, counts = connected(self.kernel, self.resolved, unpacked(table["keys"]), as_sets(table["set"]))
        return _edges(rows, labels), {"checked": counts.checked}


@dataclass(frozen=True)
class JoinClusters:
    """Finds the connected components in each comparison. Documents with the same label are already connected."""

    kernel: Kernel
    resolved: ResolvedPlan

    def __call__(self, table: pa.Table) -> tuple[pa.Table, dict[str, int]]:
        keys, lists, rows = unpacked(table["keys"]), table["set"].combine_chunks(), to_numpy(table["row"])
        edges, checked = [_edges(rows[:0], rows[:0])], 0
        for at, label, side in comparisons(table, "label", "side"):
            label = label[np.lexsort((at, side))]
            at, split = side_by_side(at, side)
            _, first, cluster = np.unique(label, return_index=True, return_inverse=True)
            known, share = first[cluster].astype(np.int64), Share(split=split)
            labels, counts = connected(self.kernel, self.resolved, keys[at], _sets(lists, at), share, known)
            edges.append(_edges(rows[at], labels))
            checked += counts.checked
        return pa.concat_tables(edges).combine_chunks(), {"checked": checked}


@dataclass(frozen=True)
class Measure:
    """Measures the similarity of each removed document (`how` 1) to the document kept in its place (`how` 0)."""

    kernel: Kernel

    def __call__(self, table: pa.Table) -> tuple[pa.Table, dict[str, int]]:
        sets, rows = as_sets(table["set"]), to_numpy(table["row"])
        lefts, rights = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for at, how in comparisons(table, "how"):
            members = at[how == 1]
            lefts.append(members)
            rights.append(np.full(len(members), at[how == 0][0]))
        left, right = np.concatenate(lefts), np.concatenate(rights)
        shared = self.kernel.intersections(sets, left, right)
        total = sets.sizes[left] + sets.sizes[right] - shared
        return pa.table({"row": rows[left], "kept": rows[right], "shared": shared, "total": total}), {}


def comparisons(table: pa.Table, *names: str) -> Iterator[tuple[Rows, ...]]:
    """Yields, for every comparison, the positions of its documents, in ascending order, and their values in `names`."""
    lists = table["work"].combine_chunks()
    work = to_numpy(lists.flatten())
    lengths = np.diff(to_numpy(lists.offsets))
    at = np.repeat(np.arange(len(lists)), lengths)
    columns = [to_numpy(table[name].combine_chunks().flatten()) for name in names]
    order = np.argsort(work, kind="stable")
    bounds = np.flatnonzero(np.diff(work[order])) + 1
    for here in np.split(order, bounds) if len(order) else []:
        yield (at[here], *(values[here] for values in columns))


def side_by_side(at: Rows, side: npt.NDArray[np.integer]) -> tuple[Rows, int]:
    """Returns the positions on side 0 followed by those on side 1, each ascending, and the index where side 1 starts.

    The index is 0 if side 1 is empty.
    """
    return at[np.lexsort((at, side))], int(np.count_nonzero(side == 0)) % len(at)


def _edges(rows: Rows, labels: Rows) -> pa.Table:
    joined = np.flatnonzero(labels != np.arange(len(labels)))
    return pa.table({"high": rows[joined], "low": rows[labels[joined]]})


def _sets(lists: pa.Array, at: Rows) -> Shingles:
    return as_sets(pa.chunked_array([lists.take(pa.array(at))]))
