"""Vectors that are near one another: every pair compared, or those that share a bucket, by predicted cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lookalike.flow.pairs import MOST_PAIRS
from lookalike.joins.limit import too_many
from lookalike.joins.vectors.brute import near_pairs
from lookalike.joins.vectors.measures import Cosine, Euclidean, Measure, Prepared, Rows, Values, checked
from lookalike.joins.vectors.plan import SKETCH, VectorPlan, resolve
from lookalike.kernel import vectors as kernel


@dataclass(frozen=True, eq=False)
class VectorPairs:
    """Rows left < right and how near they are, in order; and how they were found."""

    left: Rows
    right: Rows
    value: Values
    """The similarity, or the distance."""
    plan: VectorPlan
    checked: int


def join_vectors(
    vectors: Any, measure: Measure, *, recall: float = 0.99, seed: int = 0, threads: int = 1
) -> VectorPairs:
    """All pairs of rows that reach the measure's bound, each with probability `recall` at least."""
    vectors = checked(vectors)
    measure.check(vectors)
    plan = resolve(measure, vectors, recall, seed)
    table = measure.prepare(vectors)
    if plan.exact:
        left, right = near_pairs(table)
        compared = len(vectors) * (len(vectors) - 1) // 2
    else:
        left, right, compared = hashed_pairs(table, plan, threads)
    value = measure.values(vectors, vectors, left, right, threads)
    true = measure.reached(value)
    return VectorPairs(left[true], right[true], value[true], plan, compared)


def hashed_pairs(table: Prepared, plan: VectorPlan, threads: int) -> kernel.Near:
    """Rows that share a bucket and may be near."""
    unit = 1.0 if isinstance(plan.measure, Cosine) else plan.measure.bound  # the table is in units of the bound
    keys = kernel.keys_of_vectors(
        table.values, bands=plan.bands, rows=plan.rows, seed=plan.seed, width=plan.width / unit, threads=threads
    )
    sketches = None
    if plan.differing < SKETCH:
        bits = kernel.keys_of_vectors(
            table.values, bands=SKETCH // 32, rows=32, seed=plan.seed ^ 1 << 63, threads=threads
        )
        sketches = np.ascontiguousarray(bits.T).view(np.uint64)
    try:
        return kernel.pairs_of_vectors(
            table.values, keys, table.least, halves=table.halves, sketches=sketches, differing=plan.differing,
            threads=threads, most=MOST_PAIRS,
        )  # fmt: skip
    except OverflowError:
        raise too_many(f"over {MOST_PAIRS:,}") from None


__all__ = ["Cosine", "Euclidean", "Measure", "VectorPairs", "VectorPlan", "checked", "join_vectors", "resolve"]
