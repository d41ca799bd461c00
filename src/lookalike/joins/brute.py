"""Compares all pairs of sets. This takes quadratic time, but is simple enough to test all other joins against."""

from __future__ import annotations

from itertools import combinations, permutations, product
from typing import Any

from lookalike.joins.measures import Measure
from lookalike.joins.textbook.order import elements


def all_pairs(left: Any, right: Any = None, *, measure: Measure) -> list[tuple[int, int, int]]:
    """Finds all pairs of sets that meet the measure's bound, as a sorted list of (left row, right row, overlap).

    Without `right`, each pair of different rows is compared once, or in both directions if the measure is asymmetric.

    >>> from lookalike.joins.measures import similarity_measure
    >>> all_pairs([{1, 2, 3}, {2, 3, 4}, {5}], measure=similarity_measure("jaccard", 0.5))
    [(0, 1, 2)]
    """
    lefts = elements(left)
    rights = lefts if right is None else elements(right)
    if right is not None:
        rows: Any = product(range(len(lefts)), range(len(rights)))
    else:
        rows = (combinations if measure.symmetric else permutations)(range(len(lefts)), 2)
    overlaps = ((i, j, len(lefts[i] & rights[j])) for i, j in rows)
    return [(i, j, o) for i, j, o in overlaps if measure.reached(len(lefts[i]), len(rights[j]), o)]
