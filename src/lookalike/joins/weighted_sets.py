"""Finds similar pairs of sets whose elements have weights: rare elements count more than common ones.

The similarity of two sets is the weight of their common elements, divided by the weight of their union. Candidates are
proposed by bands of weighted MinHash; every candidate is verified with the exact weights, which are integers.
"""

from __future__ import annotations

import math
import time
from contextlib import closing
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc
import tomli_w

from lookalike.families.chance import bands_and_rows
from lookalike.flow import Auto, Shingles, Shingling
from lookalike.flow.arrays import Mask, Rows
from lookalike.flow.progress import Progress, silent
from lookalike.flow.threshold import Threshold
from lookalike.io.source import Source
from lookalike.joins.blocks import put_together, within
from lookalike.joins.pair_limit import too_many
from lookalike.joins.sets import rows_of
from lookalike.joins.source_sets import Cutting, surveyed
from lookalike.kernel import default
from lookalike.notices import Notice
from lookalike.planning.plan import Plan
from lookalike.results.pairs import MOST_PAIRS, Pairs
from lookalike.results.summary import Summary
from lookalike.storage.budget import Budget

SCALE = 2**20
"""Weights are rounded to multiples of 1/SCALE. As integers, their sums are exact."""

SIGNED = 20_000_000
"""The number of elements that are signed at a time. Of their sets, only the keys of bands are kept."""

COMPARED = 5_000_000
"""The approximate number of elements that are compared at a time."""

MEASURE = "idf-weighted jaccard"

Weights = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class WeightedPairs:
    """Similar pairs, ordered by (left, right), and the number of candidates that were compared."""

    left: Rows
    right: Rows
    similarity: npt.NDArray[np.float64]
    checked: int


def idf_weights(sets: Shingles) -> Weights:
    """Returns the weight of every value of the sets: ln((n + 1) / d), for n sets, of which d contain the value.

    Weights are integers, in units of 1/SCALE, and at least 1. A value in nearly all sets has a weight of almost 0.

    >>> weights = idf_weights(Shingles(np.array([0, 2, 4]), np.array([1, 2, 1, 3], np.uint64)))
    >>> (weights / SCALE).round(3).tolist()
    [0.405, 1.099, 0.405, 1.099]
    """
    if not len(sets.values):
        return np.zeros(0, np.int64)
    order = np.argsort(sets.values, kind="stable")
    ordered = sets.values[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    counts = np.diff(np.append(starts, len(ordered)))
    known = {count: max(1, round(SCALE * math.log((len(sets) + 1) / count))) for count in np.unique(counts).tolist()}
    by_count = np.zeros(int(counts.max()) + 1, np.int64)
    by_count[list(known)] = list(known.values())
    weights = np.empty(len(ordered), np.int64)
    weights[order] = np.repeat(by_count[counts], counts)
    return weights


def weighted_pairs(
    sets: Shingles, weights: Weights, threshold: Threshold, *, recall: float, hashes: int, seed: int, threads: int = 1
) -> WeightedPairs:
    """Finds the pairs that reach the threshold. A pair at the threshold is found with probability `recall` or more."""
    rows = np.flatnonzero(sets.sizes)
    bands, per_band = bands_and_rows(float(threshold), recall, hashes)
    kernel = default(threads)
    keys = [np.zeros((0, bands), np.uint64)]
    for part in _parts(sets.sizes[rows], SIGNED):
        some = rows_of(sets, rows[part])
        places = slice(sets.offsets[rows[part[0]]], sets.offsets[rows[part[-1]] + 1])
        heights = weights[places] / SCALE  # rows without elements take no place
        signatures = kernel.sign_weighted(some.offsets, some.values, heights, hashes=hashes, seed=seed)
        keys.append(kernel.band_keys(signatures, bands, per_band))
    try:
        left, right = kernel.candidates(np.concatenate(keys), most=MOST_PAIRS)
    except OverflowError:
        raise too_many(advice="choose-higher-threshold") from None
    left, right = rows[left], rows[right]
    shared = common_weight(sets, weights, left, right)
    sums = np.concatenate([np.zeros(1, np.int64), np.cumsum(weights)])
    each = sums[sets.offsets[1:]] - sums[sets.offsets[:-1]]
    union = each[left] + each[right] - shared
    similarity = shared / union
    near = np.flatnonzero(_reached(shared, union, similarity, threshold))
    order = near[np.lexsort((right[near], left[near]))]
    return WeightedPairs(left[order], right[order], similarity[order], len(left))


def common_weight(sets: Shingles, weights: Weights, left: Rows, right: Rows) -> Weights:
    """Returns the total weight of the common elements of each pair of sets."""
    shared = np.zeros(len(left), np.int64)
    for part in _parts(sets.sizes[left] + sets.sizes[right], COMPARED):
        sides = []
        for rows in (left[part], right[part]):
            sizes = sets.sizes[rows]
            pair = np.repeat(np.arange(len(part)), sizes)
            nth = np.arange(len(pair)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            sides.append((pair, sets.offsets[rows][pair] + nth))
        pair = np.concatenate([sides[0][0], sides[1][0]])
        place = np.concatenate([sides[0][1], sides[1][1]])
        order = np.lexsort((sets.values[place], pair))
        pair, place = pair[order], place[order]
        twice = np.flatnonzero((pair[1:] == pair[:-1]) & (sets.values[place[1:]] == sets.values[place[:-1]]))
        np.add.at(shared, part[pair[twice]], weights[place[twice]])
    return shared


def _parts(sizes: Rows, most: int) -> list[Rows]:
    """Divides positions into runs with about `most` elements each."""
    if not len(sizes):
        return []
    return np.split(np.arange(len(sizes)), np.flatnonzero(np.diff(np.cumsum(sizes) // most)) + 1)


def _reached(shared: Weights, union: Weights, similarity: npt.NDArray[np.float64], threshold: Threshold) -> Mask:
    """Whether each pair reaches the threshold. Near the threshold, whole numbers of any size are compared."""
    reached = similarity >= float(threshold)
    for close in np.flatnonzero(np.abs(similarity - float(threshold)) < 1e-9).tolist():
        reached[close] = threshold.reached(int(shared[close]), int(union[close]))
    return reached


def idf_pairs(
    source: Source,
    shingles: Shingling,
    threshold: Threshold,
    *,
    recall: float,
    hashes: int,
    seed: int,
    memory: int | str | None = None,
    threads: int = 1,
    progress: Progress | None = None,
) -> Pairs:
    """Finds the similar pairs of a source. Its sets are kept in memory."""
    report, began, budget = progress or silent, time.perf_counter(), Budget.of(memory)
    report("read", 0, None)
    plan = Plan(shingles=shingles).resolve(surveyed({"left": source}, is_open=isinstance(shingles, Auto)))
    cutting = Cutting(source, plan.shingles, threads=threads, progress=report)
    with closing(cutting.tables()) as tables:
        sets = put_together(list(within(tables, "the sets of all documents", budget)))
    read = time.perf_counter() - began
    report("join", 0, None)
    found = weighted_pairs(sets, idf_weights(sets), threshold, recall=recall, hashes=hashes, seed=seed, threads=threads)
    source.check_unchanged()
    ids, warnings = cutting.take_ids(), source.warnings
    if ids is not None and (repeated := len(ids) - pc.count_distinct(ids).as_py()):
        warnings += (Notice("duplicate-ids", source=source.name, repeated=repeated, rows=len(ids)),)
    rules = {
        "measure": "jaccard", "weights": "idf", "threshold": str(threshold), "recall": float(recall), "hashes": hashes,
        "seed": seed, "shingles": plan.shingles.to_dict(),
    }  # fmt: skip
    if plan.shingles_reason is not None:
        rules["shingles_reason"] = plan.shingles_reason.to_dict()
    summary = Summary(
        documents=cutting.rows,
        empty=cutting.empty,
        malformed=source.malformed,
        checked=found.checked,
        pairs=len(found.left),
        seconds={"read": read, "join": time.perf_counter() - began - read},
        memory=budget.limit,
        shingles=str(plan.shingles),
        warnings=warnings,
    )
    return Pairs(
        found.left, found.right, found.similarity, threshold, cutting.rows, ids, summary,
        measure=MEASURE, rules=tomli_w.dumps(rules),
    )  # fmt: skip
