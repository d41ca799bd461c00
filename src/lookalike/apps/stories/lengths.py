"""Finds pages with the same article by comparing only pages of similar length (MMDS, chapter 3).

The length of an article is the number of its stop-word shingles, of which boilerplate has few. If two sets have Jaccard
similarity t or more, the smaller has at least t times as many elements as the larger, so no pair is missed.
"""

from __future__ import annotations

import numpy as np

from lookalike.errors import InvalidOption
from lookalike.flow import Shingles
from lookalike.flow.arrays import Rows
from lookalike.flow.progress import Progress
from lookalike.flow.threshold import Threshold
from lookalike.kernel import default

MOST = 200_000_000
"""The maximum number of comparisons. More would take many minutes, while bands take seconds."""

BLOCK = 1 << 20


def similar_lengths(
    sets: Shingles,
    threshold: Threshold,
    threads: int = 1,
    progress: Progress | None = None,
) -> tuple[Rows, Rows, int]:
    """Finds the pairs of sets that reach the threshold. Also returns the number of pairs compared."""
    order = np.argsort(sets.sizes, kind="stable")
    order = order[sets.sizes[order] > 0]
    sizes = sets.sizes[order]
    # for each set, the first set in order of size that is large enough to be compared with it
    least = -(-sizes * threshold.numerator // threshold.denominator)
    first = np.searchsorted(sizes, least, "left")
    counts = np.arange(len(order)) - first
    total = int(counts.sum())
    if total > MOST:
        raise InvalidOption("too-many-similar-lengths", pairs=total, most=MOST)
    left, right = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    starts = np.concatenate([[0], np.cumsum(counts)])
    for low in range(0, total, BLOCK):
        pairs = np.arange(low, min(low + BLOCK, total))
        row = np.searchsorted(starts, pairs, "right") - 1
        other = first[row] + pairs - starts[row]
        one, two = order[row].astype(np.int64), order[other].astype(np.int64)
        shared = default(threads).intersections(sets, one, two)
        either = sets.sizes[one] + sets.sizes[two] - shared
        alike = shared * threshold.denominator >= either * threshold.numerator
        left.append(np.minimum(one, two)[alike])
        right.append(np.maximum(one, two)[alike])
        if progress:
            progress("compare lengths", low + len(pairs), total)
    return np.concatenate(left), np.concatenate(right), total
