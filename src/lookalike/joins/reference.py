"""Joins by definition, which compare every pair in plain Python. They run with `engine="reference"`.

They are slow but short. They share only the measures with the fast joins, which are tested against them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Protocol

from lookalike.distances import edit, levenshtein
from lookalike.flow import Documents, Shingles, Shingling
from lookalike.joins.brute import all_pairs
from lookalike.joins.measures import Measure

Found = list[tuple[int, int, int]]
"""Pairs as (left row, right row, overlap or distance), ordered by (left, right)."""


class Definitions(Protocol):
    """The function of the reference engine that cuts texts (`engines/reference/definitions.py`)."""

    def shingle(self, documents: Documents, shingling: Shingling) -> Shingles: ...


def similar_sets(left: Shingles, right: Shingles | None, measure: Measure) -> Found:
    """Finds all pairs of sets that reach the threshold, with their overlaps."""
    return all_pairs(left, right, measure=measure)


def nearest_sets(left: Shingles, right: Shingles | None, measure: Measure, top: int) -> Found:
    """Finds, for each left set, the `top` most similar right sets that reach the threshold, with their overlaps.

    Ties go to the earlier row. Without `right`, no set is its own neighbour.
    """
    others = left if right is None else right
    found = all_pairs(left, others, measure=measure)
    if right is None:
        found = [pair for pair in found if pair[0] != pair[1]]

    def order(pair: tuple[int, int, int]) -> tuple[float, int]:
        a, b, overlap = pair
        return -measure.rank(len(left[a]), len(others[b]), overlap), b

    return best_of_each_left(found, order, top)


def near_strings(left: Sequence[str], right: Sequence[str] | None, distance: int, measure: str) -> Found:
    """Finds all pairs of non-empty strings that are at most `distance` apart, with their distances."""
    apart = edit if measure == "edit" else levenshtein
    if right is None:
        rows = ((i, j, left[i], left[j]) for j in range(len(left)) for i in range(j))
    else:
        rows = ((i, j, a, b) for i, a in enumerate(left) for j, b in enumerate(right))
    measured = ((i, j, apart(a, b)) for i, j, a, b in rows if a and b)
    return sorted(pair for pair in measured if pair[2] <= distance)


def nearest_strings(left: Sequence[str], right: Sequence[str] | None, distance: int, measure: str, top: int) -> Found:
    """Finds, for each left string, the `top` nearest right strings that are at most `distance` apart."""
    found = near_strings(left, right, distance, measure)
    if right is None:  # each row needs its own nearest rows, so each pair is listed in both directions
        found = found + [(j, i, apart) for i, j, apart in found]
    return best_of_each_left(found, lambda pair: (pair[2], pair[1]), top)


def best_of_each_left(found: Found, order: Callable[[tuple[int, int, int]], tuple[float, int]], top: int) -> Found:
    """Returns, for each left row, the first `top` pairs by the sort key `order`.

    The result is ordered by (left, right).
    """
    kept: Counter[int] = Counter()
    best = []
    for pair in sorted(found, key=lambda pair: (pair[0], *order(pair))):
        if kept[pair[0]] < top:
            best.append(pair)
            kept[pair[0]] += 1
    return sorted(best)
