"""Finds near pairs of vectors. Either all pairs are compared, or only those that share a bucket, if that is cheaper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lookalike.flow.arrays import Rows
from lookalike.flow.progress import Progress, silent
from lookalike.joins.pair_limit import too_many
from lookalike.joins.vectors.bits import BitJaccard, HammingBits
from lookalike.joins.vectors.dense import MEASURED_AT_ONCE, Cosine, Euclidean
from lookalike.joins.vectors.input_checks import checked
from lookalike.joins.vectors.measures import Matrix, Measure, Values
from lookalike.joins.vectors.plan import SKETCH, Method, VectorPlan, resolve
from lookalike.joins.vectors.weights import WeightedJaccard
from lookalike.kernel import default
from lookalike.kernel import vectors as kernel
from lookalike.results.pairs import MOST_PAIRS


@dataclass(frozen=True, eq=False)
class VectorPairs:
    """Near pairs with left < right, ordered by (left, right), and the plan with which they were found."""

    left: Rows
    right: Rows
    value: Values
    """The similarity or distance of each pair, depending on the measure."""
    plan: VectorPlan
    checked: int
    empty: int = 0
    """The number of rows that cannot be in a pair, such as empty sets."""


def join_vectors(
    vectors: Any,
    measure: Measure,
    *,
    recall: float = 0.99,
    method: Method = "auto",
    seed: int = 0,
    threads: int = 1,
    name: str = "the vectors given",
    progress: Progress = silent,
) -> VectorPairs:
    """Finds the pairs of rows that reach the measure's bound. Each is found with probability `recall` or more."""
    vectors = checked(vectors, name, bits=measure.on_bits)
    measure.check(vectors, name)
    usable = measure.usable(vectors)
    rows = None if usable is None or usable.all() else np.flatnonzero(usable)
    table = vectors if rows is None else vectors[rows]
    plan = resolve(measure, table, recall, seed, method)
    advice = "choose-smaller-distance" if measure.is_distance else "choose-higher-threshold"
    if plan.at_least > 2 * MOST_PAIRS:  # far too many, even allowing for sampling errors
        raise too_many(plan.expected, advice)
    try:
        if plan.exact:
            near = measure.every_pair(table, threads, MOST_PAIRS, progress)
        else:
            near = hashed_pairs(table, plan, threads)
    except OverflowError:
        raise too_many(advice=advice) from None
    value = np.empty(len(near.left))
    for start in range(0, len(value), MEASURED_AT_ONCE):  # in batches, to bound the memory for measuring
        some = slice(start, start + MEASURED_AT_ONCE)
        value[some] = measure.values(table, table, near.left[some], near.right[some], threads)
    true = measure.reached(value)
    left, right = near.left, near.right
    if not true.all():
        left, right, value = left[true], right[true], value[true]
    if rows is not None:
        left, right = rows[left], rows[right]
    return VectorPairs(left, right, value, plan, near.checked, len(vectors) - len(table))


def hashed_pairs(vectors: Matrix, plan: VectorPlan, threads: int) -> kernel.Near:
    """Finds the pairs of rows that share a bucket and may be near."""
    measure = plan.measure
    table = measure.table(vectors)
    assert plan.base is not None
    keys = measure.keys(vectors, table, plan.base, plan.bands, plan.rows, plan.seed, threads)
    sketches: dict[str, Any] = {}
    if plan.differing < SKETCH:
        bits = default(threads).keys_of_vectors(table.values, bands=SKETCH // 32, rows=32, seed=plan.seed ^ 1 << 63)
        sketches = {"sketches": np.ascontiguousarray(bits.T).view(np.uint64), "differing": plan.differing}
    return measure.pairs(vectors, table, keys, threads, MOST_PAIRS, **sketches)


__all__ = [
    "BitJaccard",
    "Cosine",
    "Euclidean",
    "HammingBits",
    "Measure",
    "Method",
    "VectorPairs",
    "VectorPlan",
    "WeightedJaccard",
    "checked",
    "join_vectors",
    "resolve",
]
