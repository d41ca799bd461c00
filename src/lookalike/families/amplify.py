"""AND and OR constructions of any family, nested to any depth, and `Banded`: b bands of r rows, with an S-curve."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lookalike.errors import InvalidOption
from lookalike.families.base import Family, Values
from lookalike.families.chance import Chance, bands_and_rows
from lookalike.families.minhash import MinHash
from lookalike.flow.arrays import Mask
from lookalike.flow.checks import check_share, check_whole, is_finite


class Amplified(Family):
    """A family built from an inner family. It has the same measure but a different curve."""

    family: Family

    @property
    @abstractmethod
    def times(self) -> int:
        """The number of functions of the inner family that form one function of this family."""

    @abstractmethod
    def amplify(self, inner: Chance) -> Chance:
        """Returns the hit and miss probabilities of this family, given those of the inner family."""

    # The attributes of the inner family. Properties override the class attributes of `Family`.

    @property
    def measure(self) -> str:  # type: ignore[override]
        """The name of the similarity of the inner family."""
        return self.family.measure

    @property
    def least(self) -> float:  # type: ignore[override]
        """The minimum similarity of the inner family."""
        return self.family.least

    @property
    def approximate(self) -> bool:  # type: ignore[override]
        """True if the collision probability of the inner family is an approximation."""
        return self.family.approximate

    @property
    def farthest(self) -> float:
        return self.family.farthest

    @property
    def by_distance(self) -> bool:
        return self.family.by_distance

    @property
    def hashes(self) -> int:
        """The number of functions of the innermost family that form one function of this family."""
        return self.times * (self.family.hashes if isinstance(self.family, Amplified) else 1)

    def chance(self, similarity: float) -> Chance:
        return self.amplify(self.family.chance(similarity))

    def chance_at(self, distance: float) -> Chance:
        return self.amplify(self.family.chance_at(distance))

    def distance(self, similarity: float) -> float:
        return self.family.distance(similarity)

    def similarity(self, distance: float) -> float:
        return self.family.similarity(distance)

    def draw(self, count: int, seed: int) -> Callable[[Any], Values]:
        """Draws `count` random hash functions. Their values for an item form an array of shape (count, times, …)."""
        inner = self.family.draw(count * self.times, seed)

        def values(item: Any) -> Values:
            found = inner(item)
            return found.reshape(count, self.times, *found.shape[1:])

        return values

    def example(self, at: float, seed: int) -> tuple[Any, Any, float]:
        return self.family.example(at, seed)

    def _agree(self, values: Values, others: Values) -> Mask:
        """Returns an array of shape (count, times) that is True where the inner functions agree."""
        shape = values.shape[:2]
        flat = [each.reshape(shape[0] * shape[1], *each.shape[2:]) for each in (values, others)]
        return self.family.agree(*flat).reshape(shape)


@dataclass(frozen=True)
class And(Amplified):
    """A family in which all r functions must agree, so that the probability p becomes pʳ.

    All collision probabilities shrink, and those of dissimilar pairs shrink by a greater factor.

    >>> from lookalike.families.minhash import MinHash
    >>> And(MinHash(), 5).sensitivity(0.2, 0.7)
    Sensitivity(d1=0.2, d2=0.7, p1=0.3276..., p2=0.0024...)
    """

    family: Family
    rows: int

    def __post_init__(self) -> None:
        check_whole("rows", self.rows, 1)

    @property
    def times(self) -> int:
        return self.rows

    def amplify(self, inner: Chance) -> Chance:
        return inner.all(self.rows)

    def agree(self, values: Values, others: Values) -> Mask:
        return np.asarray(self._agree(values, others).all(axis=1))

    def __str__(self) -> str:
        return f"{self.family}.and_({self.rows})"


@dataclass(frozen=True)
class Or(Amplified):
    """A family in which at least one of b functions must agree, so that the probability p becomes 1 − (1 − p)ᵇ.

    All miss probabilities, 1 − p, shrink, and those of similar pairs shrink by a greater factor.

    >>> from lookalike.families.minhash import MinHash
    >>> Or(And(MinHash(), 5), 20).collision_probability(0.8)
    0.99964394...
    """

    family: Family
    bands: int

    def __post_init__(self) -> None:
        check_whole("bands", self.bands, 1)

    @property
    def times(self) -> int:
        return self.bands

    def amplify(self, inner: Chance) -> Chance:
        return inner.any(self.bands)

    def agree(self, values: Values, others: Values) -> Mask:
        return np.asarray(self._agree(values, others).any(axis=1))

    def __str__(self) -> str:
        return f"{self.family}.or_({self.bands})"


@dataclass(frozen=True, repr=False)
class Banded(Amplified):
    """Bands of rows: an AND of r rows in each band, and an OR of b bands.

    A pair whose hash functions agree with probability s becomes a candidate with probability 1 − (1 − sʳ)ᵇ.

    `Banded(1, 0)` has no rows, so every pair is a candidate. It stands for an exact join.

    >>> banded = Banded(bands=20, rows=5)
    >>> round(banded.collision_probability(0.8), 6), round(banded.collision_probability(0.3), 6)
    (0.999644, 0.047494)
    """

    bands: int
    rows: int
    family: Family = field(default_factory=MinHash)

    def __post_init__(self) -> None:
        check_whole("bands", self.bands, 1)
        check_whole("rows", self.rows, 0)
        if not self.rows and self.bands != 1:
            raise InvalidOption("bands-without-rows", bands=self.bands)

    def __repr__(self) -> str:
        of = "" if self.family == MinHash() else f", family={self.family!r}"
        return f"Banded(bands={self.bands}, rows={self.rows}{of})"

    __str__ = __repr__

    @property
    def exact(self) -> bool:
        """True if every pair is a candidate."""
        return self.rows == 0

    @property
    def times(self) -> int:
        return self.bands * self.rows

    def amplify(self, inner: Chance) -> Chance:
        return Chance(1.0, 0.0) if self.exact else inner.all(self.rows).any(self.bands)

    def agree(self, values: Values, others: Values) -> Mask:
        bands = np.asarray(self._agree(values, others).reshape(len(values), self.bands, self.rows).all(axis=2))
        return np.asarray(bands.any(axis=1))

    # The next three methods return points that are sometimes called the threshold of the curve. The first two have
    # closed forms if the inner collision probability equals the similarity.

    def half_point(self) -> float:
        """Returns the similarity (or distance) at which a pair is as likely to be found as not."""
        if self.exact or not _is_linear(self.family):
            return 0.0 if self.exact else super().half_point()
        return float((1 - 0.5 ** (1 / self.bands)) ** (1 / self.rows))

    def steepest_point(self) -> float:
        """Returns the similarity (or distance) at which the curve is steepest: where its second derivative is zero."""
        if self.exact or not _is_linear(self.family):
            return 0.0 if self.exact else super().steepest_point()
        if self.rows == 1:
            return 0.0
        return float(((self.rows - 1) / (self.bands * self.rows - 1)) ** (1 / self.rows))

    def rule_of_thumb(self) -> float:
        """Returns the approximation (1/b)^(1/r): the inner probability at which a band agrees with probability 1/b."""
        return 0.0 if self.exact else float((1 / self.bands) ** (1 / self.rows))


def _is_linear(family: Family) -> bool:
    """True if the collision probability equals the similarity."""
    return family.least == 0 and not family.by_distance and all(family.chance(s).hit == s for s in (0.25, 0.5, 0.75))


def choose_bands(threshold: float, recall: float, hashes: int) -> Banded:
    """Chooses bands and rows with which a pair at the threshold is found with probability `recall` or more.

    Of all choices that need at most `hashes` hashes, the one with the most rows is chosen, because it has the fewest
    false candidates. For a recall of 1, the result is an exact join.

    >>> choose_bands(0.8, 0.99, 128), choose_bands(0.8, 1.0, 128)
    (Banded(bands=16, rows=6), Banded(bands=1, rows=0))
    """
    if not (is_finite(threshold) and 0 < threshold <= 1):
        raise InvalidOption("not-a-share", option="threshold", value=threshold, meant=None)
    check_share("recall", recall)
    check_whole("hashes", hashes, 1)
    return Banded(*bands_and_rows(threshold, recall, hashes))
