"""Exact similarities and distances of two sets, bags, vectors or strings.

The more similar two items are, the higher their similarity (`jaccard`, `containment`, `cosine` …) and the lower their
distance (`angle`, `hamming`, `edit` …). Not every measure gives a metric: with sum-bag Jaccard, a bag has distance 1/2
to itself; containment is not symmetric; and 1 − cosine and Lr norms with r < 1 violate the triangle inequality. The
angle is a metric on directions.

Most functions compare two items; `between` and `pairwise` compare arrays of vectors, one vector per row.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

from lookalike.errors import InvalidOption
from lookalike.flow.checks import check_one_of
from lookalike.vector_distances import MEASURES, between, pairwise

__all__ = [
    "MEASURES",
    "angle",
    "bag_jaccard",
    "bag_jaccard_fraction",
    "between",
    "chebyshev",
    "containment",
    "cosine",
    "dice",
    "edit",
    "euclidean",
    "hamming",
    "jaccard",
    "jaccard_fraction",
    "lcs",
    "levenshtein",
    "lr_norm",
    "manhattan",
    "overlap",
    "pairwise",
    "weighted_jaccard",
]

# --- Sets and bags. As in the engines, two empty sets have similarity 0. ----------------------------------------------


def jaccard(a: Iterable[Hashable], b: Iterable[Hashable]) -> float:
    """Returns |A∩B| / |A∪B|: the number of elements in both sets, divided by the number in at least one of them.

    >>> jaccard({1, 2, 3, 4}, {2, 3, 5, 7})
    0.3333333333333333
    """
    return float(jaccard_fraction(a, b))


def jaccard_fraction(a: Iterable[Hashable], b: Iterable[Hashable]) -> Fraction:
    """Returns `jaccard` as an exact fraction, which can be compared with a threshold without rounding.

    >>> jaccard_fraction("abcab", "bcd")
    Fraction(1, 2)
    """
    first, second = set(a), set(b)
    return _ratio(len(first & second), len(first | second))


def bag_jaccard(a: Iterable[Hashable], b: Iterable[Hashable], *, union: Literal["sum", "max"] = "max") -> float:
    """Returns the Jaccard similarity of two bags, whose elements may repeat.

    The count of an element in the intersection is the lesser of its counts in the two bags. With `union="max"`, its
    count in the union is the greater of the two, so a bag has similarity 1 to itself. With `union="sum"` (MMDS, section
    3.1.3), its count in the union is the sum of the two, so the similarity is at most 1/2. It equals M / (1 + M), where
    M is the similarity with `union="max"`.

    >>> bag_jaccard("aaab", "aabbc", union="sum"), bag_jaccard("aaab", "aabbc")
    (0.3333333333333333, 0.5)
    """
    return float(bag_jaccard_fraction(a, b, union=union))


def bag_jaccard_fraction(
    a: Iterable[Hashable], b: Iterable[Hashable], *, union: Literal["sum", "max"] = "max"
) -> Fraction:
    """Returns `bag_jaccard` as an exact fraction."""
    check_one_of("union", union, ("sum", "max"))
    first, second = Counter(a), Counter(b)
    whole = first + second if union == "sum" else first | second
    return _ratio((first & second).total(), whole.total())


def weighted_jaccard(a: Mapping[Any, float], b: Mapping[Any, float]) -> float:
    """Returns Σ min / Σ max: the sum of the lesser of each element's two weights, divided by the sum of the greater.

    Each element has a weight in each of the two sets: 0 if the set does not contain the element.

    If all weights are 1, the result equals `jaccard`.

    >>> weighted_jaccard({"tea": 2.0, "milk": 0.5}, {"tea": 1.0, "milk": 0.5, "rum": 0.5})
    0.5
    """
    for weight in (*a.values(), *b.values()):
        if not (math.isfinite(weight) and weight >= 0):
            raise InvalidOption("not-a-weight", value=weight)
    elements = a.keys() | b.keys()
    lesser = math.fsum(min(a.get(element, 0.0), b.get(element, 0.0)) for element in elements)
    greater = math.fsum(max(a.get(element, 0.0), b.get(element, 0.0)) for element in elements)
    return lesser / greater if greater else 0.0


def containment(a: Iterable[Hashable], b: Iterable[Hashable]) -> float:
    """Returns |A∩B| / |A|: the share of A that is also in B.

    The containment of a passage in its book is 1, although their Jaccard similarity is near 0.

    >>> containment({1, 2}, {1, 2, 3, 4}), containment({1, 2, 3, 4}, {1, 2})
    (1.0, 0.5)
    """
    first, second = set(a), set(b)
    return float(_ratio(len(first & second), len(first)))


def overlap(a: Iterable[Hashable], b: Iterable[Hashable]) -> float:
    """Returns |A∩B| / min(|A|, |B|): the greater of the two containments.

    >>> overlap({1, 2}, {1, 2, 3, 4})
    1.0
    """
    first, second = set(a), set(b)
    return float(_ratio(len(first & second), min(len(first), len(second))))


def dice(a: Iterable[Hashable], b: Iterable[Hashable]) -> float:
    """Returns 2|A∩B| / (|A| + |B|), which is 2J / (1 + J), where J is the Jaccard similarity.

    >>> dice({1, 2, 3}, {2, 3, 4})
    0.6666666666666666
    """
    first, second = set(a), set(b)
    return float(_ratio(2 * len(first & second), len(first) + len(second)))


def _ratio(part: int, whole: int) -> Fraction:
    return Fraction(part, whole) if whole else Fraction(0)


# --- Vectors ----------------------------------------------------------------------------------------------------------


def cosine(x: Sequence[float], y: Sequence[float]) -> float:
    """Returns the cosine of the angle between two vectors, from −1 to 1.

    >>> round(cosine([1, 2, -1], [2, 1, 1]), 12)
    0.5
    """
    _same_length("vectors", x, y)
    one, two = _scaled(x), _scaled(y)
    lengths = math.hypot(*one) * math.hypot(*two)
    return max(-1.0, min(1.0, math.fsum(a * b for a, b in zip(one, two, strict=True)) / lengths))


def _scaled(x: Sequence[float]) -> list[float]:
    """Scales a vector by a power of two, so that no square overflows. Raises an error if it is zero or not finite."""
    greatest = max((abs(float(a)) for a in x), default=0.0)
    for position, value in enumerate(x):
        if not math.isfinite(value):
            raise InvalidOption("vector-not-finite", position=position, value=float(value))
    if not greatest:
        raise InvalidOption("vector-of-zeros")
    exponent = math.frexp(greatest)[1]
    return [math.ldexp(a, -exponent) for a in x]


def angle(x: Sequence[float], y: Sequence[float]) -> float:
    """Returns the angle between two vectors in degrees, from 0 to 180.

    A random hyperplane separates the vectors with probability angle / 180.

    >>> round(angle([1, 2, -1], [2, 1, 1]), 9)
    60.0
    """
    return math.degrees(math.acos(cosine(x, y)))


def lr_norm(x: Sequence[float], y: Sequence[float], r: float) -> float:
    """Returns (Σ |xᵢ − yᵢ|ʳ)^(1/r): the Manhattan distance for r = 1, Euclidean for r = 2, Chebyshev for r = ∞.

    >>> lr_norm([2, 7], [6, 4], 1), lr_norm([2, 7], [6, 4], 2), lr_norm([2, 7], [6, 4], math.inf)
    (7.0, 5.0, 4.0)
    """
    _same_length("vectors", x, y)
    if not r > 0:
        raise InvalidOption("not-positive", option="r", value=r)
    differences = [abs(a - b) for a, b in zip(x, y, strict=True)]
    greatest = float(max(differences, default=0))
    if math.isinf(r) or not greatest:
        return greatest
    # scaled by the greatest difference, so that no power overflows
    return greatest * float(math.fsum((d / greatest) ** r for d in differences) ** (1 / r))


def manhattan(x: Sequence[float], y: Sequence[float]) -> float:
    """Returns the L1 distance: the sum of the absolute differences in all dimensions.

    >>> manhattan([2, 7], [6, 4])
    7.0
    """
    return lr_norm(x, y, 1)


def chebyshev(x: Sequence[float], y: Sequence[float]) -> float:
    """Returns the L∞ distance: the greatest absolute difference in any dimension.

    >>> chebyshev([2, 7], [6, 4])
    4.0
    """
    return lr_norm(x, y, math.inf)


def euclidean(x: Sequence[float], y: Sequence[float]) -> float:
    """Returns the length of the straight line between two points.

    >>> euclidean([2, 7], [6, 4])
    5.0
    """
    _same_length("points", x, y)
    return math.dist(x, y)


def hamming(x: Sequence[object], y: Sequence[object]) -> int:
    """Returns the number of positions at which two sequences of the same length differ.

    >>> hamming("10101", "11110")
    3
    """
    _same_length("sequences", x, y)
    return sum(a != b for a, b in zip(x, y, strict=True))


def _same_length(what: str, x: Sequence[object], y: Sequence[object]) -> None:
    if len(x) != len(y):
        raise InvalidOption("lengths-differ", what=what, left=len(x), right=len(y))


# --- Strings, and other sequences -------------------------------------------------------------------------------------


def lcs(x: Sequence[object], y: Sequence[object]) -> int:
    """Returns the length of the longest common subsequence: elements in the same order in x and y, with gaps allowed.

    >>> lcs("abcde", "acfdeg")
    4
    """
    row = [0] * (len(y) + 1)
    for a in x:
        corner = 0
        for j, b in enumerate(y):
            above = row[j + 1]
            row[j + 1] = corner + 1 if a == b else max(above, row[j])
            corner = above
    return row[-1]


def edit(x: Sequence[object], y: Sequence[object]) -> int:
    """Returns the minimum number of insertions and deletions that turn x into y: |x| + |y| − 2·lcs.

    >>> edit("abcde", "acfdeg")
    3
    """
    return len(x) + len(y) - 2 * lcs(x, y)


def levenshtein(x: Sequence[object], y: Sequence[object]) -> int:
    """Returns the minimum number of insertions, deletions and replacements that turn x into y.

    >>> levenshtein("kitten", "sitting"), edit("kitten", "sitting")
    (3, 5)
    """
    row = list(range(len(y) + 1))
    for i, a in enumerate(x, 1):
        corner, row[0] = row[0], i
        for j, b in enumerate(y):
            above = row[j + 1]
            row[j + 1] = min(corner + (a != b), above + 1, row[j] + 1)
            corner = above
    return row[-1]
