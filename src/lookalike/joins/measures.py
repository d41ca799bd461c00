"""Measures of exact joins, which decide from the sizes a and b of two sets and their overlap o whether they are a pair.

Every decision is made in integer arithmetic. The threshold is a fraction, numerator / denominator, equal to the decimal
that the user wrote; the maximum distance of `hamming` is a whole number. The filters of a join follow from two methods
of each measure: the least overlap that sets of sizes a and b need, and the sizes b that a set of size a can pair with.

An empty set is in no pair. Two sets without a common element are not a pair either, except small sets under `hamming`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from lookalike.errors import InvalidOption
from lookalike.flow.checks import check_one_of, check_whole
from lookalike.flow.threshold import Threshold

LARGEST_SET = 2**31
"""The limit on the number of elements of a set, and so on distances and shared counts."""


@dataclass(frozen=True)
class Measure:
    """A measure and its bound: a threshold as a fraction or, with denominator 1, a distance or a count."""

    numerator: int
    denominator: int = 1

    name: ClassVar[str] = ""
    symmetric: ClassVar[bool] = True
    is_distance: ClassVar[bool] = False

    def reached(self, a: int, b: int, o: int) -> bool:
        """True if sets of sizes a and b with o common elements form a pair."""
        raise NotImplementedError

    def least_overlap(self, a: int, b: int) -> int:
        """Returns the minimum overlap at which sets of sizes a and b form a pair.

        If no overlap is sufficient, the result exceeds the smaller size. For a given a, it never decreases as b grows.
        """
        raise NotImplementedError

    def sizes(self, a: int) -> tuple[int, int | None]:
        """Returns the minimum and maximum sizes of the sets that can pair with a set of size a; None means no limit."""
        raise NotImplementedError

    def similarity(self, a: Any, b: Any, o: Any) -> Any:
        """Returns the similarity of sets of sizes a and b with o common elements, as a float for display only.

        Accepts NumPy arrays as well."""
        raise NotImplementedError

    def rank(self, a: Any, b: Any, o: Any) -> Any:
        """Returns a sort key that orders pairs by similarity or distance.

        It is a ratio of integers, so that ties are exact.
        """
        return self.similarity(a, b, o)

    def probe_prefix(self, a: int) -> int:
        """Returns the number of elements to look up for a set of size a, rarest first, to find every partner.

        The sets of a pair share at least o elements. So at most a − o elements of the first set are missing from the
        second, and one of any a − o + 1 elements is in both. The smallest partner needs the least overlap. A result
        greater than a means that a pair need not share an element.
        """
        return a - self.least_overlap(a, self.sizes(a)[0]) + 1

    def index_prefix(self, b: int) -> int:
        """Returns the number of elements to index for a set of size b, rarest first, if no smaller set looks it up."""
        return b - self.least_overlap(b, b) + 1

    @property
    def threshold(self) -> Fraction:
        return Fraction(self.numerator, self.denominator)


@dataclass(frozen=True)
class Jaccard(Measure):
    """Jaccard similarity, |A∩B| / |A∪B|."""

    name: ClassVar[str] = "jaccard"

    def reached(self, a: int, b: int, o: int) -> bool:
        return o > 0 and o * self.denominator >= self.numerator * (a + b - o)

    def least_overlap(self, a: int, b: int) -> int:
        return _up(self.numerator * (a + b), self.denominator + self.numerator)

    def sizes(self, a: int) -> tuple[int, int | None]:
        return _up(self.numerator * a, self.denominator), self.denominator * a // self.numerator

    def similarity(self, a: Any, b: Any, o: Any) -> Any:
        return o / (a + b - o)


@dataclass(frozen=True)
class Dice(Measure):
    """Dice similarity, 2|A∩B| / (|A| + |B|)."""

    name: ClassVar[str] = "dice"

    def reached(self, a: int, b: int, o: int) -> bool:
        return o > 0 and 2 * o * self.denominator >= self.numerator * (a + b)

    def least_overlap(self, a: int, b: int) -> int:
        return _up(self.numerator * (a + b), 2 * self.denominator)

    def sizes(self, a: int) -> tuple[int, int | None]:
        rest = 2 * self.denominator - self.numerator
        return _up(self.numerator * a, rest), rest * a // self.numerator

    def similarity(self, a: Any, b: Any, o: Any) -> Any:
        return 2 * o / (a + b)


@dataclass(frozen=True)
class SumBag(Dice):
    """Sum-bag Jaccard similarity, |A∩B| / (|A| + |B|) of bags, which is at most 1/2.

    It is half the Dice similarity. numerator / denominator is the threshold for Dice: twice the user's threshold.
    """

    def similarity(self, a: Any, b: Any, o: Any) -> Any:
        return o / (a + b)


@dataclass(frozen=True)
class Cosine(Measure):
    """Cosine similarity, |A∩B| / √(|A| |B|): the cosine of the angle between the sets as vectors of zeros and ones."""

    name: ClassVar[str] = "cosine"

    def reached(self, a: int, b: int, o: int) -> bool:
        return o > 0 and (o * self.denominator) ** 2 >= self.numerator**2 * a * b

    def least_overlap(self, a: int, b: int) -> int:
        square = _up(self.numerator**2 * a * b, self.denominator**2)
        return math.isqrt(square - 1) + 1 if square else 0

    def sizes(self, a: int) -> tuple[int, int | None]:
        squared = self.numerator**2, self.denominator**2
        return _up(squared[0] * a, squared[1]), squared[1] * a // squared[0]

    def similarity(self, a: Any, b: Any, o: Any) -> Any:
        return o / (a * b) ** 0.5

    def rank(self, a: Any, b: Any, o: Any) -> Any:
        return o * o / (a * b)


@dataclass(frozen=True)
class Overlap(Measure):
    """Overlap coefficient, |A∩B| / min(|A|, |B|): the share of the smaller set that is in the larger."""

    name: ClassVar[str] = "overlap"

    def reached(self, a: int, b: int, o: int) -> bool:
        return o > 0 and o * self.denominator >= self.numerator * min(a, b)

    def least_overlap(self, a: int, b: int) -> int:
        return _up(self.numerator * min(a, b), self.denominator)

    def sizes(self, a: int) -> tuple[int, int | None]:
        return 1, None

    def similarity(self, a: Any, b: Any, o: Any) -> Any:
        smaller = (a + b - abs(a - b)) / 2  # the minimum; works for numbers and arrays
        return o / smaller


@dataclass(frozen=True)
class Shared(Measure):
    """Number of common elements, |A∩B|, whatever the sizes of the sets. A pair has at least `numerator` of them."""

    name: ClassVar[str] = "shared"

    def reached(self, a: int, b: int, o: int) -> bool:
        return o >= self.numerator

    def least_overlap(self, a: int, b: int) -> int:
        return self.numerator

    def sizes(self, a: int) -> tuple[int, int | None]:
        return (self.numerator, None) if a >= self.numerator else (LARGEST_SET, 0)

    def similarity(self, a: Any, b: Any, o: Any) -> Any:
        return o + 0 * a


@dataclass(frozen=True)
class Containment(Measure):
    """Containment, |A∩B| / |A|: the share of the left set that is in the right set. It is asymmetric."""

    name: ClassVar[str] = "containment"
    symmetric: ClassVar[bool] = False

    def reached(self, a: int, b: int, o: int) -> bool:
        return o > 0 and o * self.denominator >= self.numerator * a

    def least_overlap(self, a: int, b: int) -> int:
        return _up(self.numerator * a, self.denominator)

    def sizes(self, a: int) -> tuple[int, int | None]:
        return _up(self.numerator * a, self.denominator), None

    def similarity(self, a: Any, b: Any, o: Any) -> Any:
        return o / a

    def index_prefix(self, b: int) -> int:
        """Returns b: a set is indexed by all of its elements, because the left set that looks it up may be smaller."""
        return b


@dataclass(frozen=True)
class Hamming(Measure):
    """Hamming distance, |A∪B| − |A∩B|: the number of elements that are in only one set.

    A pair has at most `numerator`.
    """

    name: ClassVar[str] = "hamming"
    is_distance: ClassVar[bool] = True

    def reached(self, a: int, b: int, o: int) -> bool:
        return a > 0 and b > 0 and a + b - 2 * o <= self.numerator

    def least_overlap(self, a: int, b: int) -> int:
        return max(0, _up(a + b - self.numerator, 2))

    def sizes(self, a: int) -> tuple[int, int | None]:
        return max(1, a - self.numerator), a + self.numerator

    def similarity(self, a: Any, b: Any, o: Any) -> Any:
        """Returns 1 − distance / (|A| + |B|)."""
        return 2 * o / (a + b)

    def rank(self, a: Any, b: Any, o: Any) -> Any:
        return -self.distance(a, b, o)

    @staticmethod
    def distance(a: Any, b: Any, o: Any) -> Any:
        return a + b - 2 * o


SIMILARITIES: Mapping[str, type[Measure]] = {kind.name: kind for kind in (Jaccard, Dice, Cosine, Overlap, Containment)}

SET_MEASURES = (*SIMILARITIES, Shared.name, Hamming.name, "sum-bag")


def similarity_measure(name: str, threshold: float | str | Threshold) -> Measure:
    """Returns the measure with this name and threshold.

    The threshold is a decimal in (0, 1]. For `sum-bag`, it is at most 0.5; for `shared`, it is a count.

    >>> similarity_measure("jaccard", 0.9).least_overlap(10, 10)
    10
    >>> similarity_measure("jaccard", 0.9).reached(10, 9, 9)
    True
    """
    if name == Shared.name:
        return Shared(check_count(threshold))
    least = Threshold(threshold)
    if name == "sum-bag":
        if least.value > Fraction(1, 2):
            raise InvalidOption("sum-bag-above-half", value=str(least))
        doubled = 2 * least.value
        return SumBag(doubled.numerator, doubled.denominator)
    check_one_of("measure", name, (*SIMILARITIES, Shared.name, "sum-bag"))
    return SIMILARITIES[name](least.numerator, least.denominator)


def distance_measure(distance: int) -> Hamming:
    """Returns the Hamming measure for sets, with this maximum distance."""
    return Hamming(check_distance(distance))


def check_distance(distance: Any) -> int:
    """Converts a distance to an integer. Raises an error if it is not a whole number in range."""
    check_whole("distance", distance, 0, LARGEST_SET - 1)
    return int(distance)


def check_count(threshold: Any) -> int:
    """Converts the threshold of `shared` to an integer. Raises an error if it is not a whole number in range."""
    text = str(threshold)
    if isinstance(threshold, bool) or not (text.isascii() and text.isdigit()) or not 1 <= int(text[:20]) < LARGEST_SET:
        raise InvalidOption("not-a-shared-count", most=LARGEST_SET - 1, value=threshold)
    return int(text)


def _up(part: int, whole: int) -> int:
    """Returns the quotient part / whole, rounded up."""
    return -(-part // whole)
